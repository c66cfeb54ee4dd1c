//! What happens to replicas, the team and its agents.

use serde::{Deserialize, Serialize};

use super::Micros;
use crate::ids::{AgentId, HubId, OriginId};
use crate::name::Name;
use crate::team::{Role, TeamConfig};
use crate::text::TextHash;
use crate::vocabulary::AgentState;

data! {
    /// A replica of the hub came to life.
    struct OriginOpened {
        /// Of which hub: entries of another hub are not taken in.
        hub: HubId,
        /// A short name for people, such as the host's.
        alias: String,
        /// The human of this replica.
        operator: AgentId,
        /// The replica whose agents this one takes over, because that one is known to be gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        continues: Option<OriginId>,
    }
    /// The clock of this replica had run ahead: its earlier entries from the future count no longer. They follow again.
    struct OriginCorrected {
        /// The time of the newest of them.
        ahead_until: Micros,
        /// How many there are.
        entries: i64,
    }
    /// The team file was taken in.
    struct TeamChanged {
        /// The whole file, normalised.
        config: TeamConfig,
    }
    /// A participant registered; the origin of this entry is its home.
    struct AgentRegistered {
        /// Unique at its home.
        name: Name,
        /// Which kind of CLI, or `human`.
        profile: String,
    }
    /// Facts an agent tells about itself; each registration replaces them.
    struct AgentDescribed {
        /// Which kind of CLI.
        profile: String,
        /// What it works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// The directory it works in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workspace: Option<String>,
    }
    /// The place the team gives an agent.
    struct AgentSeated {
        /// Its role, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<Role>,
        /// Its superior.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reports_to: Option<Name>,
        /// What it is good at.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        capabilities: Vec<String>,
        /// The paths it owns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<String>,
    }
    /// The agent has another name now.
    struct AgentRenamed {
        /// The new one.
        name: Name,
    }
    /// The agent takes part no longer.
    struct AgentRetired {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// What the agent says it is doing.
    struct AgentStatus {
        /// In one word.
        state: AgentState,
        /// In its own words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextHash>,
        /// Context left, in percent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context_left: Option<u8>,
    }
}
