//! The traffic budget's counters: what one member sent another in the running window.

use interagent_core::ids::AgentId;
use interagent_core::traffic::{Flow, PairCount};

use crate::append::Writer;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;

/// Pairs that are read to find out whether traffic goes round. A larger team is judged by its first ones.
const PAIRS: u32 = 10_000;

impl Reader<'_> {
    /// What one member sent another in the window that ends now.
    pub fn pair_count(
        &mut self,
        from: &AgentId,
        to: &AgentId,
        window_s: i64,
    ) -> Result<PairCount, StoreError> {
        let begin = begin(self.now(), window_s);
        let rows = self.rows(
            "SELECT count, words FROM pairs WHERE hub = $1 AND sender = $2 AND recipient = $3 AND since > $4",
            &params![self.hub, from.as_str(), to.as_str(), begin],
        )?;
        let Some(row) = rows.first() else { return Ok(PairCount::default()) };
        Ok(PairCount { all: number(row.int(0)?), words: number(row.int(1)?) })
    }

    /// The pairs that sent at least so much in the window that ends now.
    pub fn busy_pairs(
        &mut self,
        least: u32,
        window_s: i64,
    ) -> Result<Vec<(AgentId, AgentId, PairCount)>, StoreError> {
        let begin = begin(self.now(), window_s);
        let rows = self.rows(
            "SELECT sender, recipient, count, words FROM pairs WHERE hub = $1 AND count >= $2 AND since > $3
             ORDER BY sender, recipient LIMIT $4",
            &params![self.hub, least, begin, PAIRS],
        )?;
        let agent = |text: &str| AgentId::parse(text).map_err(log::bad);
        let pair = |row: &crate::engine::Row| {
            let count = PairCount { all: number(row.int(2)?), words: number(row.int(3)?) };
            Ok((agent(row.text(0)?)?, agent(row.text(1)?)?, count))
        };
        rows.iter().map(pair).collect()
    }
}

impl Writer<'_, '_> {
    /// Counts one more message of a pair; a window that is over begins again.
    pub fn count_pair(
        &mut self,
        from: &AgentId,
        to: &AgentId,
        flow: Flow,
        window_s: i64,
    ) -> Result<(), StoreError> {
        let (hub, now) = (self.hub(), self.clock().wall_us());
        let words = i64::from(flow == Flow::Words);
        self.note(
            "INSERT INTO pairs (hub, sender, recipient, since, count, words) VALUES ($1, $2, $3, $4, 1, $5)
             ON CONFLICT (hub, sender, recipient) DO UPDATE SET
             count = CASE WHEN pairs.since > $6 THEN pairs.count + 1 ELSE 1 END,
             words = CASE WHEN pairs.since > $6 THEN pairs.words + $5 ELSE $5 END,
             since = CASE WHEN pairs.since > $6 THEN pairs.since ELSE excluded.since END",
            &params![hub, from.as_str(), to.as_str(), now, words, begin(now, window_s)],
        )?;
        Ok(())
    }

    /// Forgets what was counted between agents: a person stepped in.
    pub fn reset_pairs(&mut self, from: &AgentId, to: &AgentId) -> Result<(), StoreError> {
        let hub = self.hub();
        self.note(
            "DELETE FROM pairs WHERE hub = $1 AND sender = $2 AND recipient = $3",
            &params![hub, from.as_str(), to.as_str()],
        )?;
        Ok(())
    }
}

fn begin(now: i64, window_s: i64) -> i64 {
    now.saturating_sub(window_s.saturating_mul(1_000_000))
}

fn number(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
