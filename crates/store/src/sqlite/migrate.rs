//! Brings the schema to the version this program knows: forward only, one transaction per step.
//!
//! The caller holds the writer gate. The list of steps is a parameter; the real one is in `migrations`.

use std::path::Path;

use rusqlite::Connection;

use super::errors::translate;
use crate::error::StoreError;

/// The newest version a list of steps leads to.
pub(crate) fn newest(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Runs every step above the version found. Each step and its version number are one transaction, so a crash
/// leaves the state before or after a step, and the next opener goes on from there.
pub(crate) fn migrate(
    connection: &Connection,
    path: &Path,
    migrations: &[&'static str],
) -> Result<(), StoreError> {
    let sql = |e| translate(path, e);
    // Read again under the gate: another process may have migrated while we waited for it.
    let from = version(connection).map_err(sql)?;
    for (step, text) in (1_i64..).zip(migrations).filter(|(step, _)| *step > from) {
        connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
        let done = connection
            .execute_batch(text)
            .and_then(|()| connection.pragma_update(None, "user_version", step))
            .and_then(|()| connection.execute_batch("COMMIT"));
        if let Err(error) = done {
            if !connection.is_autocommit() {
                // The first error is the one to report.
                let _ = connection.execute_batch("ROLLBACK");
            }
            return Err(match translate(path, error) {
                StoreError::Internal { detail } | StoreError::Constraint { detail } => {
                    StoreError::internal(format!("migration {step} failed: {detail}"))
                }
                other => other,
            });
        }
    }
    Ok(())
}

/// The schema version in the database's header.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
