//! The Captain system's mailbox command, type by type.

use interagent_testkit::Sandbox;

fn army() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain", "--members", "2"]).success();
    sandbox
}

fn write(sandbox: &Sandbox, to: &str, text: &str, kind: &str, from: &str) -> String {
    let output = sandbox.run(&["inbox-write", to, text, kind, from]);
    format!("$ inbox-write {to} '{text}' {kind} {from}\n{}", output.shown())
}

#[test]
fn every_type_is_one_of_our_operations() {
    let sandbox = army();
    let mut said = vec![
        write(&sandbox, "vice_captain", "cmd_035: errors name their line", "cmd_new", "captain"),
        write(&sandbox, "vice_captain", "cmd_035 is urgent now", "cmd_new", "captain"),
        write(&sandbox, "member1", "subtask_035a: the lexer, for cmd_035", "task_assigned", "vice_captain"),
        write(&sandbox, "vice_captain", "subtask_035a is done", "report_received", "member1"),
        write(&sandbox, "member1", "the last line is wrong", "report_rejected", "vice_captain"),
    ];
    sandbox.as_agent("member1").run(&["task", "update", "subtask_035a", "--status", "in_progress"]).success();
    let report = ["task", "report", "subtask_035a", "done", "--summary", "lines everywhere", "--no-skill"];
    sandbox.as_agent("member1").run(&[&report[..], &["--purpose-met"]].concat()).success();
    said.extend([
        write(&sandbox, "member1", "the last line is wrong", "report_rejected", "vice_captain"),
        write(&sandbox, "member2", "look at subtask_035a", "qc_request", "vice_captain"),
        write(&sandbox, "member1", "/clear", "clear_command", "vice_captain"),
        write(&sandbox, "vice_captain", "seen", "emergency_stop_ack", "member1"),
        write(&sandbox, "vice_captain", "the person writes", "ntfy_received", "ntfy"),
        write(&sandbox, "captain", "cmd_035 is done", "cmd_done", "vice_captain"),
        write(&sandbox, "member7", "hello", "task_assigned", "vice_captain"),
        write(&sandbox, "member1", "hello", "shout", "vice_captain"),
    ]);
    insta::assert_snapshot!(said.join("\n"), @"
    $ inbox-write vice_captain 'cmd_035: errors name their line' cmd_new captain
    created task-1  assigned vice_captain1  cmd_035: errors name their line
    note: vice_captain1: not running; sees it when it starts

    $ inbox-write vice_captain 'cmd_035 is urgent now' cmd_new captain
    sent msg-1 to vice_captain1
    note: vice_captain1: not running; sees it when it starts

    $ inbox-write member1 'subtask_035a: the lexer, for cmd_035' task_assigned vice_captain
    created task-1  assigned member1  subtask_035a: the lexer, for cmd_035
    note: member1: not running; sees it when it starts

    $ inbox-write vice_captain 'subtask_035a is done' report_received member1
    sent msg-1 to vice_captain1
    note: vice_captain1: not running; sees it when it starts

    $ inbox-write member1 'the last line is wrong' report_rejected vice_captain
    --- stderr
    error: it is not clear which work of member1 goes back
    hint: name the task in the message, such as cmd_035
    --- exit 2

    $ inbox-write member1 'the last line is wrong' report_rejected vice_captain
    judged task-1  revision_needed member1  subtask_035a: the lexer, for cmd_035
    note: member1: not running; sees it when it starts

    $ inbox-write member2 'look at subtask_035a' qc_request vice_captain
    sent msg-1 to member2
    note: member2: not running; sees it when it starts

    $ inbox-write member1 '/clear' clear_command vice_captain
    asked for clear of member1 (msg-1)
    a supervisor will clear the conversation of member1; member1 has no session now; no supervisor runs: interagent supervise

    $ inbox-write vice_captain 'seen' emergency_stop_ack member1
    3 messages wait for vice_captain1, and it has no session to wake
    next: interagent run vice_captain1
      interagent relay --to vice_captain1

    $ inbox-write vice_captain 'the person writes' ntfy_received ntfy
    sent msg-1 to vice_captain1
    note: vice_captain1: not running; sees it when it starts

    $ inbox-write captain 'cmd_035 is done' cmd_done vice_captain
    --- stderr
    error: no mail goes to captain: it would interrupt the operator's typing
    hint: say it on the dashboard, where captain looks: interagent status set waiting TEXT
    --- exit 1

    $ inbox-write member7 'hello' task_assigned vice_captain
    --- stderr
    error: there is no agent member7
    hint: there is operator, captain, member1, member2, vice_captain1
    --- exit 3

    $ inbox-write member1 'hello' shout vice_captain
    --- stderr
    error: invalid value 'shout' for '<TYPE>': the type can't be `shout`; it is one of cmd_new, task_assigned, report_received, report_rejected, clear_command, model_switch, wake_up, ntfy_received, cmd_done, cmd_failed, qc_request, qc_result, task_failed, merge_complete, emergency_stop_ack

    For more information, try '--help'.
    --- exit 2
    ");
    assert_eq!(sandbox.json(&["task", "show", "subtask_035a"])["status"], "revision_needed");
    let stranger =
        sandbox.as_agent("member2").run(&["inbox-write", "member1", "x", "report_received", "member1"]);
    assert_eq!(stranger.status, 1, "an agent speaks only for itself: {}", stranger.stderr);
}

#[test]
fn chain_of_command_binds_the_named_sender() {
    let sandbox = army();
    let said = [
        write(&sandbox, "captain", "hi", "report_received", "member1"),
        write(&sandbox, "vice_captain", "hi", "report_received", "member1"),
        write(&sandbox, "member2", "subtask_001: do it", "task_assigned", "member1"),
        write(&sandbox, "member1", "do it", "task_assigned", "captain"),
        write(&sandbox, "member1", "/clear", "clear_command", "member2"),
        write(&sandbox, "captain", "hi", "report_received", "operator"),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    $ inbox-write captain 'hi' report_received member1
    --- stderr
    error: no mail goes to captain: it would interrupt the operator's typing
    hint: write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    --- exit 1

    $ inbox-write vice_captain 'hi' report_received member1
    sent msg-1 to vice_captain1
    note: vice_captain1: not running; sees it when it starts

    $ inbox-write member2 'subtask_001: do it' task_assigned member1
    --- stderr
    error: member1 may not assign work to member2
    hint: vice_captain1 assigns work to member2; ask: interagent send --to vice_captain1 --intent question -m TEXT
    --- exit 1

    $ inbox-write member1 'do it' task_assigned captain
    --- stderr
    error: captain may not assign work to member1
    hint: give it to vice_captain1, who leads member1: interagent delegate --to vice_captain1 --task TEXT
    --- exit 1

    $ inbox-write member1 '/clear' clear_command member2
    --- stderr
    error: only the superior of member1 or the operator may control it
    hint: ask vice_captain1: interagent send --to vice_captain1 --intent question -m TEXT
    --- exit 1

    $ inbox-write captain 'hi' report_received operator
    sent msg-1 to captain
    note: captain: not running; sees it when it starts
    ");
    let mail = sandbox.json(&["inbox", "--agent", "vice_captain1"]);
    let message = &mail["items"][0];
    assert_eq!(
        (&message["from"]["name"], &message["spoken_by"]["name"]),
        (&"member1".into(), &"operator".into())
    );
    assert_eq!(sandbox.json(&["inbox", "--agent", "captain"])["items"].as_array().unwrap().len(), 1);
}

#[test]
fn foreign_sender_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain"]).success();
    let refused = sandbox.as_agent("member1").run(&[
        "inbox-write",
        "vice_captain1",
        "hello",
        "report_received",
        "member2",
    ]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: you are member1, not member2
    hint: use your own name as FROM
    --- exit 1
    ");
}

/// The first command that the help shows.
#[test]
fn help_example_works() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain"]).success();
    let help = sandbox.run(&["inbox-write", "--help"]).success().stdout;
    let example = "interagent inbox-write vice_captain1 'cmd_035: fix the parser' cmd_new captain";
    assert!(help.contains(example), "{help}");
    sandbox.run(&["inbox-write", "vice_captain1", "cmd_035: fix the parser", "cmd_new", "captain"]).success();
}
