//! The tools for shared work, as two agents use them.

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::{Value, json};

use crate::support::{agent, client_of_its_own};

#[test]
fn a_task_goes_from_hand_to_hand() {
    let sandbox = Sandbox::with_team();
    let mut claude = agent(&sandbox, "claude");
    let mut kimi = agent(&sandbox, "kimi");
    let task = claude.done(
        "task",
        json!({ "action": "create", "title": "Build it", "assignee": "kimi",
            "acceptance_criteria": ["it works"], "files": "src/a.rs" }),
    );
    let id = task["id"].as_str().unwrap();
    let inbox = kimi.done("check_inbox", json!({}));
    assert_eq!(
        (&inbox["items"][0]["intent"], &inbox["items"][0]["task"]),
        (&json!("delegation"), &json!(id))
    );
    kimi.done("task", json!({ "action": "update", "task": id, "status": "in_progress" }));
    assert_eq!(kimi.done("check_inbox", json!({}))["duties"], json!([]));
    let reported = kimi.done(
        "task",
        json!({ "action": "report", "task": id, "status": "done", "summary": "done", "files_modified": ["src/a.rs"],
            "skill_candidate": { "found": false } }),
    );
    assert_eq!(reported["status"], "completed");
    assert_eq!(
        kimi.refused("task", json!({ "action": "verdict", "task": id, "verdict": "approved" }))["kind"],
        "refused"
    );
    assert_eq!(
        claude.done("task", json!({ "action": "verdict", "task": id, "verdict": "approved" }))["status"],
        "approved"
    );
}

#[test]
fn a_handoff_is_accepted_or_declined() {
    let sandbox = Sandbox::with_team();
    let mut claude = agent(&sandbox, "claude");
    let mut kimi = agent(&sandbox, "kimi");
    let ask =
        |subject: &str| json!({ "to": "kimi", "subject": subject, "content": "yours", "intent": "handoff" });
    let one = claude.done("send_message", ask("one"))["id"].clone();
    let two = claude.done("send_message", ask("two"))["id"].clone();
    let told = kimi.call("check_inbox", json!({}));
    assert!(told["content"][0]["text"].as_str().unwrap().contains("task(action=accept|decline"), "{told}");
    let mut says = |arguments: Value| kimi.call("task", arguments)["content"][0]["text"].to_string();
    let accepted = says(json!({ "action": "accept", "message": one }));
    assert!(accepted.contains("You accepted it.") && !accepted.contains("to kimi"), "{accepted}");
    let declined = says(json!({ "action": "decline", "message": two, "reason": "too much" }));
    assert!(declined.contains("You declined it.") && !declined.contains("refused"), "{declined}");
    assert_eq!(kimi.done("check_inbox", json!({}))["duties"], json!([]));
}

#[test]
fn task_receipt_names_the_assigner() {
    let sandbox = Sandbox::with_team();
    let task = json!({ "action": "create", "title": "Parser", "assignee": "kimi" });
    let task = agent(&sandbox, "claude").done("task", task)["id"].clone();
    let mut kimi = agent(&sandbox, "kimi");
    let mut says = |arguments: Value| kimi.call("task", arguments)["content"][0]["text"].to_string();
    let new = says(json!({ "action": "show", "task": task }));
    assert!(new.contains("assigned by claude; ready"), "{new}");
    let done = says(json!({ "action": "update", "task": task, "status": "completed" }));
    assert!(done.contains("assigned by claude\\n") && !done.contains("ready"), "{done}");
}

#[test]
fn whoever_subscribes_to_a_spec_is_told_of_its_versions() {
    let sandbox = Sandbox::with_team();
    let mut claude = agent(&sandbox, "claude");
    let mut kimi = agent(&sandbox, "kimi");
    let early = kimi.refused("get_spec", json!({ "name": "wire", "subscribe": true }));
    assert!(early["hints"][0].as_str().unwrap().contains("you are subscribed"), "{early}");
    claude.done("publish_spec", json!({ "name": "wire", "content": "one" }));
    assert_eq!(
        kimi.done("check_inbox", json!({}))["items"].as_array().unwrap().len(),
        1,
        "one still to come"
    );
    let read = kimi.call("get_spec", json!({ "name": "wire", "subscribe": false }));
    assert!(read["content"][0]["text"].as_str().unwrap().ends_with("you are not subscribed"), "{read}");
    claude.done("publish_spec", json!({ "name": "wire", "content": "two" }));
    assert_eq!(kimi.done("check_inbox", json!({}))["items"], json!([]));
    kimi.done("get_spec", json!({ "name": "wire" }));
    claude.done("publish_spec", json!({ "name": "wire", "content": "three" }));
    assert_eq!(kimi.done("check_inbox", json!({}))["items"], json!([]), "reading alone subscribes nobody");
}

