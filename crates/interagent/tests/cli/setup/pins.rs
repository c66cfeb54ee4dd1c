//! A client that is one agent in all of its sessions: who says so, who is told, and what is stronger.

use super::Machine;

#[test]
fn whoever_loses_its_client_is_named_and_a_setup_without_a_name_takes_it_back() {
    let machine = Machine::with(&["claude"]);
    machine.start().run(&["setup", "claude", "--yes"]).success();
    let plain = machine.text(".claude/settings.local.json");
    let pinned = machine.start().run(&["setup", "claude", "--agent", "tester", "--yes"]).success();
    assert!(
        pinned.stdout.contains("note: every session of Claude Code here is tester from now on"),
        "{}",
        pinned.stdout
    );
    assert!(
        pinned
            .stdout
            .contains("note: claude has no client then; start one as INTERAGENT_AGENT=claude claude"),
        "{}",
        pinned.stdout
    );
    assert!(machine.text(".claude/settings.local.json").contains("tester"));
    let back = machine.start().run(&["setup", "claude", "--yes"]).success();
    assert!(
        back.stdout.contains("note: sessions of Claude Code here are tester no longer"),
        "{}",
        back.stdout
    );
    assert_eq!(machine.text(".claude/settings.local.json"), plain);
    let again = machine.start().run(&["setup", "claude"]).success();
    assert!(again.stdout.contains("everything is set up already"), "{}", again.stdout);
}

#[test]
fn a_variable_is_stronger_than_what_setup_wrote() {
    let machine = Machine::with(&["claude"]);
    machine.start().run(&["setup", "claude", "--yes"]).success();
    machine.start().run(&["setup", "claude", "--agent", "tester", "--yes"]).success();
    let hook = |session: &str, agent: Option<&str>| {
        let run = machine.start().stdin(format!("{{\"session_id\": \"{session}\"}}"));
        let run = agent.into_iter().fold(run, |run, agent| run.env("INTERAGENT_AGENT", agent));
        run.run(&["hook", "claude", "SessionStart", "--agent", "tester"]).success().stdout
    };
    let (named, written) = (hook("s1", Some("claude")), hook("s2", None));
    assert!(named.contains("You are claude"), "{named}");
    assert!(written.contains("You are tester"), "{written}");
}

#[test]
fn nobody_is_invited_into_the_personal_hub_from_a_project_without_one() {
    let machine = Machine::with(&["codex"]);
    let person = machine.sandbox.start().within(&machine.sandbox.home());
    person.run(&["send", "--to", "operator", "-m", "note to self"]).success();
    let project = machine.sandbox.home().join("foreign");
    std::fs::create_dir(&project).unwrap();
    let hook = |more: &[&str]| {
        let line: Vec<&str> = ["hook", "codex", "SessionStart"].iter().chain(more).copied().collect();
        machine.start().within(&project).stdin("{\"session_id\": \"c1\"}").run(&line).success().stdout
    };
    assert!(machine.sandbox.home().join(".interagent/state").exists());
    assert_eq!(hook(&[]), "");
    let home = machine.sandbox.home();
    machine.start().within(&home).run(&["agent", "register", "codex", "--profile", "codex"]).success();
    assert!(hook(&["--agent", "codex"]).contains("You are codex"));
}
