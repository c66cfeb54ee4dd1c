//! The traffic budget: how much agents may put into each other's context before the rest waits for a person.
//!
//! Pure. Owns what counts, when a delivery is over the budget, and how an over-budget message is held. An operation always
//! commits; only the messages that it sends can be held. See docs/decisions/0041-traffic-budget.md.

mod enforce;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use enforce::{Enforced, Held, Known, enforce};

use crate::ids::AgentId;
use crate::limits;
use crate::team::TeamConfig;
use crate::vocabulary::HoldReason;

/// How a message counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Words of a member: messages, replies, comments. They count one-way as well, because talk needs no cause.
    Words,
    /// Anything else that a member starts: an assignment, a question to the team, a review, a new version of a spec. This is
    /// the default, so that a new operation counts.
    #[default]
    Work,
    /// The outcome of what somebody else started: completed, judged, answered. It needs a step of work that can't be taken
    /// twice, so only its hops count; an operation without such a step does work.
    Outcome,
}

/// The budgets of the team.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Messages in a row between agents since a person spoke or the task moved.
    pub max_hops: u32,
    /// Messages of one ordered pair in the window.
    pub pair_messages: u32,
    /// The same for one-way work and for a person.
    pub flood_messages: u32,
}

impl Budget {
    /// The team's budgets, or those of a hub without a team file.
    pub fn of(team: Option<&TeamConfig>) -> Self {
        match team {
            Some(team) => Self {
                max_hops: team.rules.max_hops,
                pair_messages: team.rules.pair_messages,
                flood_messages: team.rules.flood_messages,
            },
            None => Self {
                max_hops: limits::HOPS_DEFAULT,
                pair_messages: limits::PAIR_MESSAGES_DEFAULT,
                flood_messages: limits::FLOOD_MESSAGES_DEFAULT,
            },
        }
    }
}

/// What one member sent another in the running window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCount {
    /// Words.
    pub words: u32,
    /// Words and work.
    pub all: u32,
}

impl PairCount {
    fn add(&mut self, flow: Flow) {
        match flow {
            Flow::Words => {
                self.words = self.words.saturating_add(1);
                self.all = self.all.saturating_add(1);
            }
            Flow::Work => self.all = self.all.saturating_add(1),
            Flow::Outcome => {}
        }
    }
}

/// The pairs that matter to a decision, with what they sent in the running window.
#[derive(Clone, Debug, Default)]
pub struct Lately {
    pairs: BTreeMap<(AgentId, AgentId), PairCount>,
}

impl Lately {
    /// Records what a pair sent.
    pub fn put(&mut self, from: AgentId, to: AgentId, count: PairCount) {
        self.pairs.insert((from, to), count);
    }

    /// What a pair sent.
    pub fn count(&self, from: &AgentId, to: &AgentId) -> PairCount {
        self.pairs.get(&(from.clone(), to.clone())).copied().unwrap_or_default()
    }

    /// Counts one more message of a pair.
    pub fn add(&mut self, from: &AgentId, to: &AgentId, flow: Flow) {
        self.pairs.entry((from.clone(), to.clone())).or_default().add(flow);
    }

    /// Whether a way leads from one member to another on which every pair sent at least so much. A member is always on the
    /// way to itself.
    fn has_way(&self, from: &AgentId, to: &AgentId, least: u32) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            let steps = self.pairs.iter().filter(|((sender, _), count)| sender == at && count.all >= least);
            open.extend(steps.map(|((_, next), _)| next).filter(|next| seen.insert(*next)));
        }
        false
    }
}

/// The sender of a message, as the budget sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender<'a> {
    /// An agent.
    Agent(&'a AgentId),
    /// A person, also one who speaks for an agent.
    Person(&'a AgentId),
}

impl Sender<'_> {
    fn id(&self) -> &AgentId {
        match self {
            Self::Agent(id) | Self::Person(id) => id,
        }
    }
}

/// Why a message to this agent must be held; nothing where it is within the budget.
///
/// Words are over the budget once the pair used it up. Work is over it only where traffic goes round: the pair used its
/// budget up, and so did every pair on some way back. Work that nothing comes back for, and everything that a person sends,
/// has the larger flood limit.
pub fn hold(
    sender: Sender<'_>,
    to: &AgentId,
    (flow, hops): (Flow, u32),
    lately: &Lately,
    budget: Budget,
) -> Option<HoldReason> {
    let count = lately.count(sender.id(), to);
    let is_flood = flow != Flow::Outcome && count.all >= budget.flood_messages;
    let Sender::Agent(from) = sender else { return is_flood.then_some(HoldReason::Rate) };
    if hops > budget.max_hops {
        return Some(HoldReason::Hops);
    }
    let is_over = match flow {
        Flow::Words => count.words >= budget.pair_messages,
        Flow::Work => false,
        Flow::Outcome => return None,
    };
    let goes_round = || count.all >= budget.pair_messages && lately.has_way(to, from, budget.pair_messages);
    (is_over || is_flood || goes_round()).then_some(HoldReason::Rate)
}
