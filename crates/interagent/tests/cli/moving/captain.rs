//! A Captain's queue, recorded.

use std::fs;
use std::path::Path;

use interagent_testkit::Sandbox;

use super::{TREES, copy, entries, resolves};

fn army() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&Path::new(TREES).join("captain"), &sandbox.project());
    sandbox.run(&["init", "--formation", "captain", "--members", "3"]).success();
    sandbox
}

#[test]
fn a_captains_queue_moves_over() {
    let sandbox = army();
    let shown = sandbox.run(&["import", "--yes"]).success();
    insta::assert_snapshot!(shown.shown(), @r"
    took over 6 messages, 5 tasks, 1 report, 1 agent from the Captain system ([sandbox]/project/queue)
    taken before: 4 agents
    vice_captain is called vice_captain1 here
    not taken: captain_to_vice_captain.yaml: an order in it has no id
    not taken: inbox/member1.yaml: its wake-ups say nothing (1)
    not taken: inbox/member9.yaml: line 2: it is not YAML: while parsing a flow sequence, expected ',' or ']'
    not taken: inbox/vice_captain.yaml: entries without a sender or a text (1)
    not taken: ../saytask: its streaks and counters have no place here
    not taken: ../dashboard.md: it is written from the log: interagent summary
    next: interagent summary
    ");
    let order = sandbox.json(&["task", "show", "cmd_035"]);
    assert_eq!((&order["status"], &order["priority"]), (&"assigned".into(), &"medium".into()), "{order}");
    assert_eq!(order["assignee"]["name"], "vice_captain1", "{order}");
    let task = sandbox.json(&["task", "show", "subtask_035a"]);
    assert_eq!(task["status"], "in_progress", "{task}");
    assert_eq!(task["parent"], order["id"], "{task}");
    assert!(task.to_string().contains("Sent back: the last line was wrong"), "{task}");
    let waiting = sandbox.json(&["task", "show", "subtask_035b"]);
    assert_eq!(waiting["status"], "blocked", "{waiting}");
    assert!(waiting["depends_on"].to_string().contains(task["id"].as_str().unwrap()), "{waiting}");
    // A report on a task whose file holds another one by now.
    let reported = sandbox.json(&["task", "show", "subtask_034a"]);
    assert_eq!(reported["status"], "completed", "{reported}");
    for word in ["the last token is kept", "token-tests", "tests/last.rs", "build_result pass"] {
        assert!(reported.to_string().contains(word), "{word}: {reported}");
    }
    resolves(&sandbox, Some("subtask_035a"), "msg_20260302_100000_c3d4");
    // What was to be typed into a session long ago is not to be typed now.
    let clear = sandbox.json(&["read", "msg_20260302_100100_e5f6"]);
    assert!(clear.to_string().contains("\"state\":\"done\""), "{clear}");
    assert_eq!(sandbox.json(&["read", "ntfy_1"])["from"]["name"], "operator");
}

#[test]
fn a_queue_that_goes_on_is_brought_up_to_date() {
    let sandbox = army();
    sandbox.run(&["import", "--yes"]).success();
    let count = entries(&sandbox);
    sandbox.run(&["import", "queue"]).success();
    assert_eq!(entries(&sandbox), count, "nothing new");
    let file = sandbox.project().join("queue/tasks/member1.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("in_progress", "done").replace("T10:00:00", "T15:00:00")).unwrap();
    let inbox = sandbox.project().join("queue/inbox/member1.yaml");
    let text = fs::read_to_string(&inbox).unwrap();
    fs::write(&inbox, text.replacen("read: false", "read: true", 1)).unwrap();
    let newer = sandbox.json(&["import", "--yes"]);
    assert_eq!(newer["report"]["brought_up_to_date"], 2, "{newer}");
    assert_eq!(newer["report"]["taken"]["tasks"], 0, "{newer}");
    assert_eq!(sandbox.json(&["task", "show", "subtask_035a"])["status"], "completed");
}
