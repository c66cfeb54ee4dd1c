//! Shared files and promoted skills between clones: they come with a sync, and count after the person trusted them.

use std::fs;
use std::os::unix::fs::MetadataExt;

use interagent_testkit::terminal::Size;

use crate::world::World;

const SCREEN: Size = Size { rows: 50, columns: 120 };
const CONTEXT: &str = ".interagent/shared/context.md";
const DECISIONS: &str = ".interagent/shared/decisions.md";

fn read(world: &World, tree: &str, file: &str) -> String {
    fs::read_to_string(world.at(tree).join(file)).unwrap_or_default()
}

fn trust(world: &World, tree: &str, typed: &str) -> String {
    let (status, screen) = world.within(tree).answered_on(SCREEN, &["trust"], typed);
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
fn unchanged_sync_keeps_note() {
    let world = World::new();
    let note = world.at("a").join(".interagent/state/shared.json");
    let identity = || fs::metadata(&note).ok().map(|found| (found.ino(), found.mtime_nsec()));
    world.run("a", &["sync"]);
    let before = identity();
    world.run("a", &["sync"]);
    assert_eq!(identity(), before);
}

#[test]
fn shared_file_waits_for_trust() {
    let world = two_clones();
    let told = world.run("b", &["sync"]);
    assert!(told.contains("shared/context.md by operator@"), "{told}");
    assert!(told.contains("is not trusted yet: interagent trust"), "{told}");
    assert!(!read(&world, "b", CONTEXT).contains("Postgres"));
    assert!(trust(&world, "b", "n\n").contains("We use Postgres 16"));
    assert!(!read(&world, "b", CONTEXT).contains("Postgres"));
    trust(&world, "b", "y\n");
    assert_eq!(read(&world, "b", CONTEXT), "We use Postgres 16\n");
    assert!(!world.run("b", &["sync"]).contains("interagent trust"));
    // A change there comes back the same way, and nothing is published twice.
    world.run("a", &["sync"]);
    fs::write(world.at("b").join(CONTEXT), "We use Postgres 17\n").unwrap();
    world.run("b", &["sync"]);
    world.run("b", &["sync"]);
    assert!(world.run("a", &["sync"]).contains("interagent trust"));
    trust(&world, "a", "y\n");
    assert_eq!(read(&world, "a", CONTEXT), "We use Postgres 17\n");
    let versions = world.json("a", &["spec", "history", "shared-context"]);
    assert_eq!(versions["items"].as_array().unwrap().len(), 2, "{versions}");
}

#[test]
fn refused_shared_file_does_not_stop_the_sync() {
    let world = two_clones();
    fs::write(world.at("a").join(CONTEXT), "x".repeat(2 * 1024 * 1024)).unwrap();
    world.run("a", &["send", "--to", "claude", "-m", "Still exchanged."]);
    let told = world.within("a").run(&["sync"]).success().shown();
    assert!(told.contains("a shared file was not published"), "{told}");
    world.run("b", &["sync"]);
    let listed = world.json("b", &["msg", "list"]).to_string();
    assert!(listed.contains("Still exchanged."), "{listed}");
}

#[test]
fn shared_file_changed_on_both_sides_is_decided_by_the_person() {
    let world = two_clones();
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
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

fn decide_by_hand(world: &World, tree: &str, text: &str) {
    let path = world.at(tree).join(DECISIONS);
    let file = fs::read_to_string(&path).unwrap();
    fs::write(path, file + text).unwrap();
}

#[test]
fn handwritten_decisions_of_both_clones_are_kept() {
    for track in ["branch", "worktree"] {
        let world = World::new();
        let carry = |from: &str| {
            if track == "worktree" {
                world.git(from, &["add", ".interagent"]);
                world.git(from, &["commit", "-qm", "history"]);
                world.git(from, &["push", "-q", "origin", "HEAD"]);
            }
        };
        if track == "worktree" {
            world.track("a", track);
        }
        decide_by_hand(&world, "a", "We use Postgres 16\n");
        world.run("a", &["sync"]);
        carry("a");
        world.clone_of("remote.git", "b");
        let told = world.run("b", &["sync"]);
        assert!(told.contains("shared/decisions.md by operator@"), "{track}: {told}");
        trust(&world, "b", "y\n");
        assert!(read(&world, "b", DECISIONS).ends_with("-->\nWe use Postgres 16\n"), "{track}");
        // Both go on, and neither text is lost.
        decide_by_hand(&world, "a", "No ORM\n");
        decide_by_hand(&world, "b", "We deploy on Fridays\n");
        world.run("a", &["sync"]);
        carry("a");
        if track == "worktree" {
            world.git("b", &["add", ".interagent"]);
            world.git("b", &["commit", "-qm", "joined"]);
            world.git("b", &["pull", "-q", "--no-rebase", "--no-edit"]);
        }
        let told = world.run("b", &["sync"]);
        assert!(told.contains("shared/decisions.md by operator@"), "{track}: {told}");
        assert!(read(&world, "b", DECISIONS).ends_with("Fridays\n"), "{track}: it waits for the person");
        trust(&world, "b", "y\n");
        let both = "-->\nWe use Postgres 16\nNo ORM\n\nWe deploy on Fridays\n";
        assert!(read(&world, "b", DECISIONS).ends_with(both), "{track}: {}", read(&world, "b", DECISIONS));
        world.run("b", &["sync"]);
        carry("b");
        if track == "worktree" {
            world.git("a", &["pull", "-q", "--no-rebase", "--no-edit"]);
        }
        world.run("a", &["sync"]);
        trust(&world, "a", "y\n");
        assert!(read(&world, "a", DECISIONS).ends_with(both), "{track}: {}", read(&world, "a", DECISIONS));
        assert!(!world.run("a", &["sync"]).contains("interagent trust"), "{track}");
        assert!(!world.at("b").join(format!("{DECISIONS}.edited")).exists(), "{track}");
    }
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
    assert!(told.contains("the skill token-tests is not trusted yet"), "{told}");
    assert_eq!(read(&world, "b", place), "");
    assert!(trust(&world, "b", "y\n").contains("makes cases"));
    assert!(read(&world, "b", place).contains("makes cases"));
    let listed = world.json("b", &["trust", "--list"]);
    assert_eq!(
        (&listed["skills"][0]["place"], &listed["skills"][0]["trust"]),
        (&place.into(), &"trusted".into())
    );
    world.run("b", &["trust", "--revoke"]);
    assert_eq!(read(&world, "b", place), "");
    let listed = world.json("b", &["trust", "--list"]);
    assert_eq!(
        (listed["skills"].as_array().unwrap().len(), &listed["texts"][0]),
        (0, &"the skill token-tests".into())
    );
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
    assert!(board.contains("run `interagent sync` to commit and share it"), "{board}");
}
