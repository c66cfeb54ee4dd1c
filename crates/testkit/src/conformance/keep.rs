//! Rebuilding, checking and copying.

use interagent_core::event::{
    AgentDescribed, DecisionDecided, DecisionOpened, DecisionPosition, MessageAcknowledged, MessageDelivered,
    MessageHeld, MessageReleased, MessageSettled, ReviewCommented, ReviewJudged, ReviewOpened, ReviewRound,
    SpecPublished, SpecSubscribed, TaskAssigned, TaskDependency, TaskMoved, TaskNoted,
};
use interagent_core::ids::{AgentId, CommentId, DecisionId, EntityRef, ReviewId, SpecName};
use interagent_core::vocabulary::{Disposition, HoldReason, Settlement, TaskStatus, Verdict, Via};
use interagent_store::{Engine, ErrorKind, Severity, Store, StoreError, WriteTx};

use super::{Factory, clock};
use crate::dump;
use crate::facts::{Failed, append, entry_of, message, register, send, task, try_append};

/// Something of every noun, in several states, with void events among them.
pub fn busy_hub(store: &mut Store) -> (AgentId, AgentId) {
    let (ann, bob) = (register(store, "ann"), register(store, "bob"));
    append(store, &ann, |draft| {
        let description = Some(draft.plain("Knows the parser"));
        let described = AgentDescribed { profile: "codex".to_owned(), description, workspace: None };
        draft.add(EntityRef::Agent(ann.clone()), described);
    });
    let id = send(store, &ann, &bob, "Which port?", "The docs say 80.");
    let entity = EntityRef::Message(id);
    append(store, &bob, |draft| {
        draft.add(entity.clone(), MessageDelivered { agent: bob.clone(), via: Via::Hook, redelivered: 0 });
        draft.add(entity.clone(), MessageAcknowledged { agent: bob.clone() });
        draft.add(entity.clone(), MessageAcknowledged { agent: bob.clone() });
        draft.add(entity.clone(), MessageSettled { agent: bob.clone(), how: Settlement::Replied, by: None });
    });
    append(store, &ann, |draft| {
        let (id, mut sent) = message(draft, &ann, &[bob.clone(), ann.clone()], "Held", "for a while");
        sent.aliases = vec!["mail_7".to_owned(), "mail_7".to_owned()];
        draft.add(EntityRef::Message(id.clone()), sent);
        draft.add(EntityRef::Message(id.clone()), MessageHeld { reason: HoldReason::Hops });
        draft.add(EntityRef::Message(id.clone()), MessageReleased {});
        let (id, sent) = message(draft, &ann, std::slice::from_ref(&bob), "Held", "for good");
        draft.add(EntityRef::Message(id.clone()), sent);
        draft.add(EntityRef::Message(id), MessageHeld { reason: HoldReason::Asked });
    });
    append(store, &ann, |draft| {
        let (first, created) = task(draft, &ann, "First");
        draft.add(EntityRef::Task(first.clone()), created);
        let (second, mut created) = task(draft, &ann, "Second");
        created.depends_on = vec![first.clone()];
        created.parent = Some(first.clone());
        created.aliases = vec!["cmd_035".to_owned()];
        draft.add(EntityRef::Task(second.clone()), created);
        let dependency = TaskDependency { on: second.clone(), removed: false };
        draft.add(EntityRef::Task(first.clone()), dependency.clone());
        draft.add(EntityRef::Task(first.clone()), TaskDependency { removed: true, ..dependency });
        let claimed = TaskAssigned { assignee: bob.clone(), before: None, claimed: true };
        draft.add(EntityRef::Task(first.clone()), claimed);
        for (from, to) in
            [(TaskStatus::Pending, TaskStatus::Assigned), (TaskStatus::Pending, TaskStatus::Cancelled)]
        {
            let moved = TaskMoved {
                from,
                to,
                assignee: Some(bob.clone()),
                reason: None,
                successor: None,
                judges: None,
            };
            draft.add(EntityRef::Task(first.clone()), moved);
        }
        let note = draft.plain("half of it");
        draft.add(EntityRef::Task(first), TaskNoted { note });
    });
    append(store, &bob, |draft| {
        let spec = EntityRef::Spec(SpecName::parse("user-api").unwrap());
        for version in [1, 1, 2] {
            let body = draft.plain(&format!("version {version}"));
            draft.add(spec.clone(), SpecPublished { version, body, publisher: bob.clone(), note: None });
        }
        draft.add(spec, SpecSubscribed { agent: ann.clone(), removed: false });
        let decision = EntityRef::Decision(DecisionId::from_bits(draft.bits()));
        let question = draft.plain("Tabs or spaces?");
        draft.add(
            decision.clone(),
            DecisionOpened {
                question,
                options: Vec::new(),
                by: bob.clone(),
                deadline: None,
                message: None,
                supersedes: None,
                aliases: Vec::new(),
            },
        );
        let position = draft.plain("spaces");
        draft.add(decision.clone(), DecisionPosition { agent: ann.clone(), position, reason: None });
        let outcome = draft.plain("spaces it is");
        draft.add(decision, DecisionDecided { outcome, by: bob.clone(), reason: None });
        let review = EntityRef::Review(ReviewId::from_bits(draft.bits()));
        let title = draft.plain("The parser");
        let opened = ReviewOpened {
            author: bob.clone(),
            reviewers: vec![ann.clone()],
            title,
            task: None,
            diff: None,
            aliases: vec!["parser-change".to_owned()],
        };
        draft.add(review.clone(), opened);
        let comment = CommentId::from_bits(draft.bits());
        let body = draft.plain("unclear");
        draft.add(
            review.clone(),
            ReviewCommented {
                comment: comment.clone(),
                thread: comment,
                by: ann.clone(),
                body,
                disposition: Disposition::Concern,
                file: None,
                line: None,
                side: None,
                round: Some(1),
            },
        );
        let judged = |verdict, round| ReviewJudged {
            verdict,
            by: ann.clone(),
            note: None,
            round: Some(round),
            open_threads: Vec::new(),
        };
        draft.add(review.clone(), judged(Verdict::RevisionNeeded, 1));
        let diff = Some(draft.plain("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"));
        let second = ReviewRound {
            round: 2,
            by: bob.clone(),
            source: Some("main..parser".to_owned()),
            base: Some("1".repeat(40)),
            head: Some("2".repeat(40)),
            tree: None,
            diff,
            since_base: None,
            since_head: None,
        };
        draft.add(review.clone(), second);
        draft.add(review.clone(), judged(Verdict::Approved, 1));
        draft.add(review, judged(Verdict::Approved, 2));
    });
    (ann, bob)
}

