//! Taking in what other replicas wrote.

use std::time::Duration;

use interagent_core::entry::{BadLine, Entry, Line};
use interagent_core::event::{TaskAssigned, TaskNoted};
use interagent_core::ids::{EntityRef, HubId};
use interagent_core::limits::FUTURE_HELD_US;
use interagent_core::signature::Coverage;
use interagent_core::text::StoredText;
use interagent_store::{ForeignLine, Head, KeyFile, ReplicaDecision, Store, TakeInProblem};

use super::{Factory, THEN, clock};
use crate::dump;
use crate::exchange::{accept_all, bring, coverage, lines, lines_by_origin, texts};
use crate::facts::{append, create_task, entry_of, message, operator, purge, register, send, try_append};

fn sound(store: &mut Store) {
    assert_eq!(store.verify(&mut |_, _| {}).unwrap(), []);
}

pub fn replicas_agree_whatever_came_first(factory: &dyn Factory) {
    let clock = clock();
    let mut here = factory.open("here", clock.clone());
    let mut there = factory.open("there", clock.clone());
    let (ann, task) = {
        let ann = register(&mut here, "ann");
        (ann.clone(), create_task(&mut here, &ann, "Write the parser"))
    };
    bring(&mut here, &mut there);
    let bob = register(&mut there, "bob");
    // Both claim the task without knowing of each other; the one there was first.
    let claim = |store: &mut Store, agent: &interagent_core::ids::AgentId| {
        clock.advance(Duration::from_secs(1));
        append(store, agent, |draft| {
            let claimed = TaskAssigned { assignee: agent.clone(), before: None, claimed: true };
            draft.add(EntityRef::Task(task.clone()), claimed);
        });
    };
    claim(&mut there, &bob);
    claim(&mut here, &ann);
    let taken = bring(&mut there, &mut here);
    assert!(taken.new >= 3, "{taken:?}");
    bring(&mut here, &mut there);
    for store in [&mut here, &mut there] {
        let state = store.read(|r| r.task(&task)).unwrap().unwrap();
        assert_eq!(state.assignee.as_ref(), Some(&bob), "the first claim wins");
        let history = store.read(|r| r.history(&EntityRef::Task(task.clone()))).unwrap();
        let void: Vec<_> = history.iter().map(|placed| placed.void.as_deref()).collect();
        assert_eq!(void, [None, None, Some("another agent has the task")]);
        sound(store);
    }
    let (one, two) = (factory.engine("here"), factory.engine("there"));
    let [one, two] = [one, two].map(|mut engine| dump::views(engine.as_mut()));
    assert_eq!(one, two);
    // What comes next stands above everything that is known.
    let last = here.head().unwrap().last_at;
    clock.step_wall(-60_000_000);
    create_task(&mut here, &ann, "Test the parser");
    assert!(here.head().unwrap().last_at > last);
}

pub fn what_is_known_is_not_taken_twice(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let mut there = factory.open("there", clock());
    register(&mut here, "ann");
    let first = bring(&mut here, &mut there);
    let head = there.head().unwrap();
    let second = bring(&mut here, &mut there);
    assert_eq!((first.new, first.known, second.new, second.known), (2, 0, 0, 2));
    assert_eq!(there.head().unwrap(), head);
    assert_eq!(bring(&mut there, &mut here).known, 2, "our own come back as known");
}

pub fn a_gap_stops_its_origin_only(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let mut other = factory.open("other", clock());
    let mut there = factory.open("there", clock());
    for store in [&mut here, &mut other] {
        let ann = operator(store);
        (0..3).for_each(|_| drop(create_task(store, &ann, "t")));
    }
    let mut gapped = lines(&mut here);
    let whole = gapped.clone();
    gapped.remove(1);
    let others = lines(&mut other);
    let mixed: Vec<ForeignLine> = gapped.into_iter().chain(others).collect();
    let taken = there.take_in(&mixed, &[]).unwrap();
    assert_eq!((taken.new, taken.skipped), (1 + 4, 1));
    assert!(
        matches!(&taken.problems[..], [TakeInProblem::Gap { oseq: 3, missing: 2, .. }]),
        "{:?}",
        taken.problems
    );
    let rest = there.take_in(&whole, &texts(&mut here, &whole)).unwrap();
    assert_eq!((rest.new, rest.known, rest.problems.len()), (3, 1, 0));
}

