//! The file of the search index: making it, opening it, knowing its format, emptying it when damaged.
//!
//! Owns the connection settings and the tables; what is written into them is in `index`. The file is
//! never opened by any other means than SQLite, because closing such a descriptor would drop the locks of
//! every connection in this process.
//!
//! Settings. WAL with `synchronous=NORMAL`: no fsync when catching up, readers are not held up, and power
//! loss can only take the newest transactions, cursor and documents together, never leave the file
//! inconsistent as `OFF` could. The WAL is left behind on close and checkpointed at 1 MB, like the hub's.
//!
//! Emptying goes through SQLite's own reset under its locks rather than by deleting the file: a process
//! that still has the file open would go on writing to an inode nobody reads, or mix its WAL with ours.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::{SearchError, is_damage};

/// Raised whenever the tables or the tokens of any text change; an older index is then built again.
pub(super) const FORMAT: i64 = 1;
/// "iasx" in ASCII: tells our file from any other database.
const APPLICATION_ID: i64 = 0x6961_7378;
/// Long enough for another process to finish a batch, short enough for a person to wait.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Tries at switching to WAL, which SQLite refuses at once while another process is switching.
const WAL_TRIES: u32 = 50;

/// `words` is contentless: what it would store besides the index is the folded text, 7/3 of the original
/// for CJK. The original is in `texts` instead, for excerpts, and because FTS5 needs the exact tokens to
/// take a document out again, also after the hub has purged its copy. The `ascii` tokeniser keeps our
/// tokens whole; the Unicode work was done by `fold`. `forgotten` and `scrubbed` count purges asked for
/// and purges whose bytes are gone.
const TABLES: &str = "
    CREATE TABLE meta (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        cursor INTEGER NOT NULL,
        forgotten INTEGER NOT NULL,
        scrubbed INTEGER NOT NULL
    ) STRICT;
    INSERT INTO meta VALUES (1, 0, 0, 0);
    CREATE TABLE docs (
        id INTEGER PRIMARY KEY,
        entity TEXT NOT NULL,
        part TEXT NOT NULL,
        kind INTEGER NOT NULL,
        at INTEGER NOT NULL,
        author TEXT NOT NULL,
        audience TEXT NOT NULL,
        task TEXT,
        intent TEXT,
        thread TEXT,
        text_ref TEXT NOT NULL,
        UNIQUE (entity, part)
    ) STRICT;
    CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'ascii');
";

/// How an index was found when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// There was none; it is empty and its cursor is 0.
    Created,
    /// It was there.
    Ready,
    /// It was damaged, of an older format or not ours; it is now empty and its cursor is 0.
    Rebuilt,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Nothing,
    Index { format: i64 },
    SomethingElse,
}

/// Opens the index at `path`, making or emptying it where that is needed.
pub(super) fn open(path: &Path) -> Result<(Connection, Opened), SearchError> {
    make_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags)
        .map_err(|source| SearchError::sqlite("open", path, source))?;
    let holds = configure(&db).and_then(|()| look(&db));
    let opened = match holds {
        Ok(Holds::Index { format: FORMAT }) => Opened::Ready,
        Ok(Holds::Index { format }) if format > FORMAT => {
            return Err(SearchError::Newer { path: path.to_owned(), found: format, known: FORMAT });
        }
        Ok(Holds::Nothing) => {
            let created = create(&mut db).map_err(|source| SearchError::sqlite("create", path, source))?;
            if created { Opened::Created } else { Opened::Ready }
        }
        Ok(Holds::Index { .. } | Holds::SomethingElse) => {
            empty(&mut db, path)?;
            Opened::Rebuilt
        }
        Err(error) if is_damage(&error) => {
            empty(&mut db, path)?;
            Opened::Rebuilt
        }
        Err(error) => return Err(SearchError::sqlite("open", path, error)),
    };
    limit_wal(&db).map_err(|source| SearchError::sqlite("open", path, source))?;
    Ok((db, opened))
}

/// Throws away everything in the file and makes the tables again.
pub(super) fn empty(db: &mut Connection, path: &Path) -> Result<(), SearchError> {
    db.flush_prepared_statement_cache();
    let reset = |db: &Connection| {
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
        let emptied = db.execute_batch("VACUUM");
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
        emptied
    };
    reset(db)
        .and_then(|()| create(db).map(|_| ()))
        .map_err(|source| SearchError::sqlite("empty the damaged", path, source))
}

/// Makes an empty file that only its owner can read; the WAL takes over its mode. Anything that is no file
/// (a planted link, a pipe) is removed, never followed.
fn make_file(path: &Path) -> Result<(), SearchError> {
    let failed = |step| move |source| SearchError::File { step, path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(SearchError::Directory { path: path.to_owned() }),
        Ok(found) if found.is_file() => {
            if found.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed("protect"))?;
            }
            return Ok(());
        }
        Ok(_) => fs::remove_file(path).map_err(failed("replace"))?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed("look at")(error)),
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed("create")(error)),
    }
}

/// Settings that read nothing from the file.
fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Damaged pages are noticed when they are read instead of giving wrong answers.
    db.pragma_update(None, "cell_size_check", true)
}

fn limit_wal(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "PRAGMA synchronous = NORMAL;
         PRAGMA wal_autocheckpoint = 256;
         PRAGMA journal_size_limit = 1048576;",
    )
}

/// Reads whose file this is.
pub(super) fn look(db: &Connection) -> rusqlite::Result<Holds> {
    let sql = "SELECT (SELECT application_id FROM pragma_application_id),
                      (SELECT user_version FROM pragma_user_version),
                      (SELECT count(*) FROM sqlite_schema)";
    let (application, format, objects): (i64, i64, i64) =
        db.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(match (application, format, objects) {
        (0, 0, 0) => Holds::Nothing,
        (APPLICATION_ID, format, _) => Holds::Index { format },
        _ => Holds::SomethingElse,
    })
}

/// Makes the tables, unless another process has just done so. Returns whether they were made here.
fn create(db: &mut Connection) -> rusqlite::Result<bool> {
    switch_to_wal(db)?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if look(&tx)? != Holds::Nothing {
        return Ok(false);
    }
    tx.execute_batch(TABLES)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", FORMAT)?;
    tx.commit()?;
    Ok(true)
}

/// SQLite does not wait for another process that is switching too, so we do.
fn switch_to_wal(db: &Connection) -> rusqlite::Result<()> {
    let mut tries = 1;
    loop {
        match db.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if tries < WAL_TRIES
                    && error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                tries += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
}
