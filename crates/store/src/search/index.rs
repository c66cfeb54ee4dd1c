//! The index itself: where it has got to in the log, taking in what comes next, and forgetting for good.
//!
//! Owns every write. A batch and the cursor it moves to are one transaction, and the transaction begins by
//! comparing the cursor: of two processes that read the same stretch of the log, the second changes
//! nothing.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::doc::{Applied, Batch, Change, Doc};
use super::error::{SearchError, is_damage};
use super::schema::{self, FORMAT, Holds, Opened};
use super::tokenise::{bounded, tokenise};

/// An open search index.
#[derive(Debug)]
pub struct SearchIndex {
    pub(super) db: Connection,
    path: PathBuf,
}

impl SearchIndex {
    /// Opens the index at `path`, creating it where there is none and emptying it where it is damaged.
    pub fn open(path: &Path) -> Result<(Self, Opened), SearchError> {
        let (db, opened) = schema::open(path)?;
        let mut index = Self { db, path: path.to_owned() };
        // A process that died between forgetting and scrubbing has left this to us. What a reader holds up
        // now is tried again with the next batch, and must not keep anybody from searching.
        match index.guarded("scrub", |db| if is_scrubbed(db)? { Ok(true) } else { scrub(db) }) {
            Ok(_) | Err(SearchError::Busy { .. }) => Ok((index, opened)),
            Err(SearchError::Rebuilt { .. }) => Ok((index, Opened::Rebuilt)),
            Err(error) => Err(error),
        }
    }

    /// The last entry of the log that is in the index; 0 when it is empty.
    pub fn cursor(&mut self) -> Result<i64, SearchError> {
        self.guarded("read", |db| read_cursor(db))
    }

    /// Takes in a batch, unless the cursor is no longer where the batch begins.
    pub fn apply(&mut self, batch: Batch<'_>) -> Result<Applied, SearchError> {
        if batch.upto < batch.after {
            return Err(SearchError::Backwards { after: batch.after, upto: batch.upto });
        }
        self.guarded("write", |db| {
            let cursor = read_cursor(db)?;
            if cursor != batch.after {
                return Ok(Applied::Moved { cursor });
            }
            // Tokenising is most of the work and needs no lock.
            let folded: Vec<Option<String>> = batch.changes.iter().map(fold_text).collect();
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if schema::look(&tx)? != (Holds::Index { format: FORMAT }) {
                // Emptied or replaced while we tokenised; the next call finds out which.
                return Ok(Applied::Moved { cursor: 0 });
            }
            let cursor = read_cursor(&tx)?;
            if cursor != batch.after {
                return Ok(Applied::Moved { cursor });
            }
            for (change, folded) in batch.changes.iter().zip(&folded) {
                write(&tx, change, folded.as_deref())?;
            }
            tx.execute("UPDATE meta SET cursor = ?1", [batch.upto])?;
            tx.commit()?;
            Ok(if is_scrubbed(db)? || scrub(db)? { Applied::Done } else { Applied::DoneUnscrubbed })
        })
    }

    /// Overwrites what forgotten texts left in the file. Returns whether nothing is left; `false` means
    /// another process was reading for as long as we waited.
    pub fn scrub(&mut self) -> Result<bool, SearchError> {
        self.guarded("scrub", scrub)
    }

    /// Empties the index, so that it begins anew: what it follows is no longer the log it followed.
    pub fn empty(&mut self) -> Result<(), SearchError> {
        schema::empty(&mut self.db, &self.path)
    }

    /// Reads the whole file and compares its parts, for a health check. An unhealthy index is emptied and
    /// reported as [`SearchError::Rebuilt`].
    pub fn verify(&mut self) -> Result<(), SearchError> {
        let sound = self.guarded("verify", |db| {
            let verdict: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            db.execute("INSERT INTO words(words) VALUES ('integrity-check')", [])?;
            Ok(verdict == "ok")
        })?;
        if sound { Ok(()) } else { Err(self.rebuild()) }
    }

    /// Runs `work` on a file that is ours and of our format. Where it turns out damaged, empties it.
    pub(super) fn guarded<T>(
        &mut self,
        step: &'static str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, SearchError> {
        // Another process may have emptied the file, or written it anew in its own format.
        let result = match schema::look(&self.db) {
            Ok(Holds::Index { format: FORMAT }) => work(&mut self.db),
            Ok(Holds::Index { format }) if format > FORMAT => {
                return Err(SearchError::Newer { path: self.path.clone(), found: format, known: FORMAT });
            }
            Ok(_) => return Err(self.rebuild()),
            Err(error) => Err(error),
        };
        match result {
            Ok(value) => Ok(value),
            Err(error) if is_damage(&error) => Err(self.rebuild()),
            Err(error) => Err(SearchError::sqlite(step, &self.path, error)),
        }
    }

