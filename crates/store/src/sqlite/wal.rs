//! Keeps the write-ahead log small: about 1 MB between commands, 16 MB at most under load.
//!
//! SQLite's automatic checkpoints are off, because they would run inside somebody's commit. Instead a writer
//! looks after its answer was given. The first opener after all others left reads the whole log, so its size
//! is the price of every cold start. Only an emptied *file* lowers that price: what a checkpoint copied is
//! forgotten when the last connection closes, and the next opener would read, and copy, all of it again.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::errors::translate;
use super::files::{Layout, length};
use super::gate::Gate;
use crate::error::StoreError;

/// Frames that a writer may leave behind: 1 MB.
const CHECKPOINT_FRAMES: i64 = 256;
/// A frame is a page of 4096 bytes and a header; the file starts with a header of its own.
const FRAME_BYTES: u64 = 4096 + 24;
const WAL_HEADER_BYTES: u64 = 32;
/// Above this size emptying the log is worth making others wait. Half of what is promised, because it grows while it is emptied.
const TRUNCATE_BYTES: u64 = 8 * 1024 * 1024;
/// How long others may have to wait then, and how much the log grows before they have to wait again.
const TRUNCATE_WAIT: Duration = Duration::from_millis(50);
const TRUNCATE_PAUSE_BYTES: u64 = 1024 * 1024;

/// Size of the log as SQLite counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogSize {
    /// Frames in the log.
    pub(crate) frames: i64,
    /// Of these, frames that are in the database file already.
    pub(crate) copied: i64,
}

/// Asks for the size without doing anything.
pub(crate) fn size(connection: &Connection) -> rusqlite::Result<LogSize> {
    run(connection, "PRAGMA wal_checkpoint(NOOP)").map(|(_, size)| size)
}

fn run(connection: &Connection, pragma: &'static str) -> rusqlite::Result<(bool, LogSize)> {
    connection.prepare_cached(pragma)?.query_row([], |row| {
        Ok((row.get::<_, i64>(0)? != 0, LogSize { frames: row.get(1)?, copied: row.get(2)? }))
    })
}

/// What one connection has to do after its writes.
#[derive(Debug, Default)]
pub(crate) struct Upkeep {
    /// A commit changed something since the last look.
    pub(crate) due: bool,
    /// Size of the log when a reader kept us from emptying it.
    in_vain_at_bytes: u64,
}

impl Upkeep {
    /// Empties a large log before it grows further. The caller holds the gate, so no process can add to the log for as long as
    /// it is killed before it emptied it. What fails here fails the write too, or is tried again later.
    pub(crate) fn before_write(&mut self, connection: &Connection, layout: &Layout, usual_wait: Duration) {
        let bytes = length(&layout.wal()).unwrap_or(0);
        if bytes < TRUNCATE_BYTES || bytes < self.in_vain_at_bytes + TRUNCATE_PAUSE_BYTES {
            return;
        }
        let is_empty = empty(connection, TRUNCATE_WAIT, usual_wait).unwrap_or(false);
        self.in_vain_at_bytes = if is_empty { 0 } else { bytes };
    }

    /// Runs the policy. Being in nobody's way is more important than success: whoever writes next tries again.
    pub(crate) fn run(
        &mut self,
        connection: &Connection,
        layout: &Layout,
        gate: &mut Gate,
        usual_wait: Duration,
    ) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.due) {
            return Ok(());
        }
        let bytes = length(&layout.wal())?;
        let frames_at_most = bytes.saturating_sub(WAL_HEADER_BYTES) / FRAME_BYTES;
        if frames_at_most < CHECKPOINT_FRAMES.unsigned_abs() {
            return Ok(());
        }
        let sql = |e| translate(&layout.database, e);
        if size(connection).map_err(sql)?.frames < CHECKPOINT_FRAMES {
            return Ok(());
        }
        let (_, after) = run(connection, "PRAGMA wal_checkpoint(PASSIVE)").map_err(sql)?;
        let urgent = bytes >= TRUNCATE_BYTES && bytes >= self.in_vain_at_bytes + TRUNCATE_PAUSE_BYTES;
        let got_gate = if urgent {
            gate.acquire(TRUNCATE_WAIT).is_ok()
        } else if after.copied == after.frames {
            // A writer at work will come here itself.
            gate.try_acquire()?
        } else {
            // A reader still needs the log: it cannot be emptied now.
            false
        };
        if !got_gate {
            return Ok(());
        }
        let wait = if urgent { TRUNCATE_WAIT } else { Duration::ZERO };
        let emptied = empty(connection, wait, usual_wait).map_err(sql);
        gate.release();
        self.in_vain_at_bytes = if emptied? { 0 } else { bytes };
        Ok(())
    }
}

/// Moves everything into the database file and empties the log, waiting for readers as long as usual.
pub(crate) fn scrub(connection: &Connection, usual_wait: Duration) -> rusqlite::Result<bool> {
    empty(connection, usual_wait, usual_wait)
}

/// Empties the log file. False when a reader or another checkpoint was in the way.
fn empty(connection: &Connection, wait: Duration, usual_wait: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(wait)?;
    let outcome = run(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
    connection.busy_timeout(usual_wait)?;
    match outcome {
        Ok((blocked, _)) => Ok(!blocked),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        Err(error) => Err(error),
    }
}
