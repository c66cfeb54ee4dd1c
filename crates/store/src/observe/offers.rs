//! Offers: a message handed to one session, waiting for evidence that it arrived.

use std::collections::BTreeSet;

use interagent_core::ids::{AgentId, MessageId};
use interagent_core::limits::OFFER_SECONDS;
use interagent_core::vocabulary::Via;

use super::Deadline;
use crate::append::Writer;
use crate::clock::Clock;
use crate::engine::Row;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;

/// Before every moment of any clock, also of one that stands before 1970; far enough from the limits to count with.
const LONG_AGO_US: i64 = i64::MIN / 4;

/// A message on its way into one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Which message.
    pub message: MessageId,
    /// To whom.
    pub agent: AgentId,
    /// The session, or the process where there is none.
    pub holder: String,
    /// By which way.
    pub via: Via,
    /// Hand-overs before this one that lapsed.
    pub attempt: u32,
    /// Since when, by the wall clock.
    pub offered: i64,
    /// Until when evidence counts.
    pub deadline: Deadline,
}

impl Offer {
    /// Reads the columns holder, via, attempt, offered, boot, due_boot, due_wall from `first` on.
    pub(crate) fn read(
        row: &Row,
        first: usize,
        message: MessageId,
        agent: AgentId,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            message,
            agent,
            holder: row.text(first)?.to_owned(),
            via: row.text(first + 1)?.parse().map_err(log::bad)?,
            attempt: u32::try_from(row.int(first + 2)?).map_err(log::bad)?,
            offered: row.int(first + 3)?,
            deadline: Deadline {
                boot: row.text(first + 4)?.to_owned(),
                due_boot: row.int(first + 5)?,
                due_wall: row.int(first + 6)?,
            },
        })
    }

    /// The session ended or began again: evidence of it counts no more, however soon it comes.
    pub fn was_taken_back(&self) -> bool {
        self.deadline.due_wall == LONG_AGO_US
    }

    /// No evidence came in time.
    pub fn has_lapsed(&self, clock: &dyn Clock) -> bool {
        self.deadline.is_over(clock)
    }
}

impl Reader<'_> {
    /// The offer of a message to an agent, whether or not it lapsed.
    pub fn offer_of(&mut self, message: &MessageId, agent: &AgentId) -> Result<Option<Offer>, StoreError> {
        let rows = self.rows(
            "SELECT holder, via, attempt, offered, boot, due_boot, due_wall FROM offers
             WHERE hub = $1 AND message = $2 AND agent = $3",
            &params![self.hub, message.as_str(), agent.as_str()],
        )?;
        rows.first().map(|row| Offer::read(row, 0, message.clone(), agent.clone())).transpose()
    }

    /// An agent's messages that are on offer to another holder, whose offers have not lapsed.
    pub fn offered_to_others(
        &mut self,
        agent: &AgentId,
        holder: &str,
    ) -> Result<BTreeSet<MessageId>, StoreError> {
        let rows = self.rows(
            "SELECT o.holder, o.via, o.attempt, o.offered, o.boot, o.due_boot, o.due_wall, o.message FROM mail l
             JOIN offers o ON o.hub = l.hub AND o.message = l.message AND o.agent = l.agent
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND l.state = 'queued' AND o.holder <> $3",
            &params![self.hub, agent.as_str(), holder],
        )?;
        let mut found = BTreeSet::new();
        for row in &rows {
            let message = MessageId::parse(row.text(7)?).map_err(log::bad)?;
            let offer = Offer::read(row, 0, message, agent.clone())?;
            if !offer.has_lapsed(self.clock()) {
                found.insert(offer.message);
            }
        }
        Ok(found)
    }

    /// What was offered to one session.
    pub fn offers_to(&mut self, holder: &str) -> Result<Vec<Offer>, StoreError> {
        let rows = self.rows(
            "SELECT holder, via, attempt, offered, boot, due_boot, due_wall, message, agent FROM offers
             WHERE hub = $1 AND holder = $2 ORDER BY offered, message LIMIT 1000",
            &params![self.hub, holder],
        )?;
        rows.iter()
            .map(|row| {
                let message = MessageId::parse(row.text(7)?).map_err(log::bad)?;
                let agent = AgentId::parse(row.text(8)?).map_err(log::bad)?;
                Offer::read(row, 0, message, agent)
            })
            .collect()
    }
}

impl Writer<'_, '_> {
    /// Offers a message to a session. `attempt` counts the hand-overs before that lapsed; what is handed over together has
    /// one `stamp`, its moment.
    pub fn offer(
        &mut self,
        message: &MessageId,
        agent: &AgentId,
        holder: &str,
        via: Via,
        attempt: u32,
        stamp: i64,
    ) -> Result<(), StoreError> {
        let deadline = Deadline::after(self.clock(), OFFER_SECONDS);
        let hub = self.hub();
        self.note(
            "INSERT INTO offers (hub, message, agent, holder, via, attempt, offered, boot, due_boot, due_wall)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             ON CONFLICT (hub, message, agent) DO UPDATE SET holder = excluded.holder, via = excluded.via,
             attempt = excluded.attempt, offered = excluded.offered, boot = excluded.boot,
             due_boot = excluded.due_boot, due_wall = excluded.due_wall",
            &params![
                hub,
                message.as_str(),
                agent.as_str(),
                holder,
                via.as_str(),
                attempt,
                stamp,
                deadline.boot,
                deadline.due_boot,
                deadline.due_wall
            ],
        )?;
        Ok(())
    }

    /// Ends an offer: it was confirmed, or the message needs no offer any more.
    pub fn end_offer(&mut self, message: &MessageId, agent: &AgentId) -> Result<(), StoreError> {
        let hub = self.hub();
        self.note(
            "DELETE FROM offers WHERE hub = $1 AND message = $2 AND agent = $3",
            &params![hub, message.as_str(), agent.as_str()],
        )?;
        Ok(())
    }

    /// Lets every offer to a session lapse at once: the session ended. The rows stay to count the redelivery.
    pub fn lapse_offers(&mut self, holder: &str) -> Result<u64, StoreError> {
        let hub = self.hub();
        self.note(
            "UPDATE offers SET due_boot = $1, due_wall = $1 WHERE hub = $2 AND holder = $3 AND due_wall <> $1",
            &params![LONG_AGO_US, hub, holder],
        )
    }
}
