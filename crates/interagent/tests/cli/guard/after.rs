//! What a tool call changed past the guard: reported to whom it concerns, and put back by one command.

use super::leases::{change_rules, repository};
use super::*;

/// A duo with a protected main, where claude holds src/a.txt and kimi works.
fn watched() -> World {
    let world = repository("duo");
    change_rules(&world, |text| text.replace("# protected_branches", "protected_branches"));
    world.sandbox.as_agent("claude").run(&["lease", "take", "src/a.txt", "--ttl", "3600"]).success();
    world
}

/// What a hook says to kimi around a command that no guard can read.
fn hook(world: &World, directory: &Path, event: &str) -> String {
    let input = json!({ "command": "make all" });
    let call = json!({ "session_id": "s1", "cwd": directory, "tool_name": "Bash", "tool_input": input });
    let hook = world.sandbox.as_agent("kimi").within(directory).stdin(call.to_string());
    let done = hook.run(&["hook", "claude", event]);
    done.stdout + &done.stderr
}

/// Does something between the two hooks of a tool call; what is said after it.
fn around(world: &World, directory: &Path, change: impl FnOnce()) -> String {
    // The first hook of a session says who one is.
    hook(world, directory, "UserPromptSubmit");
    assert_eq!(hook(world, directory, "PreToolUse"), "");
    change();
    hook(world, directory, "PostToolUse")
}

fn kept(said: &str) -> String {
    let behind = said.split("guard restore ").nth(1).expect("something is kept");
    behind.chars().take_while(char::is_ascii_hexdigit).collect()
}

