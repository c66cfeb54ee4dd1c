//! A decision: a question, where each stands, and the outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{DecisionOpened, Event};
use crate::ids::{AgentId, DecisionId};
use crate::text::TextHash;

/// Where an agent stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// For what.
    pub position: TextHash,
    /// Why.
    pub reason: Option<TextHash>,
    /// Since when.
    pub when: When,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What.
    pub outcome: TextHash,
    /// By whom.
    pub by: AgentId,
    /// Why.
    pub reason: Option<TextHash>,
    /// When.
    pub when: When,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Its id.
    pub id: DecisionId,
    /// What it was opened with.
    pub brief: DecisionOpened,
    /// When.
    pub opened: When,
    /// The latest of each agent.
    pub positions: BTreeMap<AgentId, Position>,
    /// Its end, when it has one.
    pub outcome: Option<Outcome>,
    /// The later decision that took its place.
    pub superseded_by: Option<DecisionId>,
}

impl Decision {
    pub(super) fn create(id: &DecisionId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::DecisionOpened(brief) = event else { return Err(Void::Absent) };
        Ok(Self {
            id: id.clone(),
            brief: brief.clone(),
            opened: stamp.into(),
            positions: BTreeMap::new(),
            outcome: None,
            superseded_by: None,
        })
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        match event {
            Event::DecisionOpened(_) => return Err(Void::Exists),
            Event::DecisionPosition(taken) => {
                self.undecided()?;
                let position = Position {
                    position: taken.position.clone(),
                    reason: taken.reason.clone(),
                    when: stamp.into(),
                };
                self.positions.insert(taken.agent.clone(), position);
            }
            Event::DecisionDecided(decided) => {
                self.undecided()?;
                self.outcome = Some(Outcome {
                    outcome: decided.outcome.clone(),
                    by: decided.by.clone(),
                    reason: decided.reason.clone(),
                    when: stamp.into(),
                });
            }
            Event::DecisionSuperseded(superseded) => {
                if self.superseded_by.is_some() {
                    return Err(Void::TooLate("it was superseded before"));
                }
                self.superseded_by = Some(superseded.by.clone());
            }
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }

    fn undecided(&self) -> Result<(), Void> {
        if self.outcome.is_some() { Err(Void::TooLate("it was decided before")) } else { Ok(()) }
    }
}
