//! SQLite behind the engine boundary: the embedded default.
//!
//! Owns the connection, the transaction state and the order of commit, gate and signal. Knows nothing of what
//! is stored. A connection must not be carried across a fork.

use std::path::Path;
use std::time::Duration;

use interagent_core::ids::StoreId;
use interagent_core::signature::SecretKey;
use interagent_core::store_identity::IdFile;
use rusqlite::{Connection, Statement};

use self::errors::translate;
use self::files::{FileIdentity, Layout};
use self::gate::Gate;
use self::open::Access;
use self::signal::Signal;
use self::wal::Upkeep;
use crate::engine::{BackupProgress, Engine, Facts, KeyFile, Row, Value, Waiter};
use crate::error::{ErrorKind, StoreError};

mod backup;
mod check;
mod errors;
mod files;
mod gate;
mod id_files;
mod line;
mod migrate;
pub mod migrations;
mod open;
mod salvage;
mod signal;
mod token_files;
mod values;
mod wal;
mod workshop;

pub use gate::gate_holder;
pub use token_files::TokenFiles;

pub(crate) use self::id_files::{ensure_user_id, find_user_id, write_new};
pub(crate) use self::salvage::{OldHead, OldText, Salvage};
pub(crate) use self::signal::watch;
pub(crate) use self::workshop::{Left, PutAside, Workshop, make_place_aside, put_aside};

/// Page cache of a bulk write. The default 2 MB would write and read each index page several times.
const BULK_CACHE_KIB: u32 = 64 * 1024;

/// How to open a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// The store must be there. The hot path.
    Existing,
    /// The store is made when there never was one.
    CreateIfMissing,
    /// For looking only: nothing is written, migrated or made where SQLite can do without.
    ReadOnly,
}

/// Settings of a connection. The defaults are the product's; tests shorten the waits and bring own schemas.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// How long to wait for the writer gate before giving up with the holder's process id.
    pub gate_wait: Duration,
    /// How long SQLite itself waits for a lock: the second line behind the gate.
    pub busy_wait: Duration,
    /// The schema's history, oldest first.
    pub migrations: &'static [&'static str],
}

