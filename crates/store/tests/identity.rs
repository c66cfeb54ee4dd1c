//! Which replica a database is: stores of earlier versions, lost and unreadable ids, interrupted decisions.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use std::fs;

use interagent_core::ids::StoreId;
use interagent_core::store_identity::{StoreDifference, StoreIdentity};
use interagent_store::{ErrorKind, Founding, OpenMode, SqliteEngine, Store, StoreError, restore};
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::{facts, older};
use support::SqliteReplicas;

/// A replica with an agent and a message in it.
fn filled() -> SqliteReplicas {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("a", clock());
    let ann = facts::register(&mut store, "ann");
    facts::send(&mut store, &ann, &ann, "hello", "world");
    assert!(store.scrub().unwrap());
    replicas
}

fn open(replicas: &SqliteReplicas) -> Result<Store, StoreError> {
    let engine = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::Existing)?;
    Store::open(Box::new(engine), clock(), &SqliteReplicas::founding("a"))
}

/// The columns of the hub's row that identify its store.
fn row(replicas: &SqliteReplicas) -> (String, String, String) {
    let connection = rusqlite::Connection::open(replicas.state_dir("a").join("hub.db")).unwrap();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    connection.query_row("SELECT store_id, origin, machine FROM hubs", [], read).unwrap()
}

fn sql(replicas: &SqliteReplicas, batch: &str) {
    let connection = rusqlite::Connection::open(replicas.state_dir("a").join("hub.db")).unwrap();
    connection.execute_batch(batch).unwrap();
}

fn write(store: &mut Store) -> Result<(), StoreError> {
    store.observe(|writer| writer.trace("test", "{}"))
}

/// Makes the store one of the version before ids.
fn without_id(replicas: &SqliteReplicas) {
    sql(
        replicas,
        "ALTER TABLE pairs DROP COLUMN words; DROP TABLE replicas; ALTER TABLE hubs DROP COLUMN user_id; \
         ALTER TABLE hubs DROP COLUMN store_id; PRAGMA user_version = 10",
    );
    fs::remove_file(replicas.state_dir("a").join("store-id")).unwrap();
}

#[test]
fn store_without_id_gets_one_with_its_next_write() {
    let replicas = filled();
    let origin = row(&replicas).1;
    let id_file = replicas.state_dir("a").join("store-id");
    without_id(&replicas);
    let mut store = open(&replicas).unwrap();
    assert_eq!((store.doubt(), store.head().unwrap().origin.to_string()), (None, origin.clone()));
    assert!(!id_file.exists() && row(&replicas).0.is_empty(), "reading writes nothing for this");
    write(&mut store).unwrap();
    let id = fs::read_to_string(&id_file).unwrap();
    assert_eq!((row(&replicas).0.as_str(), row(&replicas).1), (id.trim(), origin));
    assert_eq!(open(&replicas).unwrap().doubt(), None);
}

#[test]
fn interrupted_adoption_keeps_written_id() {
    let replicas = filled();
    let origin = row(&replicas).1;
    let id_file = replicas.state_dir("a").join("store-id");
    without_id(&replicas);
    fs::write(&id_file, StoreId::from_bits(7).as_str()).unwrap();
    let mut store = open(&replicas).unwrap();
    write(&mut store).unwrap();
    assert_eq!((row(&replicas).0, row(&replicas).1), (StoreId::from_bits(7).to_string(), origin));
}

#[test]
fn copied_store_without_id_is_undecided() {
    let replicas = filled();
    without_id(&replicas);
    let database = replicas.state_dir("a").join("hub.db");
    fs::copy(&database, database.with_extension("copy")).unwrap();
    fs::rename(database.with_extension("copy"), &database).unwrap();
    let mut store = open(&replicas).unwrap();
    assert_eq!(store.doubt().unwrap().difference, StoreDifference::Database);
    assert_eq!(write(&mut store).unwrap_err().kind(), ErrorKind::Undecided);
}

#[test]
fn first_schema_is_adopted_as_the_same_replica() {
    let replicas = filled();
    let origin = row(&replicas).1;
    older::first_schema(&replicas.state_dir("a"));
    fs::remove_file(replicas.state_dir("a").join("store-id")).unwrap();
    let mut store = open(&replicas).unwrap();
    write(&mut store).unwrap();
    assert_eq!((store.doubt(), row(&replicas).1), (None, origin));
}

