//! A skill that workers proposed: what the operator made of it.
//!
//! Who proposed it, and how often, is said by the reports of tasks; this says only how it ended.

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::Event;
use crate::ids::AgentId;
use crate::skill::SkillKey;
use crate::text::TextHash;

/// What the operator decided of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is a skill of the project's clients.
    Promoted {
        /// What it is called in the file system.
        name: String,
        /// What it is for.
        description: TextHash,
        /// How often it had been proposed.
        times: u32,
        /// Where it was written, relative to the project.
        places: Vec<String>,
    },
    /// It is not wanted.
    Rejected {
        /// Why.
        reason: TextHash,
    },
}

/// A skill with the last word on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// By what candidates are counted together.
    pub key: SkillKey,
    /// What was decided last.
    pub outcome: Outcome,
    /// When.
    pub when: When,
    /// By whom.
    pub by: AgentId,
}

impl Skill {
    pub(super) fn create(key: &SkillKey, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let outcome = outcome(event)?;
        Ok(Self { key: key.clone(), outcome, when: stamp.into(), by: stamp.member.clone() })
    }

    /// The last word counts: what was not wanted may be wanted later.
    pub(super) fn apply(self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        Ok(Self { outcome: outcome(event)?, when: stamp.into(), by: stamp.member.clone(), ..self })
    }

    /// Whether it is a skill of the project's clients.
    pub fn is_promoted(&self) -> bool {
        matches!(self.outcome, Outcome::Promoted { .. })
    }
}

fn outcome(event: &Event) -> Result<Outcome, Void> {
    match event {
        Event::SkillPromoted(promoted) => Ok(Outcome::Promoted {
            name: promoted.name.clone(),
            description: promoted.description.clone(),
            times: promoted.times,
            places: promoted.places.clone(),
        }),
        Event::SkillRejected(rejected) => Ok(Outcome::Rejected { reason: rejected.reason.clone() }),
        _ => Err(Void::Unknown),
    }
}