#[test]
fn changed_leased_file_is_reported_and_restored() {
    let world = watched();
    let tree = world.worktree.clone();
    let file = tree.join("src/a.txt");
    fs::write(&file, "not committed\n").unwrap();
    let said = around(&world, &tree, || fs::write(&file, "overwritten\n").unwrap());
    assert!(said.contains("src/a.txt (leased by claude)") && said.contains("`make all`"), "{said}");
    let id = kept(&said);
    let inbox = world.sandbox.as_agent("claude").json(&["inbox"]).to_string();
    assert!(inbox.contains("Files you hold changed"), "{inbox}");
    let operators = world.sandbox.run(&["inbox"]).success().stdout;
    assert!(operators.contains("changed past the guard"), "{operators}");
    let trace = world.sandbox.run(&["log", "trace"]).success().stdout;
    assert!(trace.contains("guard.changed"), "{trace}");
    assert!(!hook(&world, &tree, "PostToolUse").contains("guard restore"), "it is reported once");
    let restored = world.sandbox.as_agent("kimi").run(&["guard", "restore", &id, "--print"]).success().stdout;
    assert!(
        restored.contains("puts back") && fs::read_to_string(&file).unwrap() == "overwritten\n",
        "{restored}"
    );
    let restored = world.sandbox.as_agent("kimi").run(&["guard", "restore", &id, "--yes"]).success().stdout;
    assert_eq!(fs::read_to_string(&file).unwrap(), "not committed\n");
    let aside = restored.split("is in ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(fs::read_to_string(aside).unwrap(), "overwritten\n");
}

#[test]
fn removed_and_new_files_are_put_back_as_they_were() {
    let world = repository("duo");
    world.sandbox.as_agent("claude").run(&["lease", "take", "src/**", "--ttl", "3600"]).success();
    let tree = world.worktree.clone();
    let said = around(&world, &tree, || {
        fs::remove_file(tree.join("src/a.txt")).unwrap();
        fs::write(tree.join("src/new.txt"), "x").unwrap();
    });
    assert!(said.contains("src/a.txt (leased") && said.contains("src/new.txt (leased"), "{said}");
    world.sandbox.operator().run(&["guard", "restore", &kept(&said), "--yes"]).success();
    assert_eq!(fs::read_to_string(tree.join("src/a.txt")).unwrap(), "1\n");
    assert!(!tree.join("src/new.txt").exists());
}

#[test]
fn moved_protected_branch_is_reported_and_restored() {
    let world = watched();
    let (project, tree) = (world.project(), world.worktree.clone());
    world.commit(None, &tree).success();
    let old = world.git_out(&project, &["rev-parse", "main"]);
    let new = world.git_out(&project, &["rev-parse", "topic"]);
    let main = project.join(".git/refs/heads/main");
    let said = around(&world, &tree, || fs::write(&main, format!("{new}\n")).unwrap());
    assert!(said.contains(&format!("the branch main ({} to {})", &old[..8], &new[..8])), "{said}");
    let id = kept(&said);
    let refused = world.sandbox.as_agent("kimi").run(&["guard", "restore", &id, "--yes"]);
    assert!(refused.status == 1 && refused.stderr.contains("by a person"), "{}", refused.stderr);
    world.sandbox.operator().run(&["guard", "restore", &id, "--yes"]).success();
    assert_eq!(world.git_out(&project, &["rev-parse", "main"]), old);
    let kept = world.git_out(&project, &["rev-parse", &format!("refs/interagent/kept/{id}")]);
    assert_eq!(kept, old, "git keeps what the branch was");
}

#[test]
fn hooks_and_team_file_are_watched() {
    let world = watched();
    let (project, tree) = (world.project(), world.worktree.clone());
    world.sandbox.run(&["guard", "install"]).success();
    let hook = project.join(".git/hooks/pre-commit");
    let text = fs::read_to_string(&hook).unwrap();
    let team = world.sandbox.hub().join("team.toml");
    let rules = fs::read_to_string(&team).unwrap();
    let said = around(&world, &tree, || {
        fs::remove_file(&hook).unwrap();
        fs::write(&team, "").unwrap();
        world.git(None, &project, &["config", "core.hooksPath", "/dev/null"]).success();
    });
    for what in ["pre-commit (a hook of git)", "core.hooksPath", "team.toml (a file of the hub)"] {
        assert!(said.contains(what), "{what}: {said}");
    }
    world.sandbox.operator().run(&["guard", "restore", &kept(&said), "--yes"]).success();
    assert_eq!((fs::read_to_string(&hook).unwrap(), fs::read_to_string(&team).unwrap()), (text, rules));
    assert_eq!(world.git_out(&project, &["config", "--get", "core.hooksPath"]), "");
}

#[test]
fn files_on_protected_branch_are_watched() {
    let world = watched();
    let (project, tree) = (world.project(), world.worktree.clone());
    fs::write(project.join("src/b.txt"), "the operator's\n").unwrap();
    let said = around(&world, &tree, || {
        fs::write(project.join("c.txt"), "changed\n").unwrap();
        fs::write(project.join("src/b.txt"), "changed, too\n").unwrap();
    });
    assert!(said.contains("c.txt (on main)") && said.contains("src/b.txt (on main)"), "{said}");
    world.sandbox.operator().run(&["guard", "restore", &kept(&said), "--yes"]).success();
    assert_eq!(fs::read_to_string(project.join("c.txt")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(project.join("src/b.txt")).unwrap(), "the operator's\n");
}

#[test]
fn edits_of_the_holder_are_not_reported() {
    let world = watched();
    let file = world.worktree.join("src/a.txt");
    let said = around(&world, &world.worktree.clone(), || {
        fs::write(&file, "by claude\n").unwrap();
        let params = json!({ "paths": [fs::canonicalize(&file).unwrap()] }).to_string();
        world.sandbox.as_agent("claude").run(&["call", "edit.note", &params]).success();
    });
    assert!(!said.contains("guard restore"), "{said}");
    let inbox = world.sandbox.as_agent("claude").json(&["inbox"]).to_string();
    assert!(!inbox.contains("Files you hold changed"), "{inbox}");
}

#[test]
fn turn_end_reports_what_no_tool_call_showed() {
    let world = watched();
    let tree = world.worktree.clone();
    hook(&world, &tree, "UserPromptSubmit");
    assert_eq!(hook(&world, &tree, "PreToolUse"), "");
    fs::write(tree.join("src/a.txt"), "in the background\n").unwrap();
    hook(&world, &tree, "Stop");
    let inbox = world.sandbox.as_agent("claude").json(&["inbox"]).to_string();
    assert!(inbox.contains("Files you hold changed"), "{inbox}");
}
