//! Questions of those who write the hub out as files: what is pending, what is archived, and where a text is used.

use interagent_core::entity::Message;
use interagent_core::entry::Entry;
use interagent_core::event::Fact;
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::text::TextHash;

use super::{PageStart, Reader, id};
use crate::error::StoreError;
use crate::texts::texts_of;
use crate::views::{doc, with_deliveries};
use crate::{log, params};

/// Where somebody has still to read a message.
macro_rules! pending {
    () => {
        "EXISTS (SELECT 1 FROM mail l WHERE l.hub = m.hub AND l.message = m.id AND l.unread = 1)"
    };
}

const ARCHIVED: &str = concat!(
    "SELECT m.doc FROM messages m WHERE m.hub = $1 AND (m.at, m.id) < ($2, $3) AND m.at <= $2 AND NOT ",
    pending!(),
    " ORDER BY m.at DESC, m.id DESC LIMIT $4"
);
const ARCHIVED_BETWEEN: &str = concat!(
    "SELECT m.doc FROM messages m WHERE m.hub = $1 AND m.wall >= $2 AND m.wall < $3 AND (m.at, m.id) < ($4, $5)
     AND (m.wall, m.id) > ($6, $7) AND NOT ",
    pending!(),
    " ORDER BY m.wall, m.id LIMIT $8"
);
const ARCHIVED_WALLS: &str = concat!(
    "SELECT m.wall FROM messages m WHERE m.hub = $1 AND (m.at, m.id) < ($2, $3) AND m.at <= $2 AND NOT ",
    pending!()
);

/// One after the other: a list of all would read the mail of all.
pub(super) const NEXT_RECIPIENT: &str =
    "SELECT agent FROM mail WHERE hub = $1 AND agent > $2 ORDER BY agent LIMIT 1";
pub(super) const HELD_IDS: &str = "SELECT id FROM messages WHERE hub = $1 AND held IS NOT NULL";
pub(super) const UNREAD_PLACES: &str = "SELECT at, message FROM mail
     WHERE hub = $1 AND agent = $2 AND unread = 1 AND (at, message) < ($3, $4)
     ORDER BY at DESC, message DESC LIMIT $5";

