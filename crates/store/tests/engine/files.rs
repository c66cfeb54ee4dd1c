//! Making, migrating, backing up, the size of the log, and file modes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use interagent_core::store_identity::IdFile;
use interagent_store::sqlite::migrations;
use interagent_store::{Engine, OpenMode, Queryable, ReadTx, SqliteEngine, SqliteOptions, WriteTx};

use crate::support::{Store, add, count, count_in, options};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn only_the_owner_can_look_inside() {
    let store = Store::made();
    let mut engine = store.existing();
    add(&mut engine, "secret").unwrap();
    for dir in [store.state_dir(), store.file("signal")] {
        assert_eq!(mode(&dir), 0o700, "{}", dir.display());
    }
    for name in ["hub.db", "hub.db-wal", "hub.db-shm", "gate", "created", "store-id", "signal/wake"] {
        assert_eq!(mode(&store.file(name)), 0o600, "{name}");
    }
}

#[test]
fn the_database_carries_our_settings() {
    let store = Store::made();
    let mut engine = store.existing();
    add(&mut engine, "x").unwrap();
    let facts = engine.facts().unwrap();
    assert_eq!((facts.journal_mode.as_str(), facts.schema_version, facts.page_bytes), ("wal", 1, 4096));
    assert!(facts.wal_bytes > 0 && facts.wal_frames.unwrap() > 0, "{facts:?}");
    let mut tx = ReadTx::begin(&mut engine).unwrap();
    for (pragma, value) in [
        ("PRAGMA application_id", 0x6961_4842),
        ("PRAGMA synchronous", 2),
        ("PRAGMA foreign_keys", 1),
        ("PRAGMA secure_delete", 1),
        ("PRAGMA trusted_schema", 0),
        ("PRAGMA temp_store", 2),
        ("PRAGMA wal_autocheckpoint", 0),
        ("PRAGMA busy_timeout", 5000),
    ] {
        assert_eq!(tx.query(pragma, &[]).unwrap()[0].int(0).unwrap(), value, "{pragma}");
    }
}

#[test]
fn many_processes_that_start_together_make_one_store() {
    let store = Store::empty();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let store = &store;
            scope.spawn(move || {
                let mut engine = store.open(OpenMode::CreateIfMissing).unwrap();
                add(&mut engine, &number.to_string()).unwrap();
            });
        }
    });
    assert_eq!(count(&mut store.existing()), 8);
}

#[test]
fn a_creator_that_was_killed_is_cleaned_up_after() {
    let store = Store::empty();
    fs::create_dir(store.state_dir()).unwrap();
    fs::write(store.file("hub.db.new"), "half").unwrap();
    fs::write(store.file("hub.db.new-wal"), "half").unwrap();
    let mut engine = store.open(OpenMode::CreateIfMissing).unwrap();
    add(&mut engine, "whole").unwrap();
    assert!(!store.file("hub.db.new").exists() && !store.file("hub.db.new-wal").exists());
    assert_eq!(mode(&store.state_dir()), 0o700, "a loose directory is tightened");
}

#[test]
fn store_is_known_by_its_id_and_its_file() {
    let (store, other) = (Store::made(), Store::made());
    let facts = |store: &Store| (store.existing().id_file(), store.existing().inode().unwrap());
    let ((id, inode), (other_id, other_inode)) = (facts(&store), facts(&other));
    assert!(matches!(id, IdFile::Holds(_)), "{id:?}");
    assert_eq!(mode(&store.file("store-id")), 0o600);
    assert_eq!((id.clone(), inode), facts(&store));
    assert!(id != other_id && inode != other_inode);
    fs::copy(store.file("hub.db"), store.file("copy")).unwrap();
    fs::rename(store.file("copy"), store.file("hub.db")).unwrap();
    assert_ne!(inode, store.existing().inode().unwrap(), "a copy is another file");
}

const HISTORY: &[&str] = &[
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT; INSERT INTO notes (body) VALUES ('one')",
    "ALTER TABLE notes ADD COLUMN author TEXT; CREATE INDEX by_author ON notes (author)",
    "CREATE TABLE tags (note INTEGER NOT NULL REFERENCES notes (id), tag TEXT NOT NULL) STRICT",
];

fn open_with(store: &Store, migrations: &'static [&'static str]) -> SqliteEngine {
    let options = SqliteOptions { migrations, ..options() };
    SqliteEngine::open_with(&store.state_dir(), OpenMode::CreateIfMissing, options).unwrap()
}

