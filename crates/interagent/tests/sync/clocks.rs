//! A clock that ran ahead: seen once it is right again, repaired by one command, and nobody is cut off.

use std::sync::Arc;

use interagent_store::{Clock, Founding, ManualClock, OpenMode, SqliteEngine, Store, SystemClock};
use interagent_testkit::facts;

use crate::world::World;

/// How far the clock was wrong.
const JUMP_US: i64 = 400 * 86_400_000_000;

/// The operator creates a task with a clock that runs ahead.
fn write_ahead(world: &World, tree: &str) {
    let state = world.at(tree).join(".interagent/state");
    let engine = SqliteEngine::open(&state, OpenMode::Existing).unwrap();
    let fast = Arc::new(ManualClock::new(SystemClock::new().wall_us() + JUMP_US));
    let founding = Founding { hub_id: None, alias: String::new(), user_dir: None };
    let mut store = Store::open(Box::new(engine), fast, &founding).unwrap();
    let operator = facts::operator(&mut store);
    facts::create_task(&mut store, &operator, "written in the future");
}

fn repaired(world: &World, exchange: impl Fn(&str)) {
    world.run("a", &["task", "create", "before"]);
    exchange("a");
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    write_ahead(world, "a");
    world.run("a", &["task", "create", "after"]);
    exchange("a");
    exchange("b");
    let there = world.run("b", &["task", "list"]);
    assert!(there.contains("before") && !there.contains("after"), "{there}");

    let status = world.run("a", &["status"]);
    assert!(
        status.contains("its clock ran ahead: what this clone wrote since waits in other clones until"),
        "{status}"
    );
    let doctor = world.within("a").run(&["doctor"]).stdout;
    assert!(
        doctor.contains("the clock of this clone ran 400 days ahead: its newest 2 entries wait"),
        "{doctor}"
    );
    assert!(doctor.contains("interagent doctor --clock"), "{doctor}");
    let refused = world.within("a").env("INTERAGENT_AGENT", "kimi").run(&["doctor", "--clock"]);
    assert!(refused.status != 0 && refused.stderr.contains("decided by a person"), "{}", refused.shown());

    let done = world.run("a", &["doctor", "--clock"]);
    assert!(done.contains("corrected the time of 2 entries"), "{done}");
    assert!(!world.run("a", &["status"]).contains("clock"));
    let again = world.within("a").run(&["doctor", "--clock"]);
    assert!(again.stderr.contains("there is nothing to repair"), "{}", again.shown());
    for tree in ["a", "b", "a", "b"] {
        exchange(tree);
    }
    let there = world.run("b", &["task", "list"]);
    assert!(there.contains("after") && there.contains("written in the future"), "{there}");
    world.same("a", "b");
    // A clone that is made now has everything as well.
    world.clone_of("remote.git", "c");
    world.run("c", &["sync"]);
    exchange("c");
    exchange("a");
    world.same("a", "c");
}

#[test]
fn corrected_clock_reaches_others_by_branch() {
    let world = World::new();
    repaired(&world, |tree| drop(world.run(tree, &["sync"])));
}

#[test]
fn corrected_clock_reaches_others_by_worktree() {
    let world = World::in_worktree();
    repaired(&world, |tree| {
        world.run(tree, &["sync"]);
        world.exchange(tree);
        world.run(tree, &["sync"]);
    });
}