pub fn a_changed_line_is_named_and_the_rest_is_loaded(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let mut there = factory.open("there", clock());
    let ann = register(&mut here, "ann");
    send(&mut here, &ann, &ann, "s", "b");
    let mut given = lines(&mut here);
    given[2].text = given[2].text.replace("test.write", "test.wrote");
    "log/a.jsonl:3".clone_into(&mut given[2].place);
    given.insert(0, ForeignLine { text: "<<<<<<< HEAD".to_owned(), place: "log/a.jsonl:1".to_owned() });
    let taken = there.take_in(&given, &[]).unwrap();
    assert_eq!(taken.new, 2);
    let damaged = |place: &str, why| TakeInProblem::Damaged { place: place.to_owned(), why };
    assert_eq!(
        taken.problems,
        [damaged("log/a.jsonl:1", BadLine::NoHash), damaged("log/a.jsonl:3", BadLine::HashMismatch)]
    );
}

/// Seals an entry again after changing it: a line that proves itself and was never written by its replica.
fn forged(line: &ForeignLine, change: impl FnOnce(&mut Entry)) -> ForeignLine {
    let mut entry = Entry::read(&line.text).unwrap();
    change(&mut entry);
    ForeignLine { text: entry.seal().unwrap().text, place: line.place.clone() }
}

/// The replica `here` signed a log up to a line.
fn signed(factory: &dyn Factory, head: &Head, line: &ForeignLine) -> Coverage {
    let KeyFile::Holds(key) = factory.engine("here").key_file() else { panic!("no key") };
    let (oseq, hash) = (line_number(line), Line::verify(&line.text).unwrap().hash);
    let seal = key.seal(HubId::parse(&head.hub_id).unwrap(), head.origin.clone(), oseq, hash);
    coverage(vec![seal], std::slice::from_ref(line))
}

fn line_number(line: &ForeignLine) -> i64 {
    Entry::read(&line.text).unwrap().envelope.oseq
}

pub fn a_forked_log_is_refused(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let mut there = factory.open("there", clock());
    register(&mut here, "ann");
    bring(&mut here, &mut there);
    let known = lines(&mut here);
    let fork = forged(&known[1], |entry| entry.envelope.wall += 1);
    let head = here.head().unwrap();
    let twice = signed(factory, &head, &fork);
    let taken = there.take_in_sealed(std::slice::from_ref(&fork), &[], &twice).unwrap();
    assert!(matches!(&taken.problems[..], [TakeInProblem::Fork { oseq: 2, .. }]), "{:?}", taken.problems);
    let next = forged(&known[1], |entry| entry.envelope.oseq = 3);
    let broken = signed(factory, &head, &next);
    let taken = there.take_in_sealed(&[next], &[], &broken).unwrap();
    assert!(matches!(&taken.problems[..], [TakeInProblem::Broken { oseq: 3, .. }]), "{:?}", taken.problems);
    assert_eq!(
        lines(&mut there).iter().filter(|line| known.contains(line)).count(),
        2,
        "the first one stays"
    );
    sound(&mut there);
}