#[test]
fn a_wrong_field_is_answered_with_those_of_the_operation() {
    let sandbox = Sandbox::with_team();
    let mut kimi = agent(&sandbox, "kimi");
    let error = kimi.refused("task", json!({ "action": "create", "title": "t", "worker": "kimi" }));
    assert!(error["sentence"].as_str().unwrap().contains("has no parameter `worker`"), "{error}");
    let hint = error["hints"][0].as_str().unwrap();
    assert!(hint.starts_with("task(action=\"create\") takes ") && hint.contains("assignee"), "{hint}");
}

#[test]
fn every_answer_is_short() {
    let sandbox = Sandbox::with_team();
    let mut kimi = agent(&sandbox, "kimi");
    for number in 0..30 {
        kimi.done("task", json!({ "action": "create", "title": format!("task {number}") }));
        kimi.done("publish_spec", json!({ "name": format!("spec-{number}"), "content": "x\n".repeat(50) }));
    }
    for (tool, arguments) in [
        ("task", json!({ "action": "list" })),
        ("list_specs", json!({})),
        ("list_agents", json!({})),
        ("get_all_statuses", json!({})),
        ("search", json!({ "text": "task" })),
        ("briefing", json!({ "action": "team" })),
        ("check_inbox", json!({})),
    ] {
        let result = kimi.call(tool, arguments);
        let lines = result["content"][0]["text"].as_str().unwrap().lines().count();
        assert!(lines <= 15, "{tool}: {lines} lines");
    }
}

#[test]
fn pages_follow_each_other() {
    let sandbox = Sandbox::with_team();
    let mut kimi = agent(&sandbox, "kimi");
    (0..5).for_each(|number| {
        kimi.done("task", json!({ "action": "create", "title": format!("task {number}") }));
    });
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let mut arguments = json!({ "action": "list", "limit": "2" });
        if let Some(after) = &after {
            arguments["after"] = json!(after);
        }
        let page = kimi.done("task", arguments);
        seen.extend(page["items"].as_array().unwrap().iter().map(|task| task["id"].clone()));
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 5);
}

/// Runs git in the project of a sandbox.
fn git(sandbox: &Sandbox, arguments: &[&str]) {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .current_dir(sandbox.project())
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn review_of_a_branch_goes_from_source_to_verdict() {
    let sandbox = Sandbox::with_team();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    let file = sandbox.project().join("a.txt");
    let commit = |text: &str| {
        std::fs::write(&file, text).unwrap();
        git(&sandbox, &["add", "a.txt"]);
        git(&sandbox, &["commit", "-q", "-m", text.trim()]);
    };
    commit("one\n");
    git(&sandbox, &["checkout", "-q", "-b", "parser"]);
    commit("two\n");
    let path = std::env::var("PATH").unwrap();
    let mut kimi = McpClient::connect(client_of_its_own(&sandbox.start().env("PATH", &path)), "test-client");
    kimi.done("register_agent", json!({ "name": "kimi" }));
    let mut claude = agent(&sandbox, "claude");
    let text = |said: &serde_json::Value| said["content"][0]["text"].as_str().unwrap().to_owned();

    let opened = kimi.done(
        "review",
        json!({ "action": "open", "source": "main..HEAD", "to": "claude", "aliases": ["parser-review"] }),
    );
    let id = opened["review"]["id"].as_str().unwrap();
    let inbox = text(&claude.call("check_inbox", json!({})));
    let step = format!(
        "review(action=\"show\", review=\"{id}\"), then action=\"verdict\", verdict=approved|revision_needed|rejected"
    );
    assert!(inbox.contains(&step) && !inbox.contains("reply_message("), "{inbox}");
    let briefing = text(&claude.call("briefing", json!({})));
    assert!(briefing.contains(&format!("review(action=\"show\", review=\"{id}\"), then")), "{briefing}");

    let shown = text(&claude.call("review", json!({ "action": "show", "review": "parser-review" })));
    assert!(shown.contains("1 -one") && shown.contains("1 +two"), "{shown}");
    claude.done("review", json!({ "action": "verdict", "review": id, "verdict": "revision_needed" }));
    commit("three\n");
    kimi.done("review", json!({ "action": "update", "review": id }));
    let newest = text(&claude.call("review", json!({ "action": "show", "review": id })));
    assert!(newest.contains("1 +three") && newest.contains("round 2 of 2"), "{newest}");
    let first = text(&claude.call("review", json!({ "action": "show", "review": id, "round": 1 })));
    assert!(first.contains("1 +two") && first.contains("round 1 of 2"), "{first}");

    let asked = claude.done(
        "review",
        json!({ "action": "comment", "review": id, "body": "Why?", "disposition": "question" }),
    );
    assert_eq!(asked["review"]["id"], id);
    let inbox = text(&kimi.call("check_inbox", json!({})));
    assert!(
        inbox.contains(&format!("review(action=\"comment\", review=\"{id}\", thread=\"note-")),
        "{inbox}"
    );
}
