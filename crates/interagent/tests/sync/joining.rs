//! A clone without a hub: it joins the team whose history is there, and never begins another by accident.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use interagent_store::{Founding, OpenMode, SqliteEngine, Store, SystemClock};
use serde_json::json;

use crate::world::World;

#[test]
fn sync_in_a_new_clone_joins_the_team() {
    let world = World::new();
    world.run("a", &["task", "create", "Known to all"]);
    world.run("a", &["sync"]);
    world.git(".", &["clone", "--quiet", "--single-branch", "remote.git", "b"]);
    let told = world.within("b").run(&["sync"]).success().shown();
    let (joined, note) = told.split_once("note: ").unwrap();
    assert!(note.contains("wrote the team file, so joining accepted it"), "{note}");
    insta::assert_snapshot!(joined, @r"
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
fn team_that_starts_programs_is_joined_after_a_person_agreed() {
    let world = World::new();
    let file = world.at("a/.interagent/team.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("headless_allowed = false", "headless_allowed = true")).unwrap();
    world.run_seated("a", &["team", "take"]);
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    let refused = world.within("b").run(&["sync"]);
    assert!(
        refused.status == 1 && refused.stderr.contains("ladder.headless_allowed = true"),
        "{}",
        refused.shown()
    );
    assert!(!world.at("b/.interagent").exists());
    let (status, shown) = world.within("b").answered_at_a_terminal(&["sync"], "n\n");
    assert!(status == 1 && !world.at("b/.interagent").exists(), "{shown}");
    let (status, shown) = world.within("b").answered_at_a_terminal(&["sync"], "y\n");
    assert_eq!(status, 0, "{shown}");
    assert_eq!(world.json("b", &["team", "show"])["config"]["ladder"]["headless_allowed"], true);
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
fn a_recovery_of_an_emptied_state_joins_the_history_again() {
    let world = World::new();
    world.run("a", &["task", "create", "Known to all"]);
    world.run("a", &["sync"]);
    let state = world.at("a/.interagent/state");
    let harms: [fn(&std::path::Path); 2] = [
        |state| fs::remove_file(state.join("hub.db")).unwrap(),
        |state| {
            fs::remove_dir_all(state).unwrap();
            fs::create_dir(state).unwrap();
        },
    ];
    for harm in harms {
        harm(&state);
        let told = world.within("a").run(&["doctor", "--recover"]).success();
        assert!(told.stderr.contains("joined the team of interagent"), "{}", told.shown());
        assert!(world.run("a", &["task", "list"]).contains("Known to all"));
        world.within("a").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
        world.run("a", &["sync"]);
    }
}

/// Damages a line of the only segment on the remote's branch; answers with the segment's path.
fn damage(world: &World, line: usize) -> String {
    world.git("remote.git", &["worktree", "add", "--quiet", "../edit", "interagent"]);
    let path = world.git("edit", &["ls-files", "log/*.jsonl"]).trim().to_owned();
    let file = world.at("edit").join(&path);
    let text = fs::read_to_string(&file).unwrap();
    let meddled = |(number, text): (usize, &str)| match number + 1 == line {
        true => text.replacen("wall", "WALL", 1) + "\n",
        false => text.to_owned() + "\n",
    };
    fs::write(&file, text.lines().enumerate().map(meddled).collect::<String>()).unwrap();
    world.git("edit", &["commit", "--quiet", "-am", "meddling"]);
    world.git("remote.git", &["worktree", "remove", "--force", "../edit"]);
    path
}

#[test]
fn a_damaged_beginning_is_named_until_somebody_repairs_it() {
    let world = World::new();
    world.run("a", &["sync"]);
    let path = damage(&world, 1);
    world.clone_of("remote.git", "b");
    let refused = world.within("b").run(&["sync"]);
    let place = format!("nothing else tells whose history it is: {path}:1: ");
    assert!(refused.status == 1 && refused.stderr.contains(&place), "{}", refused.shown());
    assert!(!world.at("b/.interagent").exists());
    // The way out that it names.
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
}

#[test]
fn a_team_that_is_damaged_on_the_branch_leaves_no_half_made_hub() {
    let world = World::new();
    world.run("a", &["sync"]);
    let path = damage(&world, 2);
    let before = world.git("remote.git", &["rev-parse", "interagent"]);
    world.clone_of("remote.git", "b");
    let refused = world.within("b").run(&["sync"]);
    let place = format!("the team can't be joined: interagent:{path}:2: ");
    assert!(refused.status == 1 && refused.stderr.contains(&place), "{}", refused.shown());
    assert!(!world.at("b/.interagent").exists());
    assert_eq!(world.git("remote.git", &["rev-parse", "interagent"]), before);
}

#[test]
fn a_join_that_was_cut_off_is_finished_by_the_next_sync_or_init() {
    let world = World::new();
    world.run("a", &["sync"]);
    for (tree, next) in [("b", &["sync"][..]), ("c", &["init", "--force"])] {
        world.clone_of("remote.git", tree);
        // What is left of a join that was killed before the team's agents lived here: a store with the history.
        world.run(tree, &["sync"]);
        let hub = world.at(tree).join(".interagent");
        fs::remove_file(hub.join("team.toml")).unwrap();
        fs::remove_dir_all(hub.join("state")).unwrap();
        fs::create_dir(hub.join("state")).unwrap();
        world.run(tree, &["doctor", "--recover"]);
        assert!(!hub.join("team.toml").exists());
        world.run(tree, next);
        assert!(fs::read_to_string(hub.join("team.toml")).unwrap().contains("[agents.kimi]"), "{next:?}");
        world.within(tree).env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    }
}

/// A database in which nothing was founded, as a process leaves it that is killed while it makes one.
fn half_made(hub: &Path) {
    fs::create_dir_all(hub.join("state")).unwrap();
    drop(SqliteEngine::open(&hub.join("state"), OpenMode::CreateIfMissing).unwrap());
}

#[test]
fn a_store_that_was_never_founded_joins_the_team_or_is_begun_anew() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    half_made(&world.at("b/.interagent"));
    world.run("b", &["sync"]);
    world.within("b").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    world.run("a", &["sync"]);
    world.git(".", &["init", "--quiet", "alone"]);
    half_made(&world.at("alone/.interagent"));
    world.run("alone", &["init"]);
    world.within("alone").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    // A refused one is no reason to refuse the next.
    world.git(".", &["init", "--quiet", "refused"]);
    let secret = format!("P ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(world.within("refused").run(&["init", "--project", &secret]).status, 1);
    world.run("refused", &["init"]);
}

#[test]
fn a_join_that_fails_takes_no_store_away_that_was_there() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    let state = world.at("b/.interagent/state");
    fs::create_dir_all(&state).unwrap();
    // A hub of its own that has no team yet.
    let engine = SqliteEngine::open(&state, OpenMode::CreateIfMissing).unwrap();
    let founding = Founding { hub_id: None, alias: "own".to_owned(), user_dir: None };
    drop(Store::open(Box::new(engine), Arc::new(SystemClock::new()), &founding).unwrap());
    let refused = world.within("b").run(&["init"]);
    assert!(refused.status != 0 && refused.stderr.contains("another hub"), "{}", refused.shown());
    assert!(state.join("hub.db").exists());
}

#[test]
fn a_team_that_changed_elsewhere_is_in_the_team_file_unless_that_was_changed_here() {
    let world = World::new();
    world.run("a", &["sync"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    let change = |tree: &str, from: &str, to: &str| {
        let file = world.at(tree).join(".interagent/team.toml");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from));
        fs::write(&file, text.replace(from, to)).unwrap();
    };
    change("a", "display = \"silent\"", "display = \"shout\"");
    world.run("a", &["team", "take"]);
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    let text = |tree: &str| fs::read_to_string(world.at(tree).join(".interagent/team.toml")).unwrap();
    assert!(text("b").contains("display = \"shout\""));
    change("a", "language = \"en\"", "language = \"ja\"");
    change("b", "display = \"shout\"", "display = \"silent\"");
    world.run("a", &["team", "take"]);
    world.run("a", &["sync"]);
    world.run("b", &["sync"]);
    assert!(text("b").contains("display = \"silent\"") && text("b").contains("language = \"en\""));
}

#[test]
fn moved_works_after_sync() {
    let world = World::new();
    world.run("a", &["send", "--to", "kimi", "-m", "before the move"]);
    world.run("a", &["sync"]);
    let copied = Command::new("cp").args(["-r", "a", "moved"]).current_dir(world.at(".")).status().unwrap();
    assert!(copied.success());
    fs::remove_dir_all(world.at("a")).unwrap();
    let synced = world.within("moved").run(&["sync"]).success();
    assert!(
        synced.stderr.contains("taken for a copy") && synced.stderr.contains("doctor --moved"),
        "{}",
        synced.shown()
    );
    world.run_seated("moved", &["doctor", "--moved"]);
    let inbox = world.within("moved").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    assert!(inbox.stdout.contains("before the move"), "{}", inbox.shown());
}

#[test]
fn a_lost_store_is_no_empty_mailbox() {
    let world = World::new();
    world.run("a", &["send", "--to", "kimi", "-m", "for kimi"]);
    fs::remove_dir_all(world.at("a/.interagent/state")).unwrap();
    let refused = world.within("a").env("INTERAGENT_AGENT", "kimi").run(&["inbox"]);
    assert!(refused.status == 5 && refused.stderr.contains("doctor --recover"), "{}", refused.shown());
}

#[test]
fn two_clones_that_both_move_over_are_one_team() {
    let world = World::empty();
    world.clone_of("remote.git", "a");
    let pending = world.at("a/.interagent/messages/pending");
    fs::create_dir_all(&pending).unwrap();
    let session = json!({
        "id": "session-1a2b3c", "name": "Old", "created": "2026-01-01T00:00:00", "updated": "2026-01-01T00:00:00",
        "mode": "hierarchical", "principal": "claude", "active_tasks": [], "completed_tasks": [], "discussions": [],
        "agents": {"claude": {"role": "principal"}, "kimi": {"role": "delegate"}}
    });
    fs::write(world.at("a/.interagent/session.json"), session.to_string()).unwrap();
    let message = json!({
        "id": "msg-00aa11", "from": "claude", "to": "kimi", "subject": "Once", "content": "what it says",
        "type": "message", "timestamp": "2026-01-01T00:00:00", "read": false, "task_id": null
    });
    fs::write(pending.join("msg-00aa11.json"), message.to_string()).unwrap();
    world.git("a", &["add", "--all"]);
    world.git("a", &["commit", "--quiet", "-m", "the old folder"]);
    world.git("a", &["push", "--quiet", "origin", "HEAD:main"]);
    world.clone_of("remote.git", "b");
    world.run("a", &["import", "--yes"]);
    world.run("a", &["sync"]);
    world.git("b", &["fetch", "--quiet"]);
    world.run("b", &["import", "--yes"]);
    world.run("b", &["sync"]);
    world.run("a", &["sync"]);
    for tree in ["a", "b"] {
        let messages = world.json(tree, &["msg", "list"]);
        assert_eq!(messages["items"].as_array().unwrap().len(), 1, "{messages}");
        world.within(tree).env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    }
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