fn schema(engine: &mut SqliteEngine) -> Vec<interagent_store::Row> {
    let mut tx = ReadTx::begin(engine).unwrap();
    assert_eq!(count_in(&mut tx), 1);
    let mut rows = tx.query("PRAGMA user_version", &[]).unwrap();
    rows.extend(tx.query("SELECT type, name, sql FROM sqlite_schema ORDER BY name", &[]).unwrap());
    rows
}

#[test]
fn every_version_leads_to_the_same_schema() {
    let fresh = schema(&mut open_with(&Store::empty(), HISTORY));
    assert_eq!(fresh[0].int(0).unwrap(), 3);
    for version in 1..HISTORY.len() {
        let store = Store::empty();
        drop(open_with(&store, &HISTORY[..version]));
        assert_eq!(schema(&mut open_with(&store, HISTORY)), fresh, "from version {version}");
    }
}

#[test]
fn a_failing_migration_leaves_the_version_before_it() {
    let store = Store::empty();
    drop(open_with(&store, &HISTORY[..1]));
    const BROKEN: &[&str] =
        &[HISTORY[0], HISTORY[1], "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)"];
    let broken = SqliteOptions { migrations: BROKEN, ..options() };
    let error = SqliteEngine::open_with(&store.state_dir(), OpenMode::Existing, broken).unwrap_err();
    assert!(error.to_string().contains("migration 3 failed"), "{error}");
    let mut engine = open_with(&store, &HISTORY[..2]);
    let rows = schema(&mut engine);
    assert_eq!(rows[0].int(0).unwrap(), 2);
    assert!(rows.iter().skip(1).all(|row| row.text(1).unwrap() != "half"));
}

