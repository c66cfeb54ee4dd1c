//! Killed, raced and repeated: nothing is lost, and nothing is there twice.

use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use interagent_testkit::crash::{Dice, is_soak};

use crate::world::World;

fn start(world: &World, tree: &str) -> Child {
    let mut command = world.within(tree).command(&["sync"]);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Kills the program and every git that it started.
fn kill(mut child: Child) {
    let group = format!("-{}", child.id());
    let _ = std::process::Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
}

#[test]
fn killed_at_any_moment() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    let mut dice = Dice::new();
    let times = if is_soak() { 300 } else { 25 };
    for number in 0..times {
        let tree = if dice.below(2) == 0 { "a" } else { "b" };
        world.run(tree, &["send", "--to", "kimi", "-m", &format!("number {number}")]);
        let child = start(&world, tree);
        std::thread::sleep(Duration::from_millis(dice.below(90)));
        kill(child);
    }
    for tree in ["a", "b", "a", "b"] {
        // The remote is on this disk, and git was killed there, too.
        let _ = std::fs::remove_file(world.at("remote.git/refs/heads/interagent.lock"));
        world.run(tree, &["sync"]);
    }
    world.same("a", "b");
    let sent = world.json("a", &["msg", "list", "--limit", "1000"]);
    assert_eq!(sent["items"].as_array().unwrap().len(), times);
    for tree in ["a", "b"] {
        assert_eq!(world.git(tree, &["status", "--porcelain"]), "");
        world.git(tree, &["fsck", "--no-dangling", "--no-progress"]);
    }
}

#[test]
fn what_a_killed_git_left_locked_is_unlocked() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.run("a", &["send", "--to", "kimi", "-m", "one more"]);
    let locks = ["refs/heads/interagent", "refs/interagent-next", "refs/interagent/origin"]
        .map(|reference| world.at("a").join(format!(".git/{reference}.lock")));
    for lock in &locks {
        std::fs::write(lock, "").unwrap();
    }
    let told = world.run("a", &["sync"]);
    assert!(told.contains("sent 1 entry"), "{told}");
    assert!(!locks.iter().any(|lock| lock.exists()));
}

#[test]
fn many_at_once() {
    let world = World::new();
    world.run("a", &["sync"]);
    for clone in ["b", "c"] {
        world.clone_of("remote.git", clone);
        world.run(clone, &["sync"]);
    }
    let rounds = if is_soak() { 30 } else { 4 };
    for round in 0..rounds {
        for tree in ["a", "b", "c"] {
            world.run(tree, &["send", "--to", "kimi", "-m", &format!("{tree} {round}")]);
        }
        let children: Vec<Child> = ["a", "a", "b", "b", "c"].iter().map(|tree| start(&world, tree)).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
    }
    for tree in ["a", "b", "c", "a", "b"] {
        world.run(tree, &["sync"]);
    }
    world.same("a", "b");
    world.same("b", "c");
}
