//! Durable state of a hub.
//!
//! Owns the storage engines and everything that contains SQL. Knows no surface, no terminal and no
//! environment variable.

pub mod clock;
pub mod engine;
pub mod error;
#[cfg(feature = "sabotage")]
pub mod sabotage;
pub mod sqlite;

pub use clock::{Clock, ManualClock, SystemClock};
pub use engine::{
    BackupProgress, Engine, Facts, Place, Queryable, ReadTx, Row, Value, Waiter, Woken, WriteTx,
};
pub use error::{ErrorKind, GateHolder, StoreError};
pub use sqlite::{OpenMode, SqliteEngine, SqliteOptions};
