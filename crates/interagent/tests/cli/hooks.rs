//! Hooks: what a client's events do, seen from the client. Its JSON goes in, its format comes out.

mod evidence;
mod formats;
mod golden;
mod hostile;
mod races;
mod waking;

use std::path::Path;

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::{Output, Run};
use serde_json::{Value, json};

/// Tells a hook of a client that something happened in a session.
fn told(run: Run<'_>, hook: &[&str], session: &str, more: &Value) -> Output {
    let mut payload = json!({ "session_id": session, "sessionId": session });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let arguments: Vec<&str> = ["hook"].iter().chain(hook).copied().collect();
    run.stdin(payload.to_string()).run(&arguments)
}

/// The same for Claude Code, as the agent that is left to be found out.
fn claude(sandbox: &Sandbox, event: &str, session: &str) -> Output {
    told(sandbox.start(), &["claude", event], session, &json!({}))
}

fn send(sandbox: &Sandbox, to: &str, body: &str, more: &[&str]) -> String {
    let arguments: Vec<&str> = ["send", "--to", to, "-m", body].iter().chain(more).copied().collect();
    sandbox.json(&arguments)["id"].as_str().unwrap().to_owned()
}

/// How the delivery of a message to its one recipient stands.
fn delivery(sandbox: &Sandbox, id: &str) -> String {
    let message = sandbox.json(&["read", id]);
    let to = &message["to"][0];
    format!("{}, offered {}, redelivered {}", to["state"].as_str().unwrap(), to["offered"], to["redelivered"])
}

#[test]
fn an_agent_is_briefed_when_it_starts_and_when_it_forgot() {
    let sandbox = Sandbox::with_team();
    let starts = |session: &str, source: &str| {
        told(sandbox.start(), &["claude", "SessionStart"], session, &json!({ "source": source }))
            .success()
            .stdout
    };
    let first = starts("s1", "startup");
    assert!(first.contains("You are claude (principal)"), "{first}");
    assert!(starts("s1", "compact").contains("You are claude"));
    // After /clear the client has another session and the same process: still the same agent.
    let cleared = told(
        sandbox.start().env("INTERAGENT_AGENT", "claude"),
        &["claude", "SessionStart"],
        "s2",
        &json!({ "source": "clear" }),
    );
    assert!(cleared.stdout.contains("You are claude"), "{}", cleared.stdout);
    // What has nothing to say at the start is told with the first prompt, once, and again after it forgot.
    let kimi = |event: &str| told(sandbox.start(), &["kimi", event], "k1", &json!({})).success().stdout;
    assert_eq!(kimi("SessionStart"), "");
    assert!(kimi("UserPromptSubmit").contains("You are kimi (delegate)"));
    assert_eq!(kimi("UserPromptSubmit"), "");
    assert_eq!(kimi("PreCompact"), "");
    assert!(kimi("UserPromptSubmit").contains("You are kimi"));
}

#[test]
fn a_message_is_offered_and_delivered_by_the_next_hook() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "which port?", &["--intent", "question", "--ref", "src/a.rs:3-9"]);
    assert_eq!(delivery(&sandbox, &id), "queued, offered false, redelivered 0");
    let said = claude(&sandbox, "PostToolUse", "s1").success().stdout;
    for part in ["which port?", &id, "from operator", "question", "src/a.rs:3-9", "interagent reply"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(delivery(&sandbox, &id), "queued, offered true, redelivered 0");
    assert_eq!(claude(&sandbox, "PostToolUse", "s1").success().stdout, "");
    assert_eq!(delivery(&sandbox, &id), "delivered, offered false, redelivered 0");
    // What is owed keeps the turn going once.
    let reminded = claude(&sandbox, "Stop", "s1").success().stdout;
    assert!(reminded.contains("block") && reminded.contains(&id), "{reminded}");
    assert_eq!(claude(&sandbox, "Stop", "s1").success().stdout, "");
    send(&sandbox, "claude", "and which host?", &["--intent", "question"]);
    assert!(claude(&sandbox, "Stop", "s1").success().stdout.contains("and which host?"));
}

#[test]
fn a_turn_that_a_hook_kept_going_is_left_alone() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    let looping = json!({ "stop_hook_active": true });
    assert_eq!(told(sandbox.start(), &["claude", "Stop"], "s1", &looping).success().stdout, "");
    // A subagent's context is not the agent's.
    let inner = json!({ "agent_id": "a1" });
    assert_eq!(told(sandbox.start(), &["claude", "PostToolUse"], "s1", &inner).success().stdout, "");
    assert_eq!(delivery(&sandbox, &id), "queued, offered false, redelivered 0");
    assert!(claude(&sandbox, "UserPromptSubmit", "s1").success().stdout.contains("hello"));
}

#[test]
fn what_can_wait_waits_for_the_end_of_the_turn() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    send(&sandbox, "claude", "some time", &["--priority", "low"]);
    send(&sandbox, "claude", "right now", &["--priority", "high"]);
    let during = claude(&sandbox, "PostToolUse", "s1").success().stdout;
    assert!(during.contains("right now") && !during.contains("some time"), "{during}");
    assert!(claude(&sandbox, "Stop", "s1").success().stdout.contains("some time"));
}

#[test]
fn a_long_body_is_cut_with_the_command_that_shows_the_rest() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", &"long ".repeat(4000), &[]);
    let said = claude(&sandbox, "UserPromptSubmit", "s1").success().stdout;
    assert!(said.len() < 6_000, "{}", said.len());
    assert!(said.contains(&format!("cut: the rest with interagent read {id}")), "{said}");
}

