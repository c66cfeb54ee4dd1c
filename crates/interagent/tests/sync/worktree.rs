//! The history as files in the worktree: what is committed, what a merge brings, and changing from one way to the other.

use std::fs;
use std::path::PathBuf;

use crate::world::World;

fn segments(world: &World, tree: &str) -> Vec<PathBuf> {
    let log = world.at(tree).join(".interagent/log");
    let mut found = Vec::new();
    for replica in fs::read_dir(log).unwrap() {
        found.extend(fs::read_dir(replica.unwrap().path()).unwrap().map(|file| file.unwrap().path()));
    }
    found.retain(|path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl"));
    found.sort();
    found
}

fn lines(world: &World, tree: &str) -> usize {
    segments(world, tree).iter().map(|path| fs::read_to_string(path).unwrap().lines().count()).sum()
}

#[test]
fn a_command_writes_what_it_added_and_only_the_history_is_tracked() {
    let world = World::in_worktree();
    let before = lines(&world, "a");
    world.run("a", &["send", "--to", "kimi", "-m", "in a file at once"]);
    assert_eq!(lines(&world, "a"), before + 1);
    // What was committed is sealed: the line is in a new segment, and git sees only additions.
    let status = world.git("a", &["status", "--porcelain", "-uall"]);
    assert!(!status.is_empty() && status.lines().all(|line| line.starts_with("?? .interagent/")), "{status}");
    // The next one goes on with it.
    let count = segments(&world, "a").len();
    world.run("a", &["send", "--to", "kimi", "-m", "in the same file"]);
    assert_eq!(segments(&world, "a").len(), count);
    world.commit("a", "more");
    let tracked = world.git("a", &["ls-files", ".interagent"]);
    let is_history = |line: &str| {
        [
            "log/",
            "texts/",
            "team.toml",
            ".gitignore",
            ".gitattributes",
            "shared/context.md",
            "shared/architecture.md",
        ]
        .iter()
        .any(|name| line.starts_with(&format!(".interagent/{name}")))
    };
    assert!(tracked.lines().all(is_history), "{tracked}");
    assert_eq!(world.git("a", &["status", "--porcelain"]), "");
}

#[test]
fn a_clone_joins_by_its_files_and_merges_by_plain_git() {
    let world = World::in_worktree();
    world.run("a", &["task", "create", "Known to all"]);
    world.exchange("a");
    world.clone_of("remote.git", "b");
    assert!(world.run("b", &["task", "list"]).contains("Known to all"));
    world.run("b", &["send", "--to", "kimi", "-m", "from b"]);
    world.run("a", &["send", "--to", "kimi", "-m", "from a"]);
    for tree in ["a", "b", "a"] {
        world.run(tree, &["sync"]);
        world.exchange(tree);
        world.run(tree, &["sync"]);
    }
    world.same("a", "b");
    world.without_conflicts("a");
    world.without_conflicts("b");
}

#[test]
fn what_a_pull_brought_is_taken_in_by_the_next_write() {
    let world = World::in_worktree();
    world.exchange("a");
    world.clone_of("remote.git", "b");
    world.run("b", &["send", "--to", "kimi", "-m", "from b"]);
    world.exchange("b");
    world.exchange("a");
    world.run("a", &["send", "--to", "kimi", "-m", "from a"]);
    world.acquaint("a");
    assert!(world.run("a", &["msg", "list"]).contains("from b"));
}

#[test]
fn switching_branches_never_takes_the_hub_back_in_time_and_is_never_blocked() {
    let world = World::in_worktree();
    world.git("a", &["branch", "old"]);
    for round in 0..3 {
        world.run("a", &["send", "--to", "kimi", "-m", &format!("on main {round}")]);
        world.commit("a", "on main");
        world.git("a", &["checkout", "--quiet", "old"]);
        assert!(world.run("a", &["msg", "list"]).contains("on main"));
        world.run("a", &["send", "--to", "kimi", "-m", &format!("on old {round}")]);
        world.run("a", &["sync"]);
        // Also with what is not committed there.
        if round == 1 {
            world.commit("a", "on old");
        }
        world.git("a", &["checkout", "--quiet", "main"]);
        world.run("a", &["sync"]);
    }
    world.commit("a", "all");
    world.git("a", &["merge", "--quiet", "--no-edit", "old"]);
    world.run("a", &["sync"]);
    world.without_conflicts("a");
    assert_eq!(world.json("a", &["msg", "list"])["items"].as_array().unwrap().len(), 6);
    world.run("a", &["log", "verify"]);
    // Each branch is enough for a clone.
    for branch in ["main", "old"] {
        world.git(".", &["clone", "--quiet", "--branch", branch, "a", branch]);
        world.join(branch);
        world.run(branch, &["sync"]);
        assert!(world.run(branch, &["msg", "list"]).contains("on main 0"), "{branch}");
    }
}

#[test]
fn doubled_and_damaged_lines_are_named_and_the_rest_loads() {
    let world = World::in_worktree();
    world.run("a", &["send", "--to", "kimi", "-m", "the first"]);
    world.run("a", &["send", "--to", "kimi", "-m", "the second"]);
    world.exchange("a");
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    world.run("a", &["send", "--to", "kimi", "-m", "the third"]);
    world.exchange("a");
    world.git("b", &["pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main"]);
    let holds = |path: &PathBuf| world.git("b", &["log", "--format=%s", "-1", "--", path.to_str().unwrap()]);
    let path = segments(&world, "b").into_iter().rfind(|path| !holds(path).is_empty()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    // As after a union merge that went wrong: every line twice, one of them broken.
    let count = text.lines().count();
    fs::write(&path, format!("{text}{{\"hash\":\"broken\n{text}")).unwrap();
    let told = world.run("b", &["sync"]);
    let below = path.strip_prefix(world.at("b")).unwrap();
    assert!(told.contains(&format!("{}:{}: ", below.display(), count + 1)), "{told}");
    assert!(world.run("b", &["msg", "list"]).contains("the third"));
    world.run("b", &["log", "verify"]);
}

#[test]
fn changing_the_way_in_either_direction_loses_nothing() {
    let world = World::new();
    world.run("a", &["send", "--to", "kimi", "-m", "on the branch"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    world.track("a", "worktree");
    world.run("a", &["send", "--to", "kimi", "-m", "in files"]);
    // The other one does not know yet, and goes on with the branch.
    world.run("b", &["send", "--to", "kimi", "-m", "still on the branch"]);
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    assert!(world.run("a", &["msg", "list"]).contains("still on the branch"));
    world.exchange("a");
    world.exchange("b");
    world.run("b", &["sync"]);
    assert!(world.run("b", &["msg", "list"]).contains("in files"));
    world.exchange("b");
    world.exchange("a");
    world.run("a", &["sync"]);
    world.same("a", "b");
    // And back.
    world.track("b", "branch");
    world.run("b", &["send", "--to", "kimi", "-m", "on the branch again"]);
    world.run("b", &["sync"]);
    world.run("a", &["send", "--to", "kimi", "-m", "still in files"]);
    world.run("a", &["sync"]);
    assert!(world.run("a", &["msg", "list"]).contains("on the branch again"));
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    world.same("a", "b");
    assert_eq!(world.json("a", &["msg", "list"])["items"].as_array().unwrap().len(), 5);
}

#[test]
fn a_purged_text_leaves_the_worktree_everywhere() {
    let world = World::in_worktree();
    let sent = world.json("a", &["send", "--to", "kimi", "-s", "The key", "-m", "s3cret-in-a-body"]);
    let id = sent["message"]["id"].as_str().or(sent["id"].as_str()).unwrap().to_owned();
    world.exchange("a");
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    world.run_seated("a", &["purge", &id, "--reason", "leaked"]);
    world.run("a", &["sync"]);
    world.exchange("a");
    world.exchange("b");
    world.run("b", &["sync"]);
    world.exchange("b");
    world.exchange("a");
    world.run("a", &["sync"]);
    for tree in ["a", "b"] {
        assert!(!world.try_git(tree, &["grep", "-q", "s3cret"]).status.success(), "{tree}");
    }
    world.same("a", "b");
}

#[test]
fn a_branch_without_the_hub_hides_everything_and_never_takes_the_state_along() {
    let world = World::new();
    world.git("a", &["branch", "older"]);
    world.track("a", "worktree");
    world.commit("a", "the team");
    world.run("a", &["send", "--to", "kimi", "-m", "before"]);
    world.commit("a", "more");
    world.git("a", &["checkout", "--quiet", "older"]);
    // At once, before any command of ours runs there.
    assert_eq!(world.git("a", &["status", "--porcelain"]), "");
    world.run("a", &["send", "--to", "kimi", "-m", "on the older branch"]);
    assert_eq!(world.git("a", &["status", "--porcelain"]), "");
    std::fs::write(world.at("a/code"), "x\n").unwrap();
    world.commit("a", "work");
    assert_eq!(world.git("a", &["ls-files", ".interagent"]), "");
    world.git("a", &["checkout", "--quiet", "main"]);
    let sent = world.json("a", &["msg", "list", "--limit", "10"]);
    assert_eq!(sent["items"].as_array().unwrap().len(), 2);
    let status = world.git("a", &["status", "--porcelain", "-uall"]);
    assert!(
        status
            .lines()
            .all(|line| line.starts_with("?? .interagent/log/") || line.starts_with("?? .interagent/texts/")),
        "{status}"
    );
}

#[test]
fn a_branch_gets_what_another_one_took_away() {
    let world = World::in_worktree();
    world.git("a", &["checkout", "--quiet", "-b", "other"]);
    world.run("a", &["send", "--to", "kimi", "-m", "on the other branch"]);
    world.commit("a", "other");
    world.git("a", &["checkout", "--quiet", "main"]);
    world.run("a", &["send", "--to", "kimi", "-m", "on main"]);
    world.commit("a", "main");
    world.git("a", &["push", "--quiet", "origin", "main"]);
    world.clone_of("remote.git", "b");
    let told = world.run("b", &["sync"]);
    assert!(!told.contains("left out"), "{told}");
    let there = world.json("b", &["msg", "list", "--limit", "10"]);
    assert_eq!(there["items"].as_array().unwrap().len(), 2, "{there}");
}

#[test]
fn a_released_text_is_in_a_file_at_once() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let world = World::in_worktree();
    let sent = world.json("a", &["send", "--to", "kimi", "-m", &secret]);
    assert!(world.try_git("a", &["grep", "--untracked", "-q", &secret]).status.code() == Some(1));
    world.run_seated("a", &["hold", "release", sent["id"].as_str().unwrap()]);
    world.commit("a", "released");
    world.git("a", &["grep", "-q", &secret, "HEAD", "--", ".interagent/texts"]);
}

#[test]
fn a_rule_of_the_project_does_not_hide_texts() {
    let world = World::in_worktree();
    std::fs::write(world.at("a/.gitignore"), "*.json\n*.jsonl\n").unwrap();
    world.run("a", &["send", "--to", "kimi", "-m", "seen by git"]);
    let status = world.git("a", &["status", "--porcelain", "-uall"]);
    assert!(status.contains(".interagent/texts/") && status.contains(".interagent/log/"), "{status}");
}

/// Whether a text is in the files beside the hub, or at the tip of the branch.
fn tracked(world: &World, text: &str) -> [bool; 2] {
    let grep = |arguments: &[&str]| world.try_git("a", arguments).status.success();
    [
        grep(&["grep", "--quiet", "--untracked", "--no-exclude-standard", text, "--", ".interagent/texts"]),
        grep(&["grep", "--quiet", text, "interagent"]),
    ]
}

/// A text that went one way and then the other is purged.
fn purged_after_a_change(world: &World, [first, second]: [&str; 2]) -> String {
    let text = "the zebra crosses";
    world.track("a", first);
    let sent = world.json("a", &["send", "--to", "kimi", "-m", text]);
    world.run("a", &["sync"]);
    world.commit("a", "the history");
    world.track("a", second);
    world.run("a", &["sync"]);
    world.commit("a", "the history");
    assert_eq!(tracked(world, text), [true, true]);
    let told = world.run_seated("a", &["purge", sent["id"].as_str().unwrap()]);
    world.run("a", &["sync"]);
    assert_eq!(tracked(world, text), [false, false], "{told}");
    told
}

#[test]
fn a_purge_after_a_change_to_files_removes_the_text_on_both_ways() {
    let world = World::new();
    let told = purged_after_a_change(&world, ["branch", "worktree"]);
    assert!(told.contains("--path-glob '*.interagent/texts/") && told.contains("git commit-tree"), "{told}");
}

#[test]
fn a_purge_after_a_change_to_the_branch_removes_the_text_on_both_ways() {
    let world = World::new();
    let told = purged_after_a_change(&world, ["worktree", "branch"]);
    assert!(told.contains("--path-glob '*.interagent/texts/") && told.contains("git commit-tree"), "{told}");
}

#[test]
fn a_store_that_was_put_back_and_went_on_keeps_everything_in_files_too() {
    let world = World::in_worktree();
    let database = world.at("a/.interagent/state/hub.db");
    let kept = world.at("kept.db");
    world.run("a", &["backup", kept.to_str().unwrap()]);
    world.run("a", &["task", "create", "After the snapshot"]);
    world.exchange("a");
    world.clone_of("remote.git", "b");
    // Into the same file, as a snapshot of the disk does.
    for log in ["hub.db-wal", "hub.db-shm"] {
        let _ = fs::remove_file(database.with_file_name(log));
    }
    fs::write(&database, fs::read(&kept).unwrap()).unwrap();
    world.run("a", &["task", "create", "Written apart"]);
    let told = world.run("a", &["sync"]);
    assert!(told.contains("it is a new replica now"), "{told}");
    let told = world.run("a", &["sync"]);
    assert!(!told.contains("new replica") && !told.contains("left out"), "{told}");
    world.exchange("a");
    world.git("b", &["pull", "--quiet", "origin", "main"]);
    world.run("b", &["sync"]);
    for tree in ["a", "b"] {
        let tasks = world.run(tree, &["task", "list"]);
        assert!(tasks.contains("After the snapshot") && tasks.contains("Written apart"), "{tasks}");
    }
}

#[test]
fn a_recovered_store_takes_its_history_back_from_the_files() {
    let world = World::in_worktree();
    world.run("a", &["task", "create", "Only in the files"]);
    world.commit("a", "the task");
    let database = world.at("a/.interagent/state/hub.db");
    for log in ["hub.db-wal", "hub.db-shm"] {
        let _ = fs::remove_file(database.with_file_name(log));
    }
    fs::write(&database, "no database at all").unwrap();
    world.run("a", &["doctor", "--recover"]);
    world.run("a", &["sync"]);
    let tasks = world.run("a", &["task", "list"]);
    assert!(tasks.contains("Only in the files"), "{tasks}");
}

#[test]
fn a_restored_store_takes_back_from_the_files_what_came_after_the_backup() {
    let world = World::in_worktree();
    let kept = world.at("kept.db");
    world.run("a", &["backup", kept.to_str().unwrap()]);
    world.run("a", &["task", "create", "After the backup"]);
    world.commit("a", "the task");
    world.run_seated("a", &["restore", kept.to_str().unwrap(), "--force"]);
    world.run("a", &["sync"]);
    let tasks = world.run("a", &["task", "list"]);
    assert!(tasks.contains("After the backup"), "{tasks}");
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    let world = World::in_worktree();
    world.run("a", &["send", "--to", "kimi", "-m", "two\nlines"]);
    // Without our rules git puts its own line ends into every file.
    fs::write(world.at("a/.interagent/.gitattributes"), "# ours\n").unwrap();
    world.exchange("a");
    world.git(".", &["clone", "--quiet", "--config", "core.autocrlf=true", "remote.git", "b"]);
    assert!(fs::read_to_string(&segments(&world, "b")[0]).unwrap().contains("\r\n"));
    world.join("b");
    let told = world.run("b", &["sync"]);
    assert!(!told.contains("left out"), "{told}");
    world.run("b", &["send", "--to", "kimi", "-m", "from b"]);
    world.exchange("b");
    world.exchange("a");
    let told = world.run("a", &["sync"]);
    assert!(!told.contains("left out"), "{told}");
    world.exchange("a");
    world.exchange("b");
    world.run("b", &["sync"]);
    world.same("a", "b");
}
