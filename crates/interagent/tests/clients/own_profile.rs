//! A client without a shipped profile: its user copies the profile of Claude Code, as docs/reference/profiles.md says, and names
//! another program, or takes the shortest profile of that page. The program here is a client under that other name.

use std::path::Path;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Network, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use crate::team::nonce;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/profiles/claude.toml");

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/profiles.md");

#[test]
#[ignore = "needs the real client: cargo xtask clients claude"]
fn claude() {
    within_own_network("own_profile::claude", |network| works_like_a_shipped_one(&network));
}

/// A client with an MCP server and no hooks. Not Claude Code, which always names its process `claude`.
mod mcp_only {
    #[test]
    #[ignore = "needs the real client: cargo xtask clients copilot"]
    fn copilot() {
        super::within_own_network("own_profile::mcp_only::copilot", |network| {
            super::checks_its_inbox(&network);
        });
    }
}

fn checks_its_inbox(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let mut stage = Stage::prepared(client("copilot"), &sandbox);
    let programs = sandbox.home().join("bin");
    std::fs::rename(programs.join("copilot"), programs.join("mytool")).unwrap();
    // Its MCP servers are in the file that the page's profile names.
    stage.start_by(&[
        "sh",
        "-c",
        "shift; exec mytool --additional-mcp-config @\"$HOME\"/.mytool/settings.json \"$@\"",
        "sh",
    ]);

    stage.product().run(&["init", "--formation", "peers", "--agents", "claude"]).success();
    let profiles = sandbox.hub().join("profiles");
    std::fs::create_dir_all(&profiles).unwrap();
    std::fs::write(profiles.join("mytool.toml"), documented()).unwrap();
    let set_up = ["setup", "mytool", "--yes"];
    assert_ne!(stage.product().run(&set_up).status, 0, "the profile was used before anybody trusted it");
    let (code, shown) = stage.product().answered_at_a_terminal(&["trust"], "y\n");
    assert_eq!(code, 0, "{shown}");
    stage.product().run(&set_up).success();
    let canary = stage.product().run(&["doctor", "--canary"]).stdout;
    let rows: Vec<&str> = canary.lines().filter(|row| row.starts_with("My Tool  ")).collect();
    assert!(!rows.is_empty() && !rows.iter().any(|row| row.contains(" NO ")), "{canary}");

    let session = stage.open();
    let (first, answer) = (nonce("mail"), nonce("answer"));
    let claude = sandbox.as_agent("claude");
    let mut sent = vec![claude.json(&["send", "--to", "mytool", "-m", &first])];
    let prompt = nonce("look");
    let answers = ours("send_message", json!({ "to": "operator", "content": answer }));
    session.model().cue(&prompt, vec![check_inbox(), answers, Turn::Say("answered".to_owned())]);
    session.prompt(&prompt);
    session.settle();
    let asked = session.model().conversations();
    let results = asked.last().unwrap().results();
    assert!(results.first().is_some_and(|result| result.contains(&first)), "{results:#?}");
    let inbox = sandbox.json(&["inbox"]);
    let came = inbox["items"].as_array().unwrap().iter().find(|mail| mail["subject"] == json!(answer));
    assert_eq!(came.unwrap_or_else(|| panic!("{inbox}"))["from"]["name"], "mytool");

    let (second, prompt) = (nonce("mail"), nonce("look"));
    let said = claude.run(&["send", "--to", "mytool", "-m", &second, "--json"]).success().stdout;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["notes"], json!([format!("mytool: {REACH}")]), "{said}");
    sent.push(said["answer"].clone());
    let listed = sandbox.json(&["session", "list", "--agent", "mytool"]);
    assert_eq!(listed["items"][0]["reach"], REACH, "{listed}");
    session.model().cue(&prompt, vec![check_inbox(), Turn::Say("read".to_owned())]);
    let before = session.prompt(&prompt);
    assert!(!before.tells(&second), "no hook brought it: {before:#?}");
    session.told(&second);
    session.settle();
    for mail in sent {
        let to = sandbox.json(&["read", mail["id"].as_str().unwrap()])["to"][0].clone();
        assert_eq!((&to["state"], &to["via"]), (&json!("delivered"), &json!("mcp")), "{to}");
    }
    drop(session);
    stage.record_as("own_profile", network, &Value::Null);
}

