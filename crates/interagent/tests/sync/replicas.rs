//! Replicas as people see them: listed, accepted, rejected, succeeded, and what of theirs counts meanwhile.

use std::fs;

use serde_json::Value;

use crate::world::World;

/// Syncs without accepting anybody.
fn sync(world: &World, tree: &str) -> String {
    world.within(tree).run(&["sync"]).success().stdout
}

/// A team of two clones.
fn two_clones() -> World {
    let world = World::new();
    sync(&world, "a");
    world.clone_of("remote.git", "b");
    let told = sync(&world, "b");
    assert!(told.contains("wrote the team file, so joining accepted it ("), "{told}");
    world
}

fn other(world: &World, tree: &str) -> Value {
    let known = world.json(tree, &["replica", "list"]);
    let all = known["replicas"].as_array().unwrap();
    all.iter().find(|one| one["standing"] != "this replica").unwrap().clone()
}

fn id(world: &World, tree: &str) -> String {
    other(world, tree)["id"].as_str().unwrap().to_owned()
}

#[test]
fn new_replica_is_announced_and_its_operator_counts_after_accept() {
    let world = two_clones();
    world.run("b", &["send", "--to", "kimi", "-m", "said by the operator"]);
    world
        .within("b")
        .env("INTERAGENT_AGENT", "claude")
        .run(&["task", "create", "made by an agent"])
        .success();
    sync(&world, "b");
    let told = sync(&world, "a");
    let name = other(&world, "a")["name"].as_str().unwrap().to_owned();
    let print = other(&world, "a")["fingerprint"].as_str().unwrap().to_owned();
    for part in ["is a new replica", &print, &format!("interagent replica accept {name}")] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(world.run("a", &["task", "list"]).contains("made by an agent"));
    world
        .within("b")
        .env("INTERAGENT_AGENT", "claude")
        .run(&["send", "--to", "all", "-m", "by an agent"])
        .success();
    sync(&world, "b");
    sync(&world, "a");
    assert!(world.run("a", &["msg", "list"]).contains("(new replica)"));
    assert!(!world.run("a", &["msg", "list"]).contains("said by the operator"));
    assert!(world.run("a", &["status"]).contains("1 replica waits for your decision"));
    let agent = world.within("a").env("INTERAGENT_AGENT", "kimi").run(&["replica", "accept", &name]);
    assert!(agent.status != 0 && agent.stderr.contains("decided by a person"), "{}", agent.shown());
    let said = world.run_seated("a", &["replica", "accept", &name]);
    assert!(said.contains(&format!("accepted {name} ({print})")), "{said}");
    assert!(world.run("a", &["msg", "list"]).contains("said by the operator"));
    assert!(world.run("a", &["search", "said by the operator"]).contains("msg-"));
    assert!(!sync(&world, "a").contains("new replica"));
    assert!(world.run("a", &["log", "verify"]).contains("every chain is unbroken"));
    // The one that wrote the team file was accepted by joining.
    assert_eq!(other(&world, "b")["standing"], "accepted");
    world.run_seated("a", &["replica", "reject", &name]);
    assert!(!world.run("a", &["task", "list"]).contains("made by an agent"));
    assert_eq!(other(&world, "a")["standing"], "rejected");
}

#[test]
fn foreign_operator_is_named_as_that() {
    let world = two_clones();
    world.run("b", &["send", "--to", "all", "-m", "said by the operator"]);
    sync(&world, "b");
    sync(&world, "a");
    let home = world.run("a", &["agent", "list"]);
    let kimi = world.run("b", &["msg", "list"]);
    assert!(!home.is_empty() && kimi.contains("said by the operator"));
    world.run_seated("a", &["replica", "accept", &id(&world, "a")]);
    let message = world.json("a", &["msg", "list"])["items"][0].clone();
    assert!(message["from"]["name"].as_str().unwrap().starts_with("operator@"), "{message}");
    let shown = world.run("a", &["read", message["id"].as_str().unwrap()]);
    assert!(shown.contains("there)") && !shown.contains("(terminal)"), "{shown}");
}

#[test]
fn checked_out_branch_of_a_contributor_forges_nothing() {
    let world = World::in_worktree();
    world.run("a", &["send", "--to", "kimi", "-m", "real"]);
    world.exchange("a");
    // It never joins: its branch is all that arrives.
    world.git(".", &["clone", "--quiet", "remote.git", "contributor"]);
    let origin = world.json("a", &["replica", "list"])["replicas"][0]["id"].as_str().unwrap().to_owned();
    let folder = world.at("contributor/.interagent/log").join(&origin);
    let newest = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let newest = newest.filter(|path| path.extension().unwrap() == "jsonl").max().unwrap();
    let text = fs::read_to_string(&newest).unwrap();
    let line = interagent_core::entry::Line::verify(text.lines().last().unwrap()).unwrap();
    let mut entry = line.entry().unwrap();
    entry.envelope.oseq += 1;
    entry.envelope.at += 1;
    entry.envelope.prev = line.hash;
    entry.envelope.key = None;
    fs::write(&newest, format!("{text}{}\n", entry.seal().unwrap().text)).unwrap();
    world.git("contributor", &["checkout", "--quiet", "-b", "pull-request"]);
    world.commit("contributor", "a contribution");
    world.git("contributor", &["push", "--quiet", "origin", "pull-request"]);
    world.git("a", &["fetch", "--quiet"]);
    world.git("a", &["checkout", "--quiet", "pull-request"]);
    let before = world.json("a", &["msg", "list"])["items"].as_array().unwrap().len();
    let told = sync(&world, "a");
    assert!(told.contains("claims to be of this replica"), "{told}");
    assert!(!told.contains("put back to an older state") && !told.contains("new replica"), "{told}");
    assert_eq!(world.json("a", &["msg", "list"])["items"].as_array().unwrap().len(), before);
    assert_eq!(world.json("a", &["replica", "list"])["replicas"].as_array().unwrap().len(), 1);
    assert!(world.run("a", &["log", "verify"]).contains("every chain is unbroken"));
}

