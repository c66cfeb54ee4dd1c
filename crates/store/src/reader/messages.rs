//! Questions about messages, mail and obligations.

use interagent_core::entity::message::Delivery;
use interagent_core::entity::{Entity, Message};
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::vocabulary::Duty;

use super::{MessageFilter, PageStart, Reader, id};
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

impl Reader<'_> {
    /// One message with all its deliveries.
    pub fn message(&mut self, id: &MessageId) -> Result<Option<Message>, StoreError> {
        Ok(match self.entity(&EntityRef::Message(id.clone()))? {
            Some(Entity::Message(message)) => Some(message),
            _ => None,
        })
    }

    /// Messages by filter, newest first.
    pub fn messages(
        &mut self,
        filter: &MessageFilter,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        let thread = filter.thread.as_ref().map(interagent_core::ids::MessageId::as_str);
        let from = filter.from.as_ref().map(interagent_core::ids::AgentId::as_str);
        let task = filter.task.as_ref().map(interagent_core::ids::TaskId::as_str);
        // One statement per leading index, so that every list walks as many rows as it shows.
        let rows = if let Some(to) = &filter.to {
            self.rows(
                "SELECT m.doc FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
                 WHERE l.hub = $1 AND l.agent = $2 AND (l.at, l.message) < ($3, $4)
                 AND (CAST($5 AS TEXT) IS NULL OR m.thread = $5) AND (CAST($6 AS TEXT) IS NULL OR m.sender = $6)
                 AND (CAST($7 AS TEXT) IS NULL OR m.task = $7) AND ($8 = 0 OR m.held IS NOT NULL)
                 ORDER BY l.at DESC, l.message DESC LIMIT $9",
                &params![self.hub, to.as_str(), start.at, &start.id, thread, from, task, filter.held, limit],
            )?
        } else if thread.is_some() {
            self.rows(
                "SELECT doc FROM messages WHERE hub = $1 AND thread = $2 AND (at, id) < ($3, $4)
                 AND (CAST($5 AS TEXT) IS NULL OR sender = $5) AND (CAST($6 AS TEXT) IS NULL OR task = $6)
                 AND ($7 = 0 OR held IS NOT NULL) ORDER BY at DESC, id DESC LIMIT $8",
                &params![self.hub, thread, start.at, &start.id, from, task, filter.held, limit],
            )?
        } else if task.is_some() {
            self.rows(
                "SELECT doc FROM messages WHERE hub = $1 AND task = $2 AND (at, id) < ($3, $4)
                 AND (CAST($5 AS TEXT) IS NULL OR sender = $5) AND ($6 = 0 OR held IS NOT NULL)
                 ORDER BY at DESC, id DESC LIMIT $7",
                &params![self.hub, task, start.at, &start.id, from, filter.held, limit],
            )?
        } else if filter.held {
            self.rows(
                "SELECT doc FROM messages WHERE hub = $1 AND held IS NOT NULL AND (at, id) < ($2, $3)
                 AND (CAST($4 AS TEXT) IS NULL OR sender = $4) ORDER BY at DESC, id DESC LIMIT $5",
                &params![self.hub, start.at, &start.id, from, limit],
            )?
        } else {
            self.rows(
                "SELECT doc FROM messages WHERE hub = $1 AND (at, id) < ($2, $3)
                 AND (CAST($4 AS TEXT) IS NULL OR sender = $4) ORDER BY at DESC, id DESC LIMIT $5",
                &params![self.hub, start.at, &start.id, from, limit],
            )?
        };
        let mut messages = Vec::with_capacity(rows.len());
        for row in &rows {
            messages.push(with_deliveries(self.q, self.hub, doc(row, 0)?)?);
        }
        Ok(messages)
    }

    /// An agent's unread mail that is neither held nor expired, oldest first.
    pub fn unread(&mut self, agent: &AgentId, limit: u32) -> Result<Vec<MailRow>, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT m.doc, l.doc, o.holder, o.via, o.attempt, o.offered, o.boot, o.due_boot, o.due_wall, l.message
             FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             LEFT JOIN offers o ON o.hub = l.hub AND o.message = l.message AND o.agent = l.agent
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND m.held IS NULL
             AND (m.expires IS NULL OR m.expires > $3) ORDER BY l.at, l.message LIMIT $4",
            &params![self.hub, agent.as_str(), now, limit],
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

    /// How many unread messages an agent has, counted up to `most`.
    pub fn unread_count(&mut self, agent: &AgentId, most: u32) -> Result<u32, StoreError> {
        let now = self.now();
        let rows = self.rows(
            "SELECT COUNT(*) FROM (SELECT 1 FROM mail l JOIN messages m ON m.hub = l.hub AND m.id = l.message
             WHERE l.hub = $1 AND l.agent = $2 AND l.unread = 1 AND m.held IS NULL
             AND (m.expires IS NULL OR m.expires > $3) LIMIT $4) AS unread",
            &params![self.hub, agent.as_str(), now, most],
        )?;
        let count = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
        u32::try_from(count).map_err(log::bad)
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

    /// What anybody owes about a task.
    pub fn owed_about(&mut self, task: &TaskId) -> Result<Vec<Due>, StoreError> {
        let rows = self.rows(
            "SELECT message, agent, duty, since, task FROM obligations WHERE hub = $1 AND task = $2
             ORDER BY at, message, agent LIMIT 1000",
            &params![self.hub, task.as_str()],
        )?;
        rows.iter().map(read_due).collect()
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
