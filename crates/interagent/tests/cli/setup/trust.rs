//! Profiles that come with a project are data until a person trusts them.

use std::os::unix::fs::PermissionsExt;

use super::{Machine, SCREEN};

const PROFILE: &str = "name = \"house\"\ntitle = \"House agent\"\nexecutable = \"house\"\n[skills]\nproject = \".house/skills\"\n";

fn machine() -> Machine {
    let machine = Machine::with(&["house"]);
    machine.sandbox.run(&["init"]).success();
    machine.put(".interagent/profiles/house.toml", PROFILE);
    machine
}

fn trust(machine: &Machine, typed: &str) -> (i32, String) {
    machine.start().answered_on(SCREEN, &["trust"], typed)
}

#[test]
fn a_profile_counts_once_it_is_trusted_and_until_it_changes() {
    let machine = machine();
    let house = || machine.start().run(&["setup", "house", "--print"]);
    let unknown = house();
    assert_eq!(unknown.status, 3);
    assert!(
        unknown.stderr.contains("house.toml is not used: it is not trusted; interagent trust"),
        "{}",
        unknown.stderr
    );
    let (status, screen) = trust(&machine, "n\n");
    assert_eq!(status, 0, "{screen}");
    assert!(screen.contains("executable = \"house\""), "{screen}");
    assert_eq!(house().status, 3);
    let (status, screen) = trust(&machine, "y\n");
    assert_eq!(status, 0, "{screen}");
    assert!(house().success().stdout.contains("House agent 0.1.2"));
    let list = machine.sandbox.home().join(".config/interagent/trusted.json");
    assert_eq!(std::fs::metadata(&list).unwrap().permissions().mode() & 0o777, 0o600);

    machine.put(".interagent/profiles/house.toml", &PROFILE.replace("house\"\n[", "sh\"\n["));
    let changed = house();
    assert_eq!(changed.status, 3);
    assert!(changed.stderr.contains("it is changed since you trusted it"), "{}", changed.stderr);
    trust(&machine, "y\n");
    house().success();
    machine.start().run(&["trust", "--revoke"]).success();
    assert_eq!(house().status, 3);
}

#[test]
fn a_profile_in_the_place_of_ours_is_told() {
    let machine = machine();
    machine.put(".interagent/profiles/house.toml", &PROFILE.replace("name = \"house\"", "name = \"claude\""));
    let (_, screen) = trust(&machine, "n\n");
    assert!(screen.contains("it replaces the profile `claude` that interagent brings with it"), "{screen}");
}

#[test]
fn no_agent_trusts_and_nobody_by_accident() {
    let machine = machine();
    let agent = machine.start().env("INTERAGENT_AGENT", "kimi").run(&["trust"]);
    assert_eq!(agent.status, 1);
    assert!(agent.stderr.contains("decided by a person"), "{}", agent.stderr);
    let piped = machine.start().stdin("y\n").run(&["trust"]);
    assert_eq!(piped.status, 1);
    let listed = machine.start().json(&["trust", "--list"]);
    assert_eq!(listed["profiles"][0]["trust"], "never", "{listed}");
    assert!(!machine.sandbox.home().join(".config").exists());
}

#[test]
fn a_link_in_the_place_of_a_profile_is_not_looked_at() {
    let machine = machine();
    let elsewhere = machine.sandbox.home().join("other.toml");
    std::fs::write(&elsewhere, PROFILE.replace("\"house\"", "\"linked\"")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, machine.sandbox.hub().join("profiles/linked.toml")).unwrap();
    let listed = machine.start().json(&["trust", "--list"]);
    assert_eq!(listed["profiles"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_hook_of_a_trusted_profile_is_answered() {
    let machine = machine();
    let hooks = "[hooks]\nformat = \"json\"\nproject = \".house.json\"\ninto = [\"{event}\"]\nelement = { command = \"{command}\" }\n\
                 [[hooks.events]]\nname = \"begin\"\nmeans = \"start\"\nsay = \"stdout\"\n";
    machine.put(".interagent/profiles/house.toml", &format!("{PROFILE}{hooks}"));
    machine.sandbox.run(&["agent", "register", "house", "--profile", "house"]).success();
    let hook = || {
        machine
            .start()
            .stdin("{\"session_id\": \"s1\"}")
            .run(&["hook", "house", "begin", "--agent", "house"])
            .success()
    };
    assert_eq!(hook().stdout, "");
    trust(&machine, "y\n");
    assert!(hook().stdout.contains("house"), "{}", hook().stdout);
}
