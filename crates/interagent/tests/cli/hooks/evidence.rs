//! What counts as evidence that a message arrived: that very hand-over was printed, and the same run of the client went on.

use std::io::Write as _;
use std::process::Stdio;

use interagent_testkit::Sandbox;
use serde_json::json;

use super::races::started;
use super::{claude, delivery, send};

/// A hook whose client went away before it was answered.
fn unheard(sandbox: &Sandbox, event: &str, closed: impl Fn(&mut std::process::Command)) {
    let mut command = sandbox.start().command(&["hook", "claude", event]);
    closed(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(json!({ "session_id": "s1" }).to_string().as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_was_not_printed_is_not_confirmed_by_what_was_later() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let lost = send(&sandbox, "claude", "first", &[]);
    unheard(&sandbox, "UserPromptSubmit", |_| {});
    let second = send(&sandbox, "claude", "second", &[]);
    let heard = claude(&sandbox, "PostToolUse", "s1").success().stdout;
    assert!(heard.contains(&second) && !heard.contains(&lost), "{heard}");
    claude(&sandbox, "PostToolUse", "s1").success();
    assert_eq!(delivery(&sandbox, &second), "delivered, offered false, redelivered 0");
    assert_eq!(delivery(&sandbox, &lost), "queued, offered true, redelivered 0");
}

#[test]
fn what_was_printed_to_nowhere_is_not_delivered() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    unheard(&sandbox, "UserPromptSubmit", |command| {
        command.stdout(Stdio::null());
    });
    claude(&sandbox, "PostToolUse", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "queued, offered true, redelivered 0");
}

/// Killed, it does not say that it ends; resumed, it says that it begins.
#[test]
fn a_session_that_was_killed_and_resumed_gets_it_again() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    assert!(claude(&sandbox, "UserPromptSubmit", "s1").success().stdout.contains(&id));
    claude(&sandbox, "SessionStart", "s1").success();
    let again = claude(&sandbox, "UserPromptSubmit", "s1").success().stdout;
    assert!(again.contains(&id) && again.contains("handed over again (attempt 2)"), "{again}");
    claude(&sandbox, "PostToolUse", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "delivered, offered false, redelivered 1");
}

#[test]
fn what_a_dead_session_was_offered_comes_to_the_one_that_lives() {
    let sandbox = Sandbox::with_team();
    let mut client = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let pid = client.id();
    let bind =
        ["session", "bind", "s1", "--agent", "claude", "--pid", &pid.to_string(), "--started", &started(pid)];
    sandbox.run(&bind).success();
    sandbox.run(&["session", "bind", "s2", "--agent", "claude", "--join"]).success();
    let id = send(&sandbox, "claude", "hello", &[]);
    assert!(claude(&sandbox, "PostToolUse", "s1").success().stdout.contains(&id));
    client.kill().unwrap();
    client.wait().unwrap();
    let heir = claude(&sandbox, "UserPromptSubmit", "s2").success().stdout;
    assert!(heir.contains(&id), "{heir}");
}
