//! Doctor, rebuild, recover, backup, restore.

use std::fs;

use interagent_testkit::{Sandbox, older};

#[test]
fn a_healthy_hub() {
    let sandbox = Sandbox::with_team();
    let checks = sandbox.json(&["doctor"]);
    let states: Vec<String> = checks["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| format!("{} {}", check["state"].as_str().unwrap(), check["what"].as_str().unwrap()))
        .collect();
    insta::assert_snapshot!(states.join("\n"), @r"
    ok hub
    ok permissions
    ok writer gate
    ok store
    ok engine
    ok schema
    ok write-ahead log
    ok integrity
    ok log
    ok clocks
    ok replicas
    ok search index
    ok team
    ok files
    ok program
    ok profiles
    ok clients
    ok hooks
    ok git
    ok other hubs
    ");
}

#[test]
fn a_hub_of_an_older_version_is_brought_up_to_date_before_it_is_judged() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "from before"]).success();
    older::first_schema(&sandbox.hub().join("state"));
    sandbox.run(&["doctor"]).success();
    assert!(sandbox.run(&["msg", "list"]).success().stdout.contains("from before"));
}

#[test]
fn findings_name_what_helps() {
    let sandbox = Sandbox::with_team();
    let team = fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    fs::write(sandbox.hub().join("team.toml"), team.replace("max_hops = ", "max_hops = 1")).unwrap();
    let output = sandbox.run(&["doctor"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.contains("hint: interagent team take"), "{}", output.stdout);
    sandbox.operator().run(&["team", "take"]).success();
    sandbox.run(&["doctor"]).success();
}

#[test]
fn lost_state_is_unusable() {
    let sandbox = Sandbox::with_team();
    std::fs::rename(sandbox.hub().join("state"), sandbox.home().join("state")).unwrap();
    let output = sandbox.run(&["doctor"]);
    assert_eq!(output.status, 5, "{}", output.stdout);
    assert!(output.stdout.contains("is missing although a store was made here"), "{}", output.stdout);
    for hint in ["interagent restore FILE", "interagent doctor --recover"] {
        assert!(output.stdout.contains(hint), "{}", output.stdout);
    }
}

#[test]
fn a_damaged_store_is_reported_and_not_shown_as_an_empty_mailbox() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "keep me"]).success();
    let database = sandbox.hub().join("state/hub.db");
    fs::write(&database, vec![b'x'; 8192]).unwrap();
    for command in ["inbox", "summary"] {
        assert_eq!(sandbox.run(&[command]).status, 5, "{command}");
    }
    let output = sandbox.run(&["doctor"]);
    assert_eq!(output.status, 5, "{}", output.shown());
    assert!(output.stdout.contains("interagent doctor --recover"), "{}", output.stdout);
}

#[test]
fn damage_inside_the_store_is_found_and_the_rest_is_saved() {
    let sandbox = Sandbox::with_team();
    for number in 0..40 {
        let body = format!("{number} {}", "words ".repeat(400));
        sandbox.run(&["send", "--to", "kimi", "-m", &body]).success();
    }
    sandbox.run(&["backup", "copy.db"]).success();
    let mut bytes = fs::read(sandbox.project().join("copy.db")).unwrap();
    let page = 4096;
    // Behind the beginning, where the team is.
    let there = bytes.len() / page * 3 / 4 * page;
    bytes[there..there + 8 * page].fill(0);
    let state = sandbox.hub().join("state");
    ["hub.db-wal", "hub.db-shm"].iter().for_each(|name| fs::remove_file(state.join(name)).unwrap());
    fs::write(state.join("hub.db"), bytes).unwrap();

    let output = sandbox.run(&["doctor"]);
    assert!(matches!(output.status, 1 | 5), "{}", output.shown());
    assert!(
        output.stdout.contains("bad   ") && output.stdout.contains("doctor --recover"),
        "{}",
        output.stdout
    );
    sandbox.run(&["doctor", "--recover"]).success();
    let output = sandbox.run(&["doctor"]);
    assert!(!output.stdout.contains("integrity: *** "), "{}", output.stdout);
    sandbox.run(&["inbox", "--agent", "kimi"]).success();
}

