//! The format of every client at every event: what goes in, what comes out, and with which exit code.

use interagent_agents::{Means, Profiles};
use interagent_testkit::Sandbox;
use serde_json::json;

use super::{send, told};

/// What differs from run to run: ids, marks and times.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    for word in text.trim_end().split(' ') {
        let word = match word {
            mark if mark.len() >= 8 && mark[..8].chars().all(|c| c.is_ascii_hexdigit()) => {
                format!("[mark]{}", &mark[8..])
            }
            time if time.starts_with("20") && time.ends_with('Z') => "[time]".to_owned(),
            word => word.to_owned(),
        };
        masked.push_str(&word);
        masked.push(' ');
    }
    masked.trim_end().to_owned()
}

#[test]
fn every_client_is_answered_in_its_own_format() {
    let profiles = Profiles::shipped();
    let mut shown = String::new();
    for name in profiles.names() {
        let Some(hooks) = profiles.get(name).unwrap().hooks else { continue };
        for event in
            hooks.events.iter().filter(|event| !matches!(event.means, Means::Wait | Means::BeforeTool))
        {
            let sandbox = Sandbox::with_team();
            let agent = format!("{name}-x");
            sandbox.run(&["agent", "register", &agent, "--profile", name]).success();
            let hook = [name, event.name.as_str(), "--agent", &agent];
            told(sandbox.start(), &[name, &hooks.events[0].name, "--agent", &agent], "s1", &json!({}));
            let id = send(&sandbox, &agent, "hi", &[]);
            let output = told(sandbox.start(), &hook, "s1", &json!({}));
            let said = masked(&output.shown()).replace(&id, "[id]");
            let said: String = said.chars().take(150).collect();
            shown.push_str(&format!("{name} {}: {}\n", event.name, said.replace('\n', "⏎")));
        }
    }
    insta::assert_snapshot!(shown);
}
