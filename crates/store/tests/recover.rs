//! What is left of a damaged database, and what is said about the rest.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use std::os::unix::fs::FileExt;
use std::path::Path;

use interagent_core::entity::Entity;
use interagent_core::entry::Entry;
use interagent_core::ids::{AgentId, EntityRef, HubId};
use interagent_core::signature::Standing;
use interagent_store::{
    ErrorKind, OpenMode, Recovered, Severity, SqliteEngine, Store, StoreError, TakeInProblem, recover,
};
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::{exchange, facts};
use support::SqliteReplicas;

const MESSAGES: usize = 200;

/// A closed store with everything in its one file.
fn damaged_store() -> (SqliteReplicas, AgentId) {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("a", clock());
    let ann = facts::register(&mut store, "ann");
    for i in 0..MESSAGES {
        facts::send(
            &mut store,
            &ann,
            &ann,
            &format!("subject {i}"),
            &format!("body {i} {}", "x".repeat(i * 7)),
        );
    }
    assert!(store.scrub().unwrap());
    (replicas, ann)
}

fn run(replicas: &SqliteReplicas) -> Recovered {
    let founding = SqliteReplicas::founding("a");
    recover(&replicas.state_dir("a"), &founding, clock(), &mut |_| {}).unwrap()
}

fn open(replicas: &SqliteReplicas) -> Store {
    let engine = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::Existing).unwrap();
    Store::open(Box::new(engine), clock(), &SqliteReplicas::founding("a")).unwrap()
}

fn database(replicas: &SqliteReplicas) -> std::path::PathBuf {
    replicas.state_dir("a").join("hub.db")
}

/// Zeroes the pages that hold these bytes, all but the first `keep` of them, at most `most`.
fn zero_pages(path: &Path, needle: &str, keep: usize, most: usize) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let hit = |page: &[u8]| page.windows(needle.len()).any(|window| window == needle.as_bytes());
    let pages: Vec<usize> =
        (1..bytes.len() / 4096).filter(|i| hit(&bytes[i * 4096..(i + 1) * 4096])).collect();
    let chosen = pages.iter().skip(keep).take(most);
    chosen.clone().for_each(|i| file.write_all_at(&[0; 4096], *i as u64 * 4096).unwrap());
    chosen.count()
}

fn findings(store: &mut Store) -> Vec<String> {
    store.verify(&mut |_, _| {}).unwrap().into_iter().map(|f| f.sentence).collect()
}

#[test]
fn a_whole_database_is_kept_whole_as_a_new_replica() {
    let (replicas, ann) = damaged_store();
    let before = open(&replicas).head().unwrap();
    let recovered = run(&replicas);
    assert_eq!((recovered.entries_kept, recovered.entries_lost), (before.seq.unsigned_abs(), 0));
    assert_eq!(
        (recovered.texts_kept, recovered.texts_lost, recovered.rows_unreadable),
        (2 * MESSAGES as u64, 0, 0)
    );
    assert_eq!(recovered.continues.as_ref(), Some(&before.origin));
    assert!(recovered.moved_to.join("hub.db").exists());
    let mut store = open(&replicas);
    let head = store.head().unwrap();
    assert_eq!((&head.hub_id, head.seq, head.oseq), (&before.hub_id, before.seq + 1, 1));
    assert_ne!(head.origin, before.origin);
    let home = match store.read(|r| r.entity(&EntityRef::Agent(ann.clone()))).unwrap() {
        Some(Entity::Agent(agent)) => agent.home,
        other => panic!("{other:?}"),
    };
    assert!(store.read(|r| r.is_home(&home)).unwrap(), "its agents live on here");
    assert_eq!(findings(&mut store), Vec::<String>::new());
    facts::send(&mut store, &ann, &ann, "goes", "on");
    let names: Vec<_> = std::fs::read_dir(replicas.state_dir("a"))
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("recover"))
        .collect();
    assert_eq!(names, Vec::<String>::new(), "nothing of the work is left");
}

#[test]
fn recovered_copy_continues_no_replica() {
    let (replicas, ann) = damaged_store();
    let before = open(&replicas).head().unwrap();
    let database = database(&replicas);
    std::fs::copy(&database, database.with_extension("copy")).unwrap();
    std::fs::rename(database.with_extension("copy"), &database).unwrap();
    let recovered = run(&replicas);
    assert_eq!((recovered.entries_kept, recovered.entries_lost), (before.seq.unsigned_abs(), 0));
    assert_eq!(recovered.continues, None);
    assert!(recovered.notes.iter().any(|note| note.contains("doctor --moved")));
    let mut store = open(&replicas);
    assert_eq!((store.doubt(), store.head().unwrap().oseq), (None, 1));
    let Some(Entity::Agent(agent)) = store.read(|r| r.entity(&EntityRef::Agent(ann))).unwrap() else {
        panic!("no agent");
    };
    assert!(!store.read(|r| r.is_home(&agent.home)).unwrap(), "its agents live at the original");
    // A person who knows that the original is gone says so afterwards.
    assert_eq!(store.copied_from().unwrap(), [before.origin]);
}

