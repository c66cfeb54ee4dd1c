//! Appending, reading back, keys, refusals and waiting.

use std::time::Duration;

use interagent_core::ids::EntityRef;
use interagent_store::Appended;

use super::{Factory, THEN, clock};
use crate::facts::{Failed, append, entry_of, message, operator, register, send, try_append};

pub fn an_entry_is_read_back_with_its_effect(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    let before = store.head().unwrap();
    let id = send(&mut store, &ann, &bob, "Which port?", "The docs say 80.");
    let head = store.head().unwrap();
    assert_eq!((head.seq, head.oseq), (before.seq + 1, before.oseq + 1));
    let message = store.read(|r| r.message(&id)).unwrap().unwrap();
    assert_eq!(store.read(|r| r.text(&message.subject)).unwrap().as_deref(), Some("Which port?"));
    let entry = store.read(|r| r.entry(head.seq)).unwrap().unwrap().entry;
    assert_eq!(entry.facts[0].entity, EntityRef::Message(id.clone()));
    assert_eq!(store.read(|r| r.unread(&bob, 10)).unwrap().len(), 1);
    assert_eq!(store.read(|r| r.owed_by(&bob, 10)).unwrap()[0].message, id);
    drop(store);
    let mut again = factory.open("a", clock());
    assert_eq!(again.head().unwrap(), head, "opening again is no new replica");
    assert_eq!(again.read(|r| r.message(&id)).unwrap(), Some(message));
}

pub fn a_repeated_key_gives_the_entry_of_that_time(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let write = |store: &mut _| {
        try_append(store, entry_of(&ann, Some(("k1", "request"))), |_, draft| {
            let (id, sent) = message(draft, &ann, std::slice::from_ref(&ann), "once", "only");
            draft.add(EntityRef::Message(id), sent);
            Ok(())
        })
        .unwrap()
    };
    let (first, head) = (write(&mut store), store.head().unwrap());
    let second = write(&mut store);
    assert!(matches!(first, Appended::New(_)) && matches!(second, Appended::Again(_)));
    assert_eq!(first.entry(), second.entry());
    assert_eq!(store.head().unwrap(), head);
}

pub fn a_key_of_another_request_is_a_conflict(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    let mut write = |actor, request| {
        try_append(&mut store, entry_of(actor, Some(("k1", request))), |_, draft| {
            let (id, sent) = message(draft, actor, std::slice::from_ref(&bob), "once", "only");
            draft.add(EntityRef::Message(id), sent);
            Ok(())
        })
    };
    write(&ann, "one").unwrap();
    assert!(matches!(write(&ann, "two"), Err(Failed::Key(conflict)) if conflict.key == "k1"));
    assert!(matches!(write(&bob, "two"), Ok(Appended::New(_))), "another actor's key is another key");
}

pub fn an_empty_draft_writes_nothing(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let head = store.head().unwrap();
    let appended = try_append(&mut store, entry_of(&ann, None), |_, _| Ok(())).unwrap();
    assert_eq!(appended, Appended::Nothing);
    assert_eq!(store.head().unwrap(), head);
}

pub fn observations_of_an_empty_draft_stay(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let head = store.head().unwrap();
    try_append(&mut store, entry_of(&ann, None), |writer, _| Ok(writer.trace("test", "{}")?)).unwrap();
    assert_eq!(store.head().unwrap(), head);
    assert_eq!(store.read(|r| r.trace(9)).unwrap().len(), 1);
    // The count that was taken back is used by the next entry.
    assert_eq!(send(&mut store, &ann, &ann, "next", "x").to_string().len(), "msg-".len() + 12);
    assert_eq!(store.head().unwrap().oseq, head.oseq + 1);
    assert_eq!(store.verify(&mut |_, _| {}).unwrap(), []);
}

pub fn a_refusal_leaves_no_trace(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let head = store.head().unwrap();
    let refused = try_append(&mut store, entry_of(&ann, None), |writer, draft| {
        writer.trace("test", "{}")?;
        draft.plain("a text of a refused operation");
        Err(Failed::Refused)
    });
    assert!(matches!(refused, Err(Failed::Refused)));
    assert_eq!(store.head().unwrap(), head);
    assert_eq!(store.read(|r| r.trace(9)).unwrap(), []);
    // The gate is free again, and a refused observation leaves nothing either.
    let failed: Result<(), Failed> = store.observe(|writer| {
        writer.trace("test", "{}")?;
        Err(Failed::Refused)
    });
    assert!(failed.is_err());
    assert_eq!(store.read(|r| r.trace(9)).unwrap(), []);
}

pub fn entries_are_paged_in_both_directions(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    for i in 0..5 {
        send(&mut store, &ann, &ann, &format!("m{i}"), "x");
    }
    let last = store.head().unwrap().seq;
    let seqs = |entries: Vec<interagent_store::Stored>| entries.iter().map(|s| s.seq).collect::<Vec<_>>();
    assert_eq!(seqs(store.read(|r| r.entries_after(last - 4, 3)).unwrap()), [last - 3, last - 2, last - 1]);
    assert_eq!(seqs(store.read(|r| r.entries_before(last, 3)).unwrap()), [last - 1, last - 2, last - 3]);
    assert_eq!(store.read(|r| r.entries_after(last, 3)).unwrap(), []);
}

pub fn a_waiting_reader_is_woken_by_a_commit(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let mut reader = factory.open("a", clock());
    let member = ann.clone();
    let waiting = std::thread::spawn(move || {
        let begun = std::time::Instant::now();
        let found = reader.wait(Duration::from_secs(10), |r| {
            Ok::<_, interagent_store::StoreError>(r.unread(&member, 1)?.pop())
        });
        (found.unwrap().is_some(), begun.elapsed())
    });
    std::thread::sleep(Duration::from_millis(200));
    send(&mut store, &ann, &ann, "wake", "up");
    let (found, took) = waiting.join().unwrap();
    assert!(found);
    assert!(took < Duration::from_secs(9), "woken by the sweep, not by the signal: {took:?}");
    let nothing = store.wait(Duration::ZERO, |_| Ok::<_, interagent_store::StoreError>(None::<()>)).unwrap();
    assert_eq!(nothing, None);
}

pub fn time_never_goes_back_in_the_log(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let ann = operator(&mut store);
    let before = store.head().unwrap().last_at;
    clock.step_wall(-3_600_000_000);
    let (mut ats, mut walls) = (vec![before], Vec::new());
    for _ in 0..2 {
        let stored = append(&mut store, &ann, |draft| {
            let (id, sent) = message(draft, &ann, std::slice::from_ref(&ann), "s", "b");
            draft.add(EntityRef::Message(id), sent);
        });
        ats.push(stored.entry.envelope.at);
        walls.push(stored.entry.envelope.wall);
    }
    assert!(ats.is_sorted_by(|a, b| a < b), "{ats:?}");
    assert_eq!(walls, [THEN - 3_600_000_000; 2], "the wall clock is written as it was read");
}
