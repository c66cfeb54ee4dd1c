//! The format of every client at every event: what goes in, what comes out, and with which exit code.

use interagent_agents::{Means, Profiles};
use interagent_testkit::Sandbox;
use serde_json::json;

use super::{send, told};

const CHARS_SHOWN: usize = 150;

/// What differs from run to run: ids, marks and times.
pub(super) fn masked(text: &str) -> String {
    let is_clock = |word: &str| word.len() == 6 && word.ends_with('Z') && word.as_bytes()[2] == b':';
    let mut before = "";
    let mut masked = Vec::new();
    for word in text.trim_end().split(' ') {
        masked.push(match word {
            mark if ["mark", "end"].contains(&before) && mark.len() >= 3 => format!("[mark]{}", &mark[3..]),
            time if is_clock(time) => "[time]".to_owned(),
            word => word.to_owned(),
        });
        before = word;
    }
    masked.join(" ")
}

/// The beginning of an answer in one line, up to a word's end.
pub(super) fn beginning(said: &str) -> String {
    let shown: String = said.chars().take(CHARS_SHOWN).collect();
    let whole = match said.chars().count() > CHARS_SHOWN {
        true => shown.rsplit_once(' ').map_or(shown.as_str(), |(words, _)| words),
        false => &shown,
    };
    whole.replace('\n', "⏎")
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
            shown.push_str(&format!("{name} {}: {}\n", event.name, beginning(&said)));
        }
    }
    insta::assert_snapshot!(shown);
}
