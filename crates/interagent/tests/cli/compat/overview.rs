//! The summary, the status and the watch.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

/// The documented picture: one task approved, one completed, a message from kimi.
fn documented() -> Sandbox {
    let sandbox = Sandbox::with_team();
    for (title, status) in [("Plan", "approved"), ("Design database schema", "completed")] {
        let task = id(&sandbox.json(&["quick", "--to", "kimi", title]));
        sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
        if status == "approved" {
            sandbox.as_agent("claude").run(&["task", "update", &task, "--status", "approved"]).success();
        }
    }
    let done = ["msg", "send", "--to", "claude", "--subject", "Schema ready", "--message", "Done!"];
    sandbox.as_agent("kimi").run(&done).success();
    sandbox.as_agent("kimi").run(&["inbox"]).success();
    for mail in sandbox.json(&["inbox", "--agent", "kimi"])["items"].as_array().unwrap() {
        sandbox.as_agent("kimi").run(&["ack", mail["id"].as_str().unwrap()]).success();
    }
    sandbox
}

#[test]
fn the_summary_has_the_form_people_know() {
    let sandbox = documented();
    insta::assert_snapshot!(sandbox.run(&["summary"]).shown(), @r"
    INTERAGENT SUMMARY
    ==================

    [TASKS]
      ✅ 1 task(s) approved
      👀 1 task(s) ready for review

    [MESSAGES]
      📬 Operator: 3 unread message(s)
      - From kimi: Plan (task-1): completed
      - From claude: approved: Plan (task-1)
      - From kimi: Design database schema (task-2): completed
      📬 Claude: 2 unread message(s)
      - From kimi: Design database schema (task-2): completed
      - From kimi: Schema ready

    [ACTION ITEMS]
      → Read 3 unread message(s)
      → Tell claude to review 1 completed task(s)

    [QUICK COMMANDS]
      interagent inbox
      interagent relay --to claude
    ");
    // The picture above has its runs of spaces shrunk.
    assert!(sandbox.run(&["summary"]).stdout.contains("\n     - From kimi: Schema ready\n"));
    let view = sandbox.json(&["summary"]);
    let actions: Vec<_> = view["actions"].as_array().unwrap().iter().map(|item| &item["action"]).collect();
    assert_eq!(actions, ["read", "review", "read"], "what programs read stays: {view}");
    assert_eq!(view["commands"], json!(["interagent inbox", "interagent relay --to claude"]));
    insta::assert_snapshot!(Sandbox::with_team().run(&["summary"]).shown(), @r#"
    INTERAGENT SUMMARY
    ==================

    [TASKS]
      No tasks yet

    [MESSAGES]
      No unread messages

    [ACTION ITEMS]
      Nothing waits for anybody

    [QUICK COMMANDS]
      interagent quick "What is to be done"
    "#);
}

#[test]
fn the_status_begins_with_the_project_and_knows_who_wrote() {
    let sandbox = documented();
    insta::assert_snapshot!(sandbox.run(&["status"]).shown(), @r"
    project: project
    mode: hierarchical (duo)
    agents: claude (principal), kimi (delegate)
    tasks: 0 active, 2 completed
    messages: 5 pending

    name  role  life  status  task  open  owes  unread  seen
    operator  no status  0  0  3  [ago]
    claude  principal  away  no status  0  1  2  [ago]
    kimi  delegate  away  no status  0  0  0  [ago]
    ");
    let board = sandbox.json(&["status"]);
    assert_eq!((&board["active_tasks"], &board["completed_tasks"]), (&json!(0), &json!(2)));
    assert_eq!((&board["pending_messages"], &board["mode"]), (&json!(5), &json!("hierarchical")));
    assert!(board["rows"][2]["seen"].is_string(), "{board}");
    let silent = Sandbox::with_team().json(&["status"]);
    assert_eq!(silent["rows"][2]["seen"], Value::Null, "{silent}");
}

#[test]
fn the_watch_tells_what_happens_from_now_on() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["quick", "--to", "kimi", "Before"]).success();
    let mut command = sandbox.start().command(&["watchdog", "--interval", "10"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(
        notes.next().unwrap().unwrap(),
        "watching; Ctrl-C ends it; no interval is needed, nothing is polled"
    );
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = |count: usize| -> Vec<String> {
        let lines = lines.by_ref().take(count).map(|line| line.unwrap());
        lines.map(|line| line.split_once("  ").unwrap().1.rsplit_once("  ").unwrap().0.to_owned()).collect()
    };
    let task = id(&sandbox.json(&["quick", "--to", "kimi", "Design database schema"]));
    assert_eq!(
        next(2),
        [
            r#"📋 kimi has a new task: "Design database schema""#,
            r#"📬 operator sent a delegation to kimi: "Design database schema""#
        ]
    );
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
    let told = next(4);
    assert_eq!(
        told[..2],
        [r#"🔧 kimi began "Design database schema""#, r#"✅ kimi completed "Design database schema""#]
    );
    assert!(told[2].starts_with("📬 kimi sent a review request to claude"), "{told:?}");
    assert!(told[3].starts_with("📬 kimi sent a report to operator"), "{told:?}");
    sandbox.as_agent("claude").run(&["task", "update", &task, "--status", "approved"]).success();
    assert_eq!(next(1), [r#"👀 claude approved "Design database schema""#]);
    next(2);
    let question = ["send", "--to", "kimi", "--intent", "question", "-m", "Which licence?"];
    let question = id(&sandbox.as_agent("claude").json(&question));
    sandbox.as_agent("kimi").run(&["msg", "escalate", &question, "--reason", "not mine"]).success();
    let told = next(3);
    assert!(told.iter().any(|line| line.starts_with("🚨 kimi took it to operator")), "{told:?}");
    // Ctrl-C: a shell shows this end as 130.
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(2));
}

#[test]
fn the_watch_is_one_document_on_a_line_for_programs_and_ends_with_its_reader() {
    let sandbox = Sandbox::with_team();
    let after = sandbox.json(&["log", "--limit", "1"])["items"][0]["seq"].to_string();
    let mut command = sandbox.start().command(&["watch", "--json", "--after", &after]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    sandbox.run(&["send", "--to", "kimi", "-m", "one"]).success();
    let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&line["schema"], &line["answer"]["kind"]), (&json!(1), &json!("message")));
    assert_eq!(
        (&line["answer"]["by"]["name"], &line["answer"]["to"][0]["name"]),
        (&json!("operator"), &json!("kimi"))
    );
    drop(lines);
    sandbox.run(&["send", "--to", "kimi", "-m", "two"]).success();
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
}
