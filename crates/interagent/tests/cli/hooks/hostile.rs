//! Hooks in trouble: whatever is wrong with us or with what we are told, the client goes on with its work.

use interagent_testkit::Sandbox;
use serde_json::json;

use super::{claude, send, told};

fn log(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.hub().join("state/hook.log")).unwrap_or_default()
}

#[test]
fn trouble_of_ours_is_no_trouble_of_the_clients() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    std::fs::write(sandbox.hub().join("state/hub.db"), "no database at all").unwrap();
    let output = claude(&sandbox, "UserPromptSubmit", "s1").success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    let noted = log(&sandbox);
    assert_eq!(noted.lines().count(), 1, "{noted}");
    assert!(noted.contains("claude UserPromptSubmit: error:"), "{noted}");
}

#[test]
fn without_a_hub_there_is_nothing_to_do() {
    let sandbox = Sandbox::new();
    let output = claude(&sandbox, "SessionStart", "s1").success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    assert!(!sandbox.hub().exists() && !sandbox.home().join(".interagent").exists());
}

/// Exit code 2 would be a "no" to the client.
#[test]
fn settings_that_are_not_understood_stop_nobody() {
    let sandbox = Sandbox::with_team();
    for hook in [&["claude", "Stop", "--bogus"][..], &["claude"], &[], &["claude", "Stop", "--agent"]] {
        let output = told(sandbox.start(), hook, "s1", &json!({})).success();
        assert_eq!(output.stderr, "", "{hook:?}");
    }
}

#[test]
fn what_no_profile_knows_is_passed_over() {
    let sandbox = Sandbox::with_team();
    for hook in [["nobody", "Stop"], ["claude", "NoSuchEvent"], ["generic", "Stop"]] {
        let output = told(sandbox.start(), &hook, "s1", &json!({})).success();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{hook:?}");
    }
    assert_eq!(log(&sandbox).lines().count(), 3, "{}", log(&sandbox));
}

/// Somebody keeps the writers' gate: the hook's own deadline passes and the client goes on.
#[test]
fn a_hook_does_not_wait_for_a_store_that_is_held() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    let gate = std::fs::File::open(sandbox.hub().join("state/gate")).unwrap();
    gate.lock().unwrap();
    let output = claude(&sandbox, "PostToolUse", "s1").success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    drop(gate);
    assert!(claude(&sandbox, "PostToolUse", "s1").success().stdout.contains(&id), "it is not lost");
}

/// Treating such input as the end of a turn would take a seat and lose its mail.
#[test]
fn input_without_json_changes_nothing() {
    let sandbox = Sandbox::with_team();
    let id = send(&sandbox, "claude", "hello", &[]);
    for input in ["garbage\n", "[1]", "{"] {
        let output = sandbox.start().stdin(input).run(&["hook", "claude", "Stop"]).success();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{input}");
    }
    let noted = log(&sandbox);
    assert_eq!(noted.lines().count(), 3, "{noted}");
    assert!(noted.contains("claude Stop: error: the input is not a JSON object"), "{noted}");
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
    assert_eq!(super::delivery(&sandbox, &id), "queued, offered false, redelivered 0");
}

#[test]
fn any_input_gives_a_valid_answer() {
    let sandbox = Sandbox::with_team();
    let deep = "[".repeat(100_000);
    let long = format!("{{\"session_id\":\"s\",\"x\":\"{}\"}}", "y".repeat(3_000_000));
    let inputs: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"null".to_vec(),
        b"{\"session_id\":".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        deep.into_bytes(),
        long.into_bytes(),
        b"{\"session_id\":{\"a\":1},\"cwd\":7}".to_vec(),
        b"{\"session_id\":\"../../x\",\"cwd\":\"/does/not/exist\"}".to_vec(),
        b"{\"session_id\":\"a\\u0000b\",\"stop_hook_active\":\"maybe\"}".to_vec(),
        b"{\"session_id\":\"s\",\"session_id\":\"t\"}".to_vec(),
    ];
    for input in inputs {
        for event in ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd", "PreToolUse"] {
            let output = sandbox.start().stdin(input.clone()).run(&["hook", "claude", event]).success();
            assert_eq!(output.stderr, "", "{event}");
            let is_document = serde_json::from_str::<serde_json::Value>(&output.stdout).is_ok();
            assert!(output.stdout.is_empty() || is_document, "{event}: {}", output.stdout);
        }
    }
}
