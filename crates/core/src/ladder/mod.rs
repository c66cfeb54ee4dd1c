//! The ladder: what happens with a duty that nobody settles, step by step, until it is settled or with the operator.
//!
//! Pure. Owns the rungs, how long a duty stands on each, and what is done when it comes there; how an agent is reached
//! ([`waking`]); when its context may be [`reset`]; what the people above it are told ([`telling`]); and which duties an entry concerns ([`touched`]). Whoever
//! supervises keeps where each duty stands as a row with its time.

pub mod reset;
pub mod telling;
pub mod touched;
pub mod waking;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use self::reset::Resettable;
use crate::entity::Message;
use crate::ids::AgentId;
use crate::name::Name;
use crate::rules;
use crate::team::{Ladder, OperatorDefault, TeamConfig};
use crate::words;

/// How long the ladder rests before it looks again at an agent that waits for a permission.
pub const ASKING_S: u32 = 30;

words! {
    /// How far an unsettled duty has climbed.
    pub enum Rung as "the rung" {
        /// Its agent is woken.
        Wake = "wake",
        /// Its agent is told again, and what it did not take comes by the next way there is.
        NextChannel = "next_channel",
        /// Its agent's context is reset, where that is allowed.
        Reset = "reset",
        /// Its agent's superior is asked.
        Superior = "superior",
        /// The operator is asked, once, with a deadline.
        Operator = "operator",
        /// The deadline passed and the default was applied; nothing is left to do by itself.
        Ended = "ended",
    }
}

/// Who stands above an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Above {
    /// Nobody but the operator: that rung is skipped.
    Nobody,
    /// A captain, who gets no mail: what comes there is on the dashboard.
    Captain,
    /// An agent, who is asked.
    Superior,
}

/// What a duty is about, as far as its way up depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// A message of its own.
    Own,
    /// It carries another matter that the ladder took up, which goes on by itself: this one only wakes.
    Carrier,
}

/// The way a duty takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Who stands above its agent.
    pub above: Above,
    /// What it is about.
    pub matter: Matter,
}

/// Where a duty stands, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// On which rung.
    pub rung: Rung,
    /// Seconds until the next; none on the last.
    pub for_s: Option<u32>,
}

impl Way {
    /// How long a duty stands on a rung; nothing on one that is skipped.
    fn length(self, ladder: &Ladder, rung: Rung) -> u32 {
        let is_own = self.matter == Matter::Own;
        match rung {
            Rung::Wake => ladder.wake_s,
            Rung::NextChannel => ladder.next_channel_s.saturating_sub(ladder.wake_s),
            Rung::Reset if is_own => ladder.reset_s.saturating_sub(ladder.next_channel_s),
            Rung::Superior if is_own && self.above != Above::Nobody => {
                ladder.superior_s.saturating_sub(ladder.reset_s)
            }
            Rung::Operator if is_own => ladder.operator_deadline_s.max(1),
            Rung::Reset | Rung::Superior | Rung::Operator | Rung::Ended => 0,
        }
    }

    /// The first of these rungs that is not skipped.
    fn first_of(self, ladder: &Ladder, rungs: impl IntoIterator<Item = Rung>) -> Standing {
        let lengths = rungs.into_iter().map(|rung| (rung, self.length(ladder, rung)));
        lengths.into_iter().find(|(_, length)| *length > 0).map_or(
            Standing { rung: Rung::Ended, for_s: None },
            |(rung, length)| Standing { rung, for_s: Some(length) },
        )
    }

    /// Where a new duty begins.
    pub fn begin(self, ladder: &Ladder) -> Standing {
        self.first_of(ladder, Rung::ALL.iter().copied())
    }

    /// Where a duty stays whose time on a rung begins again.
    pub fn again(self, ladder: &Ladder, on: Rung) -> Standing {
        self.first_of(ladder, Rung::ALL.iter().copied().filter(|rung| *rung >= on))
    }

    /// Where a duty goes from a rung whose time is over. One rung at a time: a machine that slept skips nothing.
    pub fn next(self, ladder: &Ladder, from: Rung) -> Standing {
        self.first_of(ladder, Rung::ALL.iter().copied().filter(|rung| *rung > from))
    }
}

/// What is done when a duty comes to a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Tell its agent again: it is woken for that.
    Remind,
    /// Ask for its context to be cleared.
    Reset,
    /// Ask its superior.
    AskSuperior,
    /// It is the captain's matter now: the dashboard says so.
    Dashboard,
    /// Ask the operator.
    AskOperator,
    /// Nobody answered in time.
    Default(OperatorDefault),
    /// Nothing: only time passes.
    Wait,
}

/// What is done when a duty comes to a rung.
pub fn step(ladder: &Ladder, way: Way, rung: Rung, agent: Resettable) -> Step {
    let may_reset = ladder.reset_allowed && agent.is_ready && !agent.is_captain;
    match (rung, way.above) {
        (Rung::NextChannel, _) => Step::Remind,
        (Rung::Reset, _) if may_reset => Step::Reset,
        (Rung::Superior, Above::Superior) => Step::AskSuperior,
        (Rung::Superior, Above::Captain) => Step::Dashboard,
        (Rung::Operator, _) => Step::AskOperator,
        (Rung::Ended, _) if way.matter == Matter::Own => Step::Default(ladder.operator_default),
        // Who has waiting mail is woken whatever rung its duties stand on.
        (Rung::Wake | Rung::Reset | Rung::Superior | Rung::Ended, _) => Step::Wait,
    }
}

/// The times of a team, or those that hold without one.
pub fn times(team: Option<&TeamConfig>) -> Ladder {
    team.map_or_else(Ladder::default, |team| team.ladder.clone())
}

/// Who stands above an agent in a team.
pub fn above(team: Option<&TeamConfig>, agent: &Name) -> Above {
    match rules::superior_of(team, agent) {
        None => Above::Nobody,
        Some(superior) if rules::is_captain(team, superior) => Above::Captain,
        Some(_) => Above::Superior,
    }
}

/// Whether an agent took a matter up by itself and waits for the answer: what carries it climbs then, not the matter.
pub fn took_it_up(matter: &Message, agent: &AgentId) -> bool {
    matter.escalations.iter().any(|e| e.agent == *agent && !e.by_ladder && e.is_open())
}
