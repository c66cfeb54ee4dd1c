//! Stores that another version of the program folded.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use interagent_core::entity::FOLD_VERSION;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::limits;
use interagent_core::vocabulary::SessionState;
use interagent_store::observe::SessionRow;
use interagent_store::sqlite::migrations;
use interagent_store::{Clock, ErrorKind, OpenMode, SqliteEngine, SqliteOptions, Store, StoreError};
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::{facts, older};
use support::SqliteReplicas;

/// A store with a task and a message in it, and its two views as documents.
fn filled() -> (SqliteReplicas, AgentId) {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("a", clock());
    let ann = facts::register(&mut store, "ann");
    facts::send(&mut store, &ann, &ann, "hello", "world");
    assert!(store.scrub().unwrap());
    (replicas, ann)
}

fn sql(replicas: &SqliteReplicas, batch: &str) {
    let connection = rusqlite::Connection::open(replicas.state_dir("a").join("hub.db")).unwrap();
    connection.execute_batch(batch).unwrap();
}

fn fold_of(replicas: &SqliteReplicas) -> i64 {
    let connection = rusqlite::Connection::open(replicas.state_dir("a").join("hub.db")).unwrap();
    connection.query_row("SELECT fold FROM hubs", [], |row| row.get(0)).unwrap()
}

fn open(replicas: &SqliteReplicas) -> Result<Store, StoreError> {
    let engine = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::Existing)?;
    Store::open(Box::new(engine), clock(), &SqliteReplicas::founding("a"))
}

fn name(store: &mut Store, agent: &AgentId) -> String {
    store.read(|r| r.agent(agent)).unwrap().unwrap().name.to_string()
}

/// Stands for an event that the older program did not understand: its view lacks what the log says.
const STALE: &str = "UPDATE agents SET doc = replace(doc, '\"ann\"', '\"zoe\"')";

#[test]
fn views_of_an_older_program_are_folded_again_once() {
    let (replicas, ann) = filled();
    sql(&replicas, &format!("UPDATE hubs SET fold = 0; {STALE}"));
    assert_eq!(name(&mut open(&replicas).unwrap(), &ann), "ann");
    assert_eq!(fold_of(&replicas), FOLD_VERSION);
    sql(&replicas, STALE);
    assert_eq!(
        name(&mut open(&replicas).unwrap(), &ann),
        "zoe",
        "it was folded again though nothing asked for it"
    );
}

#[test]
fn copy_is_folded_again_once_it_is_decided() {
    let stale_copy = || {
        let (replicas, ann) = filled();
        sql(&replicas, &format!("UPDATE hubs SET fold = 0, store_id = 'store-7k2m9q4x1c8v'; {STALE}"));
        (replicas, ann)
    };
    let (replicas, ann) = stale_copy();
    let mut store = open(&replicas).unwrap();
    assert!(store.doubt().is_some());
    assert_eq!((name(&mut store, &ann).as_str(), fold_of(&replicas)), ("zoe", 0));
    assert_eq!(store.rebuild(&mut |_, _| {}).unwrap_err().kind(), ErrorKind::Undecided);
    assert_eq!(fold_of(&replicas), 0);
    assert!(store.become_copy("b").unwrap());
    assert_eq!((name(&mut store, &ann).as_str(), fold_of(&replicas)), ("ann", FOLD_VERSION));

    // Decided by another process, while this one had it open.
    let (replicas, ann) = stale_copy();
    let mut store = open(&replicas).unwrap();
    let id = std::fs::read_to_string(replicas.state_dir("a").join("store-id")).unwrap();
    sql(&replicas, &format!("UPDATE hubs SET store_id = '{}'", id.trim()));
    store.must_be_decided().unwrap();
    assert_eq!((name(&mut store, &ann).as_str(), fold_of(&replicas)), ("ann", FOLD_VERSION));
}

#[test]
fn whoever_only_looks_folds_nothing() {
    let (replicas, ann) = filled();
    sql(&replicas, &format!("UPDATE hubs SET fold = 0; {STALE}"));
    let engine = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::ReadOnly).unwrap();
    let mut looking = Store::open_to_look(Box::new(engine), clock()).unwrap();
    assert_eq!(name(&mut looking, &ann), "zoe");
    assert_eq!(fold_of(&replicas), 0);
}

#[test]
fn what_a_newer_program_folded_is_read_and_not_written() {
    let (replicas, ann) = filled();
    let mut resident = open(&replicas).unwrap();
    sql(&replicas, &format!("UPDATE hubs SET fold = {}; {STALE}", FOLD_VERSION + 1));
    let mut later = open(&replicas).unwrap();
    for store in [&mut resident, &mut later] {
        assert_eq!(name(store, &ann), "zoe", "what the newer program made is read as it is");
        let failed = facts::try_append(store, facts::entry_of(&ann, None), |_, _| Ok(())).unwrap_err();
        let facts::Failed::Store(error) = failed else { panic!("{failed:?}") };
        assert_eq!(error.kind(), ErrorKind::Newer, "{error}");
        assert_eq!(store.rebuild(&mut |_, _| {}).unwrap_err().kind(), ErrorKind::Newer);
        assert_eq!(store.take_in(&[], &[]).unwrap_err().kind(), ErrorKind::Newer);
    }
    assert_eq!(fold_of(&replicas), FOLD_VERSION + 1);
}

