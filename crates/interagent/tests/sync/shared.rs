//! Shared files and promoted skills between clones: they come with a sync, and count after the person trusted them.

use std::fs;

use interagent_testkit::terminal::{Size, run_on_terminal};

use crate::world::World;

const SCREEN: Size = Size { rows: 50, columns: 120 };
const CONTEXT: &str = ".interagent/shared/context.md";

fn read(world: &World, tree: &str, file: &str) -> String {
    fs::read_to_string(world.at(tree).join(file)).unwrap_or_default()
}

fn trust(world: &World, tree: &str, typed: &str) -> String {
    let command = world.within(tree).env("TERM", "xterm").command(&["trust"]);
    let (status, screen) = run_on_terminal(command, SCREEN, typed);
    assert_eq!(status, 0, "{screen}");
    screen
}

/// A clone `b` of a team whose context was written in `a`.
fn two_clones() -> World {
    let world = World::new();
    fs::write(world.at("a").join(CONTEXT), "We use Postgres 16\n").unwrap();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world
}

#[test]
fn shared_file_waits_for_trust() {
    let world = two_clones();
    let told = world.run("b", &["sync"]);
    assert!(told.contains("shared/context.md by operator@"), "{told}");
    assert!(told.contains("is not used here yet: interagent trust"), "{told}");
    assert!(!read(&world, "b", CONTEXT).contains("Postgres"));
    assert!(trust(&world, "b", "n\n").contains("We use Postgres 16"));
    assert!(!read(&world, "b", CONTEXT).contains("Postgres"));
    trust(&world, "b", "y\n");
    assert_eq!(read(&world, "b", CONTEXT), "We use Postgres 16\n");
    assert!(!world.run("b", &["sync"]).contains("interagent trust"));
    // A change there comes back the same way, and nothing is published twice.
    fs::write(world.at("b").join(CONTEXT), "We use Postgres 17\n").unwrap();
    world.run("b", &["sync"]);
    world.run("b", &["sync"]);
    assert!(world.run("a", &["sync"]).contains("interagent trust"));
    trust(&world, "a", "y\n");
    assert_eq!(read(&world, "a", CONTEXT), "We use Postgres 17\n");
    let versions = world.run("a", &["spec", "history", "shared-context"]);
    assert!(versions.contains("2 ") && !versions.contains("3 "), "{versions}");
}

#[test]
fn shared_file_changed_on_both_sides_is_decided_by_the_person() {
    let world = two_clones();
    world.run("b", &["sync"]);
    trust(&world, "b", "y\n");
    fs::write(world.at("a").join(CONTEXT), "Postgres 17\n").unwrap();
    fs::write(world.at("b").join(CONTEXT), "SQLite\n").unwrap();
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    assert_eq!(read(&world, "b", CONTEXT), "SQLite\n", "what a person wrote stays");
    trust(&world, "b", "y\n");
    assert_eq!(read(&world, "b", CONTEXT), "Postgres 17\n");
    assert_eq!(read(&world, "b", ".interagent/shared/context.md.edited"), "SQLite\n");
    // The other way: yours is published over theirs.
    fs::write(world.at("b").join(CONTEXT), "MySQL\n").unwrap();
    fs::write(world.at("a").join(CONTEXT), "Postgres 18\n").unwrap();
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    trust(&world, "b", "n\ny\n");
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    trust(&world, "a", "y\n");
    assert_eq!(read(&world, "a", CONTEXT), "MySQL\n");
}

#[test]
fn promoted_skill_of_another_replica_waits_for_trust() {
    let world = World::new();
    world.run("a", &["task", "create", "Part", "--assignee", "kimi", "--alias", "part"]);
    let report = ["report", "part", "done", "--summary", "done", "--skill", "token-tests"];
    let more = ["--skill-description", "makes cases", "--skill-reason", "used twice"];
    let done = world.within("a").env("INTERAGENT_AGENT", "kimi").run(&[&report[..], &more[..]].concat());
    done.success();
    world.run("a", &["skill", "promote", "token-tests"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    let place = ".agents/skills/token-tests/SKILL.md";
    let told = world.run("b", &["sync"]);
    assert!(told.contains("the skill token-tests is not used here yet"), "{told}");
    assert_eq!(read(&world, "b", place), "");
    assert!(trust(&world, "b", "y\n").contains("makes cases"));
    assert!(read(&world, "b", place).contains("makes cases"));
}

#[test]
fn git_add_stages_what_people_write() {
    let world = World::new();
    world.track("a", "worktree");
    world.git("a", &["add", ".interagent"]);
    let staged = world.git("a", &["diff", "--cached", "--name-only"]);
    for file in ["team.toml", "shared/context.md", "shared/architecture.md", "log/"] {
        assert!(staged.contains(&format!(".interagent/{file}")), "{file}: {staged}");
    }
    let readme = read(&world, "a", ".interagent/README.md");
    assert!(readme.contains("`git add .interagent` adds the history"), "{readme}");
}

#[test]
fn branch_mode_says_how_the_history_reaches_git() {
    let world = World::new();
    let readme = read(&world, "a", ".interagent/README.md");
    assert!(readme.contains("`interagent sync` commits the history to the branch `interagent`"), "{readme}");
    let board = world.run("a", &["status"]);
    assert!(board.contains("interagent sync commits and shares it"), "{board}");
}