    /// Empties the file; the error that tells so, or the one that kept us from it.
    fn rebuild(&mut self) -> SearchError {
        match schema::empty(&mut self.db, &self.path) {
            Ok(()) => SearchError::Rebuilt { path: self.path.clone() },
            Err(error) => error,
        }
    }
}

pub(super) fn read_cursor(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT cursor FROM meta")?.query_row([], |row| row.get(0))
}

fn fold_text(change: &Change) -> Option<String> {
    match change {
        Change::Put(doc) => Some(tokenise(&doc.text).into_folded()),
        Change::Forget { .. } | Change::ForgetEntity { .. } => None,
    }
}

fn write(tx: &Transaction<'_>, change: &Change, folded: Option<&str>) -> rusqlite::Result<()> {
    match change {
        Change::Put(doc) => put(tx, doc, folded.unwrap_or_default()),
        Change::Forget { text_ref } => {
            // No index on `text_ref`: a purge is rare, and the index would be paid by every document.
            // A document of several texts names each of them on a line of its own.
            remove(
                tx,
                "SELECT id, text FROM docs JOIN texts USING (id)
                 WHERE instr(char(10) || text_ref || char(10), char(10) || ?1 || char(10)) > 0",
                text_ref,
            )?;
            // Also when nothing was found: a replaced text has left its bytes behind.
            tx.execute("UPDATE meta SET forgotten = forgotten + 1", []).map(|_| ())
        }
        Change::ForgetEntity { entity } => {
            remove(tx, "SELECT id, text FROM docs JOIN texts USING (id) WHERE entity = ?1", entity)
        }
    }
}

fn put(tx: &Transaction<'_>, doc: &Doc, folded: &str) -> rusqlite::Result<()> {
    let known: Option<(i64, String)> = tx
        .prepare_cached("SELECT id, text FROM docs JOIN texts USING (id) WHERE entity = ?1 AND part = ?2")?
        .query_row([&doc.entity, &doc.part], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    // The id stays: pages of results that are being read count on it.
    tx.prepare_cached(
        "INSERT INTO docs (entity, part, kind, at, author, audience, task, intent, thread, text_ref)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (entity, part) DO UPDATE SET
             kind = excluded.kind, at = excluded.at, author = excluded.author,
             audience = excluded.audience, task = excluded.task, intent = excluded.intent,
             thread = excluded.thread, text_ref = excluded.text_ref",
    )?
    .execute(params![
        doc.entity,
        doc.part,
        doc.kind.code(),
        doc.at,
        doc.author,
        doc.audience_column(),
        doc.task,
        doc.intent,
        doc.thread,
        doc.text_ref
    ])?;
    let text = bounded(&doc.text);
    let id = match known {
        Some((_, old)) if old == text => return Ok(()),
        Some((id, old)) => {
            take_out(tx, id, &old)?;
            id
        }
        None => tx.last_insert_rowid(),
    };
    tx.prepare_cached("INSERT OR REPLACE INTO texts (id, text) VALUES (?1, ?2)")?
        .execute(params![id, text])?;
    tx.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?.execute(params![id, folded])?;
    Ok(())
}

/// Removes the documents that `sql` finds by one argument.
fn remove(tx: &Transaction<'_>, sql: &str, argument: &str) -> rusqlite::Result<()> {
    let found: Vec<(i64, String)> = tx
        .prepare_cached(sql)?
        .query_map([argument], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (id, text) in found {
        take_out(tx, id, &text)?;
        tx.execute("DELETE FROM texts WHERE id = ?1", [id])?;
        tx.execute("DELETE FROM docs WHERE id = ?1", [id])?;
    }
    Ok(())
}

/// Takes a document's words out of the index; FTS5 wants exactly the tokens that went in.
fn take_out(tx: &Transaction<'_>, id: i64, text: &str) -> rusqlite::Result<()> {
    tx.prepare_cached("INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)")?
        .execute(params![id, tokenise(text).folded()])
        .map(|_| ())
}

fn is_scrubbed(db: &Connection) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT scrubbed >= forgotten FROM meta")?.query_row([], |row| row.get(0))
}

/// Makes forgetting physical: merges the words into one new segment (until then a removed word is only
/// marked as removed), writes the file anew without free pages (earlier merges may have left the word in
/// them), and empties the WAL. Takes time in proportion to the index; purges are rare.
fn scrub(db: &mut Connection) -> rusqlite::Result<bool> {
    let upto: i64 = db.query_row("SELECT forgotten FROM meta", [], |row| row.get(0))?;
    db.execute_batch("INSERT INTO words(words) VALUES ('optimize'); VACUUM;")?;
    let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 {
        // Counted, not cleared: another process may have forgotten something since.
        db.execute("UPDATE meta SET scrubbed = max(scrubbed, ?1)", [upto])?;
    }
    Ok(busy == 0)
}
