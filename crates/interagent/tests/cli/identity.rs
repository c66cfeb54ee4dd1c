//! Who the caller is, with real processes around the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::terminal::{Size, run_on_terminal};

/// A program of this name that runs what it is given, as an agent's shell tool does.
fn client(sandbox: &Sandbox, name: &str) -> Command {
    let path = sandbox.home().join(name);
    fs::write(&path, "#!/bin/sh\n\"$@\"\nexit $?\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    Command::new(path)
}

/// Puts the program below another one.
fn below(mut outer: Command, sandbox: &Sandbox, variables: &[(&str, &str)], arguments: &[&str]) -> Command {
    let inner = sandbox.start().env("PATH", "/usr/bin:/bin").command(arguments);
    outer.arg(inner.get_program()).args(arguments).env_clear();
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.envs(variables.iter().copied()).current_dir(sandbox.project());
    outer
}

fn who(mut command: Command) -> String {
    let output = command.output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answer = &document["answer"];
    format!("{} {}", answer["member"]["name"].as_str().unwrap_or("nobody"), answer["auth"])
}

const WHOAMI: &[&str] = &["whoami", "--json"];

#[test]
fn a_command_of_an_agents_shell_is_that_agent() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "coder", "--profile", "codex"]).success();
    let below_client = |name: &str, variables: &[(&str, &str)]| {
        who(below(client(&sandbox, name), &sandbox, variables, WHOAMI))
    };
    assert_eq!(below_client("codex", &[]), r#"coder "process""#, "it sets no variable at all");
    assert_eq!(below_client("kimi", &[]), r#"kimi "process""#);
    assert_eq!(
        below_client("codex", &[("CLAUDECODE", "1")]),
        r#"coder "process""#,
        "started by claude's shell"
    );
    assert_eq!(
        below_client("my-editor", &[("CLAUDE_PROJECT_DIR", "/p")]).split(' ').next(),
        Some("operator")
    );
    assert_eq!(below_client("gemini", &[]), "nobody null", "nobody registered one");
}

#[test]
fn a_detached_process_without_a_mark_is_not_proven_to_be_a_person() {
    let sandbox = Sandbox::with_team();
    let mut detached = Command::new("setsid");
    detached.arg("--wait");
    assert_eq!(who(below(detached, &sandbox, &[], WHOAMI)), r#"operator "claimed""#);
}

#[test]
fn a_person_at_a_terminal_is_proven_by_it() {
    let sandbox = Sandbox::with_team();
    let mut seated = Command::new("setsid");
    seated.args(["--wait", "--ctty"]);
    let command = below(seated, &sandbox, &[("TERM", "xterm")], &["whoami"]);
    let (status, shown) = run_on_terminal(command, Size { rows: 24, columns: 80 }, "");
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("a person at a terminal"), "{shown}");
}
