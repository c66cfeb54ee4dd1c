//! A clone without a hub: it joins the team whose history is there, and never begins another by accident.

use std::fs;

use crate::world::World;

#[test]
fn sync_in_a_new_clone_joins_the_team() {
    let world = World::new();
    world.run("a", &["task", "create", "Known to all"]);
    world.run("a", &["sync"]);
    world.git(".", &["clone", "--quiet", "--single-branch", "remote.git", "b"]);
    let told = world.within("b").run(&["sync"]).success().shown();
    insta::assert_snapshot!(told, @r"
    joined the team of origin/interagent: [sandbox]/project/b/.interagent
    synced with origin: took in 3 entries, sent 2 entries
    files: 12 written
    ");
    assert!(world.run("b", &["task", "list"]).contains("Known to all"));
    assert_eq!(world.git("b", &["status", "--porcelain"]), "");
    // The team's agents live here, too.
    world.within("b").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    assert!(world.at("b").join(".interagent/team.toml").is_file());
}

#[test]
fn init_in_a_clone_that_brought_the_branch_joins_too() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    assert!(world.run("b", &["init"]).starts_with("joined the hub"));
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    world.same("a", "b");
    // Another team can't be made by accident.
    world.clone_of("remote.git", "c");
    let refused = world.within("c").run(&["init", "--formation", "peers"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("this repository has a team already: origin/interagent"),
        "{}",
        refused.stderr
    );
    assert!(!world.at("c").join(".interagent").exists());
}

#[test]
fn a_clone_with_the_team_file_and_no_state_joins_at_its_first_command() {
    let world = World::new();
    world.git("a", &["add", "-f", ".interagent/team.toml"]);
    world.git("a", &["commit", "--quiet", "-m", "the team"]);
    world.git("a", &["push", "--quiet", "origin", "main"]);
    world.run("a", &["task", "create", "Known to all"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    assert!(world.run("b", &["task", "list"]).contains("Known to all"));
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    world.same("a", "b");
}

#[test]
fn another_teams_branch_is_left_alone() {
    let world = World::new();
    world.git(".", &["clone", "--quiet", "remote.git", "b"]);
    world.run("b", &["init"]);
    world.run("a", &["sync"]);
    let before = world.git("remote.git", &["rev-parse", "interagent"]);
    let refused = world.within("b").run(&["sync"]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("of origin is the history of another hub"), "{}", refused.stderr);
    assert_eq!(world.git("remote.git", &["rev-parse", "interagent"]), before);
    // The way out that it names.
    fs::rename(world.at("b").join(".interagent"), world.at("b-hub")).unwrap();
    world.try_git("b", &["branch", "-D", "interagent"]);
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    world.same("a", "b");
}

#[test]
fn no_history_anywhere_says_what_to_do() {
    let world = World::empty();
    world.clone_of("remote.git", "b");
    let refused = world.within("b").run(&["sync"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: there is no hub at `[sandbox]/project/b/.interagent`, and no team's history at origin
    hint: interagent init makes a hub; interagent sync shares it then
    --- exit 3
    ");
}
