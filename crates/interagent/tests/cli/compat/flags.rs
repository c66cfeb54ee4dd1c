//! The flags of the older commands, beside the shorter forms.

use interagent_testkit::Sandbox;
use serde_json::json;

#[test]
fn a_second_init_needs_force_and_loses_nothing() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "-p", "My API", "--principal", "kimi", "--mode", "hierarchical"]).success();
    let names: Vec<String> = sandbox.json(&["agent", "list"])["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| format!("{} {}", agent["name"].as_str().unwrap(), agent["role"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(names, ["operator -", "claude delegate", "kimi principal"], "the usual pair, whoever decides");
    sandbox.run(&["task", "create", "--title", "Keep me", "--assignee", "claude"]).success();
    sandbox.run(&["msg", "send", "--to", "kimi", "--message", "Keep me too"]).success();
    let again = sandbox.run(&["init", "--project", "Other"]);
    assert_eq!(again.status, 1, "{}", again.stderr);
    assert!(
        again.stderr.contains("there is a hub already") && again.stderr.contains("--force"),
        "{}",
        again.stderr
    );
    sandbox.run(&["init", "--project", "Other", "--principal", "kimi", "--force"]).success();
    assert_eq!(sandbox.json(&["team", "show"])["project"], "Other");
    assert_eq!(sandbox.json(&["task", "list"])["items"][0]["title"], "Keep me");
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
}

#[test]
fn a_task_takes_the_older_flags() {
    let sandbox = Sandbox::with_team();
    let older = "task create -t Login -d Sessions_only -a kimi --assigner claude --priority critical \
                 --requirements a b --criteria c d";
    let task = sandbox.json(&older.split_whitespace().collect::<Vec<_>>());
    assert_eq!(task["assigner"]["name"], "claude");
    assert_eq!((&task["title"], &task["description"]), (&json!("Login"), &json!("Sessions_only")));
    assert_eq!(
        (&task["requirements"], &task["acceptance_criteria"]),
        (&json!(["a", "b"]), &json!(["c", "d"]))
    );
    assert_eq!(
        sandbox.json(&["log", "--limit", "1"])["items"][0]["behalf"]["name"],
        "claude",
        "the log says for whom"
    );
    let id = task["id"].as_str().unwrap();
    sandbox.run(&["task", "update", id, "--status", "approved", "--note", "fine"]).success();
    assert_eq!(sandbox.json(&["task", "list", "--active-only"])["items"], json!([]));
    assert_eq!(
        sandbox.json(&["task", "list", "--assignee", "kimi", "--status", "approved"])["items"][0]["id"],
        id
    );
    let other = sandbox.as_agent("kimi").run(&["task", "create", "--title", "x", "--assigner", "claude"]);
    assert_eq!(
        (other.status, other.stderr.contains("you are kimi, not claude")),
        (1, true),
        "{}",
        other.stderr
    );
    let nameless = sandbox.run(&["task", "create", "--assignee", "kimi"]);
    assert_eq!(
        (nameless.status, nameless.stderr.contains("needs a title")),
        (2, true),
        "{}",
        nameless.stderr
    );
}

#[test]
fn messages_take_the_older_flags_and_both_names_do_the_same() {
    let sandbox = Sandbox::with_team();
    let task = sandbox.json(&["task", "create", "Login", "--assignee", "kimi"]);
    let task = task["id"].as_str().unwrap();
    let flags = ["-t", "kimi", "-f", "claude", "-s", "Look", "-m", "Please", "--task-id", task];
    for (intent, stored) in [
        ("message", "message"),
        ("delegation", "delegation"),
        ("review", "review_request"),
        ("discussion", "discussion"),
    ] {
        for command in [&["msg", "send", "--type", intent][..], &["send", "--type", intent]] {
            let sent = sandbox.json(&[command, &flags].concat());
            let message = sandbox.json(&["msg", "read", sent["id"].as_str().unwrap()]);
            assert_eq!((&message["intent"], &message["from"]["name"]), (&json!(stored), &json!("claude")));
            assert_eq!((&message["task"], &message["spoken_by"]["name"]), (&json!(task), &json!("operator")));
        }
    }
}

#[test]
fn an_agent_that_names_itself_gets_its_inbox_and_reading_marks_as_read() {
    let sandbox = Sandbox::with_team();
    let sent = sandbox.json(&["msg", "send", "--to", "kimi", "--message", "Hello"]);
    let id = sent["id"].as_str().unwrap();
    let state = || sandbox.json(&["read", id])["to"][0]["state"].as_str().unwrap().to_owned();
    sandbox.run(&["inbox", "-a", "kimi"]).success();
    sandbox.as_agent("claude").run(&["inbox", "-a", "kimi"]).success();
    assert_eq!(state(), "queued", "others only look");
    assert!(sandbox.as_agent("kimi").run(&["inbox", "--agent", "kimi"]).success().stdout.contains(id));
    assert_eq!(state(), "delivered");
    sandbox.as_agent("kimi").run(&["msg", "read", id]).success();
    assert_eq!(state(), "acknowledged");
}
