//! Links and FIFOs in the place of files below `state/`: none is followed, none makes a command wait.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use serde_json::json;

/// Files below `state/`, and folders.
const FILES: [&str; 15] = [
    "gate",
    "files",
    "files.trouble",
    "supervisor",
    "supervisor.pid",
    "supervisor.log",
    "supervisor.channels",
    "crew.lock",
    "hook.log",
    "shared.json",
    "git-left-out",
    "worktree-files",
    "store-id",
    "search.db",
    "tokens/AGENT",
];
const FOLDERS: [&str; 7] = ["line", "live", "signal", "instructions", "runs", "environment", "tokens"];

/// What nobody may see or change.
const PRECIOUS: &str = "precious words of somebody else";

/// Commands that open them, as the operator and as an agent's client.
fn commands() -> Vec<Vec<&'static str>> {
    vec![
        vec!["status"],
        vec!["doctor"],
        vec!["ps"],
        vec!["send", "--to", "kimi", "-m", "hello"],
        vec!["inbox", "--agent", "kimi"],
        vec!["notify"],
        vec!["down"],
        vec!["hook", "claude", "UserPromptSubmit"],
        vec!["sync", "--accept"],
        vec!["team", "take"],
    ]
}

/// The command that opens a file or folder which the others leave alone.
fn command_for(name: &str) -> Option<Vec<&'static str>> {
    match name {
        "git-left-out" | "worktree-files" => Some(vec!["sync"]),
        "search.db" => Some(vec!["search", "hello"]),
        "tokens" | "tokens/AGENT" => Some(vec!["agent", "token", "kimi"]),
        "runs" | "instructions" => Some(vec!["run", "claude"]),
        _ => None,
    }
}

/// A team in a repository, with a client that `run` can start.
fn team(name: &str) -> Sandbox {
    let sandbox = Sandbox::with_team();
    let client = sandbox.home().join("claude");
    fs::write(&client, "#!/bin/sh\necho done\n").unwrap();
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        Command::new("git").args(["init", "-q"]).current_dir(sandbox.project()).status().unwrap().success()
    );
    if name == "worktree-files" {
        let file = sandbox.hub().join("team.toml");
        let text = fs::read_to_string(&file).unwrap();
        let track = text.lines().find(|line| line.starts_with("track = ")).unwrap();
        fs::write(&file, text.replace(track, "track = \"worktree\"")).unwrap();
        sandbox.run(&["team", "take"]).success();
    }
    sandbox
}

/// Runs each command, stopped after a minute: the shell's `timeout` then says 124.
fn run_all(sandbox: &Sandbox, planted: &str) {
    let hook = sandbox.home().join("hook.json");
    let call = json!({ "session_id": "s-1", "cwd": sandbox.project(), "prompt": "go on" });
    fs::write(&hook, call.to_string()).unwrap();
    for words in commands().into_iter().chain(command_for(planted)) {
        let path = format!("{}:/usr/bin:/bin", sandbox.home().display());
        let plain = sandbox.start().env("PATH", &path).command(&words);
        let mut command = Command::new("timeout");
        command.arg("60").arg(plain.get_program()).args(plain.get_args());
        command.current_dir(sandbox.project()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.stdin(fs::File::open(&hook).unwrap()).output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(124), "{planted}: {words:?} hangs");
        assert!(!shown.contains("precious") && !shown.contains("panicked"), "{planted}: {words:?}: {shown}");
        let errors = shown.lines().filter(|line| line.starts_with("error:")).count();
        assert!(errors <= 1, "{planted}: {words:?}: {shown}");
    }
}

/// Puts something else into the place of a name below `state/`.
fn plant(sandbox: &Sandbox, name: &str, put: impl Fn(&Path)) {
    let mut path = sandbox.hub().join("state").join(name);
    if path.ends_with("AGENT") {
        let agent = sandbox.json(&["agent", "show", "kimi"]);
        path.set_file_name(agent["id"].as_str().unwrap());
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&path).unwrap(),
        Ok(_) => fs::remove_file(&path).unwrap(),
        Err(_) => {}
    }
    put(&path);
}

#[test]
fn links_below_state_lead_nowhere() {
    for name in FILES {
        let sandbox = team(name);
        let outside = sandbox.home().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("there"), PRECIOUS).unwrap();
        for target in ["there", "absent"] {
            plant(&sandbox, name, |path| symlink(outside.join(target), path).unwrap());
            run_all(&sandbox, name);
        }
        assert_eq!(fs::read_to_string(outside.join("there")).unwrap(), PRECIOUS, "{name}");
        assert!(!outside.join("absent").exists(), "{name} made a file elsewhere");
    }
}

#[test]
fn linked_folders_below_state_stay_as_they_are() {
    for name in FOLDERS {
        let sandbox = team(name);
        let outside = sandbox.home().join("outside");
        fs::create_dir(&outside).unwrap();
        plant(&sandbox, name, |path| symlink(&outside, path).unwrap());
        run_all(&sandbox, name);
        let made: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(made.is_empty(), "{name}: {made:?}");
    }
}

#[test]
fn fifos_below_state_hang_no_command() {
    for name in FILES {
        let sandbox = team(name);
        plant(&sandbox, name, |path| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        });
        run_all(&sandbox, name);
    }
}
