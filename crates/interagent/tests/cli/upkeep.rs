//! Doctor, rebuild, recover, backup.

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
    ok search index
    ok team
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
    sandbox.run(&["team", "take"]).success();
    sandbox.run(&["doctor"]).success();
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
    insta::assert_snapshot!(sandbox.run(&["backup", "copy.db"]).shown(), @"copied to copy.db");
    let again = sandbox.run(&["backup", "copy.db"]);
    assert_eq!(again.status, 4, "{}", again.stderr);
}
