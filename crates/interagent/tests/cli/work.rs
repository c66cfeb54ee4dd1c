//! Agents, status, tasks and everything else that is one request.

use interagent_testkit::Sandbox;

#[test]
fn agents_come_and_go() {
    let sandbox = Sandbox::with_team();
    let steps: [&[&str]; 5] = [
        &["agent", "register", "codex", "--profile", "codex"],
        &["agent", "rename", "codex", "codex-2"],
        &["agent", "retire", "codex-2", "--reason", "done"],
        &["agent", "list"],
        &["agent", "show", "nobody"],
    ];
    let shown: Vec<String> = steps.iter().map(|step| sandbox.run(step).shown()).collect();
    insta::assert_snapshot!(shown.join(""), @"");
}

#[test]
fn the_board_shows_what_everybody_says() {
    let sandbox = Sandbox::with_team();
    sandbox.as_agent("kimi").run(&["status", "set", "working", "the parser", "--context", "40"]).success();
    let board = sandbox.json(&["status"]);
    let kimi = board["rows"].as_array().unwrap().iter().find(|row| row["agent"]["name"] == "kimi").unwrap();
    assert_eq!(kimi["agent"]["status"]["text"], "the parser");
    assert_eq!(kimi["agent"]["status"]["context_left"], 40);
}

#[test]
fn any_operation_can_be_called_by_name() {
    let sandbox = Sandbox::with_team();
    let params = r#"{"to": ["kimi"], "body": "by name"}"#;
    sandbox.run(&["call", "message.send", params]).success();
    sandbox.start().stdin(params).run(&["call", "message.send", "-"]).success();
    assert_eq!(sandbox.json(&["call", "message.inbox", r#"{"agent": "kimi"}"#])["unread"], 2);
}
