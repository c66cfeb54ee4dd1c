//! A lease on paths. Whether it has run out is derived from clocks, never written.

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{Event, LeaseTaken};
use crate::ids::{AgentId, LeaseId, OriginId};
use crate::text::TextHash;

/// How a lease ended before its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseEnd {
    /// When.
    pub when: When,
    /// Who took it away; absent when the holder gave it back.
    pub forced_by: Option<AgentId>,
    /// Why.
    pub reason: Option<TextHash>,
}

/// A lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Its id.
    pub id: LeaseId,
    /// What was taken.
    pub brief: LeaseTaken,
    /// The replica where it holds: paths are a matter of one machine.
    pub origin: OriginId,
    /// The fencing token: the order clock of the granting entry. It is above every `at` the hub knew, so every grant has
    /// a larger one, also in a replica that took over from another.
    pub token: i64,
    /// When.
    pub taken: When,
    /// Its end, when it has one.
    pub end: Option<LeaseEnd>,
}

impl Lease {
    pub(super) fn create(id: &LeaseId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::LeaseTaken(brief) = event else { return Err(Void::Absent) };
        Ok(Self {
            id: id.clone(),
            brief: brief.clone(),
            origin: stamp.order.origin.clone(),
            token: stamp.order.at,
            taken: stamp.into(),
            end: None,
        })
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        if matches!(event, Event::LeaseTaken(_)) {
            return Err(Void::Exists);
        }
        if self.end.is_some() {
            return Err(Void::TooLate("the lease had ended"));
        }
        let (forced_by, reason) = match event {
            Event::LeaseReleased(_) => (None, None),
            Event::LeaseForced(forced) => (Some(forced.by.clone()), Some(forced.reason.clone())),
            _ => return Err(Void::Unknown),
        };
        self.end = Some(LeaseEnd { when: stamp.into(), forced_by, reason });
        Ok(self)
    }
}