impl Default for SqliteOptions {
    fn default() -> Self {
        // Together below the 30 s within which every command succeeds or says why not.
        Self {
            gate_wait: Duration::from_secs(20),
            busy_wait: Duration::from_secs(5),
            migrations: migrations::ALL,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    Read,
    Write { changes_before: u64 },
}

/// One connection to one SQLite database.
#[derive(Debug)]
pub struct SqliteEngine {
    // Before the gate: when both are dropped, the transaction ends first.
    connection: Connection,
    gate: Gate,
    signal: Signal,
    layout: Layout,
    identity: FileIdentity,
    access: Access,
    options: SqliteOptions,
    transaction: Transaction,
    prepared_for_writing: bool,
    upkeep: Upkeep,
}

impl SqliteEngine {
    /// Opens the store in a state directory.
    pub fn open(state_dir: &Path, mode: OpenMode) -> Result<Self, StoreError> {
        Self::open_with(state_dir, mode, SqliteOptions::default())
    }

    /// Opens the store in a state directory with own settings.
    pub fn open_with(state_dir: &Path, mode: OpenMode, options: SqliteOptions) -> Result<Self, StoreError> {
        let layout = Layout::new(state_dir)?;
        let opened = open::open(&layout, mode, &options)?;
        let mut engine = Self {
            connection: opened.connection,
            gate: Gate::new(&layout),
            signal: Signal::new(layout.signal()),
            layout,
            identity: opened.identity,
            access: opened.access,
            options,
            transaction: Transaction::None,
            prepared_for_writing: false,
            upkeep: Upkeep::default(),
        };
        let (found, needed) = (opened.schema_version, migrate::newest(engine.options.migrations));
        if found < needed {
            engine.migrate().map_err(|error| match error.kind() {
                // It is not read as it is: statements would fail on columns that are not there.
                ErrorKind::ReadOnly => {
                    StoreError::OlderSchema { path: engine.layout.database.clone(), found, needed }
                }
                _ => error,
            })?;
        }
        Ok(engine)
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        self.prepare_for_writing()?;
        self.gate.acquire(self.options.gate_wait)?;
        let done = migrate::migrate(&self.connection, &self.layout.database, self.options.migrations);
        self.gate.release();
        done
    }

    fn prepare_for_writing(&mut self) -> Result<(), StoreError> {
        match self.access {
            Access::Write => {}
            Access::ReadAsked => return Err(StoreError::OpenedReadOnly),
            Access::ReadForced => {
                return Err(StoreError::ReadOnly {
                    path: self.layout.database.clone(),
                    action: "written",
                    detail: "the file system or its permissions allow reading only".to_owned(),
                });
            }
        }
        if !self.prepared_for_writing {
            open::prepare_for_writing(&self.connection, &self.layout.database)?;
            self.prepared_for_writing = true;
        }
        Ok(())
    }

    fn run(&self, sql: &'static str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([]))
            .map(drop)
            .map_err(|e| self.translate(e))
    }

    fn translate(&self, error: rusqlite::Error) -> StoreError {
        translate(&self.layout.database, error)
    }

    fn require_no_transaction(&self) -> Result<(), StoreError> {
        match self.transaction {
            Transaction::None => Ok(()),
            _ => Err(StoreError::internal("a transaction is open already")),
        }
    }

    /// Some errors (a full disk, a failed read) make SQLite roll back by itself. Going on would then write
    /// each statement on its own.
    fn require_live_transaction(&self) -> Result<(), StoreError> {
        if self.transaction != Transaction::None && self.connection.is_autocommit() {
            return Err(StoreError::internal("the transaction was ended by an earlier error"));
        }
        Ok(())
    }

    /// Refuses a writing statement outside a write transaction: SQLite would upgrade the lock, which fails
    /// under load.
    fn require_right_to(&self, statement: &Statement<'_>) -> Result<(), StoreError> {
        if !statement.readonly() && !matches!(self.transaction, Transaction::Write { .. }) {
            return Err(StoreError::internal("a writing statement outside a write transaction"));
        }
        Ok(())
    }

    /// COMMIT, free the gate, then signal: a woken reader always finds the change, and never a closed gate.
    fn commit_write(&mut self, changes_before: u64) -> Result<(), StoreError> {
        let changed = self.connection.total_changes() != changes_before;
        #[cfg(feature = "sabotage")]
        if self.sabotage_commit()? {
            return Ok(());
        }
        let committed = self.require_live_transaction().and_then(|()| self.end_with_commit());
        // After a failed commit this ends what is left; the commit's error is the one to report.
        let _ = self.rollback();
        #[cfg(feature = "sabotage")]
        let committed =
            if crate::sabotage::is(crate::sabotage::Sabotage::SwallowErrors) { Ok(()) } else { committed };
        committed?;
        if changed {
            self.upkeep.due = true;
            self.signal.send();
        }
        Ok(())
    }

    fn end_with_commit(&self) -> Result<(), StoreError> {
        let committed = self.connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        match committed {
            Ok(_) => Ok(()),
            Err(first) if errors::left_it_unfinished(&first) => Err(self.translate(first)),
            Err(first) => Err(self.bury(first)),
        }
    }

    /// Makes sure that what could not be committed does not come back.
    ///
    /// A failed flush leaves the whole transaction in the write-ahead log, though nobody looks at it: but once all
    /// connections are closed the next opener reads the log anew and would take it for committed. So it is written over
    /// by a commit that changes nothing. Whether that one's flush fails as well does not matter: its bytes do.
    fn bury(&self, first: rusqlite::Error) -> StoreError {
        let buried = self.end_transaction().and_then(|()| {
            let version = migrate::version(&self.connection)?;
            self.connection.execute_batch(&format!("BEGIN IMMEDIATE; PRAGMA user_version={version}; COMMIT"))
        });
        match buried {
            Ok(()) => self.translate(first),
            Err(second) if errors::is_failed_flush(&second) => self.translate(first),
            Err(second) => StoreError::Unsure {
                path: self.layout.database.clone(),
                detail: format!("{first}; then {second}"),
            },
        }
    }

    fn end_transaction(&self) -> rusqlite::Result<()> {
        if self.connection.is_autocommit() { Ok(()) } else { self.connection.execute_batch("ROLLBACK") }
    }

    /// True when the fault replaces the rest of the commit.
    #[cfg(feature = "sabotage")]
    fn sabotage_commit(&mut self) -> Result<bool, StoreError> {
        use crate::sabotage::{Sabotage, is};
        if is(Sabotage::SkipCommit) {
            self.rollback()?;
            self.signal.send();
            return Ok(true);
        }
        if is(Sabotage::SignalBeforeCommit) {
            self.signal.send();
            std::thread::sleep(Duration::from_millis(20));
            let committed = self.run("COMMIT");
            self.rollback()?;
            return committed.map(|()| true);
        }
        Ok(false)
    }
}

impl Engine for SqliteEngine {
    fn may_write(&self) -> bool {
        self.access == Access::Write
    }

    fn begin_read(&mut self) -> Result<(), StoreError> {
        self.require_no_transaction()?;
        self.layout.still_there(self.identity)?;
        self.run("BEGIN")?;
        self.transaction = Transaction::Read;
        Ok(())
    }

    fn begin_write(&mut self) -> Result<(), StoreError> {
        self.require_no_transaction()?;
        self.prepare_for_writing()?;
        self.gate.acquire(self.options.gate_wait)?;
        self.upkeep.before_write(&self.connection, &self.layout, self.options.busy_wait);
        // A resident process must not go on writing into a file that nobody can find any more.
        let begun = self.layout.still_there(self.identity).and_then(|()| self.run("BEGIN IMMEDIATE"));
        if begun.is_err() {
            self.gate.release();
            return begun;
        }
        self.transaction = Transaction::Write { changes_before: self.connection.total_changes() };
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        match self.transaction {
            Transaction::None => Err(StoreError::internal("commit without a transaction")),
            Transaction::Read => self.rollback(),
            Transaction::Write { changes_before } => self.commit_write(changes_before),
        }
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        self.transaction = Transaction::None;
        let ended = if self.connection.is_autocommit() { Ok(()) } else { self.run("ROLLBACK") };
        self.gate.release();
        ended
    }

    fn query(&mut self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.require_live_transaction()?;
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| self.translate(e))?;
        self.require_right_to(&statement)?;
        values::require_numbering(&statement, sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(|e| self.translate(e))?;
        let mut answer = Vec::new();
        while let Some(row) = rows.next().map_err(|e| self.translate(e))? {
            answer.push(values::read_row(row, columns)?);
        }
        Ok(answer)
    }

    fn execute(&mut self, sql: &'static str, params: &[Value]) -> Result<u64, StoreError> {
        self.require_live_transaction()?;
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| self.translate(e))?;
        self.require_right_to(&statement)?;
        values::require_numbering(&statement, sql)?;
        let changed = statement.execute(rusqlite::params_from_iter(params)).map_err(|e| self.translate(e))?;
        #[cfg(feature = "sabotage")]
        if crate::sabotage::is(crate::sabotage::Sabotage::TornCommit) {
            self.run("COMMIT")?;
            std::thread::sleep(Duration::from_millis(3));
            self.run("BEGIN IMMEDIATE")?;
        }
        Ok(changed as u64)
    }

    fn waiter(&self) -> Result<Box<dyn Waiter>, StoreError> {
        if self.access == Access::Write {
            self.layout.make_dirs()?;
        }
        signal::waiter(&self.layout)
    }

    fn expect_bulk(&mut self) -> Result<(), StoreError> {
        let done = self.connection.execute_batch(&format!("PRAGMA cache_size=-{BULK_CACHE_KIB}"));
        done.map_err(|e| self.translate(e))
    }

    fn finish_write(&mut self) -> Result<(), StoreError> {
        self.require_no_transaction()?;
        self.upkeep.run(&self.connection, &self.layout, &mut self.gate, self.options.busy_wait)
    }

    fn scrub(&mut self) -> Result<bool, StoreError> {
        self.require_no_transaction()?;
        self.prepare_for_writing()?;
        self.gate.acquire(self.options.gate_wait)?;
        let scrubbed = self.layout.still_there(self.identity).and_then(|()| {
            wal::scrub(&self.connection, self.options.busy_wait).map_err(|e| self.translate(e))
        });
        self.gate.release();
        scrubbed
    }

    fn backup_to(&mut self, path: &Path, progress: &mut dyn FnMut(BackupProgress)) -> Result<(), StoreError> {
        self.begin_read()?;
        // The first read fixes the state that is copied.
        let copied = self
            .query("SELECT 1 FROM sqlite_schema LIMIT 1", &[])
            .and_then(|_| backup::copy(&self.connection, path, progress));
        let ended = self.rollback();
        copied.and(ended)
    }

    fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        self.begin_read()?;
        let findings = check::integrity(&self.connection, &self.layout);
        let ended = self.rollback();
        let findings = findings?;
        ended.map(|()| findings)
    }

    fn inode(&self) -> Result<u64, StoreError> {
        self.layout.still_there(self.identity)?;
        Ok(self.identity.inode)
    }

    fn id_file(&self) -> IdFile {
        id_files::read_store_id(&self.layout.store_id())
    }

    fn write_id(&mut self, id: &StoreId) -> Result<(), StoreError> {
        id_files::write_store_id(&self.layout.store_id(), id)
    }

    fn key_file(&self) -> KeyFile {
        id_files::read_key(&self.layout.key())
    }

    fn write_key(&mut self, key: &SecretKey) -> Result<(), StoreError> {
        id_files::write_whole(&self.layout.key(), &key.text())
    }

    fn machine(&self) -> Option<String> {
        machine_id()
    }

    fn facts(&mut self) -> Result<Facts, StoreError> {
        check::facts(&self.connection, &self.layout)
    }
}

/// The installation's id, where there is one that can be read (systemd, dbus).
fn machine_id() -> Option<String> {
    ["/etc/machine-id", "/var/lib/dbus/machine-id"]
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .map(|id| id.trim().to_owned())
        .find(|id| !id.is_empty())
}
