//! The loop guard's counters: how much one agent wrote to another in the running window.

use interagent_core::ids::AgentId;

use crate::append::Writer;
use crate::error::StoreError;
use crate::params;
use crate::reader::Reader;

impl Reader<'_> {
    /// Messages from one agent to another in the window that ends now.
    pub fn pair_count(&mut self, from: &AgentId, to: &AgentId, window_s: i64) -> Result<u32, StoreError> {
        let begin = self.now().saturating_sub(window_s.saturating_mul(1_000_000));
        let rows = self.rows(
            "SELECT count FROM pairs WHERE hub = $1 AND sender = $2 AND recipient = $3 AND since > $4",
            &params![self.hub, from.as_str(), to.as_str(), begin],
        )?;
        let count = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

impl Writer<'_, '_> {
    /// Counts one more message of a pair; a window that is over begins anew.
    pub fn count_pair(&mut self, from: &AgentId, to: &AgentId, window_s: i64) -> Result<(), StoreError> {
        let (hub, now) = (self.hub(), self.clock().wall_us());
        let begin = now.saturating_sub(window_s.saturating_mul(1_000_000));
        self.note(
            "INSERT INTO pairs (hub, sender, recipient, since, count) VALUES ($1, $2, $3, $4, 1)
             ON CONFLICT (hub, sender, recipient) DO UPDATE SET
             count = CASE WHEN pairs.since > $5 THEN pairs.count + 1 ELSE 1 END,
             since = CASE WHEN pairs.since > $5 THEN pairs.since ELSE excluded.since END",
            &params![hub, from.as_str(), to.as_str(), now, begin],
        )?;
        Ok(())
    }

    /// Forgets what was counted between agents: a human stepped in.
    pub fn reset_pairs(&mut self, from: &AgentId, to: &AgentId) -> Result<(), StoreError> {
        let hub = self.hub();
        self.note(
            "DELETE FROM pairs WHERE hub = $1 AND sender = $2 AND recipient = $3",
            &params![hub, from.as_str(), to.as_str()],
        )?;
        Ok(())
    }
}