/// How soon a client without hooks sees a message.
const REACH: &str = "no hook in this session; sees it when it checks its inbox";

fn check_inbox() -> Turn {
    ours("check_inbox", json!({}))
}

fn ours(tool: &str, arguments: Value) -> Turn {
    Turn::Call { tool: format!("interagent-{tool}"), arguments }
}

/// The shortest profile, as the page shows it.
fn documented() -> String {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    rest.split("```").next().unwrap().to_owned()
}

fn works_like_a_shipped_one(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let mut stage = Stage::prepared(client("claude"), &sandbox);
    stage.never_used();
    let programs = sandbox.home().join("bin");
    std::fs::rename(programs.join("claude"), programs.join("mytool")).unwrap();
    stage.start_by(&["sh", "-c", "shift; exec mytool \"$@\"", "sh"]);

    let profiles = sandbox.home().join(".config/interagent/profiles");
    std::fs::create_dir_all(&profiles).unwrap();
    std::fs::write(profiles.join("mytool.toml"), profile()).unwrap();
    let set_up = stage.product().run(&["setup", "--yes"]).success().stdout;
    assert!(set_up.starts_with("My Tool 2."), "{set_up}");
    let team = std::fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    assert!(team.contains("profile = \"mytool\""), "{team}");
    let doctor = stage.product().run(&["doctor"]).success().stdout;
    assert!(doctor.contains("My Tool: its files say what they should"), "{doctor}");
    // Claude Code reads the same files here, so the canary tries it as well, without hooks of its own.
    let canary = stage.product().run(&["doctor", "--canary"]).stdout;
    let rows: Vec<&str> = canary.lines().filter(|row| row.starts_with("My Tool  ")).collect();
    assert!(rows.len() > 8 && !rows.iter().any(|row| row.contains(" NO ")), "{canary}");

    let session = stage.open();
    let (prompt, answer) = (nonce("hello"), nonce("hello-operator"));
    let call = Turn::Call {
        tool: "mcp__interagent__send_message".to_owned(),
        arguments: json!({ "to": "operator", "content": answer }),
    };
    session.model().cue(&prompt, vec![call, Turn::Say("sent".to_owned())]);
    let told = session.prompt(&prompt);
    assert!(told.tells("You are mytool (collaborator)"), "{told:#?}");
    session.settle();
    let text = nonce("mail");
    let sent = sandbox.json(&["send", "--to", "mytool", "-m", &text]);
    session.told(&text);
    session.settle();
    let to = sandbox.json(&["read", sent["id"].as_str().unwrap()])["to"][0].clone();
    assert_eq!((&to["state"], &to["via"]), (&json!("delivered"), &json!("hook")), "{to}");
    let inbox = sandbox.json(&["inbox"]);
    let came = inbox["items"].as_array().unwrap().iter().find(|mail| mail["subject"] == json!(answer));
    assert_eq!(came.unwrap_or_else(|| panic!("{inbox}"))["from"]["name"], "mytool");
    assert_eq!(sandbox.json(&["ps"])["agents"].as_array().unwrap().len(), 1);
    drop(session);
    stage.record_as("own_profile", network, &Value::Null);
}

/// The shipped profile with the names of another program.
fn profile() -> String {
    let mut text = std::fs::read_to_string(SHIPPED).unwrap();
    for (own, other) in [
        ("name = \"claude\"", "name = \"mytool\""),
        ("title = \"Claude Code\"", "title = \"My Tool\""),
        ("executable = \"claude\"", "executable = \"mytool\""),
        ("programs = [\"claude\"]", "programs = [\"mytool\"]"),
        ("package = \"@anthropic-ai/claude-code\"\n", ""),
    ] {
        assert!(text.contains(own), "{own}");
        text = text.replacen(own, other, 1);
    }
    text
}
