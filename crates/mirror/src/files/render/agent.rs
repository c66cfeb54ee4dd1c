//! `agents/NAME.json`: who an agent is, what it last said of itself, and what it has not read.
//!
//! Whether it runs is left out: that is observed on one machine, changes without anybody's decision, and `status` shows it.

use interagent_core::entity::Agent;
use interagent_store::StoreError;
use serde::Serialize;

use super::json;
use crate::files::moment::iso;
use crate::files::names::Look;

/// Unread messages that are counted and listed: looking at more would cost every sender more than its message.
const LISTED: u32 = 100;

#[derive(Debug, Serialize)]
struct Document<'a> {
    name: &'a str,
    id: &'a str,
    role: Option<&'static str>,
    since: String,
    profile: &'a str,
    reports_to: Option<&'a str>,
    capabilities: &'a [String],
    status: Option<&'static str>,
    status_text: Option<String>,
    status_since: Option<String>,
    /// Counted as far as they are listed.
    unread: usize,
    /// Newest first.
    inbox: Vec<String>,
}

/// One agent as a file.
pub(in crate::files) fn agent(
    look: &mut Look<'_, '_>,
    agent: &Agent,
    name: &str,
) -> Result<String, StoreError> {
    let unread = look.reader.unread_ids(&agent.id, LISTED)?;
    let status = agent.status.as_ref();
    json(&Document {
        name,
        id: agent.id.as_str(),
        role: agent.role.map(interagent_core::team::Role::as_str),
        since: iso(agent.registered.wall),
        profile: &agent.profile,
        reports_to: agent.reports_to.as_ref().map(interagent_core::name::Name::as_str),
        capabilities: &agent.capabilities,
        status: status.map(|status| status.state.as_str()),
        status_text: look.maybe_text(status.and_then(|status| status.text.as_ref()))?,
        status_since: status.map(|status| iso(status.since.wall)),
        unread: unread.len(),
        inbox: unread.iter().map(ToString::to_string).collect(),
    })
}
