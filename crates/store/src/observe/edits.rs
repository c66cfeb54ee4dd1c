//! Which agent changed which file in the last moments.

use interagent_core::event::Micros;
use interagent_core::guard::edits::Seen;
use interagent_core::ids::AgentId;
use interagent_core::limits::EDIT_WINDOW_S;

use crate::append::Writer;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;

impl Reader<'_> {
    /// What was observed of a file, oldest first.
    pub fn edits_of(&mut self, path: &str) -> Result<Vec<Seen>, StoreError> {
        let rows = self.rows(
            "SELECT agent, told, at FROM edits WHERE hub = $1 AND path = $2 ORDER BY at, agent, told LIMIT 1000",
            &params![self.hub, path],
        )?;
        let id = |text: &str| AgentId::parse(text).map_err(log::bad);
        rows.iter()
            .map(|row| {
                let told = Some(row.text(1)?).filter(|told| !told.is_empty()).map(id).transpose()?;
                Ok(Seen { agent: id(row.text(0)?)?, told, at: row.int(2)? })
            })
            .collect()
    }
}

impl Writer<'_, '_> {
    /// Notes that an agent changed a file, or told another one of it.
    pub fn note_edit(&mut self, path: &str, seen: &Seen) -> Result<(), StoreError> {
        let hub = self.hub();
        let told = seen.told.as_ref().map_or("", AgentId::as_str);
        self.note(
            "INSERT INTO edits (hub, path, agent, told, at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (hub, path, agent, told) DO UPDATE SET at = excluded.at",
            &params![hub, path, seen.agent.as_str(), told, seen.at],
        )?;
        Ok(())
    }

    /// Forgets what is too old to matter, and what a clock that was set back left in the future.
    pub fn drop_old_edits(&mut self, now: Micros) -> Result<(), StoreError> {
        let (hub, window) = (self.hub(), EDIT_WINDOW_S * 1_000_000);
        self.note(
            "DELETE FROM edits WHERE hub = $1 AND (at <= $2 OR at > $3)",
            &params![hub, now.saturating_sub(window), now.saturating_add(window)],
        )?;
        Ok(())
    }
}
