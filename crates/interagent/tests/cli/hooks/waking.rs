//! Waking from outside: what counts as woken, what is tried again, and how a waiter says only a line.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;
use serde_json::json;

use super::races::{until_it_waits, waiter_of};
use super::{delivery, send, told};

/// A program in the place of a client's, in a directory of its own.
fn program(sandbox: &Sandbox, name: &str, script: &str) -> String {
    let bin = sandbox.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let file = bin.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", bin.display())
}

fn traces(sandbox: &Sandbox) -> Vec<String> {
    let trace = sandbox.json(&["log", "trace", "--limit", "100"]);
    let kinds = trace["items"].as_array().unwrap().iter().rev();
    kinds
        .filter_map(|row| row["kind"].as_str())
        .filter(|kind| kind.starts_with("wake."))
        .map(str::to_owned)
        .collect()
}

/// An idle session of Codex, in a directory of its own, with a message that its sender could not wake it for.
fn idle_codex(sandbox: &Sandbox) {
    sandbox.run(&["agent", "register", "codex", "--profile", "codex"]).success();
    let own = sandbox.project().join("own");
    std::fs::create_dir_all(&own).unwrap();
    // This test is the client: a session that no process shows is not woken.
    let hook = sandbox.start().without("INTERAGENT_ANCESTORS_END");
    told(hook, &["codex", "SessionStart", "--agent", "codex"], "c1", &json!({ "cwd": own })).success();
    sandbox.start().env("PATH", "/usr/bin:/bin").run(&["send", "--to", "codex", "-m", "hello"]).success();
    // Whoever sends starts the wake and does not wait for it.
    let until = Instant::now() + Duration::from_secs(30);
    while traces(sandbox).last().map(String::as_str) != Some("wake.failed") {
        assert!(Instant::now() < until, "{:?}", traces(sandbox));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn only_a_wake_that_succeeded_counts_and_it_counts_once() {
    let sandbox = Sandbox::with_team();
    idle_codex(&sandbox);
    let log = sandbox.home().join("log");
    let run = |path: &str| sandbox.start().env("PATH", path).run(&["wake", "codex"]);

    // A program in a directory that is no absolute path is whatever somebody put there.
    program(&sandbox, "codex", &format!("echo relative >> '{}'", log.display()));
    let within = Run::within(sandbox.start(), &sandbox.project()).env("PATH", "../home/bin:bin:.");
    std::os::unix::fs::symlink(sandbox.home().join("bin"), sandbox.project().join("bin")).unwrap();
    let refused = within.run(&["wake", "codex"]);
    assert_eq!((refused.status, log.exists()), (1, false), "{}", refused.shown());

    let failing = program(&sandbox, "codex", "exit 3");
    let failed = run(&failing);
    assert_eq!(failed.status, 1, "{}", failed.shown());
    assert_eq!(traces(&sandbox).last().unwrap(), "wake.failed");

    let working = program(&sandbox, "codex", &format!("pwd >> '{0}'; echo \"$@\" >> '{0}'", log.display()));
    let woken = run(&working).success();
    assert!(woken.stdout.contains("woken"), "{}", woken.shown());
    assert_eq!(traces(&sandbox)[traces(&sandbox).len() - 2..], ["wake.tried", "wake.done"]);
    let told = std::fs::read_to_string(&log).unwrap();
    assert!(told.lines().next().unwrap().ends_with("/own"), "in the session's own directory: {told}");
    assert!(told.contains("queue --thread c1") && !told.contains("hello"), "{told}");

    // The same messages wake once; that is no failure.
    run(&working).success();
    assert_eq!(std::fs::read_to_string(&log).unwrap(), told);
    // The next one wakes again.
    sandbox.start().env("PATH", "/usr/bin:/bin").run(&["send", "--to", "codex", "-m", "more"]).success();
    let until = Instant::now() + Duration::from_secs(30);
    while traces(&sandbox).last().map(String::as_str) != Some("wake.failed") {
        assert!(Instant::now() < until, "{:?}", traces(&sandbox));
        std::thread::sleep(Duration::from_millis(50));
    }
    run(&working).success();
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 4);
}

#[test]
fn a_client_that_hangs_is_ended_and_tried_again() {
    let sandbox = Sandbox::with_team();
    idle_codex(&sandbox);
    let pid = sandbox.home().join("pid");
    let path = program(&sandbox, "codex", &format!("sleep 1000 & echo $! > '{}'; wait", pid.display()));
    let hung = sandbox.start().env("PATH", &path).run(&["wake", "codex"]);
    assert_eq!(hung.status, 1, "{}", hung.shown());
    assert!(hung.stdout.contains("did not end within 10 s"), "{}", hung.shown());
    let pid: i32 = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "what it started goes on: {stat}");
    let path = program(&sandbox, "codex", "exit 0");
    sandbox.start().env("PATH", &path).run(&["wake", "codex"]).success();
}

#[test]
fn where_only_a_person_can_help_a_wake_says_so_by_its_code() {
    let sandbox = Sandbox::with_team();
    assert_eq!(sandbox.run(&["wake", "kimi"]).status, 0, "nothing waits");
    send(&sandbox, "kimi", "hello", &[]);
    let alone = sandbox.run(&["wake", "kimi"]);
    assert_eq!(alone.status, 1, "no session");
    insta::assert_snapshot!(alone.stdout, @r"
    1 message waits for kimi, and it has no session to wake
    next: interagent run kimi
          interagent relay --to kimi
    ");
    told(sandbox.start(), &["kimi", "SessionStart", "--agent", "kimi"], "k1", &json!({})).success();
    let idle = sandbox.run(&["wake", "kimi"]);
    assert_eq!(idle.status, 1, "{}", idle.shown());
}

#[test]
fn a_client_that_takes_it_for_a_persons_words_is_woken_by_a_line_and_once() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "oc", "--profile", "opencode"]).success();
    let oc = |event: &str| {
        told(sandbox.start(), &["opencode", event, "--agent", "oc"], "o1", &json!({})).success().stdout
    };
    assert!(oc("session.created").contains("You are oc"));
    let waits = || waiter_of(&sandbox, &["hook", "opencode", "session.idle", "--wait"], "o1");
    assert_eq!(oc("session.idle"), "");
    let first = waits();
    until_it_waits(&sandbox, first.id());
    let id = send(&sandbox, "oc", "the words of another", &[]);
    let line = |child: std::process::Child| {
        let woke = child.wait_with_output().unwrap();
        assert_eq!((woke.status.code(), woke.stderr.len()), (Some(0), 0));
        String::from_utf8(woke.stdout).unwrap()
    };
    let woke = line(first);
    assert!(woke.starts_with("interagent: new mail, please read it"), "{woke}");
    assert!(!woke.contains("another"), "{woke}");
    assert_eq!(delivery(&sandbox, &id), "queued, offered false, redelivered 0");
    // Whoever could not be told is not woken for the same again and again.
    assert_eq!(oc("session.idle"), "");
    let second = waits();
    until_it_waits(&sandbox, second.id());
    send(&sandbox, "oc", "and more", &[]);
    assert!(line(second).starts_with("interagent: new mail, please read it"));
    // The messages come with the prompt.
    let with_it = oc("chat.message");
    assert!(with_it.contains("the words of another") && with_it.contains("and more"), "{with_it}");
    // A question to the person is a state of its own.
    let asked = json!({ "notification_type": "permission" });
    told(sandbox.start(), &["opencode", "permission.asked", "--agent", "oc"], "o1", &asked).success();
    assert_eq!(sandbox.json(&["session", "list"])["items"][0]["state"], "asking");
}
