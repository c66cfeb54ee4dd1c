//! Who the caller is, with real processes around the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use interagent_testkit::Sandbox;

/// A program of this name that runs what it is given, as an agent's shell tool does.
fn client(sandbox: &Sandbox, name: &str) -> Command {
    let path = sandbox.home().join(name);
    fs::write(&path, "#!/bin/sh\n\"$@\"\nexit $?\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    Command::new(path)
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
        let mut command = sandbox.start().below(client(&sandbox, name), WHOAMI);
        command.envs(variables.iter().copied());
        who(command)
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
    assert_eq!(who(sandbox.start().below(detached, WHOAMI)), r#"operator "claimed""#);
}

#[test]
fn a_person_at_a_terminal_is_proven_by_it() {
    let sandbox = Sandbox::with_team();
    let (status, shown) = sandbox.start().at_a_terminal(&["whoami"]);
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("a person at a terminal"), "{shown}");
}

#[test]
fn a_process_of_an_agent_without_a_mark_says_nothing_in_the_operators_name() {
    let sandbox = Sandbox::with_team();
    let bind = format!("{} session bind s-1 --agent kimi --pid $$ && \"$@\"", program(&sandbox).display());
    let mut unmarked = Command::new("sh");
    unmarked.args(["-c", &bind, "sh"]);
    let done = sandbox.start().below(unmarked, &["say", "claude", "Stop."]).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("the operator's word, and you are an agent"), "{said}");
}

fn program(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.start().command(&[]).get_program().into()
}
