//! Help, and wrong command lines.

use interagent_testkit::Sandbox;

#[test]
fn help_of_a_command() {
    let output = Sandbox::new().start().env("COLUMNS", "90").run(&["ack", "--help"]);
    insta::assert_snapshot!(output.shown(), @"");
}

#[test]
fn the_commands() {
    let output = Sandbox::new().start().env("COLUMNS", "90").run(&["--help"]);
    insta::assert_snapshot!(output.shown(), @"");
}

#[test]
fn wrong_command_lines_end_with_2() {
    let sandbox = Sandbox::new();
    for wrong in [
        &["sned"][..],
        &["send"],
        &["send", "--to", "kimi", "--intent", "order"],
        &["send", "--to", "kimi", "-m", "a", "--file", "b"],
        &["send", "--to", "kimi", "-m", "a", "--expires", "soon"],
        &["send", "--to", "kimi", "-m", "a", "--expires", "2h", "--key", "k"],
        &["status", "set", "asleep"],
        &["wait", "--timeout", "-1"],
        &["call", "task.list", "{"],
        &["call", "task.list", r#"{"nobody": 1}"#],
        &["init", "--agents", "bob"],
        &["init", "--mode", "peer", "--formation", "duo"],
        &["init", "--members", "3", "--formation", "duo"],
        &["doctor", "--rebuild", "--recover"],
    ] {
        let output = sandbox.run(wrong);
        assert_eq!(output.status, 2, "{wrong:?}: {}{}", output.stdout, output.stderr);
        assert!(output.stdout.is_empty() && output.stderr.contains("error: "), "{wrong:?}: {}", output.stderr);
    }
    assert!(!sandbox.hub().exists(), "a wrong command line makes nothing");
}

#[test]
fn a_program_gets_a_document_also_for_a_wrong_command_line() {
    let output = Sandbox::new().run(&["send", "--json", "--to", "kimi", "--intent", "order"]);
    insta::assert_snapshot!(output.shown(), @"");
}

#[test]
fn what_was_typed_cannot_drive_the_terminal() {
    let output = Sandbox::new().run(&["send", "--to", "kimi", "--intent", "\u{1b}[2Jboo"]);
    assert!(!output.stderr.contains('\u{1b}'), "{:?}", output.stderr);
}

#[test]
fn operations_need_no_hub() {
    let sandbox = Sandbox::new();
    let listed = sandbox.start().without("HOME").json(&["operations"]);
    let send = listed["operations"].as_array().unwrap().iter().find(|op| op["name"] == "message.send").unwrap();
    assert_eq!(send["effect"], "write");
    assert!(send["doc"].as_str().unwrap().starts_with("Sends a message."));
    assert!(send["params"]["properties"]["to"].is_object());
    let missing = sandbox.run(&["call", "message.shout"]);
    insta::assert_snapshot!(missing.shown(), @"");
}
