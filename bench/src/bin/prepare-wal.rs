//! `prepare-wal PATH FRAMES`: leave exactly so many frames in the write-ahead log, without changing data.
//!
//! What a cold command pays depends on the length of the log it has to recover, so every timed run must
//! start from the same one.

use interagent_bench::{Outcome, argument, open};

/// From SQLite's file format: the log's header, and the header before each page.
const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;

fn main() -> Outcome {
    let usage = "prepare-wal PATH FRAMES";
    let path = argument(1, usage)?;
    let wanted: u64 = argument(2, usage)?.parse()?;
    let connection = open(&path)?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    let refused: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if refused != 0 {
        return Err(format!("{path} is in use: the log cannot be emptied").into());
    }
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get::<_, u32>(0))?.into();
    for _ in 0..wanted {
        // Writing the same version again rewrites the first page: one transaction, one frame.
        connection.execute_batch(&format!("PRAGMA user_version = {version}"))?;
    }
    let log = std::fs::metadata(format!("{path}-wal")).map_or(0, |file| file.len());
    let frames = log.saturating_sub(LOG_HEADER_BYTES) / (page + FRAME_HEADER_BYTES);
    if frames == wanted {
        Ok(())
    } else {
        Err(format!("{path} has {frames} frames instead of {wanted}").into())
    }
}