#[test]
fn the_doctor_changes_nothing() {
    let sandbox = Sandbox::with_team();
    let look = || {
        let mut files: Vec<_> = fs::read_dir(sandbox.hub().join("state"))
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_file())
            .filter(|entry| entry.file_name() != "hub.db-shm")
            .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = look();
    sandbox.run(&["doctor"]).success();
    assert!(look() == before);
}

#[test]
fn rebuild_gives_the_same_lists() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "one"]).success();
    let before = sandbox.json(&["msg", "list"]);
    insta::assert_snapshot!(sandbox.run(&["doctor", "--rebuild"]).shown(), @"rebuilt 6 entities from 3 entries");
    assert_eq!(sandbox.json(&["msg", "list"]), before);
}

#[test]
fn recovery_saves_what_is_left() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "one"]).success();
    let refused = sandbox.run(&["doctor", "--recover"]);
    assert_eq!(refused.status, 1, "a sound store is left alone: {}", refused.stderr);
    let database = sandbox.hub().join("state/hub.db");
    let mut bytes = fs::read(&database).unwrap();
    bytes[..100].fill(0);
    fs::write(&database, bytes).unwrap();
    assert_eq!(sandbox.run(&["inbox", "--agent", "kimi"]).status, 5);
    sandbox.run(&["doctor", "--recover"]).success();
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
}

#[test]
fn a_backup_is_a_new_file() {
    let sandbox = Sandbox::with_team();
    insta::assert_snapshot!(sandbox.run(&["backup", "copy.db"]).shown(), @r"
    copied to copy.db
    after a loss: interagent restore copy.db
    ");
    let again = sandbox.run(&["backup", "copy.db"]);
    assert_eq!(again.status, 4, "{}", again.stderr);
}

/// The agents and the mail of a hub: what must be there again.
fn standing(sandbox: &Sandbox) -> (serde_json::Value, serde_json::Value) {
    let agents = sandbox.json(&["agent", "list"])["items"].clone();
    (agents, sandbox.json(&["inbox", "--agent", "kimi"])["items"].clone())
}

#[test]
fn after_a_loss_a_backup_brings_everything_back_and_the_team_goes_on() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "before the loss"]).success();
    sandbox.run(&["backup", "../copy.db"]).success();
    let before = standing(&sandbox);
    fs::remove_dir_all(sandbox.hub()).unwrap();
    let restored = sandbox.operator().run(&["restore", "../copy.db"]).success();
    insta::assert_snapshot!(restored.shown(), @r"
    restored 3 entries into [sandbox]/project/.interagent
    next: interagent doctor
      interagent log --limit 5
    ");
    assert_eq!(restored.stderr, "");
    assert_eq!(standing(&sandbox), before);
    assert_eq!(fs::read_to_string(sandbox.hub().join(".gitignore")).unwrap(), "*\n");
    sandbox.run(&["doctor"]).success();
    // No stranger in its own hub: the agent gets its mail, answers, and works.
    let inbox = sandbox.as_agent("kimi").run(&["inbox"]).success();
    assert_eq!((inbox.stdout.contains("before the loss"), inbox.stderr.as_str()), (true, ""));
    sandbox.as_agent("kimi").run(&["send", "--to", "claude", "-m", "still here"]).success();
    assert_eq!(sandbox.json(&["agent", "show", "kimi"])["local"], true);
    sandbox.run(&["log", "verify"]).success();
}

#[test]
fn a_store_that_is_there_is_never_lost_by_restoring() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["backup", "../copy.db"]).success();
    sandbox.run(&["send", "--to", "kimi", "-m", "after the backup"]).success();
    insta::assert_snapshot!(sandbox.operator().run(&["restore", "../copy.db"]).shown(), @r"
    --- stderr
    error: there is a store already: `[sandbox]/project/.interagent/state/hub.db`
    hint: interagent restore ../copy.db --force replaces it and keeps its files
    --- exit 4
    ");
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
    let restored = sandbox.operator().json(&["restore", "../copy.db", "--force"]);
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 0);
    // What was there can be had again the same way, with what was not yet moved from its log.
    let kept = std::path::Path::new(restored["moved_to"].as_str().unwrap()).join("hub.db");
    sandbox.operator().run(&["restore", &kept.display().to_string(), "--force"]).success();
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
    sandbox.run(&["doctor"]).success();
}

