//! What the guard has to know of a client's tools.

use serde::Deserialize;

/// Tools of a client that are its own. Those that clients have in common are known by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// Tools that start another agent.
    pub subagents: Vec<String>,
    /// Kinds of subagents that can only read.
    pub read_only_subagents: Vec<String>,
}
