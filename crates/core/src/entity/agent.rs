//! A participant: an id for ever, a name and a seat for now.

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{AgentDescribed, AgentSeated, Event};
use crate::ids::{AgentId, OriginId};
use crate::name::Name;
use crate::team::Role;
use crate::text::TextHash;
use crate::vocabulary::AgentState;

/// The profile of a person.
pub const HUMAN_PROFILE: &str = "human";

/// What an agent last said of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusLine {
    /// In one word.
    pub state: AgentState,
    /// In its own words.
    pub text: Option<TextHash>,
    /// Context left, in percent.
    pub context_left: Option<u8>,
    /// Since when.
    pub since: When,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Its name, unique at its home.
    pub name: Name,
    /// The replica that delivers for it.
    pub home: OriginId,
    /// Which kind of CLI, or `human`.
    pub profile: String,
    /// Its role.
    pub role: Option<Role>,
    /// Its superior.
    pub reports_to: Option<Name>,
    /// What it is good at.
    pub capabilities: Vec<String>,
    /// The paths it owns.
    pub paths: Vec<String>,
    /// What it works on.
    pub description: Option<TextHash>,
    /// Where it works.
    pub workspace: Option<String>,
    /// What it said of itself.
    pub status: Option<StatusLine>,
    /// Since when.
    pub registered: When,
    /// Until when.
    pub retired: Option<When>,
}

impl Agent {
    /// An agent of which nothing is known but who it is.
    pub fn new(id: AgentId, name: Name, home: OriginId, profile: String, registered: When) -> Self {
        Self {
            id,
            name,
            home,
            profile,
            role: None,
            reports_to: None,
            capabilities: Vec::new(),
            paths: Vec::new(),
            description: None,
            workspace: None,
            status: None,
            registered,
            retired: None,
        }
    }

    pub(super) fn create(id: &AgentId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::AgentRegistered(registered) = event else { return Err(Void::Absent) };
        let (name, profile) = (registered.name.clone(), registered.profile.clone());
        Ok(Self::new(id.clone(), name, stamp.order.origin.clone(), profile, stamp.into()))
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        if self.retired.is_some() {
            return Err(Void::TooLate("the agent is retired"));
        }
        match event {
            Event::AgentDescribed(AgentDescribed { profile, description, workspace }) => {
                self.profile.clone_from(profile);
                self.description.clone_from(description);
                self.workspace.clone_from(workspace);
            }
            Event::AgentSeated(AgentSeated { role, reports_to, capabilities, paths }) => {
                self.role = *role;
                self.reports_to.clone_from(reports_to);
                self.capabilities.clone_from(capabilities);
                self.paths.clone_from(paths);
            }
            // The name makes a person: nobody becomes one, or stops being one.
            Event::AgentRenamed(renamed) if renamed.name.is_operator() || self.name.is_operator() => {
                return Err(Void::TooLate("the name is reserved"));
            }
            Event::AgentRenamed(renamed) => self.name = renamed.name.clone(),
            Event::AgentRetired(_) => self.retired = Some(stamp.into()),
            Event::AgentStatus(status) => {
                self.status = Some(StatusLine {
                    state: status.state,
                    text: status.text.clone(),
                    context_left: status.context_left,
                    since: stamp.into(),
                });
            }
            Event::AgentRegistered(_) => return Err(Void::Exists),
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }

    /// Whether this is a person. The name decides: it is reserved, given once by the replica's first entry, and no
    /// agent can take it; a profile is only what an agent says of itself.
    pub fn is_human(&self) -> bool {
        self.name.is_operator()
    }
}
