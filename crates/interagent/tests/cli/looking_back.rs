//! The log: what happened, how things stood, what comes, and whether it is whole.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use interagent_testkit::Sandbox;
use serde_json::Value;

/// A task that was begun, blocked for a reason, and reported on by the operator for kimi.
fn history() -> (Sandbox, String) {
    let sandbox = Sandbox::with_team();
    let create = ["task", "create", "The parser", "--assignee", "kimi", "--alias", "parser"];
    let task = sandbox.as_agent("claude").json(&create)["id"].as_str().unwrap().to_owned();
    let kimi = sandbox.as_agent("kimi");
    kimi.run(&["task", "update", &task, "--status", "in_progress"]).success();
    kimi.run(&["task", "update", &task, "--status", "blocked", "--note", "no access to the server"])
        .success();
    sandbox.run(&["task", "note", &task, "it is open now", "--from-agent", "kimi"]).success();
    (sandbox, task)
}

/// Without the places and times, which differ.
fn told(shown: &str) -> String {
    let line = |line: &str| match line.split_once(" +00:00  ") {
        Some((_, rest)) => rest.to_owned(),
        None => line.to_owned(),
    };
    shown.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_history_says_who_how_known_and_why() {
    let (sandbox, task) = history();
    let shown = told(&sandbox.run(&["log", "show", "parser"]).shown());
    // How the operator is recognised depends on where the test runs.
    insta::assert_snapshot!(shown.replace("operator, terminal", "operator, claimed"), @r#"
    task-1
    claude (claimed)
      created the task "The parser"
      assigned to kimi
      moved from pending to assigned
    kimi (claimed)
      moved from assigned to in_progress
    kimi (claimed)
      added a note
      no access to the server
      moved from in_progress to blocked
    kimi (by operator, claimed)
      added a note
      it is open now
    "#);
    let steps = sandbox.json(&["log", "show", &task])["steps"].clone();
    let blocked =
        steps.as_array().unwrap().iter().find(|step| step["why"] == "no access to the server").unwrap();
    assert_eq!((&blocked["auth"], &blocked["by"]["name"]), (&"claimed".into(), &"kimi".into()));
    assert_eq!(sandbox.run(&["log", "show", "nothing-here"]).status, 3);
}

#[test]
fn a_thing_can_be_seen_as_it_was() {
    let (sandbox, task) = history();
    let steps = sandbox.json(&["log", "show", &task])["steps"].clone();
    let begun =
        steps.as_array().unwrap().iter().find(|step| step["what"] == "moved from assigned to in_progress");
    let at = begun.unwrap()["wall"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.json(&["log", "show", &task, "--at", &at])["state"]["status"], "in_progress");
    assert_eq!(sandbox.json(&["log", "show", &task, "--at", "0s"])["state"]["status"], "blocked");
    assert_eq!(sandbox.json(&["log", "show", &task, "--at", "1h"])["state"], Value::Null);
    assert_eq!(sandbox.run(&["log", "show", &task, "--at", "once"]).status, 2);
    assert_eq!(sandbox.run(&["log", "state", &task]).status, 2);
}

#[test]
fn people_see_the_past_in_words() {
    let (sandbox, _) = history();
    let shown = sandbox.run(&["log", "show", "parser", "--at", "0s"]).shown();
    let differs = ["created:", "moved:", "updated:", "when:"];
    let kept: Vec<&str> = shown
        .lines()
        .skip(1)
        .filter(|line| !differs.iter().any(|word| line.trim_start().starts_with(word)))
        .collect();
    insta::assert_snapshot!(kept.join("\n"), @r"
    title: The parser
    status: blocked
    assignee: kimi
    assigner: claude
    aliases: parser
    notes:
      1:
      by: kimi
      note: no access to the server
      2:
      by: kimi
      note: it is open now
    priority: medium
    ");
    let gone = sandbox.run(&["log", "show", "parser", "--at", "1h"]).shown();
    assert!(gone.contains("it did not exist then"), "{gone}");
}

#[test]
fn the_log_is_narrowed_by_kind_member_and_thing() {
    let (sandbox, task) = history();
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "hello"]).success();
    let ops = |more: &[&str]| -> Vec<String> {
        let page = sandbox.json(&[&["log"], more].concat());
        page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["op"].as_str().unwrap().to_owned())
            .collect()
    };
    let notified = ["message.send", "task.update", "task.update", "task.create"];
    assert_eq!(ops(&["--kind", "message"]), notified, "work notifies by messages");
    assert_eq!(ops(&["--kind", "task.moved"]), ["task.update", "task.update", "task.create"]);
    assert_eq!(ops(&["--kind", "task.note"]), ["task.note"]);
    assert_eq!(ops(&["--by", "kimi"]), ["task.note", "task.update", "task.update"]);
    assert_eq!(ops(&["--by", "kimi", "--kind", "task.moved", "--limit", "1"]), ["task.update"]);
    assert_eq!(ops(&["--entity", &task]), ["task.note", "task.update", "task.update", "task.create"]);
    assert_eq!(ops(&["--entity", "parser", "--after", "0", "--limit", "1"]), ["task.create"]);
    let with_mail = ["task.update", "task.update", "task.create"];
    assert_eq!(ops(&["--entity", "parser", "--kind", "message"]), with_mail);
    let first = sandbox.json(&["log", "--entity", "parser", "--limit", "3"]);
    assert_eq!(ops(&["--entity", "parser", "--before", first["next"].as_str().unwrap()]), ["task.create"]);
    insta::assert_snapshot!(sandbox.run(&["log", "--kind", "gossip"]).shown(), @r"
    --- stderr
    error: there is no kind of event or operation `gossip`
    hint: it is one of agent, decision, lease, message, origin, review, skill, spec, task, team, text, or more exactly such as task.moved
    --- exit 2
    ");
    assert_eq!(sandbox.run(&["log", "--by", "nobody"]).status, 3);
    insta::assert_snapshot!(sandbox.run(&["log", "--limit", "0"]).shown(), @r"
    --- stderr
    error: invalid value '0' for '--limit <N>': 0 is not in 1..=4294967295

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn what_comes_is_followed_one_document_a_line() {
    let (sandbox, task) = history();
    let mut command =
        sandbox.start().command(&["log", "--follow", "--json", "--kind", "task", "--by", "kimi"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap()["answer"].clone();
    let before: Vec<Value> = (0..3).map(|_| next()["op"].clone()).collect();
    assert_eq!(before, ["task.update", "task.update", "task.note"]);
    // What is not wanted goes by; what is comes at once.
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "hello"]).success();
    sandbox.as_agent("claude").run(&["task", "note", &task, "not by kimi"]).success();
    sandbox.as_agent("kimi").run(&["task", "note", &task, "by kimi"]).success();
    assert_eq!((&next()["op"], child.try_wait().unwrap()), (&"task.note".into(), None));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_log_is_verified_chain_by_chain() {
    let (sandbox, _) = history();
    let shown = sandbox.run(&["log", "verify"]).success().stdout;
    assert!(
        shown.ends_with("whole: every chain is unbroken, and what is shown follows from it\n"),
        "{shown}"
    );
    let checked = sandbox.json(&["log", "verify"]);
    assert_eq!((&checked["whole"], checked["chains"].as_array().unwrap().len()), (&true.into(), 1));
    assert_eq!(checked["chains"][0]["entries"], sandbox.json(&["log", "--limit", "1"])["items"][0]["seq"]);

    // Somebody changes what was written, without changing its length.
    sandbox.run(&["backup", "copy.db"]).success();
    let mut bytes = std::fs::read(sandbox.project().join("copy.db")).unwrap();
    let (written, wanted) = (br#""op":"task.note""#, br#""op":"task.nope""#);
    let place = bytes.windows(written.len()).position(|window| window == written).unwrap();
    bytes[place..place + wanted.len()].copy_from_slice(wanted);
    let state = sandbox.hub().join("state");
    ["hub.db-wal", "hub.db-shm"].iter().for_each(|name| std::fs::remove_file(state.join(name)).unwrap());
    std::fs::write(state.join("hub.db"), bytes).unwrap();
    let output = sandbox.run(&["log", "verify"]);
    assert_eq!(output.status, 1, "{}", output.shown());
    assert!(output.stdout.contains("damaged: "), "{}", output.stdout);
    assert_eq!(sandbox.run(&["log", "verify", "--json"]).status, 1);
}
