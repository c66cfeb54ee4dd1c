//! Which agent a client's files say that it is, for every session that they hold for.
//!
//! The hooks say it: they bind the session, and the server is known by the session. Said in both, the two would contradict
//! each other as soon as somebody starts the client as another agent.

use super::document::Document;
use super::parts::Part;
use super::{Level, Setup, What, hooks};
use crate::plugin;

/// Which agent the files of a client name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin<'a> {
    /// Whom they name now.
    AsItIs,
    /// Nobody: who a session is, is found out.
    Nobody,
    /// This one.
    Agent(&'a str),
}

impl<'a> Pin<'a> {
    /// The name, where the files said this one before.
    pub(super) fn name_after(self, before: Option<&'a str>) -> Option<&'a str> {
        match self {
            Self::AsItIs => before,
            Self::Nobody => None,
            Self::Agent(name) => Some(name),
        }
    }

    /// What one piece of a setup says.
    pub(super) fn of(setup: &Setup<'a>, part: &Part) -> Self {
        match (setup.agent, part.what) {
            // An agent of one project is nobody in the others: a file for all of them does not name it.
            _ if part.level != setup.level => Self::AsItIs,
            (Self::Agent(_), What::Mcp) if setup.profile.hooks.is_some() => Self::Nobody,
            (pin, _) => pin,
        }
    }
}

/// A client that is one agent in all of its sessions, before a plan or after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinChange {
    /// Which client.
    pub profile: String,
    /// Where that holds.
    pub level: Level,
    /// Whom its files named.
    pub before: Option<String>,
    /// Whom they will name.
    pub after: Option<String>,
}

impl PinChange {
    /// What the hooks of a file name, before and after; none where they name nobody.
    pub(super) fn between(setup: &Setup<'_>, part: &Part, before: Option<&str>, after: &str) -> Option<Self> {
        let (before, after) = (before.and_then(|text| pinned(setup, text)), pinned(setup, after));
        let is_hooks = part.what == What::Hooks && (before.is_some() || after.is_some());
        let profile = setup.profile.name.clone();
        is_hooks.then_some(Self { profile, level: part.level, before, after })
    }
}

/// The agent that the hooks in a text name.
fn pinned(setup: &Setup<'_>, text: &str) -> Option<String> {
    let hooks = setup.profile.hooks.as_ref()?;
    if hooks.file.is_some() {
        return plugin::agent_of(text);
    }
    let value = Document::parse(hooks.format, text).ok()?.value();
    hooks::agent_of(&value, hooks, &setup.profile.name, setup.binary)
}