pub fn entries_of_our_own_are_taken_back_where_they_follow(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let ann = register(&mut here, "ann");
    let known = lines(&mut here);
    let head = here.head().unwrap();
    let ours = |oseq: i64, prev: &str| {
        forged(&known[1], |entry| {
            entry.envelope.oseq = oseq;
            entry.envelope.prev = prev.to_owned();
        })
    };
    for (oseq, prev) in [(3, "another"), (4, head.prev.as_str())] {
        let line = ours(oseq, prev);
        let signed = signed(factory, &head, &line);
        let taken = here.take_in_sealed(&[line], &[], &signed).unwrap();
        assert!(matches!(&taken.problems[..], [TakeInProblem::Forked { .. }]), "{:?}", taken.problems);
        assert_eq!(here.head().unwrap(), head);
    }
    let line = ours(3, &head.prev);
    let signed = signed(factory, &head, &line);
    let taken = here.take_in_sealed(&[line], &[], &signed).unwrap();
    assert_eq!((taken.new, taken.problems.len()), (1, 0), "{taken:?}");
    // What comes next goes on from there.
    create_task(&mut here, &ann, "Go on");
    assert_eq!(here.head().unwrap().oseq, 4);
    sound(&mut here);
}

pub fn a_fork_is_left_with_everything_that_was_written(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let ann = register(&mut here, "ann");
    let before = here.head().unwrap();
    let theirs = forged(&lines(&mut here)[1], |entry| {
        entry.envelope.oseq = 3;
        entry.envelope.prev.clone_from(&before.prev);
    });
    let task = create_task(&mut here, &ann, "Written apart");
    assert_eq!(here.leave_fork(3).unwrap().entries, 1);
    let head = here.head().unwrap();
    assert_ne!(head.origin, before.origin);
    assert_eq!(head.oseq, 2, "the replica opens and says it again");
    let signed = signed(factory, &before, &theirs);
    let taken = here.take_in_sealed(&[theirs], &[], &signed).unwrap();
    assert_eq!((taken.new, taken.problems.len()), (1, 0), "{taken:?}");
    assert!(here.read(|r| r.task(&task)).unwrap().is_some());
    let home = here.read(|r| r.agent(&ann)).unwrap().unwrap().home;
    assert!(here.read(|r| r.is_home(&home)).unwrap(), "ann lives on here");
    sound(&mut here);
}

pub fn the_future_is_held_until_its_time(factory: &dyn Factory) {
    let (now, ahead) = (clock(), clock());
    let mut here = factory.open("here", now.clone());
    let mut there = factory.open("there", ahead.clone());
    bring(&mut there, &mut here);
    ahead.step_wall(FUTURE_HELD_US + 1_000_000);
    let ann = register(&mut there, "ann");
    let head = here.head().unwrap();
    let taken = bring(&mut there, &mut here);
    assert_eq!((taken.new, taken.held), (0, 1));
    assert_eq!(here.head().unwrap(), head, "the clock and the count stay");
    assert_eq!(here.read(|r| r.agent(&ann)).unwrap(), None);
    assert_eq!(here.read(|r| r.entries_after(head.seq, 9)).unwrap(), []);
    assert_eq!(here.held_entries(9).unwrap().len(), 1);
    assert_eq!(bring(&mut there, &mut here).known, 2);
    assert_eq!(here.release_due().unwrap(), 0);
    sound(&mut here);
    here.rebuild(&mut |_, _| {}).unwrap();
    assert_eq!(here.read(|r| r.agent(&ann)).unwrap(), None, "a rebuild releases nothing");
    now.advance(Duration::from_secs(1));
    assert_eq!(here.release_due().unwrap(), 1);
    assert!(here.read(|r| r.agent(&ann)).unwrap().is_some());
    let after = here.head().unwrap();
    assert_eq!(after.seq, head.seq + 1);
    assert_eq!(after.last_at, THEN + FUTURE_HELD_US + 1_000_000);
    assert_eq!(here.read(|r| r.entries_after(head.seq, 9)).unwrap().len(), 1, "followers meet it now");
    sound(&mut here);
}

/// How far a clock is wrong.
const JUMP_US: i64 = 400 * 86_400_000_000;

