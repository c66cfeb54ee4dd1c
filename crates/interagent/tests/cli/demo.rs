//! The demo: a story that is run, not told.

use std::fs;

use interagent_testkit::Sandbox;

#[test]
fn the_story_runs_and_leaves_its_hub() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["demo", "--dir", "story"]);
    let shown = output.success().shown();
    for part in [
        "1. A team",
        "claude$ interagent send --to kimi --intent question",
        "you owe: answer",
        "moved from completed to revision_needed",
        "you$ interagent msg answer",
        "No switch: say it in the changelog.",
        "What to try now",
    ] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
    let story = sandbox.project().join("story");
    let summary = sandbox.start().within(&story).json(&["summary"]);
    assert_eq!(summary["project"], "A lexer");
    assert_eq!(summary["tasks"][0]["status"], "approved");
    assert!(!sandbox.hub().exists(), "the story stays in its own hub");
}

#[test]
fn an_agent_that_plays_it_takes_no_part_in_it() {
    let sandbox = Sandbox::new();
    let run = sandbox.start().env("CLAUDECODE", "1").env("INTERAGENT_AGENT", "nobody");
    let answer = run.json(&["demo", "--dir", "s"]);
    let lines = answer["lines"].as_array().unwrap();
    assert!(lines.len() > 15, "{answer}");
    assert_eq!(lines[0]["command"], "interagent init --project 'A lexer'");

    // Known by its process alone: a shell that is called like a client.
    let client = sandbox.home().join("claude");
    fs::copy("/bin/sh", &client).unwrap();
    let below = sandbox.start().shell("");
    let program = sandbox.start().command(&[]).get_program().to_owned();
    let line = format!("'{}' demo --dir below; exit $?", program.display());
    let played = std::process::Command::new(client)
        .args(["-c", &line])
        .env_clear()
        .envs(below.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(sandbox.project())
        .output()
        .unwrap();
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
}

#[test]
fn a_directory_with_something_in_it_is_left_alone() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.project().join("mine"), "mine").unwrap();
    insta::assert_snapshot!(sandbox.run(&["demo", "--dir", "."]).shown(), @r"
    --- stderr
    error: `.` is not empty
    hint: the story needs a directory of its own: name a new one, or leave --dir out
    --- exit 2
    ");
    assert_eq!(fs::read_dir(sandbox.project()).unwrap().count(), 1);
}
