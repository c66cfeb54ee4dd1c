//! Taking in logs that are long, damaged here, or of another hub.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use interagent_core::event::TaskNoted;
use interagent_core::ids::{EntityRef, HubId, TaskId};
use interagent_store::{Founding, OpenMode, SqliteEngine, Store, TakeInProblem};
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::{exchange, facts};
use support::SqliteReplicas;

fn of_hub(replicas: &SqliteReplicas, replica: &str, hub: u64) -> Store {
    let engine = SqliteEngine::open(&replicas.state_dir(replica), OpenMode::CreateIfMissing).unwrap();
    let founding =
        Founding { hub_id: Some(HubId::from_bits(hub)), alias: replica.to_owned(), user_dir: None };
    Store::open(Box::new(engine), clock(), &founding).unwrap()
}

#[test]
fn the_log_of_another_hub_is_left_out_whole() {
    let replicas = SqliteReplicas::new();
    let (mut ours, mut theirs) = (of_hub(&replicas, "ours", 1), of_hub(&replicas, "theirs", 2));
    let ann = facts::register(&mut theirs, "ann");
    facts::send(&mut theirs, &ann, &ann, "hello", "a text of theirs");
    let lines = exchange::lines(&mut theirs);
    let texts = exchange::texts(&mut theirs, &lines);
    let before = ours.head().unwrap();
    let taken = ours.take_in(&lines, &texts).unwrap();
    assert_eq!((taken.new, taken.texts, taken.skipped), (0, 0, lines.len() as u64 - 1));
    let [TakeInProblem::OtherHub { hub, .. }] = taken.problems.as_slice() else {
        panic!("{:?}", taken.problems)
    };
    assert_eq!(*hub, HubId::from_bits(2));
    assert_eq!(ours.head().unwrap(), before);
}

#[test]
fn a_long_log_is_taken_in_turns_and_all_of_it_arrives() {
    let replicas = SqliteReplicas::new();
    let (mut from, mut to) = (replicas.open("a", clock()), replicas.open("b", clock()));
    let ann = facts::register(&mut from, "ann");
    let body = "x".repeat(20_000);
    for i in 0..200 {
        facts::send(&mut from, &ann, &ann, &format!("subject {i}"), &body);
    }
    let lines = exchange::lines(&mut from);
    let texts = exchange::texts(&mut from, &lines);
    // Somebody else who waits for the gate gets it between two turns.
    let other = std::thread::spawn({
        let dir = replicas.state_dir("b");
        move || {
            let engine = SqliteEngine::open(&dir, OpenMode::Existing).unwrap();
            let mut store = Store::open(Box::new(engine), clock(), &SqliteReplicas::founding("b")).unwrap();
            facts::register(&mut store, "bob");
        }
    });
    let taken = to.take_in(&lines, &texts).unwrap();
    other.join().unwrap();
    assert_eq!((taken.new, taken.texts, taken.problems.len()), (lines.len() as u64, 400, 0));
    assert_eq!(to.take_in(&lines, &texts).unwrap().known, lines.len() as u64);
    assert!(to.verify(&mut |_, _| {}).unwrap().is_empty());
}

#[test]
fn one_damaged_stored_line_is_named_and_the_rest_goes_on() {
    let replicas = SqliteReplicas::new();
    let (mut north, mut south) = (replicas.open("north", clock()), replicas.open("south", clock()));
    let mut here = replicas.open("here", clock());
    let (ann, bob) = (facts::register(&mut north, "ann"), facts::register(&mut south, "bob"));
    exchange::bring(&mut north, &mut here);
    exchange::bring(&mut south, &mut here);
    facts::send(&mut north, &ann, &ann, "more", "of north");
    facts::send(&mut south, &bob, &bob, "more", "of south");
    let origin = north.head().unwrap().origin;
    let connection = rusqlite::Connection::open(replicas.state_dir("here").join("hub.db")).unwrap();
    let damaged = connection
        .execute(
            "UPDATE entries SET line = replace(line, 'ann', 'eve') WHERE origin = ?1 AND oseq = 2",
            [origin.as_str()],
        )
        .unwrap();
    assert_eq!(damaged, 1);
    drop(connection);
    let mut lines = exchange::lines_by_origin(&mut north).remove(&origin).unwrap();
    lines.extend(exchange::lines(&mut south));
    let seals = [exchange::seals(&mut north), exchange::seals(&mut south)].concat();
    let coverage = exchange::coverage(seals, &lines);
    let taken = here.take_in_sealed(&lines, &[], &coverage).unwrap();
    assert_eq!(taken.new, 1, "the other origin goes on: {taken:?}");
    let [TakeInProblem::Stored { origin: named, oseq: 2, .. }] = taken.problems.as_slice() else {
        panic!("{:?}", taken.problems)
    };
    assert_eq!(*named, origin);
}

#[test]
fn a_text_that_is_needed_arrives_though_what_was_left_out_repeats_it() {
    let replicas = SqliteReplicas::new();
    let (mut from, mut to) = (replicas.open("a", clock()), replicas.open("b", clock()));
    let ann = facts::register(&mut from, "ann");
    let mut shared = None;
    facts::append(&mut from, &ann, |draft| {
        let (id, created) = facts::task(draft, &ann, "Rotate the keys");
        draft.add(EntityRef::Task(id), created.clone());
        shared = Some(created);
    });
    let shared = shared.unwrap();
    facts::send(&mut from, &ann, &ann, "lost on the way", "x");
    // Done again: another task with the same texts.
    facts::append(&mut from, &ann, |draft| {
        let note = draft.plain("only of what is left out");
        let again = TaskId::from_bits(draft.bits());
        draft.add(EntityRef::Task(again.clone()), shared.clone());
        draft.add(EntityRef::Task(again), TaskNoted { note });
    });
    let mut lines = exchange::lines(&mut from);
    let texts = exchange::texts(&mut from, &lines);
    let note = texts.iter().find(|text| text.text.starts_with("only")).unwrap().hash.clone();
    lines.remove(lines.len() - 2);
    let fits = lines.len() as u64 - 1;
    // Given again, the entry is known and needs its text no less.
    for (new, known) in [(fits, 0), (0, fits)] {
        let taken = to.take_in(&lines, &texts).unwrap();
        assert_eq!((taken.new, taken.known, taken.problems.len()), (new, known, 1), "{taken:?}");
        let title = to.read(|r| r.text(&shared.title)).unwrap();
        assert_eq!(title.as_deref(), Some("Rotate the keys"));
        assert_eq!(to.text_with_salt(&note).unwrap(), None, "what was left out brought its text");
        let connection = rusqlite::Connection::open(replicas.state_dir("b").join("hub.db")).unwrap();
        connection.execute("DELETE FROM blobs WHERE hash = ?1", [shared.title.as_str()]).unwrap();
    }
}
