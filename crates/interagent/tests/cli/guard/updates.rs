//! F006 at every update of a branch, whatever command or program of git makes it.

use super::*;

#[test]
fn protected_branch_is_moved_only_by_those_who_may_merge() {
    let world = World::new();
    let (project, worktree) = (world.project(), world.worktree.clone());
    world.sandbox.run(&["guard", "install"]).success();
    world.commit(Some("member1"), &worktree).success();
    let id = world.git_out(&project, &["rev-parse", "main"]);
    for (directory, arguments) in [
        (&worktree, &["update-ref", "refs/heads/main", "task/login"][..]),
        (&worktree, &["fetch", "-q", "-u", ".", "task/login:main"]),
        (&worktree, &["branch", "-m", "main", "gone"]),
        (&worktree, &["-c", "alias.z=update-ref refs/heads/main task/login", "z"]),
        (&project, &["merge", "-q", "--ff-only", "task/login"]),
        (&project, &["reset", "-q", "--soft", "task/login"]),
        (&project, &["commit", "-q", "--no-verify", "--allow-empty", "-m", "x"]),
    ] {
        let ended = world.git(Some("member1"), directory, arguments);
        assert!(!ended.worked && ended.said.contains("F006"), "{arguments:?}: {}", ended.said);
        assert_eq!(world.git_out(&project, &["rev-parse", "main"]), id, "{arguments:?}");
    }
    world.git(Some("member1"), &worktree, &["branch", "task/other"]).success();
    world.git(Some("vice_captain1"), &project, &["merge", "-q", "--ff-only", "task/login"]).success();
    world.git(None, &project, &["reset", "-q", "--hard", &id]).success();
}

#[test]
fn branch_is_brought_up_to_date_by_anybody() {
    let world = World::new();
    let project = world.project();
    world.sandbox.run(&["guard", "install"]).success();
    world.commit(None, &project).success();
    world.git(None, &project, &["push", "-q", "origin", "main"]).success();
    world.git(None, &project, &["fetch", "-q", "origin"]).success();
    world.git(None, &project, &["reset", "-q", "--hard", "HEAD~1"]).success();
    world.git(Some("member1"), &project, &["merge", "-q", "--ff-only", "origin/main"]).success();
}
