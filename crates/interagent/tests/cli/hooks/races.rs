//! Hooks beside each other: several sessions and commands of one agent, clients that die, waiters that replace each other.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use serde_json::json;

use super::{claude, delivery, send, told};

/// When a process started, in the kernel's ticks.
pub(super) fn started(pid: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned()
}

#[test]
fn two_sessions_and_an_inbox_never_hand_over_the_same_and_lose_nothing() {
    let sandbox = Sandbox::with_team();
    for session in ["s1", "s2"] {
        told(sandbox.start(), &["claude", "SessionStart", "--agent", "claude"], session, &json!({}))
            .success();
    }
    let ids: Vec<String> = (0..24).map(|n| send(&sandbox, "claude", &format!("number {n}"), &[])).collect();
    let heard: Vec<String> = std::thread::scope(|scope| {
        let hooks = ["s1", "s2"].map(|session| {
            let sandbox = &sandbox;
            scope.spawn(move || {
                (0..6).map(|_| claude(sandbox, "PostToolUse", session).success().stdout).collect::<String>()
            })
        });
        let inbox = scope.spawn(|| {
            (0..6)
                .map(|_| sandbox.as_agent("claude").env("INTERAGENT_SESSION", "s3").run(&["inbox"]).stdout)
                .collect()
        });
        hooks.map(|hook| hook.join().unwrap()).into_iter().chain([inbox.join().unwrap()]).collect()
    });
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for id in &ids {
        // The inbox lists what is unread on each look; a hand-over is what a hook said.
        *count.entry(id).or_default() +=
            heard[..2].iter().map(|text| text.matches(&format!("--- {id} ")).count()).sum::<usize>();
    }
    assert!(count.values().all(|times| *times <= 1), "{count:?}");
    for session in ["s1", "s2"] {
        claude(&sandbox, "PostToolUse", session).success();
    }
    for id in &ids {
        assert_eq!(delivery(&sandbox, id), "delivered, offered false, redelivered 0", "{id}");
    }
}

#[test]
fn an_agent_that_was_killed_gets_it_again_with_the_same_id() {
    let sandbox = Sandbox::with_team();
    let mut client = Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = client.id();
    let bind =
        ["session", "bind", "s1", "--agent", "claude", "--pid", &pid.to_string(), "--started", &started(pid)];
    sandbox.run(&bind).success();
    let id = send(&sandbox, "claude", "are you there?", &[]);
    assert!(claude(&sandbox, "UserPromptSubmit", "s1").success().stdout.contains("are you there?"));
    client.kill().unwrap();
    client.wait().unwrap();
    // The name is free again: the next client of that kind is the agent, without being told so.
    assert!(claude(&sandbox, "SessionStart", "s2").success().stdout.contains("You are claude"));
    let again = claude(&sandbox, "UserPromptSubmit", "s2").success().stdout;
    assert!(again.contains(&id) && again.contains("handed over again (attempt 2)"), "{again}");
    claude(&sandbox, "PostToolUse", "s2").success();
    assert_eq!(delivery(&sandbox, &id), "delivered, offered false, redelivered 1");
}

#[test]
fn a_session_that_ends_gives_back_what_it_was_offered() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    claude(&sandbox, "PostToolUse", "s1").success();
    claude(&sandbox, "SessionEnd", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "queued, offered false, redelivered 0");
    claude(&sandbox, "SessionStart", "s2").success();
    assert!(claude(&sandbox, "UserPromptSubmit", "s2").success().stdout.contains(&id));
}

/// A waiter beside a session.
fn waiter(sandbox: &Sandbox) -> std::process::Child {
    waiter_of(sandbox, &["hook", "claude", "Stop", "--wait"], "s1")
}

pub(super) fn waiter_of(sandbox: &Sandbox, hook: &[&str], session: &str) -> std::process::Child {
    let mut command = sandbox.start().command(hook);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let payload = json!({ "session_id": session }).to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    child
}

/// The file of the only session that had a waiter.
fn waiters_file(sandbox: &Sandbox) -> Option<std::path::PathBuf> {
    let mut files =
        std::fs::read_dir(sandbox.hub().join("state/live")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|extension| extension == "wait"))
}