/// A replica that wrote one task with a fast clock and one after it was set right.
fn jumped(factory: &dyn Factory, there: &mut Store) -> (Store, Vec<interagent_core::ids::TaskId>) {
    let clock = clock();
    let mut here = factory.open("here", clock.clone());
    let ann = register(&mut here, "ann");
    let before = create_task(&mut here, &ann, "before");
    bring(&mut here, there);
    clock.step_wall(JUMP_US);
    let fast = create_task(&mut here, &ann, "while it was fast");
    clock.step_wall(-JUMP_US);
    clock.advance(Duration::from_secs(1));
    let after = create_task(&mut here, &ann, "after");
    (here, vec![before, fast, after])
}

pub fn corrected_clock_converges(factory: &dyn Factory) {
    let fast = clock();
    let mut there = factory.open("there", clock());
    let mut third = factory.open("third", fast.clone());
    let (mut here, tasks) = jumped(factory, &mut there);
    let ahead = here.clock_ahead().unwrap().unwrap();
    assert_eq!((ahead.entries, ahead.until), (2, THEN + JUMP_US + 1));
    assert_eq!(bring(&mut here, &mut there).held, 2, "others defer also what came after");
    // The clock of the third was fast as well when it met them: there they counted.
    bring(&mut there, &mut third);
    fast.step_wall(JUMP_US);
    assert_eq!(bring(&mut here, &mut third).held, 0);
    fast.step_wall(-JUMP_US);
    let order = |store: &mut Store| -> Vec<bool> {
        tasks.iter().map(|task| store.read(|r| r.task(task)).unwrap().is_some()).collect()
    };
    assert_eq!([order(&mut there), order(&mut third)], [vec![true, false, false], vec![true; 3]]);

    let corrected = here.correct_clock().unwrap().unwrap();
    assert_eq!((corrected.entries, corrected.others), (2, 0));
    assert_eq!(here.clock_ahead().unwrap(), None);
    assert_eq!(here.correct_clock().unwrap(), None, "there is nothing left to repair");
    let taken = bring(&mut here, &mut there);
    assert_eq!((taken.new, taken.held, taken.problems.len()), (3, 0, 0));
    bring(&mut here, &mut third);
    for (from, to) in [("there", "here"), ("third", "here"), ("third", "there"), ("there", "third")] {
        let mut from = factory.open(from, clock());
        let mut to = factory.open(to, clock());
        bring(&mut from, &mut to);
    }
    let views = ["here", "there", "third"].map(|name| dump::views(factory.engine(name).as_mut()));
    assert!(views[0] == views[1] && views[1] == views[2], "all clones agree");
    for store in [&mut here, &mut there, &mut third] {
        assert_eq!(order(store), [true, true, true]);
        assert!(store.head().unwrap().last_at <= THEN + FUTURE_HELD_US);
        assert_eq!(store.held_entries(9).unwrap(), []);
        sound(store);
        store.rebuild(&mut |_, _| {}).unwrap();
        assert_eq!(order(store), [true, true, true]);
    }
    let created =
        |store: &mut Store, n: usize| store.read(|r| r.task(&tasks[n])).unwrap().unwrap().created.at;
    assert!(
        created(&mut there, 0) < created(&mut there, 1) && created(&mut there, 1) < created(&mut there, 2)
    );
    // What comes next is in nobody's future.
    let person = operator(&mut here);
    create_task(&mut here, &person, "next");
    assert_eq!(bring(&mut here, &mut there).held, 0);
}

pub fn corrected_entries_never_count_later(factory: &dyn Factory) {
    let late = clock();
    let mut there = factory.open("there", late.clone());
    let (mut here, tasks) = jumped(factory, &mut there);
    bring(&mut here, &mut there);
    here.correct_clock().unwrap().unwrap();
    bring(&mut here, &mut there);
    late.advance(Duration::from_micros(2 * JUMP_US.unsigned_abs()));
    assert_eq!(there.release_due().unwrap(), 0, "their time comes and they count nowhere");
    // A clone that is made when their time has come counts them until it meets the correction.
    let mut new = factory.open("new", late);
    bring(&mut here, &mut new);
    for store in [&mut there, &mut new] {
        let history = store.read(|r| r.history(&EntityRef::Task(tasks[1].clone()))).unwrap();
        assert_eq!(history.len(), 1, "what happened once is in the history once");
        assert_eq!(history[0].void, None);
        sound(store);
    }
}

