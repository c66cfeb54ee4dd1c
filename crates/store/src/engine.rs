//! The boundary to a storage engine: plain values, static statements, transactions as values.
//!
//! Owns the types every engine speaks and the RAII transactions. Knows nothing of entries, events or views,
//! and nothing of SQLite. Statements are one SQL text for all engines: parameters `$1..$n` numbered in order
//! of appearance, types TEXT and BIGINT only.

use std::path::{Path, PathBuf};
use std::time::Duration;

use interagent_core::ids::StoreId;
use interagent_core::signature::SecretKey;
use interagent_core::store_identity::IdFile;

use crate::error::StoreError;

/// A value that goes into or comes out of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// No value.
    Null,
    /// BIGINT.
    Int(i64),
    /// TEXT.
    Text(String),
}

impl Value {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Int(_) => "an integer",
            Self::Text(_) => "a text",
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Builds the parameters of a statement: `tx.query(SQL, &params![id, 3_i64, None::<i64>])`.
#[macro_export]
macro_rules! params {
    () => { [] as [$crate::engine::Value; 0] };
    ($($value:expr),+ $(,)?) => { [$($crate::engine::Value::from($value)),+] };
}

/// One row of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row(Vec<Value>);

impl Row {
    /// A row of these values, in column order.
    #[must_use]
    pub fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// All values, in column order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The text in a column.
    pub fn text(&self, column: usize) -> Result<&str, StoreError> {
        self.opt_text(column)?.ok_or_else(|| self.wrong(column, "a text"))
    }

    /// The text in a column, or nothing.
    pub fn opt_text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(self.wrong(column, "a text")),
        }
    }

    /// The integer in a column.
    pub fn int(&self, column: usize) -> Result<i64, StoreError> {
        self.opt_int(column)?.ok_or_else(|| self.wrong(column, "an integer"))
    }

    /// The integer in a column, or nothing.
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.0.get(column) {
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            _ => Err(self.wrong(column, "an integer")),
        }
    }

    fn wrong(&self, column: usize, expected: &'static str) -> StoreError {
        let found = self.0.get(column).map_or("no such column", Value::type_name);
        StoreError::WrongColumn { column, expected, found }
    }
}

/// What `doctor` shows about an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Name and version of the engine's library.
    pub library: String,
    /// Where the data lies.
    pub path: PathBuf,
    /// Type of the file system it lies on.
    pub file_system: String,
    /// Version of the schema.
    pub schema_version: i64,
    /// Size of a page in bytes.
    pub page_bytes: u64,
    /// Pages of the database.
    pub page_count: u64,
    /// How commits reach the disk: `wal` is expected.
    pub journal_mode: String,
    /// Bytes of the write-ahead log file.
    pub wal_bytes: u64,
    /// Frames in the write-ahead log that are not in the database file yet; none when it could not be told.
    pub wal_frames: Option<u64>,
}

/// How far a backup is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupProgress {
    /// Pages copied.
    pub done: u64,
    /// Pages in all.
    pub total: u64,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Somebody committed, or may have: look.
    Signal,
    /// The time is over.
    Timeout,
}

/// Sleeps until somebody commits.
///
/// Contract: make the waiter *first*, then check the condition, then wait, then check again. A commit after
/// the waiter was made ends the next `wait`, even when nobody was waiting at that moment. A wake-up is only a
/// hint; several commits may be one wake-up, and a wake-up may find nothing new.
pub trait Waiter: Send {
    /// Sleeps until a commit or until the time is over.
    fn wait(&mut self, timeout: Duration) -> Result<Woken, StoreError>;
}

/// The file that holds a replica's private key.
#[derive(Debug)]
pub enum KeyFile {
    /// There is none.
    Missing,
    /// It holds this key.
    Holds(Box<SecretKey>),
    /// It is there and can't be used, for this reason.
    Unreadable(String),
}

