//! What is refused at the door, each with its kind and without touching what lies there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use interagent_store::{
    Engine, ErrorKind, OpenMode, Queryable, ReadTx, SqliteEngine, SqliteOptions, StoreError,
};

use crate::support::{Helper, SCHEMA, Store, add, count, options};

fn refused(store: &Store) -> StoreError {
    let error = store.open(OpenMode::Existing).unwrap_err();
    for mode in [OpenMode::CreateIfMissing, OpenMode::ReadOnly] {
        assert_eq!(store.open(mode).unwrap_err().kind(), error.kind(), "{mode:?}");
    }
    error
}

#[test]
fn no_store_yet() {
    let store = Store::empty();
    for mode in [OpenMode::Existing, OpenMode::ReadOnly] {
        let error = store.open(mode).unwrap_err();
        assert!(matches!(error, StoreError::Absent { .. }), "{error}");
        assert_eq!(error.hint(), Some("interagent setup"));
    }
    assert!(!store.state_dir().exists(), "looking made something");
}

#[test]
fn a_lost_database_is_not_a_new_store() {
    let store = Store::made();
    fs::remove_file(store.file("hub.db")).unwrap();
    let error = refused(&store);
    assert!(matches!(error, StoreError::Gone { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert_eq!(error.hint(), Some("interagent doctor --recover"));
    assert!(!store.file("hub.db").exists());
}

#[test]
fn an_emptied_database_is_damaged() {
    let store = Store::made();
    fs::write(store.file("hub.db"), b"").unwrap();
    assert!(matches!(refused(&store), StoreError::Emptied { .. }));
    assert_eq!(fs::metadata(store.file("hub.db")).unwrap().len(), 0);
}

#[test]
fn a_zeroed_header_is_damaged() {
    let store = Store::made();
    store.settle();
    let mut bytes = fs::read(store.file("hub.db")).unwrap();
    bytes[..100].fill(0);
    fs::write(store.file("hub.db"), &bytes).unwrap();
    assert_eq!(refused(&store).kind(), ErrorKind::Damaged);
    assert_eq!(fs::read(store.file("hub.db")).unwrap(), bytes);
}

#[test]
fn a_zeroed_page_is_found_by_the_query_and_by_the_check() {
    let store = Store::made();
    let mut engine = store.existing();
    for number in 0..50 {
        add(&mut engine, &format!("{number}{}", "x".repeat(2000))).unwrap();
    }
    assert_eq!(engine.integrity().unwrap(), Vec::<String>::new());
    drop(engine);
    store.settle();
    let mut bytes = fs::read(store.file("hub.db")).unwrap();
    bytes[4096..].fill(0);
    fs::write(store.file("hub.db"), &bytes).unwrap();
    for mode in [OpenMode::Existing, OpenMode::ReadOnly] {
        let mut engine = store.open(mode).unwrap();
        let mut tx = ReadTx::begin(&mut engine).unwrap();
        assert_eq!(tx.query("SELECT body FROM notes", &[]).unwrap_err().kind(), ErrorKind::Damaged);
        drop(tx);
        assert!(!engine.integrity().unwrap().is_empty());
    }
}

#[test]
fn anything_but_a_file_in_the_place_of_the_database() {
    let place = |plant: &dyn Fn(&Path)| {
        let store = Store::made();
        fs::rename(store.file("hub.db"), store.file("away")).unwrap();
        plant(&store.file("hub.db"));
        refused(&store)
    };
    let directory = place(&|path| fs::create_dir(path).unwrap());
    let link = place(&|path| std::os::unix::fs::symlink("away", path).unwrap());
    let fifo = place(&|path| {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    });
    for (error, found) in [(directory, "a directory"), (link, "a symbolic link"), (fifo, "a FIFO")] {
        assert_eq!(error.kind(), ErrorKind::Foreign);
        assert!(error.to_string().contains(found), "{error}");
    }
}

#[test]
fn a_planted_link_is_never_followed() {
    let store = Store::made();
    let target = store.state_dir().with_file_name("target");
    fs::write(&target, "precious").unwrap();
    fs::remove_file(store.file("gate")).unwrap();
    std::os::unix::fs::symlink(&target, store.file("gate")).unwrap();
    assert_eq!(add(&mut store.existing(), "x").unwrap_err().kind(), ErrorKind::Foreign);
    fs::remove_file(store.file("gate")).unwrap();
    fs::remove_file(store.file("signal/wake")).unwrap();
    std::os::unix::fs::symlink(&target, store.file("signal/wake")).unwrap();
    add(&mut store.existing(), "the signal is only a hint").unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
}

#[test]
fn a_linked_state_directory() {
    let (store, other) = (Store::empty(), Store::made());
    std::os::unix::fs::symlink(other.state_dir(), store.state_dir()).unwrap();
    assert_eq!(refused(&store).kind(), ErrorKind::Foreign);
}

#[test]
fn a_database_of_another_program() {
    let store = Store::made();
    fs::remove_file(store.file("hub.db")).unwrap();
    let other = rusqlite::Connection::open(store.file("hub.db")).unwrap();
    other.execute_batch("CREATE TABLE theirs (x); PRAGMA application_id=77").unwrap();
    other.close().unwrap();
    let before = fs::read(store.file("hub.db")).unwrap();
    assert!(matches!(refused(&store), StoreError::OtherProgram { application_id: 77, .. }));
    assert_eq!(fs::read(store.file("hub.db")).unwrap(), before);
}

#[test]
fn a_newer_schema() {
    let store = Store::made();
    let older = SqliteOptions { migrations: &[], ..options() };
    let error = SqliteEngine::open_with(&store.state_dir(), OpenMode::Existing, older).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 1, known: 0, .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Newer);
}

#[test]
#[ignore = "a helper process of the test below"]
fn helper_cannot_bring_it_up_to_date() {
    let newer = SqliteOptions { migrations: GROWN, ..options() };
    for mode in [OpenMode::Existing, OpenMode::ReadOnly] {
        let error = SqliteEngine::open_with(&Helper::state_dir(), mode, newer.clone()).unwrap_err();
        assert!(matches!(error, StoreError::OlderSchema { found: 1, needed: 2, .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Older);
        assert!(error.hint().unwrap().contains("may be written"));
    }
}

const GROWN: &[&str] = &[SCHEMA[0], "ALTER TABLE notes ADD COLUMN author TEXT"];

#[test]
fn an_older_schema_is_not_read_where_it_may_not_be_brought_up_to_date() {
    for settled in [false, true] {
        let store = Store::made();
        add(&mut store.existing(), "kept").unwrap();
        if settled {
            store.settle();
        }
        take_rights_away(&store);
        let good =
            Helper::run_without_rights("refusals::helper_cannot_bring_it_up_to_date", &store.state_dir());
        give_rights_back(&store);
        assert!(good, "settled: {settled}");
    }
}

#[test]
fn a_database_deleted_or_replaced_while_open() {
    let store = Store::made();
    let mut engine = store.existing();
    add(&mut engine, "before").unwrap();
    fs::rename(store.file("hub.db"), store.file("away")).unwrap();
    assert_eq!(add(&mut engine, "lost").unwrap_err().kind(), ErrorKind::Missing);
    assert!(ReadTx::begin(&mut engine).is_err());
    fs::rename(store.file("away"), store.file("hub.db")).unwrap();
    add(&mut engine, "after").unwrap();
    assert_eq!(count(&mut engine), 2);
}

#[test]
fn a_lock_of_another_program_is_busy() {
    let store = Store::made();
    let other = rusqlite::Connection::open(store.file("hub.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let hasty = SqliteOptions { busy_wait: std::time::Duration::from_millis(50), ..options() };
    let mut engine = SqliteEngine::open_with(&store.state_dir(), OpenMode::Existing, hasty).unwrap();
    let error = add(&mut engine, "x").unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Busy);
    other.execute_batch("ROLLBACK").unwrap();
    add(&mut engine, "x").unwrap();
}

/// Lets everybody read and nobody but root write.
fn take_rights_away(store: &Store) {
    for name in ["hub.db", "hub.db-wal", "hub.db-shm", "gate", "created"] {
        if store.file(name).exists() {
            fs::set_permissions(store.file(name), fs::Permissions::from_mode(0o444)).unwrap();
        }
    }
    for dir in [store.file("signal"), store.state_dir(), store.state_dir().with_file_name("")] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o555)).unwrap();
    }
}

fn give_rights_back(store: &Store) {
    for dir in [store.state_dir().with_file_name(""), store.state_dir(), store.file("signal")] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
#[ignore = "a helper process of the test below"]
fn helper_reads_and_cannot_write() {
    for mode in [OpenMode::Existing, OpenMode::ReadOnly] {
        let mut engine = SqliteEngine::open_with(&Helper::state_dir(), mode, options()).unwrap();
        assert_eq!(count(&mut engine), 1);
        let error = add(&mut engine, "never").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ReadOnly, "{error}");
    }
}

#[test]
fn without_the_right_to_write_reading_works_and_writing_says_why() {
    for settled in [false, true] {
        let store = Store::made();
        add(&mut store.existing(), "kept").unwrap();
        if settled {
            store.settle();
        }
        take_rights_away(&store);
        let good = Helper::run_without_rights("refusals::helper_reads_and_cannot_write", &store.state_dir());
        give_rights_back(&store);
        assert!(good, "settled: {settled}");
    }
}

#[test]
#[ignore = "a helper process of the test below"]
fn helper_cannot_even_look() {
    for mode in [OpenMode::Existing, OpenMode::ReadOnly, OpenMode::CreateIfMissing] {
        let error = SqliteEngine::open_with(&Helper::state_dir(), mode, options()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ReadOnly, "{error}");
    }
}

#[test]
fn without_the_right_to_look_the_sentence_says_so() {
    let store = Store::made();
    fs::set_permissions(store.state_dir().with_file_name(""), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(store.state_dir(), fs::Permissions::from_mode(0o000)).unwrap();
    let good = Helper::run_without_rights("refusals::helper_cannot_even_look", &store.state_dir());
    give_rights_back(&store);
    assert!(good);
}

#[test]
fn looking_only_changes_nothing() {
    for settled in [false, true] {
        let store = Store::made();
        add(&mut store.existing(), "kept").unwrap();
        if settled {
            store.settle();
        }
        let before = contents(&store);
        let mut engine = store.open(OpenMode::ReadOnly).unwrap();
        assert_eq!(count(&mut engine), 1);
        assert_eq!(engine.integrity().unwrap(), Vec::<String>::new());
        engine.facts().unwrap();
        assert!(matches!(add(&mut engine, "never"), Err(StoreError::OpenedReadOnly)));
        drop(engine);
        assert_eq!(contents(&store), before, "settled: {settled}");
    }
}

fn contents(store: &Store) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(store.state_dir())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}
