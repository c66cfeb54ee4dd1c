//! What can be in the way, each with a sentence that says what helps.

use std::fs;

use interagent_testkit::Sandbox;

use crate::world::World;

fn refusal(world: &World, arguments: &[&str]) -> String {
    let output = world.within("a").run(arguments);
    assert_ne!(output.status, 0, "{}", output.stdout);
    output.shown()
}

#[test]
fn a_hub_outside_of_git() {
    let sandbox = Sandbox::with_team();
    insta::assert_snapshot!(sandbox.run(&["sync"]).shown(), @r"
    there is no git repository around the hub: its history stays on this machine
    files: up to date
    ");
}

#[test]
fn no_git() {
    let world = World::new();
    let output = world.within("a").env("PATH", "/nowhere").run(&["sync"]);
    insta::assert_snapshot!(output.shown(), @r"
    --- stderr
    error: git can't be found on this machine
    hint: install git; everything but sync works without it
    --- exit 5
    ");
}

#[test]
fn a_remote_that_is_not_there() {
    let world = World::new();
    insta::assert_snapshot!(refusal(&world, &["sync", "elsewhere"]), @r"
    --- stderr
    error: there is no remote `elsewhere`; there is origin
    hint: git remote add elsewhere URL
    --- exit 2
    ");
    world.git("a", &["remote", "set-url", "origin", "http://127.0.0.1:9/x.git"]);
    let said = refusal(&world, &["sync"]);
    assert!(said.contains("error: origin can't be reached: fatal: unable to access"), "{said}");
    assert!(said.contains("the commit is made here"), "{said}");
    world.git("a", &["rev-parse", "--verify", "interagent"]);
    fs::rename(world.at("remote.git"), world.at("gone.git")).unwrap();
    world.git("a", &["remote", "set-url", "origin", "../remote.git"]);
    assert!(refusal(&world, &["sync"]).contains("does not appear to be a git repository"));
}

#[test]
fn several_remotes_and_no_origin() {
    let world = World::new();
    world.git("a", &["remote", "rename", "origin", "one"]);
    world.run("a", &["sync"]);
    world.git("a", &["remote", "add", "two", "../two.git"]);
    insta::assert_snapshot!(refusal(&world, &["sync"]), @r"
    --- stderr
    error: there are several remotes (one, two) and none of them is called origin
    hint: interagent sync one
    --- exit 2
    ");
    world.git("a", &["config", "branch.interagent.remote", "one"]);
    world.run("a", &["sync"]);
}

#[test]
fn a_branch_of_that_name_that_is_not_ours() {
    let world = World::new();
    world.git("a", &["branch", "interagent"]);
    let before = world.git("a", &["rev-parse", "interagent"]);
    insta::assert_snapshot!(refusal(&world, &["sync"]), @r"
    --- stderr
    error: the branch `interagent` here holds something else than a hub's history; it was left alone
    hint: git branch -m interagent OTHER-NAME makes room
    --- exit 1
    ");
    assert_eq!(world.git("a", &["rev-parse", "interagent"]), before);
    world.git("a", &["push", "--quiet", "origin", "interagent"]);
    world.git("a", &["branch", "-m", "interagent", "mine"]);
    assert!(refusal(&world, &["sync"]).contains("of origin holds something else"));
    assert_eq!(world.git("remote.git", &["rev-parse", "interagent"]), before);
}

#[test]
fn the_branch_is_checked_out() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.git("a", &["worktree", "add", "--quiet", "../looking", "interagent"]);
    insta::assert_snapshot!(refusal(&world, &["sync"]), @r"
    --- stderr
    error: the branch `interagent` is checked out in `[sandbox]/project/looking`, so it can't move
    hint: switch to another branch there, then run interagent sync
    --- exit 1
    ");
}

#[test]
fn a_remote_that_refuses() {
    let world = World::new();
    let hook = world.at("remote.git/hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'only reviewed branches' >&2\nexit 1\n").unwrap();
    let executable = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    fs::set_permissions(&hook, executable).unwrap();
    let said = refusal(&world, &["sync"]);
    assert!(said.contains("origin refused the branch"), "{said}");
}

#[test]
fn a_lock_that_was_left_at_the_remote() {
    let world = World::new();
    world.run("a", &["sync"]);
    fs::write(world.at("remote.git/refs/heads/interagent.lock"), "").unwrap();
    world.run("a", &["send", "--to", "kimi", "-m", "not sent yet"]);
    let said = refusal(&world, &["sync"]);
    assert!(said.contains("nobody else changed it meanwhile: error: cannot lock ref"), "{said}");
    assert!(said.contains("refs/heads/interagent.lock': File exists"), "{said}");
}

#[test]
fn an_agent_does_not_sync() {
    let world = World::new();
    let output = world.within("a").env("INTERAGENT_AGENT", "kimi").run(&["sync"]);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("only the operator does that"), "{}", output.stderr);
}

#[test]
fn a_branch_below_ours_in_its_name() {
    let world = World::new();
    world.git("a", &["branch", "interagent/idea"]);
    let told = world.within("a").run(&["sync"]);
    assert_eq!(told.status, 1, "{}", told.stderr);
    assert!(told.stderr.contains("there is a branch `interagent/idea`"), "{}", told.stderr);
}

#[test]
fn a_repository_of_somebody_else_runs_nothing() {
    let world = World::new();
    let marker = world.at("ran");
    let command = format!("touch {}; git-upload-pack", marker.display());
    world.git("a", &["config", "remote.origin.uploadpack", &command]);
    let chown = std::process::Command::new("chown").args(["-R", "65534"]).arg(world.at("a/.git")).status();
    if !chown.is_ok_and(|done| done.success()) {
        // Only root can give a repository away.
        return;
    }
    let told = world.within("a").run(&["sync"]);
    assert!(!marker.exists());
    assert_eq!(told.status, 1, "{}", told.stderr);
    assert!(
        told.stderr.contains("belongs to another user") && told.stderr.contains("safe.directory"),
        "{}",
        told.stderr
    );
}

#[test]
fn a_tag_that_is_called_like_the_branch_confuses_nobody() {
    let world = World::new();
    world.git("a", &["tag", "interagent", "main"]);
    world.git("a", &["push", "--quiet", "origin", "refs/tags/interagent"]);
    let sent = world.json("a", &["send", "--to", "kimi", "-m", "past the tag"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    let read = world.json("b", &["read", sent["id"].as_str().unwrap()]);
    assert_eq!(read["body"], "past the tag");
    let tag = |tree: &str| world.git(tree, &["rev-parse", "refs/tags/interagent"]);
    assert_eq!(tag("b"), world.git("a", &["rev-parse", "main"]), "the tag is left alone");
}