pub fn a_rebuild_changes_no_row(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    busy_hub(&mut store);
    store.observe(|w| w.trace("test", "{}")).unwrap();
    let before = dump::views(factory.engine("a").as_mut());
    let head = store.head().unwrap();
    let mut steps = Vec::new();
    let rebuilt = store.rebuild(&mut |done, total| steps.push((done, total))).unwrap();
    assert_eq!(rebuilt.entries, head.seq.unsigned_abs());
    assert!(rebuilt.entities >= 10, "{rebuilt:?}");
    assert_eq!(steps.last().map(|(done, total)| done == total), Some(true), "{steps:?}");
    assert_eq!(dump::views(factory.engine("a").as_mut()), before);
    assert_eq!(store.head().unwrap(), head);
    assert_eq!(store.read(|r| r.trace(9)).unwrap().len(), 1, "observations are no views");
}

/// Ways in which one statement can spoil the views.
const SPOILS: &[&str] = &[
    "DELETE FROM entity_log WHERE n = 1",
    "DELETE FROM entity_log WHERE void IS NOT NULL",
    "UPDATE entity_log SET void = NULL",
    "UPDATE entity_log SET void = 'made up' WHERE n = 0",
    "INSERT INTO entity_log (hub, entity, at, seq, n) SELECT hub, entity, at, 9999, 0 FROM entity_log LIMIT 1",
    "DELETE FROM origins",
    "UPDATE agents SET name = 'eve'",
    "UPDATE agents SET doc = replace(doc, 'codex', 'claude')",
    "UPDATE messages SET held = NULL",
    "UPDATE messages SET doc = '{}' WHERE held IS NOT NULL",
    "DELETE FROM messages",
    "UPDATE mail SET unread = 1 - unread",
    "DELETE FROM mail",
    "DELETE FROM obligations",
    "INSERT INTO obligations (hub, message, agent, duty, since, at)
     SELECT hub, message, agent, 'answer', 0, 0 FROM mail WHERE state = 'done'",
    "UPDATE tasks SET status = 'approved'",
    "UPDATE tasks SET parent = NULL",
    "UPDATE tasks SET rank = 0",
    "DELETE FROM deps",
    "INSERT INTO deps (hub, task, depends_on) VALUES (1, 'task-000000000000', 'task-000000000001')",
    "UPDATE reviews SET closed = 0",
    "UPDATE specs SET version = 9",
    "UPDATE decisions SET closed = 0",
    "DELETE FROM aliases",
    "INSERT INTO aliases (hub, alias, entity) SELECT hub, 'wrong', id FROM tasks LIMIT 1",
    "INSERT INTO teams (hub, doc) VALUES (1, '{}')",
];

pub(super) fn spoil(engine: &mut dyn Engine, sql: &'static str) {
    let mut tx = WriteTx::begin(engine).unwrap();
    assert!(tx.execute(sql, &[]).unwrap() > 0, "{sql}");
    tx.commit().unwrap();
}

pub fn a_sound_store_has_no_findings(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    busy_hub(&mut store);
    let mut last = (0, 0);
    assert_eq!(store.verify(&mut |done, total| last = (done, total)).unwrap(), []);
    assert!(last.0 == last.1 && last.1 > 0, "{last:?}");
    assert_eq!(store.integrity().unwrap(), Vec::<String>::new());
}

