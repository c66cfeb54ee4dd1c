//! Moving over from other systems, through the program.

mod asking;
mod captain;
mod claude_interagent;
mod cut_off;
mod framework;
mod kavi;
mod refused;

use std::fs;
use std::path::Path;

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

/// A recorded tree of another system.
const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/trees");

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }
}

/// An InterAgent project with so many messages that wait, one each second.
fn interagent_project(sandbox: &Sandbox, messages: usize) {
    let hub = sandbox.hub();
    let pending = hub.join("messages/pending");
    fs::create_dir_all(&pending).unwrap();
    let session = json!({
        "id": "session-1a2b3c", "name": "Old", "created": "2026-01-01T00:00:00", "updated": "2026-01-01T00:00:00",
        "mode": "hierarchical", "principal": "claude", "active_tasks": [], "completed_tasks": [], "discussions": [],
        "agents": {"claude": {"role": "principal", "since": "2026-01-01T00:00:00"}, "kimi": {"role": "delegate"}}
    });
    fs::write(hub.join("session.json"), session.to_string()).unwrap();
    for n in 0..messages {
        let time = format!("2026-01-01T{:02}:{:02}:{:02}.000000", n / 3600, n / 60 % 60, n % 60);
        let message = json!({
            "id": format!("msg-{n:06x}"), "from": "claude", "to": "kimi", "subject": format!("Entry {n}"),
            "content": "what it says", "type": "message", "timestamp": time, "read": false, "task_id": null
        });
        fs::write(pending.join(format!("msg-{n:06x}.json")), message.to_string()).unwrap();
    }
}

/// How many entries the log has.
fn entries(sandbox: &Sandbox) -> i64 {
    let output = sandbox.run(&["log", "--limit", "1", "--json"]).success();
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    document["seq"].as_i64().unwrap()
}

/// Every id names the same thing wherever an id is accepted.
fn resolves(sandbox: &Sandbox, task: Option<&str>, message: &str) {
    let own = sandbox.json(&["read", message])["id"].as_str().unwrap().to_owned();
    assert!(own.starts_with("msg-") && own != message, "{own}");
    for words in [&["msg", "read"][..], &["msg", "thread"], &["log", "show"]] {
        let mut words = words.to_vec();
        words.push(message);
        sandbox.run(&words).success();
    }
    let Some(task) = task else { return };
    let own = sandbox.json(&["task", "show", task])["id"].as_str().unwrap().to_owned();
    assert!(own.starts_with("task-") && own != task, "{own}");
    sandbox.run(&["log", "show", task]).success();
    sandbox.run(&["msg", "list", "--task", task]).success();
    sandbox.run(&["task", "note", task, "a note by its old id"]).success();
    let wrong = sandbox.run(&["task", "show", message]);
    assert!(wrong.status == 3 && wrong.stderr.contains("is a message, not a task"), "{}", wrong.stderr);
}