#[test]
fn one_damaged_entry_does_not_keep_everybody_out_after_an_upgrade() {
    let (replicas, ann) = filled();
    sql(
        &replicas,
        "UPDATE hubs SET fold = 0; UPDATE entries SET line = 'x' WHERE seq = (SELECT MAX(seq) FROM entries)",
    );
    let mut store = open(&replicas).unwrap();
    assert_eq!(name(&mut store, &ann), "ann");
    let mail = store.read(|r| r.unread(&ann, 10)).unwrap();
    assert!(mail.is_empty(), "{mail:?}");
    let findings = store.verify(&mut |_, _| {}).unwrap();
    assert!(!findings.is_empty(), "the damaged entry is named by nobody");
    assert_eq!(
        store.rebuild(&mut |_, _| {}).unwrap_err().kind(),
        ErrorKind::Damaged,
        "asked for, it is told"
    );
}

#[test]
fn a_store_of_the_first_schema_is_brought_up_to_date_with_what_is_in_it() {
    let replicas = SqliteReplicas::new();
    let state_dir = replicas.state_dir("a");
    // The file as the first version made it, filled through this one's statements once it was opened.
    let first = SqliteOptions { migrations: &migrations::ALL[..1], ..SqliteOptions::default() };
    drop(SqliteEngine::open_with(&state_dir, OpenMode::CreateIfMissing, first).unwrap());
    sql(
        &replicas,
        "INSERT INTO hubs VALUES (1, 'hub-0000000000001', 'org-0000000000001', 'a', '', 0, 7, 3, 9, 'abc')",
    );
    drop(SqliteEngine::open(&state_dir, OpenMode::Existing).unwrap());
    let connection = rusqlite::Connection::open(state_dir.join("hub.db")).unwrap();
    let (version, seq, fold): (i64, i64, i64) = connection
        .query_row("SELECT (SELECT user_version FROM pragma_user_version), seq, fold FROM hubs", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!((version, seq, fold), (i64::try_from(migrations::ALL.len()).unwrap(), 7, 1));
}

#[test]
fn a_filled_store_of_the_first_schema_keeps_its_log_and_its_views() {
    let (replicas, ann) = filled();
    older::first_schema(&replicas.state_dir("a"));
    let looking = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::ReadOnly).unwrap_err();
    assert!(matches!(looking, StoreError::OlderSchema { found: 1, .. }), "{looking}");
    assert!(looking.hint().unwrap().contains("may be written"), "{looking}");
    let mut store = open(&replicas).unwrap();
    assert_eq!(name(&mut store, &ann), "ann");
    assert_eq!(fold_of(&replicas), FOLD_VERSION);
    facts::send(&mut store, &ann, &ann, "again", "after the migration");
    assert!(store.read(|r| r.entity(&EntityRef::Agent(ann.clone()))).unwrap().is_some());
    assert!(store.verify(&mut |_, _| {}).unwrap().is_empty());
}

#[test]
fn sessions_that_ended_before_an_upgrade_are_kept_as_long_as_others() {
    let (replicas, ann) = filled();
    let ended = |id: &str, seen| SessionRow {
        id: id.to_owned(),
        agent: ann.clone(),
        profile: "claude".to_owned(),
        process: None,
        pane: None,
        cwd: None,
        state: SessionState::Ended,
        bound: seen,
        seen,
        briefed: false,
        reminded: None,
        wake: None,
        woken: None,
        waking: None,
        reports_told: None,
        viewed: false,
        prompts: Vec::new(),
        remark: None,
        tools: None,
    };
    let now = clock().wall_us();
    let mut store = open(&replicas).unwrap();
    let (recent, old) = (ended("recent", now - 1), ended("old", now - limits::ENDED_SESSION_US + 1));
    for session in [&recent, &old] {
        store.observe(|w| w.put_session(session)).unwrap();
    }
    drop(store);
    older::first_schema(&replicas.state_dir("a"));
    let unclear = format!(
        "INSERT INTO sessions (hub, id, agent, ended, doc) VALUES (1, 'damaged', '{ann}', 1, '{{'), \
         (1, 'wordy', '{ann}', 1, '{{\"seen\":\"then\"}}'), (1, 'huge', '{ann}', 1, '{{\"seen\":99999999999999999999}}')"
    );
    sql(&replicas, &unclear);
    let mut store = open(&replicas).unwrap();
    store.observe(|w| w.put_session(&ended("first after it", now))).unwrap();
    for session in [recent, old] {
        let found = store.read(|r| r.session(&session.id)).unwrap();
        assert_eq!(found, Some(session), "forgotten by the first session that ended after the upgrade");
    }
    let connection = rusqlite::Connection::open(replicas.state_dir("a").join("hub.db")).unwrap();
    let kept: i64 = connection.query_row("SELECT COUNT(*) FROM sessions", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 6, "where the time is not known, it counts as now");
}
