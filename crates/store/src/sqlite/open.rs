//! Opens or makes the database, and refuses what is not ours or not safe.
//!
//! Opening an existing store is on the path of every hook: a few `stat` calls, one open, and one read
//! transaction for the two numbers in the header. Settings that only matter for writing wait for the first
//! write.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::errors::{is_cannot_open, translate};
use super::files::{self, FileIdentity, Found, Layout};
use super::gate::Gate;
use super::{OpenMode, SqliteOptions, id_files, migrate};
use crate::error::StoreError;
use crate::identity::random_store_id;
use crate::side;

/// "iaHB": says in the header of the file whose database it is.
const APPLICATION_ID: i64 = 0x6961_4842;
/// Below this, several processes that write and checkpoint can corrupt the database (WAL-reset bug).
const OLDEST_LIBRARY: i32 = 3_051_003;
const OLDEST_LIBRARY_NAME: &str = "3.51.3";
/// Every statement of a resident process stays prepared.
const STATEMENT_CACHE: usize = 128;

/// What this connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    /// The caller asked for reading only.
    ReadAsked,
    /// The system allows reading only.
    ReadForced,
}

/// An open database with its checks behind it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) identity: FileIdentity,
    pub(crate) access: Access,
    /// The version found in the header.
    pub(crate) schema_version: i64,
}

/// Opens the database of a state directory.
pub(crate) fn open(layout: &Layout, mode: OpenMode, options: &SqliteOptions) -> Result<Opened, StoreError> {
    refuse_old_library()?;
    if !layout.has_state_dir()? {
        if mode != OpenMode::CreateIfMissing {
            return Err(StoreError::Absent { state_dir: layout.state_dir.clone() });
        }
        layout.make_dirs()?;
    }
    files::refuse_unsafe_file_system(&layout.state_dir)?;
    let identity = match layout.find_database()? {
        Found::Database(identity) => identity,
        Found::Nothing if mode == OpenMode::CreateIfMissing => create(layout, options)?,
        Found::Nothing => return Err(StoreError::Absent { state_dir: layout.state_dir.clone() }),
    };
    if mode == OpenMode::CreateIfMissing {
        leave_marker(layout)?;
    }
    #[cfg(feature = "sabotage")]
    let identity = match crate::sabotage::is(crate::sabotage::Sabotage::RepairSilently) {
        true if connect(layout, options).is_err() => {
            remove_leftovers(&layout.database)?;
            let _ = std::fs::remove_file(layout.marker());
            create(layout, options)?
        }
        _ => identity,
    };
    let sql = |e| translate(&layout.database, e);
    let (connection, header, access) = match mode {
        OpenMode::ReadOnly => {
            let (connection, header) = connect_for_reading(layout, options).map_err(sql)?;
            (connection, header, Access::ReadAsked)
        }
        OpenMode::Existing | OpenMode::CreateIfMissing => match connect(layout, options) {
            Ok((connection, header)) => (connection, header, Access::Write),
            // A sandbox or a read-only disk: SQLite cannot make its companions; reading may still work.
            Err(e) if is_cannot_open(&e) => {
                let (connection, header) = connect_for_reading(layout, options).map_err(sql)?;
                (connection, header, Access::ReadForced)
            }
            Err(e) => return Err(sql(e)),
        },
    };
    header.refuse_others(layout, options)?;
    Ok(Opened { connection, identity, access, schema_version: header.schema_version })
}

fn refuse_old_library() -> Result<(), StoreError> {
    if rusqlite::version_number() < OLDEST_LIBRARY {
        return Err(StoreError::OldLibrary { found: rusqlite::version(), needed: OLDEST_LIBRARY_NAME });
    }
    Ok(())
}

/// The two numbers in the header that say whose database it is.
#[derive(Debug, Clone, Copy)]
struct Header {
    application_id: i64,
    schema_version: i64,
}

impl Header {
    /// One read transaction for both.
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        // Sorting never spills texts into a temporary directory.
        connection.execute_batch("PRAGMA temp_store=MEMORY; BEGIN")?;
        let header = Self {
            application_id: connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            schema_version: migrate::version(connection)?,
        };
        connection.execute_batch("COMMIT")?;
        Ok(header)
    }

    fn refuse_others(self, layout: &Layout, options: &SqliteOptions) -> Result<(), StoreError> {
        let path = layout.database.clone();
        if self.application_id != APPLICATION_ID {
            return Err(StoreError::OtherProgram { path, application_id: self.application_id });
        }
        let known = migrate::newest(options.migrations);
        if self.schema_version > known {
            return Err(StoreError::NewerSchema { path, found: self.schema_version, known });
        }
        Ok(())
    }
}

/// Refuses a copy of the database that is sound and not ours to recover: another program's, or a newer version's, whose
/// tables we would not carry over whole. A copy that can't be read is no reason to refuse.
pub(super) fn refuse_to_recover(copy: &Path, layout: &Layout) -> Result<(), StoreError> {
    let options = SqliteOptions::default();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let header = Connection::open_with_flags(copy, flags).and_then(|connection| {
        configure(&connection, &options)?;
        Header::read(&connection)
    });
    header.map_or(Ok(()), |header| header.refuse_others(layout, &options))
}