#[test]
fn machine_and_user_decide_nothing() {
    let replicas = filled();
    let before = row(&replicas);
    for machine in ["'another'", "''"] {
        sql(&replicas, &format!("UPDATE hubs SET machine = {machine}, user_id = 'user-7k2m9q4x1c8v'"));
        let mut store = open(&replicas).unwrap();
        assert_eq!(store.doubt(), None);
        write(&mut store).unwrap();
        assert_eq!((row(&replicas).0, row(&replicas).1), (before.0.clone(), before.1.clone()), "{machine}");
    }
}

#[test]
fn lost_or_foreign_id_is_undecided_and_unreadable_one_is_an_error() {
    let replicas = filled();
    let id_file = replicas.state_dir("a").join("store-id");
    let own = fs::read_to_string(&id_file).unwrap();
    for (text, wanted) in [
        (None, StoreDifference::NoId),
        (Some(""), StoreDifference::NoId),
        (Some("store-7k2m9q4x1c8v"), StoreDifference::Id),
    ] {
        fs::remove_file(&id_file).unwrap();
        if let Some(text) = text {
            fs::write(&id_file, text).unwrap();
        }
        let mut store = open(&replicas).unwrap();
        assert_eq!(store.doubt().unwrap().difference, wanted, "{text:?}");
        assert_eq!(write(&mut store).unwrap_err().kind(), ErrorKind::Undecided);
        fs::write(&id_file, &own).unwrap();
        write(&mut store).unwrap();
    }
    fs::remove_file(&id_file).unwrap();
    fs::create_dir(&id_file).unwrap();
    let error = open(&replicas).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unidentified);
    assert!(error.to_string().contains("is a directory") && error.hint().is_some(), "{error}");
    let engine = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::ReadOnly).unwrap();
    let mut looking = Store::open_to_look(Box::new(engine), clock()).unwrap();
    assert!(matches!(looking.identity(None).unwrap(), StoreIdentity::Unreadable(_)));
}

#[test]
fn decision_that_was_cut_off_stays_open() {
    let replicas = filled();
    let mut store = replicas.open("a", clock());
    let mut copy = replicas.copy(&mut store, "b", clock());
    // The id was written, the row was not.
    fs::write(replicas.state_dir("b").join("store-id"), StoreId::from_bits(7).as_str()).unwrap();
    assert_eq!(write(&mut copy).unwrap_err().kind(), ErrorKind::Undecided);
    assert!(copy.become_copy("b").unwrap());
    write(&mut copy).unwrap();
    let id = fs::read_to_string(replicas.state_dir("b").join("store-id")).unwrap();
    assert_ne!(id.trim(), StoreId::from_bits(7).as_str());
    assert_ne!(id, fs::read_to_string(replicas.state_dir("a").join("store-id")).unwrap());
}

#[test]
fn restored_backup_has_an_id_of_its_own() {
    let replicas = filled();
    let state_dir = replicas.state_dir("a");
    let backup = state_dir.join("../backup.db");
    replicas.open("a", clock()).backup_to(&backup, &mut |_| {}).unwrap();
    let before = fs::read_to_string(state_dir.join("store-id")).unwrap();
    let clock: std::sync::Arc<dyn interagent_store::Clock> = clock();
    let restored = restore(&state_dir, &backup, &clock, &mut |_| {}).unwrap();
    assert_eq!(fs::read_to_string(restored.moved_to.join("store-id")).unwrap(), before);
    assert_ne!(fs::read_to_string(state_dir.join("store-id")).unwrap(), before);
    let mut store = open(&replicas).unwrap();
    write(&mut store).unwrap();
}

#[test]
fn user_id_is_recorded() {
    let replicas = SqliteReplicas::new();
    let user_dir = replicas.state_dir("user");
    let founding = Founding { user_dir: Some(user_dir.clone()), ..SqliteReplicas::founding("a") };
    let engine = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::CreateIfMissing).unwrap();
    drop(Store::open(Box::new(engine), clock(), &founding).unwrap());
    let noted = fs::read_to_string(user_dir.join("user-id")).unwrap();
    let connection = rusqlite::Connection::open(replicas.state_dir("a").join("hub.db")).unwrap();
    let user: String = connection.query_row("SELECT user_id FROM hubs", [], |row| row.get(0)).unwrap();
    assert_eq!(user, noted.trim());
}
