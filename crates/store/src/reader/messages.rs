//! Questions about messages, mail and obligations.

use interagent_core::entity::message::{Delivery, Escalation};
use interagent_core::entity::{Entity, Message};
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::repeat;
use interagent_core::vocabulary::{Duty, Intent};

use super::{MessageFilter, PageStart, Reader, count, id};
use crate::error::StoreError;
use crate::log;
use crate::observe::Offer;
use crate::params;
use crate::views::{doc, with_deliveries};

/// A message in an agent's mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailRow {
    /// The message, without the other recipients' deliveries.
    pub message: Message,
    /// How far it got with this agent.
    pub delivery: Delivery,
    /// The offer that stands, if one does.
    pub offer: Option<Offer>,
}

/// Something an agent owes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// By which message.
    pub message: MessageId,
    /// Who owes it.
    pub agent: AgentId,
    /// What.
    pub duty: Duty,
    /// Since when, by the wall clock.
    pub since: i64,
    /// About which task.
    pub task: Option<TaskId>,
}

/// A list of messages: what leads, then every other wish as a condition on the rows it leads to.
///
/// `at` is never before the wall clock of its writer but may be ahead of it, so it bounds the walk and `wall` decides. Where
/// something leads, the bound is said as `at + 0`: with both ends of a time the engine would walk all messages by their time
/// instead of the few that lead.
macro_rules! listing {
    ($leading:literal, before $before:literal, since $since:literal) => {
        concat!(
            "SELECT m.at, m.id, m.doc FROM messages m WHERE m.hub = $1 AND (",
            $before,
            ", m.id) < ($2, $3) AND ",
            $since,
            " >= $4 AND m.wall >= $4
             AND (CAST($5 AS TEXT) IS NULL OR m.thread = $5)
             AND (CAST($6 AS TEXT) IS NULL OR m.sender = $6) AND (CAST($7 AS TEXT) IS NULL OR m.task = $7)
             AND (CAST($8 AS TEXT) IS NULL OR m.intent = $8)
             AND ($9 = 0 OR (m.held IS NOT NULL AND (m.held <> 'control' OR CAST($8 AS TEXT) = 'control')))
             AND ",
            $leading,
            " ORDER BY ",
            $before,
            " DESC, m.id DESC LIMIT $10"
        )
    };
}

pub(super) const IN_THREAD: &str = listing!("m.thread = $5", before "m.at", since "m.at + 0");
pub(super) const ABOUT_TASK: &str = listing!("m.task = $7", before "m.at", since "m.at + 0");
// Few are held: all of them are walked.
pub(super) const HELD: &str = listing!("m.held IS NOT NULL", before "m.at + 0", since "m.at + 0");
pub(super) const BY_SENDER: &str = listing!("m.sender = $6", before "m.at", since "m.at + 0");
pub(super) const BY_INTENT: &str = listing!("m.intent = $8", before "m.at", since "m.at + 0");
pub(super) const ALL: &str = listing!("m.at <= $2", before "m.at", since "m.at");
pub(super) const IN_MAIL: &str =
    "SELECT m.at, m.id, m.doc FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
     WHERE l.hub = $1 AND (l.at, l.message) < ($2, $3) AND l.at >= $4 AND m.wall >= $4
     AND (CAST($5 AS TEXT) IS NULL OR m.thread = $5) AND (CAST($6 AS TEXT) IS NULL OR m.sender = $6)
     AND (CAST($7 AS TEXT) IS NULL OR m.task = $7) AND (CAST($8 AS TEXT) IS NULL OR m.intent = $8)
     AND ($9 = 0 OR (m.held IS NOT NULL AND (m.held <> 'control' OR CAST($8 AS TEXT) = 'control')))
     AND l.agent = $10 AND l.unread = $11
     ORDER BY l.at DESC, l.message DESC LIMIT $12";

pub(super) const COUNT_HELD: &str =
    "SELECT COUNT(*) FROM (SELECT 1 FROM messages WHERE hub = $1 AND held IS NOT NULL AND held <> 'control' LIMIT $2)
     AS held";