#[test]
fn the_real_migrations_make_a_store() {
    let store = Store::empty();
    let mut engine = SqliteEngine::open(&store.state_dir(), OpenMode::CreateIfMissing).unwrap();
    assert_eq!(engine.integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn messages_of_the_first_version_can_be_listed_by_intent() {
    let store = Store::empty();
    {
        let options = SqliteOptions { migrations: &migrations::ALL[..1], ..SqliteOptions::default() };
        let mut engine =
            SqliteEngine::open_with(&store.state_dir(), OpenMode::CreateIfMissing, options).unwrap();
        let mut tx = WriteTx::begin(&mut engine).unwrap();
        let row = "INSERT INTO messages (hub, id, at, thread, sender, doc) VALUES (1, $1, 5, 't', 's', $2)";
        for (id, doc) in [
            ("msg-1", r#"{"id":"msg-1","intent":"question","sent":{"at":5,"wall":4}}"#),
            ("msg-damaged", r#"{"id":"msg-dam"#),
            ("msg-empty", ""),
            ("msg-without", "[7]"),
        ] {
            tx.execute(row, &[id.into(), doc.into()]).unwrap();
        }
        tx.commit().unwrap();
    }
    let mut engine = SqliteEngine::open(&store.state_dir(), OpenMode::Existing).unwrap();
    let mut tx = ReadTx::begin(&mut engine).unwrap();
    let rows = tx.query("SELECT wall FROM messages WHERE hub = 1 AND intent = 'question'", &[]).unwrap();
    assert_eq!(rows.iter().map(|row| row.int(0).unwrap()).collect::<Vec<_>>(), [4]);
    let rows = tx.query("SELECT id FROM messages WHERE hub = 1 AND intent = ''", &[]).unwrap();
    assert_eq!(rows.len(), 3, "a damaged row keeps nobody out");
    for (wanted, statement) in [
        (
            "messages_sender",
            "EXPLAIN QUERY PLAN SELECT doc FROM messages WHERE hub = 1 AND (at, id) < (9, 'z') AND sender = 's' ORDER BY at DESC, id DESC LIMIT 5",
        ),
        (
            "messages_intent",
            "EXPLAIN QUERY PLAN SELECT doc FROM messages WHERE hub = 1 AND (at, id) < (9, 'z') AND intent = 'x' ORDER BY at DESC, id DESC LIMIT 5",
        ),
    ] {
        let plan = tx.query(statement, &[]).unwrap();
        assert!(plan.iter().any(|row| row.text(3).unwrap().contains(wanted)), "{plan:?}");
    }
}

#[test]
fn a_backup_is_one_state_while_others_write() {
    let store = Store::made();
    let mut engine = store.existing();
    for number in 0..400 {
        add(&mut engine, &format!("before {number} {}", "x".repeat(20_000))).unwrap();
    }
    let target = store.state_dir().with_file_name("copy.db");
    let stop = AtomicBool::new(false);
    let (mut steps, mut done_before, mut restarted) = (0, 0, false);
    let before = count(&mut engine);
    std::thread::scope(|scope| {
        let mut writer = store.existing();
        let stop = &stop;
        scope.spawn(move || {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                add(&mut writer, &format!("during {number}")).unwrap();
                number += 1;
            }
        });
        let done = engine.backup_to(&target, &mut |progress| {
            restarted |= progress.done < done_before;
            if restarted {
                // Without a fixed state the copy would never end while somebody writes.
                stop.store(true, Ordering::Relaxed);
            }
            done_before = progress.done;
            steps += 1;
            // Long enough for commits between the steps.
            std::thread::sleep(std::time::Duration::from_millis(20));
        });
        stop.store(true, Ordering::Relaxed);
        done.unwrap();
    });
    assert!(!restarted, "a commit made the copy start again");
    assert!(steps > 1 && count(&mut engine) > before, "nothing was written meanwhile");
    assert_eq!(mode(&target), 0o600);
    let copy = rusqlite::Connection::open(&target).unwrap();
    let check: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let copied: i64 = copy.query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap();
    assert!(copied >= before);
    let left: Vec<_> = fs::read_dir(target.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("partial"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
    assert!(engine.backup_to(&target, &mut |_| {}).is_err(), "an existing file is never overwritten");
}

fn wal_bytes(store: &Store) -> u64 {
    fs::metadata(store.file("hub.db-wal")).map_or(0, |meta| meta.len())
}

const MB: u64 = 1024 * 1024;

#[test]
fn the_log_stays_small_under_five_thousand_writes() {
    let store = Store::made();
    let (mut engine, mut reader) = (store.existing(), store.existing());
    let mut largest = 0;
    for number in 0..5_000 {
        add(&mut engine, &format!("{number} {}", "x".repeat(1_000))).unwrap();
        engine.finish_write().unwrap();
        if number % 7 == 0 {
            count(&mut reader);
        }
        largest = largest.max(wal_bytes(&store));
    }
    assert!(largest < 3 * MB / 2, "{largest} bytes");
}

#[test]
fn the_log_stays_small_when_each_write_is_a_new_connection() {
    let store = Store::made();
    let mut largest = 0;
    for number in 0..600 {
        let mut engine = store.existing();
        add(&mut engine, &format!("{number} {}", "x".repeat(1_000))).unwrap();
        engine.finish_write().unwrap();
        drop(engine);
        largest = largest.max(wal_bytes(&store));
    }
    assert!(largest < 3 * MB / 2, "{largest} bytes");
    assert_eq!(count(&mut store.existing()), 600);
}

#[test]
fn log_stays_bounded_when_every_process_is_killed_before_upkeep() {
    let store = Store::made();
    let mut largest = 0;
    for restart in 0..12 {
        let mut engine = store.existing();
        for number in 0..20 {
            add(&mut engine, &format!("{restart} {number} {}", "x".repeat(100_000))).unwrap();
            largest = largest.max(wal_bytes(&store));
        }
        // Killed after its answers: nothing that follows them runs.
        drop(engine);
    }
    assert!(largest < 16 * MB, "{largest} bytes");
    assert_eq!(count(&mut store.existing()), 240);
}

#[test]
fn a_reader_in_the_way_delays_nobody_and_the_log_shrinks_after_it() {
    let store = Store::made();
    let (mut engine, mut reader) = (store.existing(), store.existing());
    let mut tx = ReadTx::begin(&mut reader).unwrap();
    assert_eq!(count_in(&mut tx), 0);
    for number in 0..1_000 {
        add(&mut engine, &format!("{number} {}", "x".repeat(1_000))).unwrap();
        let started = std::time::Instant::now();
        engine.finish_write().unwrap();
        assert!(started.elapsed() < std::time::Duration::from_secs(1));
    }
    assert!(wal_bytes(&store) > 2 * MB, "the reader pins the log");
    assert_eq!(count_in(&mut tx), 0);
    drop(tx);
    add(&mut engine, "last").unwrap();
    engine.finish_write().unwrap();
    assert!(wal_bytes(&store) < MB);
}
