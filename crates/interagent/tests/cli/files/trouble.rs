//! A disk that fails, things that are in the way, a process that is killed: no command fails for it, and the next one repairs.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::Duration;

use interagent_testkit::Sandbox;
use interagent_testkit::crash::{Dice, is_soak, skip};

use super::{notes, tree};

/// The same command with a fault in a system call that only files need.
fn with_fault(command: &Command, fault: &str) -> Option<Command> {
    if Command::new("strace").arg("-V").output().is_err() {
        skip("there is no strace: a failing disk was not tried");
        return None;
    }
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={fault}")]);
    traced.arg(command.get_program()).args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            traced.env(name, value);
        }
    }
    traced.current_dir(command.get_current_dir().unwrap());
    Some(traced)
}

#[test]
fn a_full_or_read_only_disk_fails_no_command_and_is_told() {
    for (fault, why) in [
        ("renameat:error=ENOSPC", "the disk is full"),
        ("renameat:error=EROFS", "the disk is read-only"),
        ("openat2:error=EIO", ""),
    ] {
        let sandbox = Sandbox::with_team();
        let before = tree(&sandbox);
        let send = sandbox.as_agent("claude").command(&["send", "--to", "kimi", "look"]);
        let Some(mut send) = with_fault(&send, fault) else { return };
        let done = send.output().unwrap();
        assert!(done.status.success(), "{fault}: {}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(done.stderr, b"", "{fault}");
        if why.is_empty() {
            // It goes on step by step where the system can't do it at once.
            assert_eq!(notes(&sandbox), Vec::<String>::new());
        } else {
            assert_eq!(tree(&sandbox), before, "{fault}: nothing half");
            let told = notes(&sandbox);
            assert!(told.iter().any(|note| note.contains(why)), "{told:?}");
            assert!(told.iter().any(|note| note.contains("behind by 1 entry")), "{told:?}");
            assert!(sandbox.run(&["doctor"]).stdout.contains(why));
        }
        // The next command repairs it.
        sandbox.as_agent("claude").run(&["send", "--to", "kimi", "again"]).success();
        assert_eq!(notes(&sandbox), Vec::<String>::new(), "{fault}");
        assert_eq!(tree(&sandbox).keys().filter(|name| name.starts_with("messages/pending/")).count(), 2);
    }
}

#[test]
fn what_is_in_the_way_is_named_and_left() {
    let sandbox = Sandbox::with_team();
    let outside = sandbox.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::remove_dir_all(sandbox.hub().join("messages/pending")).unwrap();
    symlink(&outside, sandbox.hub().join("messages/pending")).unwrap();
    std::fs::remove_file(sandbox.hub().join("dashboard.md")).unwrap();
    let made = Command::new("mkfifo").arg(sandbox.hub().join("dashboard.md")).status().unwrap();
    assert!(made.success());
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "look"]).success();
    sandbox.run(&["quick", "--to", "kimi", "Do it"]).success();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0, "nothing was written through the link");
    insta::assert_snapshot!(sandbox.run(&["sync"]).shown(), @r"
    there is no git repository around the hub: its history stays on this machine
    files: up to date
    note: dashboard.md was not written: it is not a regular file
    note: messages/pending was not written: a part of its path is a symbolic link or no directory
    ");
    std::fs::remove_file(sandbox.hub().join("messages/pending")).unwrap();
    std::fs::remove_file(sandbox.hub().join("dashboard.md")).unwrap();
    sandbox.run(&["sync"]).success();
    assert_eq!(notes(&sandbox), Vec::<String>::new());
    assert_eq!(tree(&sandbox).keys().filter(|name| name.starts_with("messages/pending/")).count(), 2);
}

#[test]
fn whoever_is_killed_is_repaired_by_the_next() {
    let sandbox = Sandbox::with_team();
    let mut dice = Dice::new();
    let rounds = if is_soak() { 500 } else { 40 };
    for round in 0..rounds {
        let text = format!("round {round}");
        let arguments: &[&str] = match round % 4 {
            0 => &["quick", "--to", "kimi", &text],
            1 => &["sync"],
            _ => &["send", "--to", "kimi", &text],
        };
        let mut command = sandbox.as_agent("claude").command(arguments);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(8_000 + dice.below(40_000)));
        // Dead by now, or ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let torn: Vec<String> = tree(&sandbox).into_keys().filter(|name| name.contains(".edited")).collect();
        assert_eq!(torn, Vec::<String>::new(), "a file was half written");
    }
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "the last"]).success();
    sandbox.run(&["sync"]).success();
    assert_eq!(notes(&sandbox), Vec::<String>::new());
    let messages = sandbox.json(&["msg", "list", "--limit", "1000"])["items"].as_array().unwrap().len();
    let files = tree(&sandbox);
    assert_eq!(files.keys().filter(|name| name.starts_with("messages/pending/msg-")).count(), messages);
    assert!(!files.keys().any(|name| name.ends_with(".tmp")), "{:?}", files.keys());
}
