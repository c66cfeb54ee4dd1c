//! Files that somebody put into the hub's folders: listed, accepted by the operator, never by themselves.

use interagent_testkit::Sandbox;
use serde_json::json;

use super::{notes, tree, write};

#[test]
fn a_draft_is_named_accepted_and_replaced() {
    let sandbox = Sandbox::with_team();
    // As the original writes them.
    let task = json!({
        "id": "task-ab12cd", "title": "Parse dates", "description": "All of them", "status": "pending",
        "priority": "high", "assignee": "kimi", "assigner": "claude", "created": "2026-01-31T09:30:00.123456",
        "updated": "2026-01-31T09:30:00.123456", "requirements": ["fast"], "acceptance_criteria": ["tested"],
        "deliverables": [], "notes": [{ "timestamp": "2026-01-31T09:31:00", "note": "began" }],
    });
    write(&sandbox, "tasks/active/task-ab12cd.json", &task.to_string());
    let message = json!({
        "id": "msg-12ab34", "from": "claude", "to": "kimi", "subject": "New task", "content": "Please look",
        "type": "delegation", "timestamp": "2026-01-31T09:30:00", "read": false, "task_id": null,
    });
    write(&sandbox, "messages/pending/msg-12ab34.json", &message.to_string());
    write(&sandbox, "tasks/active/odd.json", "{\"title\": 3}");
    insta::assert_snapshot!(notes(&sandbox).join("\n"), @r"
    tasks/active/task-ab12cd.json is a draft of a task: interagent sync --accept tasks/active/task-ab12cd.json
    messages/pending/msg-12ab34.json is a draft of a message: interagent sync --accept messages/pending/msg-12ab34.json
    tasks/active/odd.json is no draft that can be accepted: invalid type: integer `3`, expected a string
    ");
    let before = sandbox.json(&["log"])["items"].as_array().unwrap().len();
    sandbox.run(&["sync"]).success();
    assert_eq!(sandbox.json(&["log"])["items"].as_array().unwrap().len(), before, "nothing enters by itself");
    insta::assert_snapshot!(sandbox.run(&["sync", "--accept"]).shown(), @"
    not accepted tasks/active/odd.json: invalid type: integer `3`, expected a string
    accepted tasks/active/task-ab12cd.json as task-1
    note: kimi: not running; sees it when it starts
    accepted messages/pending/msg-12ab34.json as msg-2
    note: kimi: not running; sees it when it starts
    files: 7 written
    note: tasks/active/odd.json is no draft that can be accepted: invalid type: integer `3`, expected a string
    --- exit 1
    ");
    let shown = sandbox.json(&["task", "show", "task-ab12cd"]);
    assert_eq!(shown["title"], "Parse dates");
    assert_eq!(shown["assigner"]["name"], "claude");
    assert_eq!(shown["notes"][0]["note"], "began");
    assert_eq!(sandbox.json(&["read", "msg-12ab34"])["from"]["name"], "claude");
    let files = tree(&sandbox);
    let id = shown["id"].as_str().unwrap();
    assert!(files[&format!("tasks/active/{id}.json")].contains("\"task-ab12cd\""), "its id is kept");
    assert!(!files.contains_key("tasks/active/task-ab12cd.json"));
    assert!(!files.contains_key("messages/pending/msg-12ab34.json"));
}

#[test]
fn only_named_drafts_are_accepted_and_twice_is_once() {
    let sandbox = Sandbox::with_team();
    let draft = "{\"title\": \"From a file\"}";
    for name in ["tasks/active/one.json", "tasks/active/two.json"] {
        write(&sandbox, name, draft);
    }
    // From the directory the shell is in, too.
    sandbox.run(&["sync", "--accept", ".interagent/tasks/active/one.json"]).success();
    let tasks = || sandbox.json(&["task", "list"])["items"].as_array().unwrap().len();
    assert_eq!(tasks(), 1);
    assert!(tree(&sandbox).contains_key("tasks/active/two.json"));
    // The same file again, as after a crash between taking it in and removing it.
    write(&sandbox, "tasks/active/one.json", draft);
    sandbox.run(&["sync", "--accept", "one.json"]).success();
    assert_eq!(tasks(), 1);
    assert!(!tree(&sandbox).contains_key("tasks/active/one.json"));
    // As after a crash between the task and its notes; each of them is there once.
    for _ in 0..2 {
        let noted = "{\"title\": \"From a file\", \"notes\": [\"first\", \"second\"]}";
        write(&sandbox, "tasks/active/one.json", noted);
        sandbox.run(&["sync", "--accept", "one.json"]).success();
        assert_eq!(sandbox.json(&["task", "show", "one"])["notes"].as_array().unwrap().len(), 2);
    }
    write(&sandbox, "tasks/active/one.json", "{\"title\": \"From a file\", \"requirements\": [\"other\"]}");
    assert_eq!(sandbox.run(&["sync", "--accept", "one.json"]).status, 1, "it says something else");
    let nothing = sandbox.run(&["sync", "--accept", "three.json"]);
    assert_eq!(nothing.status, 1, "{}", nothing.stdout);
}

#[test]
fn agents_accept_nothing_and_a_refusal_keeps_the_draft() {
    let sandbox = Sandbox::with_team();
    write(&sandbox, "messages/pending/x.json", "{\"to\": \"nobody-here\", \"content\": \"hi\"}");
    assert_eq!(sandbox.as_agent("kimi").run(&["sync", "--accept"]).status, 1);
    let refused = sandbox.run(&["sync", "--accept"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stdout.contains("not accepted messages/pending/x.json: there is no agent"),
        "{}",
        refused.stdout
    );
    assert!(tree(&sandbox).contains_key("messages/pending/x.json"));
}

#[test]
fn another_draft_of_the_same_name_is_not_taken_for_the_first() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init"]).success();
    let draft = sandbox.hub().join("tasks/active/idea.json");
    std::fs::write(&draft, r#"{"title":"Buy milk"}"#).unwrap();
    sandbox.run(&["sync", "--accept"]).success();
    std::fs::write(&draft, r#"{"title":"Fix the login","description":"new"}"#).unwrap();
    let told = sandbox.run(&["sync", "--accept"]);
    assert_eq!(told.status, 1, "{}", told.stdout);
    assert!(told.stdout.contains("which says something else"), "{}", told.stdout);
    assert!(std::fs::read_to_string(&draft).unwrap().contains("Fix the login"));
    // The first one again is the first one.
    std::fs::write(&draft, r#"{"title":"Buy milk"}"#).unwrap();
    sandbox.run(&["sync", "--accept"]).success();
    assert_eq!(sandbox.json(&["task", "list"])["items"].as_array().unwrap().len(), 1);
}

#[test]
fn names_of_drafts_run_nothing_and_a_secret_in_one_is_told() {
    let sandbox = Sandbox::with_team();
    write(&sandbox, "tasks/active/x;touch PWNED;.json", "{\"title\": \"odd\"}");
    // Put together here, so that no scanner stumbles over this file.
    let token = ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].concat();
    let draft = json!({ "title": "Rotate", "notes": [format!("use {token}")] }).to_string();
    write(&sandbox, "tasks/active/y;reboot;.json", &draft);
    insta::assert_snapshot!(notes(&sandbox).join("\n"), @r"
    tasks/active/y;reboot;.json is a draft of a task: interagent sync --accept 'tasks/active/y;reboot;.json'
    tasks/active/x;touch PWNED;.json is no draft that can be accepted: its file's name becomes its alias, and an alias has 1 to 200 bytes and no white space or control characters
    ");
    let told = sandbox.run(&["sync", "--accept", "tasks/active/y;reboot;.json"]).success().stdout;
    assert!(told.contains("note: this looks like a GitHub token"), "{told}");
}