#[test]
fn a_destroyed_page_costs_its_own_entries_and_another_replica_brings_them_back() {
    let (replicas, _) = damaged_store();
    let mut peer = replicas.open("peer", clock());
    exchange::bring(&mut open(&replicas), &mut peer);
    assert_eq!(zero_pages(&database(&replicas), "\"message.sent\"", 8, 2), 2);
    let recovered = run(&replicas);
    assert!(recovered.entries_lost > 0 && recovered.entries_lost < 20, "{recovered:?}");
    assert_eq!(recovered.entries_kept + recovered.entries_lost, MESSAGES as u64 + 2);
    assert_eq!(
        recovered.holes.iter().map(|h| h.last - h.first + 1).sum::<i64>().unsigned_abs(),
        recovered.entries_lost
    );
    assert!(recovered.kept_after_holes > 100, "what stands after a hole is kept: {recovered:?}");
    let mut store = open(&replicas);
    let said = store.verify(&mut |_, _| {}).unwrap();
    assert!(
        !said.is_empty()
            && said.iter().all(|f| f.severity == Severity::Damage && f.sentence.contains("missing"))
    );
    // A hole is filled only by what its replica signed.
    let hole = recovered.holes[0].clone();
    let mut lines = exchange::lines_by_origin(&mut peer).remove(&hole.origin).unwrap();
    lines.truncate(usize::try_from(hole.last).unwrap());
    let last = lines.last_mut().unwrap();
    let mut entry = Entry::read(&last.text).unwrap();
    entry.envelope.wall += 1;
    last.text = entry.seal().unwrap().text;
    let refused = store.take_in(&lines, &[]).unwrap();
    assert!(
        matches!(&refused.problems[..], [TakeInProblem::Unsigned { oseq, .. }] if *oseq == hole.first),
        "{refused:?}"
    );
    let taken = exchange::bring(&mut peer, &mut store);
    assert_eq!(refused.new + taken.new, recovered.entries_lost + 1, "and the peer's own first entry");
    assert_eq!(findings(&mut store), Vec::<String>::new());
}

#[test]
fn entries_of_others_lost_at_the_end_are_counted() {
    let (replicas, _) = damaged_store();
    let mut peer = replicas.open("peer", clock());
    let actor = facts::operator(&mut peer);
    for i in 0..40 {
        facts::create_task(&mut peer, &actor, &format!("task {i}"));
    }
    let mut store = open(&replicas);
    exchange::bring(&mut peer, &mut store);
    let all = store.head().unwrap().seq.unsigned_abs();
    assert!(store.scrub().unwrap());
    drop(store);
    let pages = zero_pages(&database(&replicas), "\"task.created\"", 2, usize::MAX);
    assert!(pages > 1);
    let recovered = run(&replicas);
    assert!(recovered.entries_lost > 10, "{recovered:?}");
    assert_eq!(recovered.entries_kept + recovered.entries_lost, all);
}

#[test]
fn a_destroyed_text_page_costs_its_own_texts() {
    let (replicas, _) = damaged_store();
    assert_eq!(zero_pages(&database(&replicas), "subject 9", 0, 1), 1);
    let recovered = run(&replicas);
    assert_eq!((recovered.entries_kept, recovered.entries_lost), (MESSAGES as u64 + 2, 0));
    assert!(recovered.texts_lost > 0 && recovered.texts_lost < 40, "{recovered:?}");
    assert_eq!(recovered.texts_kept + recovered.texts_lost, 2 * MESSAGES as u64);
}

#[test]
fn a_destroyed_first_page_loses_nothing() {
    let (replicas, _) = damaged_store();
    let file = std::fs::OpenOptions::new().write(true).open(database(&replicas)).unwrap();
    file.write_all_at(&[0; 4096], 0).unwrap();
    drop(file);
    assert!(SqliteEngine::open(&replicas.state_dir("a"), OpenMode::Existing).is_err());
    let recovered = run(&replicas);
    assert_eq!((recovered.entries_kept, recovered.entries_lost), (MESSAGES as u64 + 2, 0));
    assert_eq!(recovered.texts_lost, 0);
    assert_eq!(findings(&mut open(&replicas)), Vec::<String>::new());
}

