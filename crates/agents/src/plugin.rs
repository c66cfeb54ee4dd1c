//! Files that stand for hooks where a client runs no commands: small programs in its own language, which call ours.

use std::path::Path;

use serde_json::Value;

use crate::template::{Fill, fill_text};

/// The line of a plugin that says where our program is.
const BINARY_LINE: &str = "const BINARY = ";
/// The line of a plugin that says which agent the client is.
const AGENT_LINE: &str = "const AGENT = ";

/// The text of a plugin of the program.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    match name {
        "opencode.js" => Some(include_str!("../plugins/opencode.js")),
        _ => None,
    }
}

/// The plugin as it is put there.
pub(crate) fn filled(text: &str, profile: &str, binary: &Path, agent: Option<&str>) -> String {
    let binary = Value::from(binary.to_string_lossy()).to_string();
    let profile = Value::from(profile).to_string();
    let agent = agent.map_or(Value::Null, Value::from).to_string();
    let values = [
        ("{binary}", Fill::Text(&binary)),
        ("{profile}", Fill::Text(&profile)),
        ("{agent}", Fill::Text(&agent)),
    ];
    fill_text(text, &values)
}

/// The program that a plugin calls.
pub(crate) fn binary_of(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(BINARY_LINE))?;
    serde_json::from_str(line.trim_end_matches(';')).ok()
}

/// The agent that a plugin names.
pub(crate) fn agent_of(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(AGENT_LINE))?;
    serde_json::from_str::<Option<String>>(line.trim_end_matches(';')).ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugin_calls_the_profile_it_was_written_for() {
        let text = filled(text("opencode.js").unwrap(), "kilo", Path::new("/bin/interagent"), None);
        assert!(text.contains("const PROFILE = \"kilo\"\n"), "{text}");
        assert!(text.contains("[\"hook\", PROFILE, event]") && !text.contains("\"opencode\""), "{text}");
    }
}
