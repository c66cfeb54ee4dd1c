//! Durable state of a hub: the log, the views that follow from it, and what this machine observed.
//!
//! Owns the storage engines and everything that contains SQL. Knows no rule, no surface, no terminal and no
//! environment variable.

mod append;
pub mod clock;
mod copied;
mod correct;
pub mod engine;
pub mod error;
mod export;
mod fork;
mod held;
mod identity;
pub mod live;
mod log;
pub mod observe;
mod purge;
pub mod reader;
mod rebuild;
mod recover;
mod replicas;
mod restore;
#[cfg(feature = "sabotage")]
pub mod sabotage;
pub mod search;
mod search_follower;
pub mod side;
mod signing;
pub mod sqlite;
mod standing;
mod store;
mod takein;
mod texts;
pub mod unnamed;
mod verify;
mod views;

pub use append::{Appended, KeyConflict, NewEntry, Writer};
pub use clock::{Clock, ManualClock, SystemClock};
pub use correct::{ClockAhead, Corrected};
pub use engine::{
    BackupProgress, Engine, Facts, KeyFile, Queryable, ReadTx, Row, Value, Waiter, Woken, WriteTx,
};
pub use error::{DECIDE, ErrorKind, GateHolder, StoreError};
pub use export::{StoredLine, TextForGit};
pub use fork::LeftFork;
pub use held::HeldText;
pub use log::{Head, Placed, Stored, TextState};
pub use rebuild::Rebuilt;
pub use recover::{LostEntries, Recovered, put_aside, recover};
pub use replicas::Replica;
pub use restore::restore;
pub use search_follower::{FollowError, Progress};
pub use signing::key_beside;
pub use sqlite::{OpenMode, SqliteEngine, SqliteOptions, TokenFiles};
pub use standing::ReplicaDecision;
pub use store::{Founding, Store};
pub use takein::{ForeignLine, TakeIn, TakeInProblem};
pub use texts::texts_of;
pub use verify::{ChainLength, Finding, Severity};
