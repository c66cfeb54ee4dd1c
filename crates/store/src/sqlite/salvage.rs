//! Reading what is left of a damaged database, from a copy of it.
//!
//! Owns reading row by row around damage. Works on a copy, so that the damaged files stay as they were found and no
//! descriptor of the live database is ever closed behind SQLite's back. What comes out is unverified.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use interagent_core::ids::{OriginId, StoreId};
use interagent_core::signature::{PublicKey, Seal, Standing};
use interagent_core::store_identity::RecordedStore;
use rusqlite::{Connection, OpenFlags, Row};

use super::errors::translate;
use super::{SqliteOptions, files, open};
use crate::error::{ErrorKind, StoreError};

const PAGE_BYTES: u64 = 4096;
/// No entry and no text takes less than about a hundred bytes.
const ROWS_PER_PAGE: i64 = 40;

/// The head row of a damaged database.
#[derive(Debug, Clone)]
pub(crate) struct OldHead {
    pub(crate) hub_id: String,
    pub(crate) origin: String,
    pub(crate) alias: String,
    pub(crate) seq: i64,
    pub(crate) oseq: i64,
}

/// A text row of a damaged database.
#[derive(Debug, Clone)]
pub(crate) struct OldText {
    pub(crate) hash: String,
    pub(crate) salt: String,
    pub(crate) text: String,
}

/// What a damaged database knew of a replica.
#[derive(Debug, Clone)]
pub(crate) struct OldReplica {
    pub(crate) origin: String,
    pub(crate) standing: String,
    pub(crate) key: String,
    pub(crate) seal: String,
    pub(crate) sealed: i64,
    pub(crate) first_sealed: i64,
    pub(crate) rival: String,
    pub(crate) counted: i64,
    pub(crate) succeeds: String,
}

/// An open copy of a damaged database.
#[derive(Debug)]
pub(crate) struct Salvage {
    connection: Connection,
    path: PathBuf,
}

/// Says how to walk one table by its row numbers, which need no index.
struct Walk {
    last: &'static str,
    from: &'static str,
    one: &'static str,
}

const ENTRIES: Walk = Walk {
    last: "SELECT max(rowid) FROM entries NOT INDEXED",
    from: "SELECT rowid, line FROM entries NOT INDEXED WHERE rowid > ?1 ORDER BY rowid",
    one: "SELECT rowid, line FROM entries NOT INDEXED WHERE rowid = ?1",
};
const TEXTS: Walk = Walk {
    last: "SELECT max(rowid) FROM blobs NOT INDEXED",
    from: "SELECT rowid, hash, salt, text FROM blobs NOT INDEXED WHERE rowid > ?1 ORDER BY rowid",
    one: "SELECT rowid, hash, salt, text FROM blobs NOT INDEXED WHERE rowid = ?1",
};

impl Salvage {
    /// Opens the copy; where its first page is destroyed, with the first page of a new database of the same shape.
    pub(crate) fn open(copy: &Path, scratch: &Path) -> Result<Option<Self>, StoreError> {
        match Self::connect(copy) {
            Ok(salvage) => return Ok(Some(salvage)),
            Err(error) if error.kind() == ErrorKind::Damaged => {}
            Err(error) => return Err(error),
        }
        transplant_first_page(copy, scratch)?;
        match Self::connect(copy) {
            Ok(salvage) => Ok(Some(salvage)),
            Err(error) if error.kind() == ErrorKind::Damaged => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn connect(copy: &Path) -> Result<Self, StoreError> {
        let sql = |e| translate(copy, e);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(copy, flags).map_err(sql)?;
        // Lets SQLite read a file that is shorter than its header says, with its own first page.
        connection.execute_batch("PRAGMA writable_schema=ON; PRAGMA cell_size_check=ON").map_err(sql)?;
        // A schema without our tables is damage as well.
        let no_tables = |e| match translate(copy, e) {
            StoreError::Internal { detail } => StoreError::Damaged { path: copy.to_owned(), detail },
            other => other,
        };
        connection.prepare(ENTRIES.one).map_err(no_tables)?;
        connection.prepare(TEXTS.one).map_err(no_tables)?;
        Ok(Self { connection, path: copy.to_owned() })
    }

    /// The head row, if it can be read.
    pub(crate) fn head(&self) -> Option<OldHead> {
        self.connection
            .query_row("SELECT id, origin, alias, seq, oseq FROM hubs LIMIT 1", [], |row| {
                Ok(OldHead {
                    hub_id: row.get(0)?,
                    origin: row.get(1)?,
                    alias: row.get(2)?,
                    seq: row.get(3)?,
                    oseq: row.get(4)?,
                })
            })
            .ok()
    }

    /// What was known of replicas, as far as it can be read and is what we write.
    pub(crate) fn replicas(&self) -> Vec<OldReplica> {
        let sql = "SELECT origin, standing, key, seal, sealed, first_sealed, rival, counted, succeeds FROM replicas";
        let Ok(mut statement) = self.connection.prepare(sql) else { return Vec::new() };
        let read = |row: &Row<'_>| {
            Ok(OldReplica {
                origin: row.get(0)?,
                standing: row.get(1)?,
                key: row.get(2)?,
                seal: row.get(3)?,
                sealed: row.get(4)?,
                first_sealed: row.get(5)?,
                rival: row.get(6)?,
                counted: row.get(7)?,
                succeeds: row.get(8)?,
            })
        };
        let rows = statement.query_map([], read).map(|rows| rows.flatten().collect::<Vec<OldReplica>>());
        let is_ours = |row: &OldReplica| {
            let is_seal = |text: &str| text.is_empty() || serde_json::from_str::<Seal>(text).is_ok();
            OriginId::parse(&row.origin).is_ok()
                && row.standing.parse::<Standing>().is_ok()
                && (row.key.is_empty() || PublicKey::parse(&row.key).is_ok())
                && is_seal(&row.seal)
                && is_seal(&row.rival)
                && (row.succeeds.is_empty() || OriginId::parse(&row.succeeds).is_ok())
        };
        rows.unwrap_or_default().into_iter().filter(is_ours).collect()
    }

    /// The facts that tell a copy, as the hub's row records them, where it can be read. Machine and user decide nothing.
    pub(crate) fn recorded(&self) -> Option<RecordedStore> {
        let read = |columns: &'static str| {
            let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
            self.connection.query_row(columns, [], row).ok()
        };
        // Earlier schemas have no id.
        let (id, inode) = read("SELECT store_id, inode FROM hubs LIMIT 1")
            .or_else(|| read("SELECT '', inode FROM hubs LIMIT 1"))?;
        let id = StoreId::parse(&id).ok();
        Some(RecordedStore { id, inode: inode.cast_unsigned(), machine: None, user: None })
    }

