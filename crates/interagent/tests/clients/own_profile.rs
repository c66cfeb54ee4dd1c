//! A client without a shipped profile: its user copies the profile of Claude Code, as docs/reference/profiles.md says, and names
//! another program. The program here is Claude Code under that other name.

use std::path::Path;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Network, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use crate::team::nonce;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/profiles/claude.toml");

#[test]
#[ignore = "needs the real client: cargo xtask clients claude"]
fn claude() {
    within_own_network("own_profile::claude", |network| works_like_a_shipped_one(&network));
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
