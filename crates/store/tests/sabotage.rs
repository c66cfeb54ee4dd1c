//! Every deliberate fault of the engine shows: a checker that looks for it has something to find.
//!
//! One test, because the switch is one per process.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::time::Duration;

use interagent_store::sabotage::{Sabotage, set};
use interagent_store::{
    Engine, OpenMode, Queryable, ReadTx, SqliteEngine, SqliteOptions, Woken, WriteTx, params,
};

const SCHEMA: &[&str] = &["CREATE TABLE notes (body TEXT NOT NULL) STRICT"];

fn add(engine: &mut SqliteEngine, body: &str) {
    let mut tx = WriteTx::begin(engine).unwrap();
    tx.execute("INSERT INTO notes (body) VALUES ($1)", &params![body]).unwrap();
    tx.commit().unwrap();
}

fn number(engine: &mut SqliteEngine, sql: &'static str) -> i64 {
    let mut tx = ReadTx::begin(engine).unwrap();
    tx.query(sql, &[]).unwrap()[0].int(0).unwrap()
}

const COUNT: &str = "SELECT count(*) FROM notes";

#[test]
fn every_fault_shows() {
    let dir = tempfile::tempdir().unwrap();
    let open = || {
        let options = SqliteOptions { migrations: SCHEMA, ..SqliteOptions::default() };
        SqliteEngine::open_with(&dir.path().join("state"), OpenMode::CreateIfMissing, options).unwrap()
    };
    let (mut writer, mut reader) = (open(), open());
    add(&mut writer, "honest");
    assert_eq!(number(&mut writer, COUNT), 1);
    assert_eq!(number(&mut writer, "PRAGMA synchronous"), 2);

    set(Sabotage::SkipCommit);
    add(&mut writer, "lost");
    assert_eq!(number(&mut reader, COUNT), 1, "reported as done and gone");

    set(Sabotage::SignalBeforeCommit);
    let mut waiter = reader.waiter().unwrap();
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| add(&mut writer, "late"));
        assert_eq!(waiter.wait(Duration::from_secs(10)).unwrap(), Woken::Signal);
        number(&mut reader, COUNT)
    });
    assert_eq!(seen, 1, "woken before the commit");
    assert_eq!(number(&mut reader, COUNT), 2);

    set(Sabotage::NoFsync);
    let mut hasty = open();
    add(&mut hasty, "not flushed");
    assert_eq!(number(&mut hasty, "PRAGMA synchronous"), 0);

    set(Sabotage::None);
    let mut honest = open();
    add(&mut honest, "flushed");
    assert_eq!(number(&mut honest, "PRAGMA synchronous"), 2);
}