    /// Hands over every line that can be read; answers with the number of rows that could not be.
    pub(crate) fn lines(
        &self,
        take: &mut dyn FnMut(String) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        self.walk(&ENTRIES, &mut |row| row.get(1), take)
    }

    /// Hands over every text that can be read; answers with the number of rows that could not be.
    pub(crate) fn texts(
        &self,
        take: &mut dyn FnMut(OldText) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        let read =
            &mut |row: &Row<'_>| Ok(OldText { hash: row.get(1)?, salt: row.get(2)?, text: row.get(3)? });
        self.walk(&TEXTS, read, take)
    }

    fn walk<T>(
        &self,
        walk: &Walk,
        read: &mut dyn FnMut(&Row<'_>) -> rusqlite::Result<T>,
        take: &mut dyn FnMut(T) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        let last = self.last_row(walk);
        let mut at = 0;
        let mut unreadable = 0;
        loop {
            let (reached, whole) = self.stretch(walk, at, read, take, &mut unreadable)?;
            if whole {
                return Ok(unreadable);
            }
            // Damage: feel the way forward, row by row, to the next one that can be read.
            at = reached;
            loop {
                at += 1;
                if at > last {
                    return Ok(unreadable);
                }
                match self.one(walk, at, read) {
                    Ok(None) => {}
                    Ok(Some(found)) => {
                        take(found)?;
                        break;
                    }
                    Err(error) => {
                        self.only_damage(error)?;
                        unreadable += 1;
                    }
                }
            }
        }
    }

    /// Reads on until the end or the next damage; answers with the last row number and whether it was the end.
    fn stretch<T>(
        &self,
        walk: &Walk,
        after: i64,
        read: &mut dyn FnMut(&Row<'_>) -> rusqlite::Result<T>,
        take: &mut dyn FnMut(T) -> Result<(), StoreError>,
        unreadable: &mut u64,
    ) -> Result<(i64, bool), StoreError> {
        let mut at = after;
        let mut statement = match self.connection.prepare_cached(walk.from) {
            Ok(statement) => statement,
            Err(error) => return self.only_damage(error).map(|()| (at, false)),
        };
        let mut rows = match statement.query([after]) {
            Ok(rows) => rows,
            Err(error) => return self.only_damage(error).map(|()| (at, false)),
        };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok((at, true)),
                Err(error) => return self.only_damage(error).map(|()| (at, false)),
            };
            match row.get::<_, i64>(0) {
                Ok(number) if number > at => at = number,
                // A tree that leads backwards is damaged, too.
                _ => return Ok((at, false)),
            }
            match read(row) {
                Ok(found) => take(found)?,
                Err(_) => *unreadable += 1,
            }
        }
    }

    fn one<T>(
        &self,
        walk: &Walk,
        number: i64,
        read: &mut dyn FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(walk.one)?;
        let mut rows = statement.query([number])?;
        rows.next()?.map(read).transpose()
    }

    /// The highest row number there may be.
    fn last_row(&self, walk: &Walk) -> i64 {
        self.connection.query_row(walk.last, [], |row| row.get::<_, Option<i64>>(0)).map_or_else(
            |_| {
                let pages = files::length(&self.path).unwrap_or(0) / PAGE_BYTES;
                i64::try_from(pages).unwrap_or(i64::MAX).saturating_mul(ROWS_PER_PAGE)
            },
            |last| last.unwrap_or(0),
        )
    }

    /// Damage is expected here; a failing disk or a lack of memory is not.
    fn only_damage(&self, error: rusqlite::Error) -> Result<(), StoreError> {
        match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => Ok(()),
            other => match translate(&self.path, other) {
                error if error.kind() == ErrorKind::Damaged => Ok(()),
                error => Err(error),
            },
        }
    }
}

/// Every database of ours begins alike: the tables of the log are made first and in the same order, so a new one's
/// first page leads to them in an old one, too. Only the number of pages differs.
fn transplant_first_page(copy: &Path, scratch: &Path) -> Result<(), StoreError> {
    let io = |e| StoreError::io("repair", copy, e);
    files::make_new_file(scratch)?;
    open::fill(scratch, &SqliteOptions::default())?;
    let mut page = [0; PAGE_BYTES as usize];
    std::fs::File::open(scratch).and_then(|fresh| fresh.read_exact_at(&mut page, 0)).map_err(io)?;
    let pages = u32::try_from(files::length(copy)? / PAGE_BYTES).unwrap_or(u32::MAX);
    page[28..32].copy_from_slice(&pages.to_be_bytes());
    let target = std::fs::OpenOptions::new().write(true).open(copy).map_err(io)?;
    target.write_all_at(&page, 0).map_err(io)
}
