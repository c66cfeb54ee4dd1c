//! Payloads as the real clients sent them (`payloads/`, recorded by the tests with clients): each is understood, and
//! answered in the client's own format.

use std::fs;
use std::path::Path;

use interagent_agents::{Means, Profiles};
use interagent_testkit::Sandbox;

use super::formats::{beginning, masked};
use super::send;

const PAYLOADS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/hooks/payloads");
/// What stands for the project in a payload.
const PROJECT: &str = "/sandbox/project";

fn sorted(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn every_recorded_payload_is_answered() {
    let profiles = Profiles::shipped();
    let mut shown = String::new();
    for profile in sorted(Path::new(PAYLOADS)) {
        let hooks = profiles.get(&profile).unwrap().hooks.unwrap();
        let agent = format!("{profile}-x");
        for file in sorted(&Path::new(PAYLOADS).join(&profile)) {
            let event = file.strip_suffix(".json").unwrap();
            let means = hooks.event(event, false).map(|event| event.means);
            if means.is_none_or(|means| means == Means::Wait) {
                continue;
            }
            let sandbox = Sandbox::with_team();
            sandbox.run(&["agent", "register", &agent, "--profile", &profile]).success();
            let payload = fs::read_to_string(Path::new(PAYLOADS).join(&profile).join(&file)).unwrap();
            let payload = payload.replace(PROJECT, sandbox.project().to_str().unwrap());
            // Only the payload says where the client works.
            let hook = || {
                let run = sandbox.start().within(&sandbox.home()).stdin(payload.clone());
                run.run(&["hook", &profile, event, "--agent", &agent])
            };
            // The first one of a session binds it, and may be answered with the briefing.
            hook();
            let id = send(&sandbox, &agent, "hi", &[]);
            let said = masked(&hook().shown()).replace(&id, "[id]");
            shown.push_str(&format!("{profile} {event}: {}\n", beginning(&said)));
            for session in sandbox.json(&["session", "list"])["items"].as_array().unwrap() {
                let cwd = session["cwd"].as_str().unwrap_or("nowhere");
                let cwd = cwd.replace(sandbox.project().to_str().unwrap(), "the project");
                shown.push_str(&format!("    {} in {cwd}\n", session["state"].as_str().unwrap()));
                let id = session["id"].as_str().unwrap();
                assert!(payload.contains(id), "{profile} {event}: the session `{id}` is not the client's");
            }
        }
    }
    insta::assert_snapshot!(shown);
}
