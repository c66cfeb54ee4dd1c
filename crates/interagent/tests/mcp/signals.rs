//! Signal files by way of MCP: left for the recipient, and gone once it has its mail.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::json;

use crate::support::client_of_its_own;

/// Waits until a directory holds so many signal files: they are written beside the answer, and nobody waits for them.
#[track_caller]
fn signals(directory: &Path, wanted: usize) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let entries = fs::read_dir(directory).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // One that is being written has a name that begins with a dot.
        let found: Vec<String> =
            names.filter(|name| name.ends_with(".signal") && !name.starts_with('.')).collect();
        if found.len() == wanted {
            return found;
        }
        assert!(Instant::now() < until, "{wanted} wanted, there are {found:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn agent(sandbox: &Sandbox, name: &str, client: &str) -> McpClient {
    let workspace = sandbox.home().join(name);
    fs::create_dir_all(&workspace).unwrap();
    let mut connected = McpClient::connect(client_of_its_own(&sandbox.start()), client);
    connected
        .done("register_agent", json!({ "name": name, "workspace_path": workspace, "description": "tests" }));
    connected
}

#[test]
fn a_signal_is_left_for_mail_and_taken_away_with_it() {
    let sandbox = Sandbox::with_team();
    let mut front = agent(&sandbox, "front", "claude-code");
    let mut back = agent(&sandbox, "back", "kimi-code");
    let (fronts, backs) =
        (sandbox.home().join("front/.claude/inbox"), sandbox.home().join("back/.interagent/inbox"));

    let sent = front.done("send_message", json!({ "to": "back", "subject": "Login", "content": "the body" }));
    let id = sent["id"].as_str().unwrap();
    let name = signals(&backs, 1).remove(0);
    assert!(name.starts_with(&format!("front-{id}.agt-")), "{name}");
    let line = fs::read_to_string(backs.join(&name)).unwrap();
    assert!(
        line.contains("run check_inbox") && line.contains("\"Login\"") && !line.contains("the body"),
        "{line}"
    );
    back.done("check_inbox", json!({}));
    signals(&backs, 0);

    back.done("reply_message", json!({ "original_message_id": id, "content": "the route is in routes.rs" }));
    let name = signals(&fronts, 1).remove(0);
    let id = name.strip_prefix("back-").unwrap().split('.').next().unwrap();
    front.done("read_message", json!({ "message_id": id }));
    signals(&fronts, 0);
    assert!(front.leave().success() && back.leave().success());
    sandbox.run(&["doctor"]).success();
}

#[test]
fn an_answer_that_nobody_read_leaves_the_signal() {
    let sandbox = Sandbox::with_team();
    let mut deaf = agent(&sandbox, "deaf", "kimi-code");
    let inbox = sandbox.home().join("deaf/.interagent/inbox");
    deaf.stop_reading();
    sandbox.run(&["send", "--to", "deaf", "-m", "are you there?"]).success();
    signals(&inbox, 1);
    (0..40).for_each(|_| {
        deaf.ask("tools/list", json!({}));
    });
    deaf.ask("tools/call", json!({ "name": "check_inbox", "arguments": {} }));
    let until = Instant::now() + Duration::from_secs(10);
    while sandbox.json(&["inbox", "--agent", "deaf"])["items"][0]["offered_elsewhere"] != true {
        assert!(Instant::now() < until, "it was never taken");
    }
    deaf.kill();
    signals(&inbox, 1);
}
