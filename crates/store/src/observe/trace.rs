//! The trace: what was tried and observed, kept for a while to explain the last days.

use interagent_core::limits::TRACE_ROWS;

use crate::append::Writer;
use crate::error::StoreError;
use crate::params;
use crate::reader::Reader;

/// One line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// Its number; grows.
    pub n: i64,
    /// When, by the wall clock.
    pub wall: i64,
    /// What, as a word: `send.refused`, `offer.lapsed`.
    pub kind: String,
    /// Facts as JSON.
    pub data: String,
}

impl Reader<'_> {
    /// The newest lines of the trace, newest first.
    pub fn trace(&mut self, limit: u32) -> Result<Vec<TraceRow>, StoreError> {
        let rows = self.rows(
            "SELECT n, wall, kind, data FROM trace WHERE hub = $1 ORDER BY n DESC LIMIT $2",
            &params![self.hub, limit],
        )?;
        rows.iter()
            .map(|row| {
                Ok(TraceRow {
                    n: row.int(0)?,
                    wall: row.int(1)?,
                    kind: row.text(2)?.to_owned(),
                    data: row.text(3)?.to_owned(),
                })
            })
            .collect()
    }
}

impl Writer<'_, '_> {
    /// Adds a line and drops the oldest beyond the limit.
    pub fn trace(&mut self, kind: &str, data: &str) -> Result<(), StoreError> {
        let (hub, now) = (self.hub(), self.clock().wall_us());
        self.note(
            "INSERT INTO trace (hub, n, wall, kind, data)
             SELECT $1, COALESCE(MAX(n), 0) + 1, $2, $3, $4 FROM trace WHERE hub = $1",
            &params![hub, now, kind, data],
        )?;
        self.note(
            "DELETE FROM trace WHERE hub = $1 AND n <= (SELECT MAX(n) FROM trace WHERE hub = $1) - $2",
            &params![hub, TRACE_ROWS],
        )?;
        Ok(())
    }
}