impl Reader<'_> {
    /// One message with all its deliveries.
    pub fn message(&mut self, id: &MessageId) -> Result<Option<Message>, StoreError> {
        Ok(match self.entity(&EntityRef::Message(id.clone()))? {
            Some(Entity::Message(message)) => Some(message),
            _ => None,
        })
    }

    /// The matter that a message carries up, with its escalation there; nothing where it carries none.
    pub fn carried(&mut self, carrier: &Message) -> Result<Option<(Message, Escalation)>, StoreError> {
        for reference in carrier.refs.iter().filter(|reference| reference.kind == "message") {
            let Ok(id) = MessageId::parse(&reference.target) else { continue };
            let Some(matter) = self.message(&id)? else { continue };
            let escalation =
                matter.escalations.iter().find(|escalation| escalation.by == carrier.id).cloned();
            if let Some(escalation) = escalation {
                return Ok(Some((matter, escalation)));
            }
        }
        Ok(None)
    }

    /// Messages by filter, newest first.
    pub fn messages(
        &mut self,
        filter: &MessageFilter,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        let mut rows = self.listed(filter, start, limit)?;
        if filter.to.is_some() {
            // Mail is kept apart by whether it was read: each half came in order, and only together they are a page.
            rows.sort_by(|a, b| (b.0, &b.1).cmp(&(a.0, &a.1)));
            rows.truncate(limit as usize);
        }
        rows.into_iter().map(|(_, _, message)| with_deliveries(self.q, self.hub, message)).collect()
    }

    /// The first message of every conversation that is here, oldest first, after a place.
    pub fn threads_from(&mut self, start: &PageStart, limit: u32) -> Result<Vec<Message>, StoreError> {
        let rows = self.rows(
            "SELECT m.doc FROM messages m WHERE m.hub = $1 AND (m.at, m.id) > ($2, $3) AND NOT EXISTS
             (SELECT 1 FROM messages o WHERE o.hub = m.hub AND o.thread = m.thread AND (o.at, o.id) < (m.at, m.id))
             ORDER BY m.at, m.id LIMIT $4",
            &params![self.hub, start.at, &start.id, limit],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// The messages of a conversation, oldest first, after a place.
    pub fn thread_from(
        &mut self,
        thread: &MessageId,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM messages WHERE hub = $1 AND thread = $2 AND (at, id) > ($3, $4)
             ORDER BY at, id LIMIT $5",
            &params![self.hub, thread.as_str(), start.at, &start.id, limit],
        )?;
        rows.iter().map(|row| with_deliveries(self.q, self.hub, doc(row, 0)?)).collect()
    }

    /// One statement per leading index, so that every list walks as many rows as it shows.
    fn listed(
        &mut self,
        filter: &MessageFilter,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<(i64, String, Message)>, StoreError> {
        let params = params![
            self.hub,
            start.at,
            &start.id,
            filter.since.unwrap_or(i64::MIN),
            filter.thread.as_ref().map(MessageId::as_str),
            filter.from.as_ref().map(AgentId::as_str),
            filter.task.as_ref().map(TaskId::as_str),
            filter.intent.map(Intent::as_str),
            filter.held
        ];
        let rows = if let Some(to) = &filter.to {
            let mut rows = Vec::new();
            for unread in [true, false] {
                let half = [&params[..], &params![to.as_str(), unread, limit]].concat();
                rows.extend(self.rows(IN_MAIL, &half)?);
            }
            rows
        } else {
            let statement = match filter {
                MessageFilter { thread: Some(_), .. } => IN_THREAD,
                MessageFilter { task: Some(_), .. } => ABOUT_TASK,
                MessageFilter { held: true, .. } => HELD,
                MessageFilter { from: Some(_), .. } => BY_SENDER,
                MessageFilter { intent: Some(_), .. } => BY_INTENT,
                MessageFilter { .. } => ALL,
            };
            self.rows(statement, &[&params[..], &params![limit]].concat())?
        };
        rows.iter().map(|row| Ok((row.int(0)?, row.text(1)?.to_owned(), doc(row, 2)?))).collect()
    }

    /// An agent's unread mail that is neither held nor expired, oldest first.
    pub fn unread(&mut self, agent: &AgentId, limit: u32) -> Result<Vec<MailRow>, StoreError> {
        self.unread_after(agent, &PageStart { at: i64::MIN, id: String::new() }, limit)
    }

    /// The unread mail that comes after a place.
    pub fn unread_after(
        &mut self,
        agent: &AgentId,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<MailRow>, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT m.doc, l.doc, o.holder, o.via, o.attempt, o.offered, o.boot, o.due_boot, o.due_wall, l.message
             FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             LEFT JOIN offers o ON o.hub = l.hub AND o.message = l.message AND o.agent = l.agent
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND (l.at, l.message) > ($3, $4)
             AND m.held IS NULL AND (m.expires IS NULL OR m.expires > $5) ORDER BY l.at, l.message LIMIT $6",
            &params![self.hub, agent.as_str(), start.at, &start.id, now, limit],
        )?;
        rows.iter().map(|row| read_mail(row, agent)).collect()
    }

    /// An agent's mail that it has read, newest first.
    pub fn read_before(
        &mut self,
        agent: &AgentId,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<MailRow>, StoreError> {
        let rows = self.rows(
            "SELECT m.doc, l.doc, NULL, l.message FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 0 AND (l.at, l.message) < ($3, $4)
             ORDER BY l.at DESC, l.message DESC LIMIT $5",
            &params![self.hub, agent.as_str(), start.at, &start.id, limit],
        )?;
        rows.iter().map(|row| read_mail(row, agent)).collect()
    }

    /// An agent's messages that can be handed over now, oldest first: not delivered yet, and offered to nobody else.
    ///
    /// What was offered to `holder` itself counts, and what lapsed.
    pub fn takeable(
        &mut self,
        agent: &AgentId,
        holder: &str,
        limit: u32,
    ) -> Result<Vec<MailRow>, StoreError> {
        let (now, boot_us) = (self.now(), self.clock().boot_us());
        let boot = self.clock().boot_id();
        let rows = self.rows(
            "SELECT m.doc, l.doc, o.holder, o.via, o.attempt, o.offered, o.boot, o.due_boot, o.due_wall, l.message
             FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             LEFT JOIN offers o ON o.hub = l.hub AND o.message = l.message AND o.agent = l.agent
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND l.state = 'queued' AND m.held IS NULL
             AND (m.expires IS NULL OR m.expires > $3)
             AND (o.holder IS NULL OR o.holder = $4 OR (o.boot = $5 AND o.boot <> '' AND o.due_boot <= $6)
                  OR ((o.boot <> $5 OR o.boot = '') AND o.due_wall <= $3))
             ORDER BY l.at, l.message LIMIT $7",
            &params![self.hub, agent.as_str(), now, holder, boot, boot_us, limit],
        )?;
        rows.iter().map(|row| read_mail(row, agent)).collect()
    }

    /// Whether anything waits to be delivered to an agent, offered to a session or not.
    pub fn has_undelivered(&mut self, agent: &AgentId) -> Result<bool, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT 1 FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND l.state = 'queued' AND m.held IS NULL
             AND (m.expires IS NULL OR m.expires > $3) LIMIT 1",
            &params![self.hub, agent.as_str(), now],
        )?;
        Ok(!rows.is_empty())
    }

    /// How many messages wait for a release, counted up to `most`.
    pub fn held_count(&mut self, most: u32) -> Result<u32, StoreError> {
        let rows = self.rows(COUNT_HELD, &params![self.hub, most])?;
        count(&rows)
    }

    /// How many unread messages an agent has, counted up to `most`.
    pub fn unread_count(&mut self, agent: &AgentId, most: u32) -> Result<u32, StoreError> {
        self.unread_count_after(agent, &PageStart { at: i64::MIN, id: String::new() }, most)
    }

    /// How many unread messages come after a place, counted up to `most`.
    pub fn unread_count_after(
        &mut self,
        agent: &AgentId,
        start: &PageStart,
        most: u32,
    ) -> Result<u32, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT COUNT(*) FROM (SELECT 1 FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND (l.at, l.message) > ($3, $4) AND m.held IS NULL
             AND (m.expires IS NULL OR m.expires > $5) LIMIT $6) AS unread",
            &params![self.hub, agent.as_str(), start.at, &start.id, now, most],
        )?;
        count(&rows)
    }

    /// What an agent owes, oldest first.
    pub fn owed_by(&mut self, agent: &AgentId, limit: u32) -> Result<Vec<Due>, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT o.message, o.agent, o.duty, o.since, o.task FROM obligations o
             JOIN messages m ON m.hub = o.hub AND m.id = o.message
             WHERE o.hub = $1 AND o.agent = $2 AND (m.expires IS NULL OR m.expires > $3)
             ORDER BY o.at, o.message LIMIT $4",
            &params![self.hub, agent.as_str(), now, limit],
        )?;
        rows.iter().map(read_due).collect()
    }

    /// How much an agent owes, counted up to `most`.
    pub fn owed_count(&mut self, agent: &AgentId, most: u32) -> Result<u32, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT COUNT(*) FROM (SELECT 1 FROM obligations o JOIN messages m ON m.hub = o.hub AND m.id = o.message
             WHERE o.hub = $1 AND o.agent = $2 AND (m.expires IS NULL OR m.expires > $3) LIMIT $4) AS counted",
            &params![self.hub, agent.as_str(), now, most],
        )?;
        count(&rows)
    }

    /// What anybody owes about a task.
    pub fn owed_about(&mut self, task: &TaskId) -> Result<Vec<Due>, StoreError> {
        let rows = self.rows(
            "SELECT message, agent, duty, since, task FROM obligations WHERE hub = $1 AND task = $2
             ORDER BY at, message, agent LIMIT 1000",
            &params![self.hub, task.as_str()],
        )?;
        rows.iter().map(read_due).collect()
    }

    /// Messages that still oblige somebody to an answer and mention this id, oldest first.
    ///
    /// Only open obligations are looked through, however many messages there are.
    pub fn owed_answers_mentioning(&mut self, id: &str) -> Result<Vec<Message>, StoreError> {
        let mentions = format!("%\"{id}\"%");
        let rows = self.rows(
            "SELECT m.doc FROM messages m WHERE m.hub = $1 AND m.doc LIKE $2 AND m.id IN
             (SELECT message FROM obligations WHERE hub = $1 AND duty = $3) ORDER BY m.at, m.id LIMIT 1000",
            &params![self.hub, mentions, Duty::Answer.as_str()],
        )?;
        rows.iter().map(|row| with_deliveries(self.q, self.hub, doc(row, 0)?)).collect()
    }

    /// The newest message about a task with an intent.
    pub fn newest_about(&mut self, task: &TaskId, intent: Intent) -> Result<Option<MessageId>, StoreError> {
        let rows = self.rows(
            "SELECT id FROM messages WHERE hub = $1 AND task = $2 AND intent = $3 ORDER BY at DESC LIMIT 1",
            &params![self.hub, task.as_str(), intent.as_str()],
        )?;
        rows.first().map(|row| id(MessageId::parse(row.text(0)?))).transpose()
    }

    /// How often a question was asked: once, and once for each repeat, up to 1000.
    pub fn times_asked(&mut self, first: &Message) -> Result<u32, StoreError> {
        if !first.intent.duty().is_some_and(repeat::is_repeatable) {
            return Ok(1);
        }
        let later = self.same_intent_since(first)?;
        let repeats = later.iter().filter(|message| repeat::repeated_by(message).as_ref() == Some(&first.id));
        Ok(u32::try_from(repeats.count()).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// Later messages of the same sender with the same intent, oldest first.
    fn same_intent_since(&mut self, first: &Message) -> Result<Vec<Message>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM messages WHERE hub = $1 AND sender = $2 AND at > $3 AND intent = $4
             ORDER BY at LIMIT 1000",
            &params![self.hub, first.from.as_str(), first.sent.at, first.intent.as_str()],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// What anybody owes, oldest first.
    pub fn owed(&mut self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let rows = self.rows(
            "SELECT message, agent, duty, since, task FROM obligations WHERE hub = $1
             ORDER BY at, message, agent LIMIT $2",
            &params![self.hub, limit],
        )?;
        rows.iter().map(read_due).collect()
    }
}

fn read_mail(row: &crate::engine::Row, agent: &AgentId) -> Result<MailRow, StoreError> {
    let offer = match row.opt_text(2)? {
        None => None,
        Some(_) => Some(Offer::read(row, 2, id(MessageId::parse(row.text(9)?))?, agent.clone())?),
    };
    Ok(MailRow { message: doc(row, 0)?, delivery: doc(row, 1)?, offer })
}

fn read_due(row: &crate::engine::Row) -> Result<Due, StoreError> {
    Ok(Due {
        message: id(MessageId::parse(row.text(0)?))?,
        agent: id(AgentId::parse(row.text(1)?))?,
        duty: row.text(2)?.parse().map_err(log::bad)?,
        since: row.int(3)?,
        task: row.opt_text(4)?.map(|t| id(TaskId::parse(t))).transpose()?,
    })
}