pub fn wrong_rows_are_found_and_rebuilt(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    busy_hub(&mut store);
    let mut engine = factory.engine("a");
    let before = dump::views(engine.as_mut());
    for sql in SPOILS {
        spoil(engine.as_mut(), sql);
        let findings = store.verify(&mut |_, _| {}).unwrap();
        assert!(!findings.is_empty(), "not found: {sql}");
        assert!(findings.iter().all(|f| f.severity == Severity::Stale), "{sql}: {findings:?}");
        store.rebuild(&mut |_, _| {}).unwrap();
        assert_eq!(store.verify(&mut |_, _| {}).unwrap(), [], "{sql}");
        assert_eq!(dump::views(engine.as_mut()), before, "{sql}");
    }
    for sql in [
        "UPDATE hubs SET seq = seq + 1",
        "UPDATE hubs SET seq = seq - 1, last_at = last_at - 1",
        "UPDATE hubs SET last_at = last_at + 1, oseq = oseq + 1",
        "UPDATE entries SET line = replace(line, 'test.write', 'test.wrote') WHERE seq = 3",
        "UPDATE entries SET at = at + 1 WHERE seq = 4",
        "UPDATE blobs SET text = 'changed'",
        "DELETE FROM blobs",
        "DELETE FROM entries WHERE seq = 5",
    ] {
        spoil(engine.as_mut(), sql);
        let findings = store.verify(&mut |_, _| {}).unwrap();
        assert!(findings.iter().any(|f| f.severity == Severity::Damage), "not found: {sql}");
    }
}

pub fn undecided_copy_is_read_only(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = busy_hub(&mut store);
    let (head, views) = (store.head().unwrap(), dump::views(factory.engine("a").as_mut()));
    assert_eq!((store.doubt(), store.become_copy("b").unwrap()), (None, false), "nothing is to be decided");
    let mut copy = factory.copy(&mut store, "b", clock());
    assert!(copy.doubt().is_some());
    assert_eq!(copy.copied_from().unwrap(), std::slice::from_ref(&head.origin));
    assert_eq!((copy.head().unwrap(), dump::views(factory.engine("b").as_mut())), (head.clone(), views));
    let undecided = |error: StoreError| assert_eq!(error.kind(), ErrorKind::Undecided, "{error}");
    match try_append(&mut copy, entry_of(&ann, None), |_, _| Ok(())) {
        Err(Failed::Store(error)) => undecided(error),
        other => panic!("{other:?}"),
    }
    undecided(copy.observe(|writer| writer.trace("test", "{}")).unwrap_err());
    undecided(copy.take_in(&[], &[]).unwrap_err());
    assert_eq!(copy.head().unwrap(), head);
    // Another process decides: this one goes on.
    assert!(factory.open("b", clock()).become_copy("b").unwrap());
    send(&mut copy, &ann, &bob, "into the replica", "x");
    assert!(!copy.become_copy("b").unwrap());
    assert_ne!(copy.head().unwrap().origin, head.origin);
}

pub fn moved_copy_continues_its_replica(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    busy_hub(&mut store);
    let head = store.head().unwrap();
    let mut moved = factory.copy(&mut store, "b", clock());
    assert!(moved.new_origin("b", Some(head.origin.clone())).unwrap());
    assert_ne!(moved.head().unwrap().origin, head.origin, "the old one is never written on");
    assert!(moved.read(|r| r.is_home(&head.origin)).unwrap());
    assert_eq!((moved.doubt(), moved.copied_from().unwrap()), (None, vec![]));
    let again = factory.open("b", clock());
    assert_eq!(again.doubt(), None);
}

pub fn a_copy_is_a_new_origin(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = busy_hub(&mut store);
    let head = store.head().unwrap();
    let mut copy = factory.copy(&mut store, "b", clock());
    assert!(copy.become_copy("b").unwrap());
    let copied = copy.head().unwrap();
    assert_eq!(copied.hub_id, head.hub_id);
    assert_ne!(copied.origin, head.origin);
    assert_eq!((copied.oseq, copied.seq), (1, head.seq + 1));
    assert!(!copy.read(|r| r.is_home(&head.origin)).unwrap(), "the old one lives on where it is");
    let carl = register(&mut copy, "carl");
    send(&mut copy, &carl, &bob, "from the copy", "x");
    send(&mut store, &ann, &bob, "from the first", "x");
    crate::exchange::bring(&mut copy, &mut store);
    crate::exchange::bring(&mut store, &mut copy);
    assert_eq!(dump::views(factory.engine("a").as_mut()), dump::views(factory.engine("b").as_mut()));
    for store in [&mut store, &mut copy] {
        assert_eq!(store.verify(&mut |_, _| {}).unwrap(), []);
    }
}
