//! An import that is killed, and one that is large.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use interagent_testkit::Sandbox;

use super::{entries, interagent_project};

const MESSAGES: usize = 10_000;

#[test]
fn an_import_that_is_killed_is_finished_by_the_next_one() {
    let sandbox = Sandbox::new();
    interagent_project(&sandbox, MESSAGES);
    let mut kills = 0;
    for pause in [100, 200, 400, 600, 800, 1000] {
        let mut command = sandbox.start().command(&["import", "--yes"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(pause));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    assert!(kills > 1, "the machine is too fast for this test: give it more messages");
    // The replica, the team with its agents, and every message once.
    let whole = 2 + i64::try_from(MESSAGES).unwrap();
    let status = sandbox.run(&["status"]);
    if status.status == 0 {
        // Only writing the readable files was cut off.
        assert_eq!(entries(&sandbox), whole);
    } else {
        assert!(status.stderr.contains("interagent import"), "half of it is nothing: {}", status.stderr);
    }
    sandbox.run(&["import", "--yes"]).success();
    assert_eq!(entries(&sandbox), whole);
    for n in [0, 1, MESSAGES / 2, MESSAGES - 1] {
        let message = sandbox.json(&["read", &format!("msg-{n:06x}")]);
        assert_eq!(message["subject"], format!("Entry {n}"), "{message}");
    }
    let newest = sandbox.json(&["msg", "list", "--limit", "2"]);
    assert!(newest.to_string().contains(&format!("Entry {}", MESSAGES - 1)), "in their order: {newest}");
    sandbox.run(&["log", "verify"]).success();
    assert!(!sandbox.hub().join("importing").exists());
}

/// Killed at each place between the last entry and the end.
#[test]
fn moving_the_original_is_finished_wherever_it_stopped() {
    for stop in 0..3 {
        let sandbox = Sandbox::new();
        interagent_project(&sandbox, 3);
        let hub = sandbox.hub();
        fs::create_dir_all(hub.join("tasks/active")).unwrap();
        let original = fs::read(hub.join("session.json")).unwrap();
        sandbox.run(&["import", "--yes"]).success();
        let day = fs::read_dir(hub.join("imported")).unwrap().next().unwrap().unwrap().path();
        // Back to where it may have stopped.
        fs::create_dir(hub.join("importing")).unwrap();
        // The readable files come last.
        for entry in fs::read_dir(&hub).unwrap().map(Result::unwrap) {
            match entry.file_name().to_str().unwrap() {
                "state" | "imported" | "importing" => {}
                _ if entry.file_type().unwrap().is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
                _ => fs::remove_file(entry.path()).unwrap(),
            }
        }
        if stop < 2 {
            fs::rename(day.join("session.json"), hub.join("session.json")).unwrap();
        }
        if stop < 1 {
            fs::rename(hub.join("state"), hub.join("importing/state")).unwrap();
            fs::rename(day.join("tasks"), hub.join("tasks")).unwrap();
        }
        sandbox.run(&["import", "--yes"]).success();
        assert!(!hub.join("importing").exists() && hub.join("team.toml").is_file(), "{stop}");
        let ours = fs::read_to_string(hub.join("session.json")).unwrap();
        assert!(ours.contains("\"written\""), "{stop}: {ours}");
        assert_eq!(fs::read(day.join("session.json")).unwrap(), original);
        assert_eq!(entries(&sandbox), 5, "{stop}");
    }
}