#[test]
fn an_empty_hub_that_was_begun_after_the_loss_is_put_aside() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "before the loss"]).success();
    sandbox.run(&["backup", "../copy.db"]).success();
    fs::remove_dir_all(sandbox.hub().join("state")).unwrap();
    assert_eq!(sandbox.run(&["agent", "list"]).status, 5, "it is no empty hub");
    sandbox.run(&["doctor", "--recover"]).success();
    assert_eq!(sandbox.operator().run(&["restore", "../copy.db"]).status, 4);
    let restored = sandbox.operator().run(&["restore", "../copy.db", "--force"]).success();
    assert!(restored.stdout.contains("another hub"), "{}", restored.stdout);
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
}

#[test]
fn the_file_that_was_named_is_restored_also_after_an_interrupted_restoring() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["backup", "../early.db"]).success();
    sandbox.run(&["send", "--to", "kimi", "-m", "later"]).success();
    sandbox.run(&["backup", "../late.db"]).success();
    let early = sandbox.operator().json(&["restore", "../early.db", "--force"]);
    // Killed when everything was in its place but the note that says so.
    let left = sandbox.hub().join("state/recovering");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("ready"), early.to_string()).unwrap();
    sandbox.operator().run(&["restore", "../late.db", "--force"]).success();
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
    assert!(!left.exists());
}

#[test]
fn a_token_of_a_backup_is_good_for_nothing() {
    let sandbox = Sandbox::with_team();
    let first = sandbox.operator().json(&["agent", "token", "kimi"])["token"].clone();
    sandbox.run(&["backup", "../copy.db"]).success();
    sandbox.operator().run(&["agent", "token", "kimi", "--revoke"]).success();
    let restored = sandbox.operator().run(&["restore", "../copy.db", "--force"]).success();
    assert!(restored.stdout.contains("tokens were not carried over"), "{}", restored.stdout);
    assert_ne!(sandbox.operator().json(&["agent", "token", "kimi"])["token"], first);
}

#[test]
fn only_a_person_restores() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["backup", "../copy.db"]).success();
    let refused = sandbox.as_agent("kimi").run(&["restore", "../copy.db", "--force"]);
    assert_eq!(
        (refused.status, refused.stderr.contains("only the operator")),
        (1, true),
        "{}",
        refused.shown()
    );
}

#[test]
fn what_is_no_whole_backup_changes_nothing() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "stay"]).success();
    sandbox.run(&["backup", "torn.db"]).success();
    let torn = fs::read(sandbox.project().join("torn.db")).unwrap();
    fs::write(sandbox.project().join("torn.db"), &torn[..torn.len() / 2]).unwrap();
    fs::write(sandbox.project().join("text.db"), "no database").unwrap();
    let before = standing(&sandbox);
    for (file, why) in [("torn.db", ""), ("text.db", "not a database")] {
        let output = sandbox.operator().run(&["restore", file, "--force"]);
        assert_eq!(output.status, 5, "{file}: {}", output.shown());
        assert!(
            output.stderr.contains("was not restored") && output.stderr.contains(why),
            "{}",
            output.stderr
        );
        assert_eq!(standing(&sandbox), before, "{file}");
        assert!(!sandbox.hub().join("state/recovering").exists(), "{file}");
    }
    assert_eq!(sandbox.operator().run(&["restore", "nowhere.db"]).status, 3);
    sandbox.run(&["doctor"]).success();
}

#[test]
fn a_team_file_that_is_gone_comes_back_as_the_doctor_says() {
    let sandbox = Sandbox::with_team();
    fs::remove_file(sandbox.hub().join("team.toml")).unwrap();
    let checks = sandbox.start().run(&["doctor", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&checks.stdout).unwrap();
    let team = document["answer"]["checks"].as_array().unwrap().iter().find(|check| check["what"] == "team");
    let helps = team.unwrap()["helps"].as_str().unwrap().to_owned();
    assert!(sandbox.start().shell(&helps).status().unwrap().success(), "{helps}");
    sandbox.run(&["doctor"]).success();
}