/// Waits until a waiter holds its place; the one with this process, where there was another before.
pub(super) fn until_it_waits(sandbox: &Sandbox, pid: u32) {
    let until = Instant::now() + Duration::from_secs(30);
    let holds = || {
        let file = waiters_file(sandbox);
        file.is_some_and(|file| std::fs::read_to_string(file).unwrap().starts_with(&format!("{pid} ")))
    };
    while !holds() {
        assert!(Instant::now() < until, "the waiter does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn one_waiter_wakes_an_idle_session_and_confirms_nothing() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let first = waiter(&sandbox);
    until_it_waits(&sandbox, first.id());
    let reach = |sandbox: &Sandbox| {
        sandbox.json(&["session", "list"])["items"][0]["reach"].as_str().unwrap().to_owned()
    };
    assert!(reach(&sandbox).starts_with("idle; reachable until "), "{}", reach(&sandbox));
    // The next one takes its place, and the first leaves without a word.
    let second = waiter(&sandbox);
    until_it_waits(&sandbox, second.id());
    let gone = first.wait_with_output().unwrap();
    assert_eq!((gone.status.code(), gone.stdout.len(), gone.stderr.len()), (Some(0), 0, 0));
    let id = send(&sandbox, "claude", "wake up", &[]);
    let woke = second.wait_with_output().unwrap();
    assert_eq!(woke.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&woke.stderr).contains("wake up"));
    assert_eq!(delivery(&sandbox, &id), "queued, offered true, redelivered 0");
    assert_eq!(std::fs::read_to_string(waiters_file(&sandbox).unwrap()).unwrap(), "", "it left");
    claude(&sandbox, "Stop", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "delivered, offered false, redelivered 0");
    assert_eq!(reach(&sandbox), "idle; sees it on its next prompt");
}

#[test]
fn a_waiter_leaves_with_its_session() {
    let sandbox = Sandbox::with_team();
    let mut client = Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = client.id();
    let bind =
        ["session", "bind", "s1", "--agent", "claude", "--pid", &pid.to_string(), "--started", &started(pid)];
    sandbox.run(&bind).success();
    let profiles = sandbox.home().join(".config/interagent/profiles");
    std::fs::create_dir_all(&profiles).unwrap();
    let own =
        include_str!("../../../../agents/profiles/claude.toml").replace("seconds = 86100", "seconds = 1");
    std::fs::write(profiles.join("claude.toml"), own).unwrap();
    let waits = waiter(&sandbox);
    let left = waits.wait_with_output().unwrap();
    assert_eq!((left.status.code(), left.stderr.len()), (Some(0), 0), "before the client's own limit");
    client.kill().unwrap();
    client.wait().unwrap();
    std::fs::remove_file(profiles.join("claude.toml")).unwrap();
    let left = waiter(&sandbox).wait_with_output().unwrap();
    assert_eq!((left.status.code(), left.stderr.len()), (Some(0), 0), "with its client");
}

/// What was offered and never left the program can't have arrived, whatever the session does next.
#[test]
fn what_was_not_printed_is_not_delivered() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    let mut command = sandbox.start().command(&["hook", "claude", "PostToolUse"]);
    // Nobody reads what the hook says.
    let (nobody, out) = std::io::pipe().unwrap();
    drop(nobody);
    let mut child = command.stdin(Stdio::piped()).stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let payload = json!({ "session_id": "s1" }).to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    child.wait().unwrap();
    assert_eq!(delivery(&sandbox, &id), "queued, offered true, redelivered 0");
    claude(&sandbox, "PostToolUse", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "queued, offered true, redelivered 0");
}

#[test]
fn a_session_that_is_resumed_gets_again_what_it_gave_back() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    claude(&sandbox, "PostToolUse", "s1").success();
    claude(&sandbox, "SessionEnd", "s1").success();
    claude(&sandbox, "SessionStart", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "queued, offered false, redelivered 0");
    let again = claude(&sandbox, "UserPromptSubmit", "s1").success().stdout;
    assert!(again.contains(&id) && again.contains("handed over again (attempt 2)"), "{again}");
    claude(&sandbox, "PostToolUse", "s1").success();
    assert_eq!(delivery(&sandbox, &id), "delivered, offered false, redelivered 1");
}

/// A client that another one started inherits its variables, not its mail.
#[test]
fn a_client_inside_another_takes_nothing_from_it() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let id = send(&sandbox, "claude", "hello", &[]);
    let inner = sandbox.start().env("INTERAGENT_SESSION", "s1");
    let said = told(inner, &["kimi", "UserPromptSubmit"], "k1", &json!({})).success().stdout;
    assert!(said.contains("You are kimi") && !said.contains(&id), "{said}");
}

#[test]
fn a_process_that_got_the_number_of_a_waiter_is_left_alone() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let first = waiter(&sandbox);
    until_it_waits(&sandbox, first.id());
    kill(&first);
    first.wait_with_output().unwrap();
    // Its number has another owner now, and somebody else holds the lock.
    let mut stranger = Command::new("sleep").arg("1000").spawn().unwrap();
    let file = waiters_file(&sandbox).unwrap();
    let later = jiff::Timestamp::now().as_microsecond() + 60_000_000;
    let wrong = started(stranger.id()).parse::<i64>().unwrap() - 1;
    std::fs::write(&file, format!("{} {wrong} {later}", stranger.id())).unwrap();
    let lock = std::fs::File::open(&file).unwrap();
    lock.lock().unwrap();
    let gave_up = waiter(&sandbox).wait_with_output().unwrap();
    assert_eq!((gave_up.status.code(), gave_up.stderr.len()), (Some(0), 0));
    assert!(stranger.try_wait().unwrap().is_none(), "a stranger was told to leave");
    let reach = sandbox.json(&["session", "list"])["items"][0]["reach"].clone();
    assert_eq!(reach, "idle; sees it on its next prompt");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_waiter_leaves_when_its_clients_number_has_another_owner() {
    let sandbox = Sandbox::with_team();
    let mut stranger = Command::new("sleep").arg("1000").spawn().unwrap();
    let (pid, wrong) = (stranger.id().to_string(), started(stranger.id()).parse::<i64>().unwrap() - 1);
    let bind = ["session", "bind", "s1", "--agent", "claude", "--pid", &pid, "--started", &wrong.to_string()];
    sandbox.run(&bind).success();
    let left = waiter(&sandbox).wait_with_output().unwrap();
    assert_eq!((left.status.code(), left.stderr.len()), (Some(0), 0));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_session_that_is_ended_leaves_no_files() {
    let sandbox = Sandbox::with_team();
    claude(&sandbox, "SessionStart", "s1").success();
    let first = waiter(&sandbox);
    until_it_waits(&sandbox, first.id());
    kill(&first);
    first.wait_with_output().unwrap();
    sandbox.run(&["session", "end", "s1"]).success();
    assert_eq!(std::fs::read_dir(sandbox.hub().join("state/live")).unwrap().count(), 0);
}

fn kill(child: &std::process::Child) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}