#[test]
fn a_session_that_is_nobody_is_told_once_how_to_take_part() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    // The only claude has a session; nothing says who this one is.
    let invited = claude(&sandbox, "SessionStart", "s2").success().stdout;
    assert!(invited.contains("interagent agent register NAME"), "{invited}");
    assert_eq!(claude(&sandbox, "UserPromptSubmit", "s2").success().stdout, "");
    // Whoever names the agent joins it.
    let joined = told(sandbox.start(), &["claude", "SessionStart", "--agent", "claude"], "s3", &json!({}));
    assert!(joined.stdout.contains("You are claude"), "{}", joined.stdout);
}

#[test]
fn liveness_follows_from_hooks_and_costs_the_store_nothing() {
    let sandbox = Sandbox::with_team();
    let state = || sandbox.json(&["session", "list"])["items"][0]["state"].as_str().unwrap().to_owned();
    claude(&sandbox, "SessionStart", "s1").success();
    let seq = sandbox.json(&["doctor"]);
    for (event, wanted) in [("UserPromptSubmit", "busy"), ("PostToolUse", "busy"), ("Stop", "idle")] {
        assert_eq!(told(sandbox.start(), &["claude", event], "s1", &json!({})).success().stdout, "");
        assert_eq!(state(), wanted, "{event}");
    }
    assert_eq!(sandbox.json(&["doctor"]), seq, "nothing was written");
    let asks = json!({ "notification_type": "permission_prompt" });
    assert_eq!(told(sandbox.start(), &["claude", "Notification"], "s1", &asks).success().stdout, "");
    assert_eq!(state(), "asking");
    claude(&sandbox, "SessionEnd", "s1").success();
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
}

#[test]
fn the_sender_is_told_who_will_not_see_it_soon() {
    let sandbox = Sandbox::with_team();
    let sent = sandbox.run(&["send", "--to", "kimi", "-m", "none"]).success().shown();
    assert!(sent.contains("kimi: not running; sees it when it starts"), "{sent}");
    let kimi = |event: &str| told(sandbox.start(), &["kimi", event], "k1", &json!({})).success();
    kimi("UserPromptSubmit");
    assert!(!sandbox.run(&["send", "--to", "kimi", "-m", "one"]).success().stdout.contains("prompt"));
    kimi("UserPromptSubmit");
    kimi("Stop");
    let sent = sandbox.run(&["send", "--to", "kimi", "-m", "two"]).success().stdout;
    assert!(sent.contains("kimi: idle; sees it on its next prompt"), "{sent}");
    let board = sandbox.run(&["status"]).success().stdout;
    assert!(board.contains("kimi: idle; sees it on its next prompt"), "{board}");
}

/// A tool of Claude Code that writes a file.
fn write_to(path: &std::path::Path) -> Value {
    json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "x" }, "cwd": path.parent() })
}

#[test]
fn a_tool_that_breaks_a_rule_is_denied_with_rule_reason_and_way_out() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let file = sandbox.project().join("api.rs");
    let before = |sandbox: &Sandbox| {
        told(sandbox.start(), &["claude", "PreToolUse"], "s1", &write_to(&file)).success().stdout
    };
    assert_eq!(before(&sandbox), "", "nothing speaks against it");
    sandbox.as_agent("kimi").run(&["lease", "take", "api.rs", "--reason", "mine"]).success();
    let denied = before(&sandbox);
    let document: Value = serde_json::from_str(&denied).unwrap();
    let output = &document["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    let why = output["permissionDecisionReason"].as_str().unwrap();
    for part in ["RACE-001", "kimi", "interagent"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let trace = sandbox.run(&["log", "trace"]).stdout + &sandbox.run(&["log", "--trace"]).stdout;
    assert!(trace.contains("guard.denied"), "{trace}");
}

#[test]
fn two_agents_on_one_file_are_both_told() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    told(sandbox.start(), &["kimi", "UserPromptSubmit"], "k1", &json!({})).success();
    let (file, link) = (sandbox.project().join("api.rs"), sandbox.project().join("link.rs"));
    std::fs::write(&file, "fn api() {}").unwrap();
    std::os::unix::fs::symlink("api.rs", &link).unwrap();
    let edits = |client: &str, session: &str, file: &Path| {
        told(sandbox.start(), &[client, "PostToolUse"], session, &write_to(file)).success().stdout
    };
    assert_eq!(edits("claude", "s1", &file), "");
    // The same file by another name. Kimi Code does not hear anything after a tool: it is told with its next prompt.
    assert_eq!(edits("kimi", "k1", &link), "");
    let later = told(sandbox.start(), &["kimi", "UserPromptSubmit"], "k1", &json!({})).success().stdout;
    assert!(later.contains("api.rs") && later.contains("claude"), "{later}");
    let earlier = claude(&sandbox, "UserPromptSubmit", "s1").success().stdout;
    assert!(earlier.contains("api.rs") && earlier.contains("from kimi"), "{earlier}");
}

/// The agent went to another directory; its client was started in the project.
#[test]
fn a_client_that_works_elsewhere_keeps_its_team() {
    let sandbox = Sandbox::with_team();
    let client = sandbox.home().join("claude");
    std::fs::copy("/bin/sh", &client).unwrap();
    let payload = json!({ "session_id": "s1", "cwd": sandbox.home() });
    std::fs::write(sandbox.home().join("payload"), payload.to_string()).unwrap();
    let hook = |event: &str| {
        // What follows keeps the shell from becoming the hook itself.
        let line = format!("interagent hook claude {event} < {}/payload; true", sandbox.home().display());
        let shell = sandbox.start().shell("");
        let mut command = std::process::Command::new(&client);
        command.args(["-c", &line]).env_clear().current_dir(sandbox.project());
        command.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(hook("SessionStart").contains("You are claude"));
    let id = send(&sandbox, "claude", "where are you?", &[]);
    assert!(hook("PostToolUse").contains(&id));
}
