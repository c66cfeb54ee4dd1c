//! The normalised content of the team file.
//!
//! Exactly this JSON is the data of the `team.changed` event and stays in the log for good. So every
//! default is filled in when the file is read, fields keep their names, numbers are whole, and a field
//! added later needs `#[serde(default)]` with the meaning its absence had before.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::limits;
use super::parts::{Capability, Language};
use super::words::{
    CommitGuard, DisplayMode, ForeignOperators, Formation, Guard, Mode, OperatorDefault, Role, Track,
};
use crate::name::{Label, Name, NameProblem};

/// A whole team: who is in it and by which rules it works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamConfig {
    pub project: String,
    pub formation: Formation,
    /// Who decides and approves. Always set in `duo` with agents and in `captain` (the captain).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    pub track: Track,
    pub language: Language,
    pub display: DisplayMode,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Name, Seat>,
    pub rules: Rules,
    pub ladder: Ladder,
    pub notifications: Notifications,
}

/// One agent's place in the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// Which kind of client it is.
    pub profile: Label,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub role: Role,
    /// Its superior; none for the top of the chain and among peers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports_to: Option<Name>,
    /// The directory it works in, where that is not the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The git worktree that is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub capabilities: BTreeSet<Capability>,
    /// Patterns of the files it owns, relative to the project.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub paths: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its client is started so that it asks nobody for permission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_approve: bool,
    /// Its own `context_limit`, where that is not the team's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_limit: Option<u32>,
}

/// What the program enforces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Completing a task needs a report.
    pub report_required: bool,
    /// A completed task counts only after a review by another agent.
    pub review_required: bool,
    /// Loop guard: messages in a thread since the last human message or task change.
    pub max_hops: u32,
    /// Loop guard: messages from one agent to another within `pair_window_s`.
    pub pair_messages: u32,
    pub pair_window_s: u32,
    /// Flood limit: what one member may send another within `pair_window_s` where nothing comes back, and what you may send.
    #[serde(default = "flood_messages")]
    pub flood_messages: u32,
    /// An agent may block while it waits for mail.
    pub wait_allowed: bool,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub protected_branches: BTreeSet<String>,
    /// The pattern that branches of agents follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_pattern: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub may_merge: BTreeSet<Role>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub guards: BTreeSet<Guard>,
    pub commit_guard: CommitGuard,
    /// Below so many percent of context left a superior is told; 0, as in teams of before, tells nobody.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub context_limit: u32,
    /// What the operators of accepted replicas may do to agents of this one.
    #[serde(default = "ForeignOperators::usual", skip_serializing_if = "ForeignOperators::is_usual")]
    pub foreign_operators: ForeignOperators,
}

impl Rules {
    /// Whether F006 has something to protect: branches, or the pattern that agents' branches follow.
    pub fn limits_branches(&self) -> bool {
        !self.protected_branches.is_empty() || self.branch_pattern.is_some()
    }
}

/// The limit of teams that were recorded without one.
fn flood_messages() -> u32 {
    limits::FLOOD_MESSAGES_DEFAULT
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// When an unanswered obligation climbs one step, by its age in seconds.
///
/// Each number is the age at which that step ends and the next begins; a step that ends when the one
/// before it ends is skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    pub wake_s: u32,
    pub next_channel_s: u32,
    pub reset_s: u32,
    /// Without it the reset step only waits.
    pub reset_allowed: bool,
    /// An agent that does not run may be run once without a person, to take its mail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub headless_allowed: bool,
    pub superior_s: u32,
    /// How long the operator has to answer, counted from the question.
    pub operator_deadline_s: u32,
    pub operator_default: OperatorDefault,
}

/// How the operator is told that something waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notifications {
    pub bell: bool,
    pub desktop: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ntfy_topic: Option<String>,
}

impl Default for Notifications {
    fn default() -> Self {
        Self { bell: true, desktop: true, ntfy_topic: None }
    }
}

impl TeamConfig {
    /// A team without agents, with every default of its formation.
    pub(super) fn empty(project: String, formation: Formation) -> Self {
        Self {
            project,
            formation,
            principal: None,
            track: Track::Branch,
            language: Language::En,
            display: match formation {
                Formation::Captain => DisplayMode::Shout,
                Formation::Duo | Formation::Peers => DisplayMode::Silent,
            },
            agents: BTreeMap::new(),
            rules: Rules::of(formation),
            ladder: Ladder::default(),
            notifications: Notifications::default(),
        }
    }