#[test]
fn restored_replica_without_its_key_is_confirmed_once() {
    let world = two_clones();
    let backup = world.at("b.db");
    world.run("b", &["send", "--to", "kimi", "-m", "before the loss"]);
    world.run("b", &["backup", backup.to_str().unwrap()]);
    assert!(!world.at("b.db.key").exists());
    sync(&world, "b");
    sync(&world, "a");
    let old = id(&world, "a");
    world.run_seated("a", &["replica", "accept", &old]);
    fs::remove_dir_all(world.at("b/.interagent/state")).unwrap();
    world.run_seated("b", &["restore", backup.to_str().unwrap()]);
    world.within("b").env("INTERAGENT_AGENT", "claude").run(&["task", "create", "after the loss"]).success();
    sync(&world, "b");
    let told = sync(&world, "a");
    assert!(told.contains("has another key") && told.contains(&format!("--succeeds {old}")), "{told}");
    assert!(!world.run("a", &["task", "list"]).contains("after the loss"));
    let known = world.json("a", &["replica", "list"]);
    let waits = |one: &&Value| one["unconfirmed_successor"] == true;
    let new =
        known["replicas"].as_array().unwrap().iter().find(waits).unwrap()["id"].as_str().unwrap().to_owned();
    world.run_seated("a", &["replica", "accept", &new, "--succeeds", &old]);
    let tasks = world.json("a", &["task", "list"])["items"].clone();
    assert_eq!(tasks[0]["title"], "after the loss");
    let by = tasks[0]["assigner"]["name"].as_str().unwrap().to_owned();
    assert!(by.starts_with("claude@"), "agents keep their names: {by}");
    assert!(!sync(&world, "a").contains("waits"));
}

#[test]
fn restored_replica_with_its_key_goes_on_by_itself() {
    let world = two_clones();
    let backup = world.at("b.db");
    world.run_seated("b", &["backup", backup.to_str().unwrap(), "--with-key"]);
    sync(&world, "a");
    let old = id(&world, "a");
    world.run_seated("a", &["replica", "accept", &old]);
    fs::remove_dir_all(world.at("b/.interagent/state")).unwrap();
    world.run_seated("b", &["restore", backup.to_str().unwrap()]);
    world.run("b", &["send", "--to", "kimi", "-m", "after the loss"]);
    sync(&world, "b");
    let told = sync(&world, "a");
    assert!(!told.contains("replica accept"), "{told}");
    assert!(world.run("a", &["msg", "list"]).contains("after the loss"));
}

#[test]
fn lost_key_stops_a_sync_and_nothing_else() {
    let world = two_clones();
    let key = world.at("b/.interagent/state/key");
    let before = fs::read_to_string(&key).unwrap();
    fs::remove_file(&key).unwrap();
    world.run("b", &["send", "--to", "kimi", "-m", "still works"]);
    let refused = world.within("b").run(&["sync"]);
    assert_eq!(refused.status, 5, "{}", refused.shown());
    assert!(
        refused.stderr.contains("private key") && refused.stderr.contains("hint:"),
        "{}",
        refused.shown()
    );
    assert!(!key.exists(), "no other key is made");
    assert!(world.within("b").run(&["doctor"]).stdout.contains("private key"));
    fs::write(&key, before).unwrap();
    sync(&world, "b");
}

#[test]
fn foreign_operator_commands_only_where_the_team_says_so() {
    let world = two_clones();
    let agents = world.json("b", &["agent", "list"])["items"].clone();
    let names = agents.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    let kimi = names.into_iter().find(|name| name.starts_with("kimi@")).unwrap().to_owned();
    world.run("b", &["control", &kimi, "clear"]);
    sync(&world, "b");
    sync(&world, "a");
    world.run_seated("a", &["replica", "accept", &id(&world, "a")]);
    let orders = || world.json("a", &["control", "--list"])["items"].as_array().unwrap().len();
    assert_eq!(orders(), 0, "an accepted operator of another replica may write, not command");
    let path = world.at("a/.interagent/team.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("wait_allowed", "foreign_operators = \"command\"\nwait_allowed")).unwrap();
    world.run_seated("a", &["team", "take"]);
    assert_eq!(orders(), 1);
}
