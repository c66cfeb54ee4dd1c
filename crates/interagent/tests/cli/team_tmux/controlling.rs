//! What the supervisor does with clients that it is told to stop and to resume.

use std::fs::File;
use std::time::{Duration, Instant};

use super::stage::Stage;
use super::{World, is_running};

#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_client_that_nobody_prompted_runs_and_can_be_stopped() {
    let world = World::new();
    world.mark_file("mute-member1");
    world.run(&["up", "member1"]).success();
    world.wait_for_screen("member1", "ready: member1");
    let pid = world.pid("member1");
    let nothing_waits = || world.json(&["control", "--list"])["items"] == serde_json::json!([]);
    world.run(&["control", "member1", "resume"]).success();
    eventually("the resume", nothing_waits);
    assert!(is_running(pid), "it ran already");
    world.run(&["control", "member1", "stop"]).success();
    eventually("the stop", nothing_waits);
    eventually("its end", || !is_running(pid));
    world.run(&["down"]).success();
}

#[test]
fn a_resume_waits_for_whoever_else_starts_agents() {
    let world = World::new();
    world.run(&["control", "member1", "resume"]).success();
    let lock = File::options().create(true).append(true).open(world.sandbox.hub().join("state/crew.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let once = world.run(&["supervise", "--once", "--json"]).success();
    assert!(once.stdout.contains("\"put_off\":true"), "{}", once.stdout);
    assert_eq!(world.json(&["control", "--list"])["items"].as_array().unwrap().len(), 1);
    drop(lock);
    // Nobody is in the way now, and no conversation is known: that does not change by itself.
    let once = world.run(&["supervise", "--once", "--json"]).success();
    assert!(once.stdout.contains("\"put_off\":false"), "{}", once.stdout);
    assert!(once.stdout.contains("no earlier conversation of member1 is known here"), "{}", once.stdout);
    assert_eq!(world.json(&["control", "--list"])["items"], serde_json::json!([]));
}

#[test]
fn a_profile_that_changed_counts_for_a_supervisor_that_runs() {
    let stage = Stage::peers("ann:plain");
    stage.up(&["ann"]);
    let profile = stage.world.sandbox.home().join(".config/interagent/profiles/plain.toml");
    let before = std::fs::read_to_string(&profile).unwrap();
    let control = "[control]\nclear = \"/clear\"\n[hooks]\nformat";
    std::fs::write(&profile, before.replace("[hooks]\nformat", control)).unwrap();
    let asked = stage.world.json(&["control", "ann", "clear"])["message"].as_str().unwrap().to_owned();
    let over = || stage.world.json(&["control", "--list"])["items"] == serde_json::json!([]);
    eventually("the clear", over);
    assert_eq!(stage.message(&asked)["not_carried_out"], serde_json::Value::Null);
    assert!(stage.keys("ann").contains("/clear"), "{}", stage.keys("ann"));
}