    /// The older word for this formation and review rule, where there is one.
    pub fn mode(&self) -> Option<Mode> {
        match self.formation {
            Formation::Duo if self.rules.review_required => Some(Mode::Review),
            Formation::Duo => Some(Mode::Hierarchical),
            Formation::Peers => Some(Mode::Peer),
            Formation::Captain => None,
        }
    }

    /// Settings that no rule enforces in this team, each with what to change.
    pub fn without_effect(&self) -> Vec<String> {
        let rules = &self.rules;
        let mut found = Vec::new();
        if rules.limits_branches() && !rules.guards.contains(&Guard::F006) {
            let key =
                if rules.protected_branches.is_empty() { "branch_pattern" } else { "protected_branches" };
            found.push(format!("{key} has no effect: add F006 to guards, or remove the line"));
        }
        if rules.guards.contains(&Guard::F001) && self.formation != Formation::Captain {
            found.push(format!(
                "F001 has no effect in the formation {}: only a captain's team has superiors who delegate",
                self.formation
            ));
        }
        found
    }

    /// Why seats can't be given: their names are reserved, and no seat of the applied team has them.
    pub fn reserved_seats(&self, applied: Option<&Self>) -> Vec<NameProblem> {
        let is_new = |name: &&Name| applied.is_none_or(|applied| !applied.agents.contains_key(*name));
        self.agents.keys().filter(is_new).filter_map(|name| name.check_new().err()).collect()
    }

    /// Below so many percent of context left this agent's superior is told; 0 for nobody.
    pub fn context_limit(&self, name: &Name) -> u32 {
        let own = self.agents.get(name).and_then(|seat| seat.context_limit);
        own.unwrap_or(self.rules.context_limit)
    }

    /// The names of all agents in a role.
    pub fn in_role(&self, role: Role) -> impl Iterator<Item = &Name> {
        self.agents.iter().filter(move |(_, seat)| seat.role == role).map(|(name, _)| name)
    }
}

impl Seat {
    /// A place with a role and nothing else said about it.
    pub fn new(profile: Label, role: Role) -> Self {
        Self {
            profile,
            model: None,
            role,
            reports_to: None,
            workspace: None,
            worktree: None,
            capabilities: BTreeSet::new(),
            paths: BTreeSet::new(),
            description: None,
            auto_approve: false,
            context_limit: None,
        }
    }
}

impl Rules {
    /// The defaults of a formation.
    pub(super) fn of(formation: Formation) -> Self {
        let strict = formation == Formation::Captain;
        Self {
            report_required: strict,
            review_required: false,
            max_hops: limits::MAX_HOPS_DEFAULT,
            pair_messages: limits::PAIR_MESSAGES_DEFAULT,
            pair_window_s: limits::PAIR_WINDOW_S_DEFAULT,
            flood_messages: limits::FLOOD_MESSAGES_DEFAULT,
            // Under a captain a turn ends instead, so that the wake-up reaches an idle agent.
            wait_allowed: !strict,
            foreign_operators: ForeignOperators::usual(),
            // Elsewhere the person names the branches: a rule that nobody asked for would stop ordinary work.
            protected_branches: match formation {
                Formation::Captain => ["main", "master"].map(str::to_owned).into(),
                Formation::Duo | Formation::Peers => BTreeSet::new(),
            },
            branch_pattern: None,
            may_merge: match formation {
                Formation::Duo => [Role::Principal].into(),
                Formation::Peers => [Role::Collaborator].into(),
                Formation::Captain => [Role::Captain, Role::ViceCaptain].into(),
            },
            guards: match formation {
                Formation::Duo | Formation::Peers => [Guard::F006, Guard::Race001].into(),
                Formation::Captain => Guard::ALL.iter().copied().collect(),
            },
            commit_guard: CommitGuard::Agents,
            context_limit: limits::CONTEXT_LIMIT_DEFAULT,
        }
    }
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            wake_s: limits::WAKE_S_DEFAULT,
            next_channel_s: limits::NEXT_CHANNEL_S_DEFAULT,
            reset_s: limits::RESET_S_DEFAULT,
            reset_allowed: false,
            headless_allowed: false,
            superior_s: limits::SUPERIOR_S_DEFAULT,
            operator_deadline_s: limits::OPERATOR_DEADLINE_S_DEFAULT,
            operator_default: OperatorDefault::Wait,
        }
    }
}
