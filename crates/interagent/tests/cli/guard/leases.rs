//! RACE-001 at commits, and which teams enforce it.

use super::*;

/// A repository on main with a worktree, and a team of claude and kimi in this formation.
pub(super) fn repository(formation: &str) -> World {
    let sandbox = Sandbox::new();
    let worktree = sandbox.project().with_file_name("wt");
    let world = World { sandbox, worktree };
    let project = world.project();
    world.git(None, &project, &["init", "-q", "-b", "main"]).success();
    world.sandbox.run(&["init", "--formation", formation, "--agents", "claude,kimi"]).success();
    fs::create_dir(project.join("src")).unwrap();
    for file in ["src/a.txt", "src/b.txt", "c.txt"] {
        fs::write(project.join(file), "1\n").unwrap();
    }
    world.git(None, &project, &["add", "."]).success();
    world.git(None, &project, &["commit", "-qm", "first"]).success();
    let worktree = world.worktree.to_str().unwrap();
    world.git(None, &project, &["worktree", "add", "-q", "-b", "topic", worktree]).success();
    world
}

pub(super) fn change_rules(world: &World, change: impl Fn(&str) -> String) -> String {
    let file = world.sandbox.hub().join("team.toml");
    let text = fs::read_to_string(&file).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed);
    fs::write(&file, changed).unwrap();
    world.sandbox.operator().run(&["team", "take"]).success().stderr
}

#[test]
fn commit_of_leased_file_is_refused_in_every_tree() {
    for formation in ["duo", "peers"] {
        let world = repository(formation);
        world.sandbox.run(&["guard", "install"]).success();
        world.sandbox.as_agent("kimi").run(&["lease", "take", "src/**", "--ttl", "3600"]).success();
        for tree in [world.project(), world.worktree.clone()] {
            for file in ["src/b.txt", "c.txt"] {
                fs::write(tree.join(file), "2\n").unwrap();
            }
            let commit = |agent, what: &[&str]| {
                world.git(agent, &tree, &[&["commit", "-q", "-m", "x"], what].concat())
            };
            let refused = commit(Some("claude"), &["-a"]);
            refused.refused("RACE-001");
            assert!(
                refused.said.contains("would commit src/b.txt, and kimi holds src/**"),
                "{}",
                refused.said
            );
            commit(Some("claude"), &["src/b.txt"]).refused("RACE-001");
            commit(Some("claude"), &["c.txt"]).success();
            commit(Some("kimi"), &["-a"]).success();
            world.git(None, &tree, &["rm", "-q", "src/b.txt"]).success();
            commit(Some("claude"), &[]).refused("RACE-001");
            commit(None, &[]).success();
        }
    }
}

#[test]
fn merge_of_leased_file_is_committed() {
    let world = repository("duo");
    let (project, worktree) = (world.project(), world.worktree.clone());
    world.sandbox.run(&["guard", "install"]).success();
    world.sandbox.as_agent("kimi").run(&["lease", "take", "src/**", "--ttl", "3600"]).success();
    for (tree, agent, text) in [(&worktree, Some("kimi"), "theirs\n"), (&project, None, "ours\n")] {
        fs::write(tree.join("src/a.txt"), text).unwrap();
        world.git(agent, tree, &["commit", "-qam", "x"]).success();
    }
    assert!(!world.git(Some("claude"), &project, &["merge", "topic"]).worked, "there is a conflict");
    fs::write(project.join("src/a.txt"), "both\n").unwrap();
    world.git(None, &project, &["add", "src/a.txt"]).success();
    world.git(Some("claude"), &project, &["commit", "-qm", "merge"]).success();
}

#[test]
fn commit_guard_for_everyone_includes_leases() {
    let world = repository("duo");
    change_rules(&world, |text| text.replace("commit_guard = \"agents\"", "commit_guard = \"everyone\""));
    world.sandbox.run(&["guard", "install"]).success();
    world.sandbox.as_agent("kimi").run(&["lease", "take", "src/**", "--ttl", "3600"]).success();
    fs::write(world.project().join("src/b.txt"), "2\n").unwrap();
    world.git(None, &world.project(), &["commit", "-qam", "x"]).refused("RACE-001");
}

#[test]
fn install_says_what_the_hooks_refuse() {
    let world = repository("peers");
    let install = || {
        let told = world.sandbox.run(&["guard", "install"]).success().shown();
        told.lines().filter(|line| !line.contains("/hooks/")).collect::<Vec<_>>().join("\n")
    };
    let by_default = install();
    let protected = change_rules(&world, |text| text.replace("# protected_branches", "protected_branches"));
    let with_branches = install();
    let off = change_rules(&world, |text| text.replace("guards = [\"F006\", \"RACE-001\"]", "guards = []"));
    let lease = world.sandbox.as_agent("kimi").run(&["lease", "take", "x"]).success().shown();
    let lease = lease.lines().last().unwrap_or_default().to_owned();
    let shown = [by_default, protected, with_branches, off, install(), lease];
    insta::assert_snapshot!(shown.join("\n---\n"), @r"
    RACE-001: agents may not commit files that another agent leased
    ---

    ---
    RACE-001: agents may not commit files that another agent leased
    F006: agents may not commit on, push to or move main
    ---
    note: protected_branches has no effect: add F006 to guards, or remove the line

    ---
    --- stderr
    note: nothing is refused: RACE-001 and F006 are off in this team
    note: protected_branches has no effect: add F006 to guards, or remove the line
    ---
    note: this lease is not enforced: RACE-001 is not in guards of team.toml
    ");
}

#[test]
fn uncommenting_protected_branches_is_enough() {
    for formation in ["duo", "peers"] {
        let world = repository(formation);
        world.sandbox.run(&["guard", "install"]).success();
        world.commit(Some("kimi"), &world.project()).success();
        change_rules(&world, |text| text.replace("# protected_branches", "protected_branches"));
        world.commit(Some("kimi"), &world.project()).refused("F006");
        world.commit(Some("kimi"), &world.worktree).success();
    }
}
