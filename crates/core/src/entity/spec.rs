//! A spec: named, versioned, with those who want to hear of changes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::Event;
use crate::ids::{AgentId, SpecName};
use crate::text::TextHash;

/// One version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecVersion {
    /// Counted from 1.
    pub version: u32,
    /// Markdown.
    pub body: TextHash,
    /// By whom.
    pub publisher: AgentId,
    /// What changed.
    pub note: Option<TextHash>,
    /// When.
    pub when: When,
}

/// A spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// Its name.
    pub name: SpecName,
    /// From the first on.
    pub versions: Vec<SpecVersion>,
    /// Who is told of a new one.
    pub subscribers: BTreeSet<AgentId>,
}

impl Spec {
    pub(super) fn create(name: &SpecName, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        Self { name: name.clone(), versions: Vec::new(), subscribers: BTreeSet::new() }.apply(event, stamp)
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        match event {
            Event::SpecPublished(published) => {
                if published.version != self.version() + 1 {
                    return Err(Void::TooLate("that version was published by somebody else first"));
                }
                self.versions.push(SpecVersion {
                    version: published.version,
                    body: published.body.clone(),
                    publisher: published.publisher.clone(),
                    note: published.note.clone(),
                    when: stamp.into(),
                });
            }
            Event::SpecSubscribed(subscribed) if subscribed.removed => {
                self.subscribers.remove(&subscribed.agent);
            }
            Event::SpecSubscribed(subscribed) => {
                self.subscribers.insert(subscribed.agent.clone());
            }
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }

    /// The newest version; 0 while there is none.
    pub fn version(&self) -> u32 {
        self.versions.last().map_or(0, |v| v.version)
    }
}