#[test]
fn of_a_truncated_file_the_beginning_is_kept() {
    let (replicas, _) = damaged_store();
    let file = std::fs::OpenOptions::new().write(true).open(database(&replicas)).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2 / 4096 * 4096).unwrap();
    drop(file);
    let recovered = run(&replicas);
    assert!(recovered.entries_kept > 20, "{recovered:?}");
    assert!(recovered.entries_lost > 0, "{recovered:?}");
    open(&replicas);
}

#[test]
fn a_changed_line_is_left_out() {
    let (replicas, _) = damaged_store();
    let bytes = std::fs::read(database(&replicas)).unwrap();
    let at = bytes.windows(12).position(|w| w == b"\"test.write\"").unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(database(&replicas)).unwrap();
    file.write_all_at(b"\"test.wrote\"", at as u64).unwrap();
    drop(file);
    let recovered = run(&replicas);
    assert_eq!((recovered.lines_refused, recovered.entries_lost), (1, 1));
}

#[test]
fn where_nothing_is_left_an_empty_replica_of_the_same_hub_begins() {
    for damage in ["missing", "empty", "noise"] {
        let (replicas, _) = damaged_store();
        match damage {
            "missing" => std::fs::remove_file(database(&replicas)).unwrap(),
            "empty" => std::fs::write(database(&replicas), "").unwrap(),
            _ => std::fs::write(database(&replicas), vec![0xA5; 40_960]).unwrap(),
        }
        let refused = SqliteEngine::open(&replicas.state_dir("a"), OpenMode::Existing).map(drop);
        assert!(
            matches!(refused.map_err(|e| e.kind()), Err(ErrorKind::Damaged | ErrorKind::Missing)),
            "{damage}"
        );
        let recovered = run(&replicas);
        assert_eq!(recovered.entries_kept, 0, "{damage}");
        assert_eq!(recovered.hub_id, HubId::from_bits(1).to_string(), "{damage}");
        let mut store = open(&replicas);
        assert_eq!(store.head().unwrap().seq, 1, "{damage}");
        assert_eq!(findings(&mut store), Vec::<String>::new(), "{damage}");
    }
}

#[test]
fn an_interrupted_recovery_is_run_again() {
    let (replicas, _) = damaged_store();
    let founding = SqliteReplicas::founding("a");
    let state_dir = replicas.state_dir("a");
    // While the new database is being made.
    let interrupted = std::panic::catch_unwind(|| {
        recover(&state_dir, &founding, clock(), &mut |step| assert!(!step.contains("place"), "{step}"))
            .map(drop)
    });
    assert!(interrupted.is_err());
    assert_eq!(open(&replicas).head().unwrap().seq, MESSAGES as i64 + 2, "the old one is still in its place");
    let recovered = run(&replicas);
    assert_eq!(recovered.entries_kept, MESSAGES as u64 + 2);
    // Between moving the old files away and the new one in.
    let work = state_dir.join("recovering");
    std::fs::create_dir_all(work.join("new")).unwrap();
    std::fs::rename(database(&replicas), work.join("new/hub.db")).unwrap();
    std::fs::write(work.join("ready"), ready(&recovered)).unwrap();
    let absent = SqliteEngine::open(&state_dir, OpenMode::CreateIfMissing).map(drop);
    assert!(matches!(absent, Err(StoreError::Gone { .. })), "nothing new is made meanwhile: {absent:?}");
    assert_eq!(run(&replicas), recovered);
    assert_eq!(open(&replicas).head().unwrap().seq, MESSAGES as i64 + 3);
    assert!(!work.exists());
}

fn ready(recovered: &Recovered) -> String {
    serde_json::to_string(recovered).unwrap()
}

#[test]
fn recovered_store_keeps_its_key_and_what_people_decided() {
    let (replicas, _) = damaged_store();
    let mut store = open(&replicas);
    let mut there = replicas.open("there", clock());
    facts::register(&mut there, "bob");
    exchange::bring(&mut there, &mut store);
    let (key, other) = (store.sign().unwrap().key, there.head().unwrap().origin);
    assert!(store.scrub().unwrap());
    drop(store);
    assert!(zero_pages(&database(&replicas), "subject 7", 0, 1) > 0);
    run(&replicas);
    let mut store = open(&replicas);
    assert_eq!(store.sign().unwrap().key, key, "others know the key");
    let known = store.replicas().unwrap();
    let standing = known.iter().find(|one| one.origin == other).map(|one| one.standing);
    assert_eq!(standing, Some(Standing::Accepted));
    assert_eq!(known.iter().filter(|one| one.standing == Standing::Own).count(), 1);
}
