//! What does not fit together, and what should not leave the machine.

use std::path::Path;

use crate::world::World;

/// Every file below a hub but its database, as one text.
fn files(directory: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("state") {
            all.push_str(&files(&path));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            all.push_str(&text);
        }
    }
    all
}

/// Everything that is reachable in a repository.
fn objects(world: &World, tree: &str) -> String {
    let listed = world.git(tree, &["rev-list", "--objects", "--all"]);
    let names = listed.lines().filter_map(|line| line.split(' ').next());
    names
        .map(|name| {
            String::from_utf8_lossy(&world.try_git(tree, &["cat-file", "-p", name]).stdout).into_owned()
        })
        .collect()
}

#[test]
fn what_looks_like_a_secret_reaches_git_and_files_only_when_it_is_released() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let world = World::new();
    let sent = world.json("a", &["send", "--to", "kimi", "-m", &format!("use {secret} for it")]);
    let message = sent["id"].as_str().unwrap();
    let told = world.run("a", &["sync"]);
    assert!(told.contains("not in git: interagent hold list"), "{told}");
    assert!(!files(&world.at("a/.interagent")).contains(&secret));
    assert!(files(&world.at("a/.interagent")).contains("[held back: looks like a GitHub token]"));
    assert!(!objects(&world, "a").contains(&secret));
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    assert!(!world.json("b", &["read", message]).to_string().contains(&secret));

    world.run_seated("a", &["hold", "release", message, "--reason", "of the test system"]);
    world.run("a", &["sync"]);
    assert!(objects(&world, "a").contains(&secret));
    assert!(files(&world.at("a/.interagent")).contains(&secret));
    world.run("b", &["sync"]);
    assert!(world.json("b", &["read", message]).to_string().contains(&secret));
    world.same("a", "b");
}

#[test]
fn who_came_too_late_is_named_on_both_sides_and_told_at_home() {
    let world = World::new();
    let task = world.json("a", &["task", "create", "Only one of us"])["id"].as_str().unwrap().to_owned();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    for tree in ["a", "b"] {
        world.within(tree).env("INTERAGENT_AGENT", "kimi").run(&["task", "claim", &task]).success();
    }
    world.run("a", &["sync"]);
    let there = world.run("b", &["sync"]);
    assert!(
        there.contains(&format!("conflict: {task}")) && there.contains("a message says so to kimi"),
        "{there}"
    );
    let here = world.run("a", &["sync"]);
    assert!(here.contains(&format!("conflict: {task}")), "{here}");
    assert!(!here.contains("a message says so"), "{here}");
    let inbox = world.within("b").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success().stdout;
    assert!(inbox.contains(&task), "{inbox}");
    // Once is enough.
    for tree in ["b", "a"] {
        let again = world.run(tree, &["sync"]);
        assert!(!again.contains("conflict"), "{again}");
    }
    world.same("a", "b");
}

#[test]
fn a_purge_that_arrives_leaves_nothing_behind() {
    let world = World::new();
    let sent = world.json("a", &["send", "--to", "kimi", "-m", "the zebra crosses"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    world.run_seated("a", &["purge", sent["id"].as_str().unwrap()]);
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    for entry in std::fs::read_dir(world.at("b/.interagent/state")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("zebra"), "{}", path.display());
    }
}
