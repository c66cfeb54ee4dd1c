//! Trouble with one record: shown in the trace and passed by, so that it harms nobody else. Trouble of the store as a whole
//! is everybody's.

use interagent_core::ids::{AgentId, MessageId};
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_store::{ErrorKind, StoreError, Writer};
use serde_json::{Value, json};

/// What could not be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) enum About<'a> {
    /// A duty.
    Duty(&'a MessageId, &'a AgentId),
    /// Reaching an agent.
    Agent(&'a AgentId),
    /// What an entry concerns, by its place.
    Entry(i64),
}

/// Records that were passed by, and why.
#[derive(Debug, Default)]
pub(super) struct Trouble(Vec<Value>);

impl Trouble {
    /// What came of looking at one record; nothing where it is to be passed by.
    pub(super) fn sift<T>(
        &mut self,
        about: About<'_>,
        done: Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let refusal = match done {
            Ok(done) => return Ok(Some(done)),
            Err(refusal) if is_of_one_record(&refusal) => refusal,
            Err(refusal) => return Err(refusal),
        };
        let why = refusal.sentence;
        self.0.push(match about {
            About::Duty(message, agent) => json!({ "agent": agent, "message": message, "why": why }),
            About::Agent(agent) => json!({ "agent": agent, "why": why }),
            About::Entry(seq) => json!({ "entry": seq, "why": why }),
        });
        Ok(None)
    }

    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes it down.
    pub(super) fn trace(&self, writer: &mut Writer<'_, '_>) -> Result<(), StoreError> {
        self.0.iter().try_for_each(|data| writer.trace("ladder.failed", &data.to_string()))
    }
}

/// Whether it is about a record that can't be read, or that a rule forbids something with, and not about the store.
pub(super) fn is_of_one_record(refusal: &Refusal) -> bool {
    let codes = [ErrorKind::Damaged, ErrorKind::Internal].map(ErrorKind::as_str);
    refusal.kind != RefusalKind::Unavailable || codes.contains(&refusal.code.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_cannot_be_used_is_no_trouble_of_one_record() {
        let agent = AgentId::from_bits(1);
        let mut trouble = Trouble::default();
        let mut sift = |kind: ErrorKind| {
            let failed: Result<(), Refusal> = Err(Refusal::unavailable(kind.as_str(), "no"));
            trouble.sift(About::Agent(&agent), failed)
        };
        for kind in [ErrorKind::Busy, ErrorKind::Missing, ErrorKind::ReadOnly, ErrorKind::Full, ErrorKind::Io]
        {
            assert!(sift(kind).is_err(), "{kind:?}");
        }
        assert_eq!(sift(ErrorKind::Damaged), Ok(None));
        assert!(!trouble.is_none());
    }
}
