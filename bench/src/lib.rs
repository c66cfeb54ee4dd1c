//! What the baseline programs share: how the product needs its SQLite file opened.
//!
//! These programs are the floor under the budgets: the least work that any program must do which keeps
//! its state in this file. They share no code with the product on purpose.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// What a baseline program returns from `main`; an error is printed and the exit code is 1.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Opens an existing database with the product's settings: whoever closes last must not pay for a
/// checkpoint, and no commit runs into one unasked.
pub fn open(path: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch("PRAGMA wal_autocheckpoint = 0")?;
    Ok(connection)
}

/// The argument at this position, or an error that shows how the program is called.
pub fn argument(position: usize, usage: &str) -> Result<String, String> {
    std::env::args().nth(position).ok_or_else(|| format!("usage: {usage}"))
}