fn connect(layout: &Layout, options: &SqliteOptions) -> rusqlite::Result<(Connection, Header)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&layout.database, flags)?;
    configure(&connection, options)?;
    let header = Header::read(&connection)?;
    Ok((connection, header))
}

/// Settings that cost no SQL.
fn configure(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    // Closing never checkpoints: that would add flushes to the end of every short command.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Plans do not depend on bound values, so no statement is planned twice: a cold command runs each of them once.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.busy_timeout(options.busy_wait)
}

/// Settings that only matter for writing, once per connection.
pub(crate) fn prepare_for_writing(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let sql = |e| translate(path, e);
    // A database put back from elsewhere may have lost the mode; for ours this only reads.
    let mode: String = connection.query_row("PRAGMA journal_mode=WAL", [], |row| row.get(0)).map_err(sql)?;
    if mode != "wal" {
        let detail = format!("the write-ahead log could not be switched on (mode {mode})");
        return Err(StoreError::Disk { path: path.to_owned(), detail });
    }
    connection
        .execute_batch("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA secure_delete=ON")
        .map_err(sql)?;
    #[cfg(feature = "sabotage")]
    if crate::sabotage::is(crate::sabotage::Sabotage::NoFsync) {
        connection.execute_batch("PRAGMA synchronous=OFF").map_err(sql)?;
    }
    Ok(())
}

/// Opens without writing anything, not even SQLite's companions, where that is possible.
fn connect_for_reading(layout: &Layout, options: &SqliteOptions) -> rusqlite::Result<(Connection, Header)> {
    let wal_bytes = files::length(&layout.wal()).unwrap_or(0);
    let has_wal = files::exists(&layout.wal()).unwrap_or(false);
    let has_shared_memory = files::exists(&layout.shared_memory()).unwrap_or(false);
    let query = if has_wal && has_shared_memory {
        // Uses the companions as they are; without a living writer SQLite reads the log into its own memory.
        "mode=ro&readonly_shm=1"
    } else if wal_bytes == 0 {
        // Everything is in the one file, and nobody has it open for writing.
        "immutable=1"
    } else {
        // The log is needed and its index is gone: SQLite has to make it again.
        "mode=ro"
    };
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri(&layout.database, query), flags)?;
    configure(&connection, options)?;
    let header = Header::read(&connection)?;
    Ok((connection, header))
}

/// A `file:` address; every byte that could mean something in it is escaped.
fn uri(path: &Path, query: &str) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri + "?" + query
}

/// Makes the database under another name and renames it when it is whole, so that nobody ever sees half of
/// it. Under the gate: of several processes that start together, one makes it.
fn create(layout: &Layout, options: &SqliteOptions) -> Result<FileIdentity, StoreError> {
    layout.make_dirs()?;
    let mut gate = Gate::new(layout);
    gate.acquire(options.gate_wait)?;
    if let Found::Database(identity) = layout.find_database()? {
        return Ok(identity);
    }
    let unfinished = layout.unfinished();
    remove_leftovers(&unfinished)?;
    files::make_new_file(&unfinished)?;
    fill(&unfinished, options)?;
    // Before the database: one that is in its place has its id.
    id_files::write_store_id(&layout.store_id(), &random_store_id()?)?;
    std::fs::rename(&unfinished, &layout.database)
        .map_err(|e| StoreError::io("name", &layout.database, e))?;
    leave_marker(layout)?;
    files::open_side_file(&layout.signal(), side::Access::Update)?;
    files::flush_dir(&layout.state_dir)?;
    match layout.find_database()? {
        Found::Database(identity) => Ok(identity),
        Found::Nothing => Err(StoreError::Gone { path: layout.database.clone() }),
    }
}

pub(super) fn fill(path: &Path, options: &SqliteOptions) -> Result<(), StoreError> {
    let sql = |e| translate(path, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sql)?;
    connection.pragma_update(None, "page_size", 4096).map_err(sql)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(sql)?;
    prepare_for_writing(&connection, path)?;
    migrate::migrate(&connection, path, options.migrations)?;
    // This one closes with a checkpoint, so that the file is whole on its own.
    connection.close().map_err(|(_, e)| sql(e))
}

/// A creator that was killed leaves its unfinished file; the gate says that it is dead.
fn remove_leftovers(unfinished: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = unfinished.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", name, e));
            }
            _ => {}
        }
    }
    Ok(())
}

/// After the database, never before: a marker without a database means that one was lost.
pub(super) fn leave_marker(layout: &Layout) -> Result<(), StoreError> {
    let marker = layout.marker();
    if files::exists(&marker)? {
        return Ok(());
    }
    files::open_side_file(&marker, side::Access::Update).map(drop)
}