impl Reader<'_> {
    /// The newest unread messages of an agent, newest first. Held ones do not count; expired ones do.
    pub fn unread_ids(&mut self, agent: &AgentId, limit: u32) -> Result<Vec<MessageId>, StoreError> {
        // Nearly always there are none: asking for each message whether it is held would cost more than all the rest.
        let held = self.rows(HELD_IDS, &params![self.hub])?;
        let held: Vec<&str> = held.iter().map(|row| row.text(0)).collect::<Result<_, _>>()?;
        let more = limit.saturating_add(u32::try_from(held.len()).unwrap_or(u32::MAX));
        let start = PageStart::default();
        let rows = self.rows(UNREAD_PLACES, &params![self.hub, agent.as_str(), start.at, &start.id, more])?;
        let ids = rows.iter().map(|row| row.text(1));
        let unheld = ids.filter(|id| !id.as_ref().is_ok_and(|id| held.contains(id)));
        unheld.take(limit as usize).map(|found| id(MessageId::parse(found?))).collect()
    }

    /// Everybody who ever got mail, known here or not yet.
    pub fn recipients(&mut self) -> Result<Vec<AgentId>, StoreError> {
        let mut found: Vec<AgentId> = Vec::new();
        loop {
            let last = found.last().map_or("", AgentId::as_str);
            let rows = self.rows(NEXT_RECIPIENT, &params![self.hub, last])?;
            let Some(row) = rows.first() else { return Ok(found) };
            found.push(id(AgentId::parse(row.text(0)?))?);
        }
    }

    /// Where an agent's unread messages stand, held ones too, newest first: without the messages themselves.
    pub fn unread_places(
        &mut self,
        agent: &AgentId,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<PageStart>, StoreError> {
        let rows =
            self.rows(UNREAD_PLACES, &params![self.hub, agent.as_str(), start.at, &start.id, limit])?;
        rows.iter().map(|row| Ok(PageStart { at: row.int(0)?, id: row.text(1)?.to_owned() })).collect()
    }

    /// The messages that everybody has read with all their deliveries, newest first.
    pub fn archived(&mut self, start: &PageStart, limit: u32) -> Result<Vec<Message>, StoreError> {
        let rows = self.rows(ARCHIVED, &params![self.hub, start.at, &start.id, limit])?;
        rows.iter().map(|row| with_deliveries(self.q, self.hub, doc(row, 0)?)).collect()
    }

    /// The archived messages before a place that were sent in a span of the wall clock, oldest first, after one of them.
    pub fn archived_between(
        &mut self,
        (from, to): (i64, i64),
        before: &PageStart,
        (after_wall, after_id): (i64, &str),
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        let rows = self.rows(
            ARCHIVED_BETWEEN,
            &params![self.hub, from, to, before.at, &before.id, after_wall, after_id, limit],
        )?;
        rows.iter().map(|row| with_deliveries(self.q, self.hub, doc(row, 0)?)).collect()
    }

    /// When each archived message before a place was sent.
    pub fn archived_walls(&mut self, before: &PageStart) -> Result<Vec<i64>, StoreError> {
        let rows = self.rows(ARCHIVED_WALLS, &params![self.hub, before.at, &before.id])?;
        rows.iter().map(|row| row.int(0)).collect()
    }

    /// Ids of tasks in any of these statuses, newest first.
    pub fn task_ids(&mut self, statuses: &[&str], limit: u32) -> Result<Vec<TaskId>, StoreError> {
        let mut found: Vec<(i64, TaskId)> = Vec::new();
        for status in statuses {
            let rows = self.rows(
                "SELECT at, id FROM tasks WHERE hub = $1 AND status = $2 ORDER BY at DESC, id DESC LIMIT $3",
                &params![self.hub, *status, limit],
            )?;
            for row in &rows {
                found.push((row.int(0)?, id(TaskId::parse(row.text(1)?))?));
            }
        }
        found.sort_by(|one, two| two.cmp(one));
        found.truncate(limit as usize);
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    /// Whether a message is known, without reading it.
    pub fn has_message(&mut self, id: &MessageId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM messages WHERE hub = $1 AND id = $2";
        Ok(!self.rows(sql, &params![self.hub, id.as_str()])?.is_empty())
    }

    /// Whether a task is known, without reading it.
    pub fn has_task(&mut self, id: &TaskId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM tasks WHERE hub = $1 AND id = $2";
        Ok(!self.rows(sql, &params![self.hub, id.as_str()])?.is_empty())
    }

    /// Texts that contain one of these parts, at most so many. Walks all texts, which is fine for a purge.
    pub fn texts_containing(&mut self, parts: &[&str], most: usize) -> Result<Vec<TextHash>, StoreError> {
        const PAGE: usize = 500;
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.rows(
                "SELECT hash, text FROM blobs WHERE hub = $1 AND hash > $2 ORDER BY hash LIMIT $3",
                &params![self.hub, &after, PAGE as i64],
            )?;
            for row in &page {
                row.text(0)?.clone_into(&mut after);
                let text = row.text(1)?;
                // A text under a name that is no hash is damage, which the check of the texts names.
                if parts.iter().any(|part| text.contains(part))
                    && let Ok(hash) = TextHash::parse(&after)
                {
                    found.push(hash);
                }
            }
            if page.len() < PAGE || found.len() >= most {
                found.truncate(most);
                return Ok(found);
            }
        }
    }

    /// The entities whose events point to a text. Walks the log, which is fine for a purge.
    pub fn pointing_to(&mut self, hash: &TextHash) -> Result<Vec<EntityRef>, StoreError> {
        let hub = self.hub;
        let rows = self.rows(
            "SELECT line FROM entries WHERE hub = $1 AND held = 0 AND line LIKE $2",
            &params![hub, format!("%\"{hash}\"%")],
        )?;
        let mut entities = Vec::new();
        for row in &rows {
            for Fact { entity, event } in Entry::read(row.text(0)?).map_err(log::bad)?.facts {
                if texts_of(&event).contains(&hash) && !entities.contains(&entity) {
                    entities.push(entity);
                }
            }
        }
        Ok(entities)
    }
}