/// A storage engine: one connection to one physical store.
///
/// Use [`ReadTx`] and [`WriteTx`] instead of the four transaction methods: they cannot be left open.
pub trait Engine: Send {
    /// Whether this connection may write. Where it may, the schema is the newest one this program knows.
    fn may_write(&self) -> bool;
    /// Starts a read transaction: all its queries see one state.
    fn begin_read(&mut self) -> Result<(), StoreError>;
    /// Waits for the writer gate and starts a write transaction.
    fn begin_write(&mut self) -> Result<(), StoreError>;
    /// Makes the transaction durable, frees the gate, then signals. After an error nothing is open or held.
    fn commit(&mut self) -> Result<(), StoreError>;
    /// Ends the transaction without effect and frees the gate. Without a transaction it does nothing.
    fn rollback(&mut self) -> Result<(), StoreError>;
    /// Runs a statement that answers with rows. One that changes rows needs a write transaction.
    fn query(&mut self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, StoreError>;
    /// Runs a statement and returns how many rows changed. Needs a write transaction.
    fn execute(&mut self, sql: &'static str, params: &[Value]) -> Result<u64, StoreError>;
    /// A waiter for commits by any process.
    fn waiter(&self) -> Result<Box<dyn Waiter>, StoreError>;
    /// Prepares for many writes: uses more memory for as long as this engine is open.
    fn expect_bulk(&mut self) -> Result<(), StoreError>;
    /// Upkeep after a write, once the caller was answered.
    fn finish_write(&mut self) -> Result<(), StoreError>;
    /// Makes what was deleted disappear from every file of the store. False when a reader of an older state was in
    /// the way for as long as we waited: then bytes of it may be left, and trying again later helps.
    fn scrub(&mut self) -> Result<bool, StoreError>;
    /// Copies one consistent state into a new file while others go on writing.
    fn backup_to(&mut self, path: &Path, progress: &mut dyn FnMut(BackupProgress)) -> Result<(), StoreError>;
    /// Checks the whole store without changing it. No finding means good.
    fn integrity(&mut self) -> Result<Vec<String>, StoreError>;
    /// The number of the file that holds the database.
    fn inode(&self) -> Result<u64, StoreError>;
    /// The id of the store, which is kept beside the database.
    fn id_file(&self) -> IdFile;
    /// Writes the id of the store and makes it durable. Only in a write transaction: it is not part of it.
    fn write_id(&mut self, id: &StoreId) -> Result<(), StoreError>;
    /// The private key of the replica, which is kept beside the database.
    fn key_file(&self) -> KeyFile;
    /// Writes the private key and makes it durable. Only in a write transaction: it is not part of it.
    fn write_key(&mut self, key: &SecretKey) -> Result<(), StoreError>;
    /// The machine, where it can be told.
    fn machine(&self) -> Option<String>;
    /// Facts for `doctor`.
    fn facts(&mut self) -> Result<Facts, StoreError>;
}

/// Anything inside a transaction that can be asked.
pub trait Queryable {
    /// Runs a statement that answers with rows.
    fn query(&mut self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, StoreError>;

    /// The first row of the answer, if any.
    fn query_first(&mut self, sql: &'static str, params: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, params)?.into_iter().next())
    }
}

/// A read transaction; ends when dropped.
pub struct ReadTx<'a> {
    engine: &'a mut dyn Engine,
    open: bool,
}

impl<'a> ReadTx<'a> {
    /// Starts it.
    pub fn begin(engine: &'a mut dyn Engine) -> Result<Self, StoreError> {
        engine.begin_read()?;
        Ok(Self { engine, open: true })
    }

    /// Ends it and reports trouble in doing so; dropping it ends it too.
    pub fn commit(mut self) -> Result<(), StoreError> {
        self.open = false;
        self.engine.commit()
    }
}

impl Queryable for ReadTx<'_> {
    fn query(&mut self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.engine.query(sql, params)
    }
}

impl Drop for ReadTx<'_> {
    fn drop(&mut self) {
        if self.open {
            // Nothing was written, so there is nothing to tell; the next begin reports a broken connection.
            let _ = self.engine.rollback();
        }
    }
}

/// A write transaction that holds the writer gate; rolls back and frees the gate when dropped.
pub struct WriteTx<'a> {
    engine: &'a mut dyn Engine,
    open: bool,
}

impl<'a> WriteTx<'a> {
    /// Waits for the gate and starts it.
    pub fn begin(engine: &'a mut dyn Engine) -> Result<Self, StoreError> {
        engine.begin_write()?;
        Ok(Self { engine, open: true })
    }

    /// Runs a statement and returns how many rows changed.
    pub fn execute(&mut self, sql: &'static str, params: &[Value]) -> Result<u64, StoreError> {
        self.engine.execute(sql, params)
    }

    /// The engine, for the facts about its store.
    pub(crate) fn engine(&mut self) -> &mut dyn Engine {
        self.engine
    }

    /// Makes everything durable. After an error nothing was written and nothing is held.
    pub fn commit(mut self) -> Result<(), StoreError> {
        self.open = false;
        self.engine.commit()
    }
}

impl Queryable for WriteTx<'_> {
    fn query(&mut self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.engine.query(sql, params)
    }
}

impl Drop for WriteTx<'_> {
    fn drop(&mut self) {
        if self.open {
            // The caller gave up already and has its own error to report; the engine frees the gate anyway.
            let _ = self.engine.rollback();
        }
    }
}

impl std::fmt::Debug for ReadTx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadTx").field("open", &self.open).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for WriteTx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteTx").field("open", &self.open).finish_non_exhaustive()
    }
}
