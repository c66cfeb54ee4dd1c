//! `doctor --canary --client`: the real client, set up as a person would, and what a model of the doctor's own saw of it.
//!
//! The model of the stage is another one. A request that reaches it was sent to the user's model, and fails the test.

use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Network, Stage, client, within_own_network};
use interagent_testkit::sandbox::Run;
use serde_json::{Value, json};

use crate::team::nonce;

fn sandbox() -> Sandbox {
    Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir())
}

/// What the canary answered, and its rows as `state what`.
fn flown(run: Run<'_>, words: &[&str]) -> (Value, Vec<String>) {
    let output = run.run(&[&["doctor", "--json", "--canary", "--client"], words].concat());
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.shown()));
    let answer = answer["answer"].clone();
    assert_eq!(output.status == 0, answer["green"] == true, "{answer:#}");
    let rows = answer["checks"].as_array().unwrap();
    let row = |row: &Value| format!("{} {}", row["state"].as_str().unwrap(), row["what"].as_str().unwrap());
    let rows = rows.iter().map(row).collect();
    (answer, rows)
}

const GREEN: [&str; 5] = ["ok client", "ok model", "ok briefing", "ok tools", "ok identity"];

/// What a person must do in the client before it uses our hooks or our server, and the row that says so.
fn red_before_trust(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "codex" => Some(("bad briefing", "Hooks need review")),
        "kimi" => Some(("bad tools", "in a folder you trusted")),
        _ => None,
    }
}

/// Before setup, before the person trusted it, with mail that waits, and beside a live session of the agent.
pub(crate) fn flies(test: &str, name: &'static str) {
    within_own_network(test, |network| flies_in(&network, name));
}

fn flies_in(network: &Network, name: &'static str) {
    let sandbox = sandbox();
    sandbox.run(&["init"]).success();
    let mut stage = Stage::prepared(client(name), &sandbox);
    // Only what setup allows runs without a question.
    stage.ask_before_tools();
    let before = stage.product().run(&["doctor", "--canary", "--client", name]);
    assert_eq!(before.status, if name == "codex" { 3 } else { 1 }, "{}", before.shown());
    assert!(before.stderr.contains(&format!("hint: interagent setup {name}")), "{}", before.stderr);

    stage.product().run(&["setup", name, "--yes"]).success();
    if let Some((row, hint)) = red_before_trust(name) {
        let (answer, rows) = flown(stage.product(), &[name]);
        assert!(rows.iter().any(|found| found == row), "{answer:#}");
        assert!(answer.to_string().contains(hint), "{answer:#}");
        assert!(stage.model().requests().is_empty(), "the canary used the user's model");
        // Its person opens it once, and confirms.
        drop(stage.open());
    }

    let text = nonce("waiting");
    sandbox.run(&["send", "--to", name, "-m", &text]).success();
    let state = || {
        let unread = sandbox.json(&["agent", "show", name])["unread"].clone();
        let sessions = sandbox.json(&["session", "list"])["items"].clone();
        let log = sandbox.json(&["log", "--limit", "1"])["items"][0]["seq"].clone();
        (unread, sessions, log)
    };
    let team = state();
    assert_eq!(team.0, 1);
    let requests = stage.model().requests().len();
    let (answer, rows) = flown(stage.product(), &[name]);
    assert_eq!(rows, GREEN, "{answer:#}");
    assert_eq!((&answer["client"], &answer["agent"]), (&json!(name), &json!(name)));
    assert_eq!(stage.model().requests().len(), requests, "the canary used the user's model");
    assert_eq!(state(), team, "the canary changed the team");

    // A live session keeps its seat, and the canary is judged as that agent all the same.
    let session = stage.open();
    let told = session.prompt(&nonce("live"));
    assert!(told.tells(&text), "{told:#?}");
    session.settle();
    let team = state();
    assert_eq!(team.1.as_array().unwrap().len(), 1, "{team:?}");
    let (answer, rows) = flown(stage.product(), &[name]);
    assert_eq!(rows, GREEN, "{answer:#}");
    assert_eq!(state(), team, "the canary changed the team");
    assert!(!sandbox.hub().join("state/canary").exists());
    drop(session);
    stage.record_as("canary", network, &Value::Null);
}

/// A seat of a captain's team, in the worktree of its own.
pub(crate) fn flies_in_worktree(test: &str, name: &'static str) {
    within_own_network(test, |_| in_worktree(name));
}

fn in_worktree(name: &'static str) {
    let sandbox = sandbox();
    for words in [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@localhost"]).args(words);
        assert!(git.current_dir(sandbox.project()).status().unwrap().success());
    }
    let members = format!("{name}:2");
    let init = ["init", "--formation", "captain", "--vice-captains", "1", "--members", &members];
    sandbox.run(&init).success();
    let stage = Stage::prepared(client(name), &sandbox);
    stage.product().run(&["setup", name, "--yes"]).success();
    stage.product().run(&["join", "--name", "member2"]).success();
    // The user's own endpoint, in a file that wins over variables: nothing listens there.
    let settings = json!({ "env": { "ANTHROPIC_BASE_URL": "http://127.0.0.1:9" }, "model": "opus" });
    std::fs::write(sandbox.home().join(".claude/settings.json"), settings.to_string()).unwrap();
    let words = [name, "--agent", "member2"];
    let (answer, rows) = flown(stage.product(), &words);
    assert_eq!(rows, GREEN, "{answer:#}");
    let tree = sandbox.project().with_file_name("project.worktrees").join("member2").canonicalize().unwrap();
    assert_eq!((&answer["agent"], &answer["directory"]), (&json!("member2"), &json!(tree)));

    // Without hooks there, mail can't reach the agent; the project's own hooks name no worktree.
    std::fs::remove_file(tree.join(".claude/settings.local.json")).unwrap();
    std::fs::remove_file(sandbox.project().join(".claude/settings.local.json")).unwrap();
    let (answer, rows) = flown(stage.product(), &words);
    assert!(rows.iter().any(|row| row == "bad briefing"), "{answer:#}");
    assert!(answer.to_string().contains(&format!("interagent setup {name}")), "{answer:#}");
}