pub fn two_entries_with_one_key_are_both_kept(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let ann = register(&mut here, "ann");
    let old = here.head().unwrap().origin;
    let mut copy = factory.copy(&mut here, "copy", clock());
    assert!(copy.new_origin("copy", Some(old.clone())).unwrap());
    for store in [&mut here, &mut copy] {
        try_append(store, entry_of(&ann, Some(("k1", "request"))), |_, draft| {
            let (id, sent) = message(draft, &ann, std::slice::from_ref(&ann), "s", "b");
            draft.add(EntityRef::Message(id), sent);
            Ok(())
        })
        .unwrap();
    }
    bring(&mut copy, &mut here);
    here.decide_replica(&copy.head().unwrap().origin, &ReplicaDecision::AcceptAfter(old)).unwrap();
    bring(&mut here, &mut copy);
    for store in [&mut here, &mut copy] {
        assert_eq!(store.read(|r| r.unread(&ann, 9)).unwrap().len(), 2);
        sound(store);
    }
}

pub fn a_text_that_does_not_match_is_refused(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let mut there = factory.open("there", clock());
    let ann = register(&mut here, "ann");
    send(&mut here, &ann, &ann, "subject", "body");
    let given = lines(&mut here);
    let mut carried = texts(&mut here, &given);
    assert_eq!(carried.len(), 2);
    "changed".clone_into(&mut carried[1].text);
    let taken = there.take_in(&given, &carried).unwrap();
    assert_eq!((taken.new, taken.texts), (3, 1));
    assert!(matches!(&taken.problems[..], [TakeInProblem::Text { .. }]));
    let findings = there.verify(&mut |_, _| {}).unwrap();
    assert_eq!(findings.len(), 1, "the missing text is noted: {findings:?}");
    assert_eq!(bring(&mut here, &mut there).texts, 1);
    sound(&mut there);
}

pub fn a_purge_wins_in_any_order(factory: &dyn Factory) {
    let mut here = factory.open("here", clock());
    let ann = register(&mut here, "ann");
    let task = create_task(&mut here, &ann, "Rotate the key");
    let secret = append(&mut here, &ann, |draft| {
        let note = draft.plain("the key is hunter2");
        draft.add(EntityRef::Task(task.clone()), TaskNoted { note });
    });
    let before: Vec<ForeignLine> = lines_by_origin(&mut here).into_values().flatten().collect();
    let leaked: Vec<StoredText> = texts(&mut here, &before);
    let hash = leaked.iter().find(|t| t.text.contains("hunter2")).unwrap().hash.clone();
    let mut early = factory.open("early", clock());
    early.take_in(&before, &leaked).unwrap();
    purge(&mut here, &ann, &hash);
    let after = lines(&mut here);
    let mut late = factory.open("late", clock());
    late.take_in(&after, &[]).unwrap();
    for store in [&mut here, &mut early, &mut late] {
        let taken = store.take_in(&after, &leaked).unwrap();
        assert_eq!(taken.problems, []);
        accept_all(store);
        assert_eq!(store.text_with_salt(&hash).unwrap(), None);
        assert!(store.read(|r| r.entry(secret.seq)).unwrap().is_some(), "the entry stays");
        assert!(store.scrub().unwrap());
        sound(store);
    } // Put back by hand, it is found and goes again.
    super::keep::spoil(
        factory.engine("here").as_mut(),
        "INSERT INTO blobs (hub, hash, salt, text)
         SELECT hub, substr(entity, 6), '', 'hunter2' FROM entity_log WHERE entity > 'text:' AND entity < 'text;'",
    );
    assert!(!here.verify(&mut |_, _| {}).unwrap().is_empty());
    here.rebuild(&mut |_, _| {}).unwrap();
    sound(&mut here);
}
