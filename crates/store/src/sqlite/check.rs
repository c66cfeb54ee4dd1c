//! Looks at the health of the database without changing it.

use rusqlite::Connection;

use super::errors::translate;
use super::files::{Layout, file_system, length};
use super::{migrate, wal};
use crate::engine::Facts;
use crate::error::StoreError;

/// Findings that are worth reading; more than that is one big damage.
const MAX_FINDINGS: usize = 100;

/// Checks every page, index and foreign key. No finding means good.
pub(crate) fn integrity(connection: &Connection, layout: &Layout) -> Result<Vec<String>, StoreError> {
    let mut findings = Vec::new();
    for collect in [pages, foreign_keys] {
        match collect(connection, &mut findings).map_err(|e| translate(&layout.database, e)) {
            Ok(()) => {}
            // Damage that stops the check is what the check was asked to find.
            Err(StoreError::Damaged { detail, .. }) => findings.push(detail),
            Err(other) => return Err(other),
        }
    }
    findings.truncate(MAX_FINDINGS);
    Ok(findings)
}

fn pages(connection: &Connection, findings: &mut Vec<String>) -> rusqlite::Result<()> {
    let mut check = connection.prepare("PRAGMA integrity_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let finding: String = row.get(0)?;
        if finding != "ok" {
            findings.push(finding);
        }
    }
    Ok(())
}

fn foreign_keys(connection: &Connection, findings: &mut Vec<String>) -> rusqlite::Result<()> {
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        findings.push(format!("a row of {table} points to a missing row of {parent}"));
    }
    Ok(())
}

/// Facts for `doctor`.
pub(crate) fn facts(connection: &Connection, layout: &Layout) -> Result<Facts, StoreError> {
    let sql = |e| translate(&layout.database, e);
    let number = |pragma: &str| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
            .map_err(sql)
    };
    let page_count = number("page_count")?;
    Ok(Facts {
        library: format!("SQLite {}", rusqlite::version()),
        path: layout.database.clone(),
        file_system: file_system(&layout.state_dir)?.name.to_owned(),
        schema_version: migrate::version(connection).map_err(sql)?,
        page_bytes: number("page_size")?,
        page_count,
        journal_mode: connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(sql)?,
        wal_bytes: length(&layout.wal())?,
        // SQLite answers -1 where it reads without a log.
        wal_frames: wal::size(connection)
            .ok()
            .filter(|size| size.frames >= 0)
            .map(|size| (size.frames - size.copied.max(0)).unsigned_abs()),
    })
}
