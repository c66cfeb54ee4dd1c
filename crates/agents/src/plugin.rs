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
pub(crate) fn filled(text: &str, binary: &Path, agent: Option<&str>) -> String {
    let binary = Value::from(binary.to_string_lossy()).to_string();
    let agent = agent.map_or(Value::Null, Value::from).to_string();
    fill_text(text, &[("{binary}", Fill::Text(&binary)), ("{agent}", Fill::Text(&agent))])
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
