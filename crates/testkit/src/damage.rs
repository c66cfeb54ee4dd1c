//! Damage to single rows, as a bad disk or a foreign program would do it.

use std::path::Path;

use interagent_store::{OpenMode, SqliteEngine, WriteTx, params};

/// What happens to a stored text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextDamage {
    /// Its bytes are others.
    Changed,
    /// It is gone, and nobody deleted it.
    Lost,
}

/// Damages the one text that says this.
pub fn text(state_dir: &Path, damage: TextDamage, says: &str) {
    let statement = match damage {
        TextDamage::Changed => "UPDATE blobs SET text = 'something else' WHERE text = $1",
        TextDamage::Lost => "DELETE FROM blobs WHERE text = $1",
    };
    let mut engine = SqliteEngine::open(state_dir, OpenMode::Existing).unwrap();
    let mut tx = WriteTx::begin(&mut engine).unwrap();
    assert_eq!(tx.execute(statement, &params![says]).unwrap(), 1, "{says}");
    tx.commit().unwrap();
}

/// What can be made unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A message, by its id.
    Message,
    /// An agent, by its id.
    Agent,
    /// An entry, by its place.
    Entry,
}

/// Makes one record unreadable.
pub fn record(state_dir: &Path, record: Record, which: &str) {
    let statement = match record {
        Record::Message => "UPDATE messages SET doc = '{' WHERE id = $1",
        Record::Agent => "UPDATE agents SET doc = '{' WHERE id = $1",
        Record::Entry => "UPDATE entries SET line = '{' WHERE seq = CAST($1 AS INTEGER)",
    };
    let mut engine = SqliteEngine::open(state_dir, OpenMode::Existing).unwrap();
    let mut tx = WriteTx::begin(&mut engine).unwrap();
    assert_eq!(tx.execute(statement, &params![which]).unwrap(), 1, "{which}");
    tx.commit().unwrap();
}

/// From now on the disk is full for whoever writes a timer of this agent. A table whose numbers are used up says the same.
pub fn full_disk(state_dir: &Path, agent: &str) {
    let mut engine = SqliteEngine::open(state_dir, OpenMode::Existing).unwrap();
    let mut tx = WriteTx::begin(&mut engine).unwrap();
    tx.execute("CREATE TABLE used_up (id INTEGER PRIMARY KEY AUTOINCREMENT)", &params![]).unwrap();
    tx.execute("INSERT INTO used_up VALUES ($1)", &params![i64::MAX]).unwrap();
    tx.execute("CREATE TABLE without_room (agent TEXT)", &params![]).unwrap();
    tx.execute("INSERT INTO without_room VALUES ($1)", &params![agent]).unwrap();
    let trigger = "CREATE TRIGGER full_disk BEFORE INSERT ON timers
                   WHEN NEW.agent IN (SELECT agent FROM without_room)
                   BEGIN INSERT INTO used_up VALUES (NULL); END";
    tx.execute(trigger, &params![]).unwrap();
    tx.commit().unwrap();
}

/// Changes one character inside the line of an entry.
pub fn line(state_dir: &Path, origin: &str, oseq: i64) {
    let mut engine = SqliteEngine::open(state_dir, OpenMode::Existing).unwrap();
    let mut tx = WriteTx::begin(&mut engine).unwrap();
    let statement =
        "UPDATE entries SET line = replace(line, '\"wall\":1', '\"wall\":2') WHERE origin = $1 AND oseq = $2";
    assert_eq!(tx.execute(statement, &params![origin, oseq]).unwrap(), 1, "{origin} {oseq}");
    tx.commit().unwrap();
}
