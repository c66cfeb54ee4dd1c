//! Finding entities by prefix and alias, and paging through lists.

use interagent_core::event::{
    MessageHeld, SkillCandidate, SkillRejected, TaskAssigned, TaskCreated, TaskMoved, TaskReported,
};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::skill::SkillKey;
use interagent_core::vocabulary::{HoldReason, Priority, ReportStatus, TaskStatus};
use interagent_store::Store;
use interagent_store::reader::{MessageFilter, Named, Noun, PageStart, Reported, TaskFilter};

use super::{Factory, THEN, clock};
use crate::facts::{append, register, send, task};

fn make(store: &mut Store, ids: &[u64], alias: Option<&str>) -> Vec<TaskId> {
    let ann = register(store, "ann");
    let mut made = Vec::new();
    append(store, &ann, |draft| {
        for bits in ids {
            let (_, created) = task(draft, &ann, "t");
            let id = TaskId::from_bits(*bits);
            let aliases = alias.map(ToOwned::to_owned).into_iter().collect();
            draft.add(EntityRef::Task(id.clone()), TaskCreated { aliases, ..created });
            made.push(id);
        }
    });
    made
}

pub fn a_unique_prefix_is_enough(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    // Ids that share their first eight characters, and one that does not.
    let made = make(&mut store, &[1, 2, 1 << 59], None);
    let mut resolve = |given: &str| store.read(|r| r.resolve(given, Noun::ALL)).unwrap();
    assert_eq!(resolve(made[2].as_str()), Named::One(EntityRef::Task(made[2].clone())));
    assert_eq!(resolve(&made[2].as_str()[..9]), Named::One(EntityRef::Task(made[2].clone())));
    assert_eq!(resolve(&made[2].as_str().to_uppercase()), Named::One(EntityRef::Task(made[2].clone())));
    let both = vec![made[0].to_string(), made[1].to_string()];
    assert_eq!(resolve("task-0000"), Named::Several(both));
    assert_eq!(resolve("task-000"), Named::Nothing, "three characters are too few");
    assert_eq!(resolve("task-zzzz"), Named::Nothing);
    assert_eq!(store.read(|r| r.resolve(made[0].as_str(), &[Noun::Message])).unwrap(), Named::Nothing);
}

pub fn an_alias_resolves_where_an_id_does(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let made = make(&mut store, &[7], Some("cmd_035"));
    let mut resolve = |nouns| store.read(|r| r.resolve("cmd_035", nouns)).unwrap();
    assert_eq!(resolve(Noun::ALL), Named::One(EntityRef::Task(made[0].clone())));
    assert_eq!(resolve(&[Noun::Agent]), Named::Nothing);
}

pub fn pages_meet_without_gap_or_overlap(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let mut sent: Vec<_> = (0..7).map(|i| send(&mut store, &ann, &ann, &format!("m{i}"), "x")).collect();
    sent.reverse();
    let to_ann = MessageFilter { to: Some(ann.clone()), ..MessageFilter::default() };
    let from_ann = MessageFilter { from: Some(ann.clone()), ..MessageFilter::default() };
    for filter in [MessageFilter::default(), to_ann, from_ann] {
        let mut seen = Vec::new();
        let mut start = PageStart::default();
        loop {
            let page = store.read(|r| r.messages(&filter, &start, 3)).unwrap();
            let Some(last) = page.last() else { break };
            start = PageStart { at: last.sent.at, id: last.id.to_string() };
            seen.extend(page.into_iter().map(|m| m.id));
        }
        assert_eq!(seen, sent, "{filter:?}");
    }
    // Tasks of one entry share their time and are told apart by their ids.
    let made = make(&mut store, &[3, 1, 2], None);
    let first = store.read(|r| r.tasks(&TaskFilter::default(), &PageStart::default(), 2)).unwrap();
    let start = PageStart { at: first[1].created.at, id: first[1].id.to_string() };
    let second = store.read(|r| r.tasks(&TaskFilter::default(), &start, 2)).unwrap();
    let seen: Vec<_> = first.iter().chain(&second).map(|t| t.id.clone()).collect();
    assert_eq!(seen, [made[0].clone(), made[2].clone(), made[1].clone()]);
}

pub fn since_means_when_it_was_sent(factory: &dyn Factory) {
    const HOUR: i64 = 3_600_000_000;
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let ann = register(&mut store, "ann");
    clock.step_wall(HOUR);
    let late = send(&mut store, &ann, &ann, "late", "x");
    // Somebody's clock ran ahead and was put right: the order goes on from there.
    clock.step_wall(-HOUR);
    let early = send(&mut store, &ann, &ann, "early", "x");
    let filters = [
        MessageFilter::default(),
        MessageFilter { to: Some(ann.clone()), ..MessageFilter::default() },
        MessageFilter { from: Some(ann.clone()), ..MessageFilter::default() },
    ];
    for filter in filters {
        let mut since = |since| {
            let filter = MessageFilter { since: Some(since), ..filter.clone() };
            let found = store.read(|r| r.messages(&filter, &PageStart::default(), 9)).unwrap();
            found.into_iter().map(|message| message.id).collect::<Vec<_>>()
        };
        assert_eq!(since(THEN), [early.clone(), late.clone()], "{filter:?}");
        for moment in [THEN + HOUR / 2, THEN + HOUR] {
            assert_eq!(since(moment), std::slice::from_ref(&late), "{filter:?}");
        }
        assert_eq!(since(THEN + HOUR + 1), [], "{filter:?}");
    }
}

/// Gives an agent a task that waits for others, and takes it some steps on.
fn give(
    store: &mut Store,
    to: &AgentId,
    priority: Priority,
    depends_on: &[TaskId],
    steps: &[TaskStatus],
) -> TaskId {
    let mut made = None;
    append(store, to, |draft| {
        let (id, created) = task(draft, to, "t");
        let entity = || EntityRef::Task(id.clone());
        draft.add(entity(), TaskCreated { priority, depends_on: depends_on.to_vec(), ..created });
        draft.add(entity(), TaskAssigned { assignee: to.clone(), before: None, claimed: false });
        let mut from = TaskStatus::Pending;
        for step in [TaskStatus::Assigned].iter().chain(steps) {
            let assignee = Some(to.clone());
            draft.add(
                entity(),
                TaskMoved { from, to: *step, assignee, reason: None, successor: None, judges: None },
            );
            from = *step;
        }
        made = Some(id);
    });
    let made = made.unwrap();
    let reached = store.read(|r| r.task(&made)).unwrap().unwrap().status;
    assert_eq!(reached, steps.last().copied().unwrap_or(TaskStatus::Assigned));
    made
}

pub fn what_is_open_is_counted_up_to_a_limit(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    assert_eq!(store.read(|r| r.open_task_count(&ann, 9)).unwrap(), 0);
    assert_eq!(store.read(|r| r.current_task(&ann)).unwrap(), None);
    assert_eq!(store.read(|r| r.held_count(9)).unwrap(), 0);
    let urgent = give(&mut store, &ann, Priority::Critical, &[], &[]);
    give(&mut store, &ann, Priority::Low, &[], &[TaskStatus::InProgress, TaskStatus::Completed]);
    give(&mut store, &ann, Priority::Low, &[], &[TaskStatus::Cancelled]);
    give(&mut store, &bob, Priority::Low, &[], &[]);
    let current = |store: &mut Store| store.read(|r| r.current_task(&ann)).unwrap().map(|task| task.id);
    assert_eq!(current(&mut store), Some(urgent.clone()));
    let begun = give(&mut store, &ann, Priority::Low, &[], &[TaskStatus::InProgress]);
    assert_eq!(current(&mut store), Some(begun.clone()), "what was begun comes before what is urgent");
    assert_eq!([9, 2, 1].map(|most| store.read(|r| r.open_task_count(&ann, most)).unwrap()), [2, 2, 1]);
    let listed = store.read(|r| r.open_tasks(Some(&ann), 9)).unwrap();
    assert_eq!(listed.into_iter().map(|task| task.id).collect::<Vec<_>>(), [urgent.clone(), begun.clone()]);
    let open = TaskFilter { assignee: Some(ann.clone()), open: true, ..TaskFilter::default() };
    let first = store.read(|r| r.tasks(&open, &PageStart::default(), 2)).unwrap();
    let start = PageStart { at: first[1].created.at, id: first[1].id.to_string() };
    let rest = store.read(|r| r.tasks(&open, &start, 9)).unwrap();
    assert_eq!((first[0].id.clone(), rest.len()), (begun, 1), "newest first, and the next page goes on");
    assert_eq!(rest[0].id, urgent);
    for _ in 0..3 {
        let id = send(&mut store, &ann, &bob, "again", "x");
        append(&mut store, &ann, |draft| {
            draft.add(EntityRef::Message(id), MessageHeld { reason: HoldReason::Asked });
        });
    }
    assert_eq!([9, 2].map(|most| store.read(|r| r.held_count(most)).unwrap()), [3, 2]);
}

pub fn a_task_is_ready_when_what_it_waits_for_frees_it(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    use TaskStatus::{Approved, Completed, InProgress, UnderReview};
    for (steps, without_review, with_review) in [
        (&[InProgress, Completed, Approved][..], true, true),
        (&[InProgress, Completed], true, false),
        (&[InProgress, Completed, UnderReview], false, false),
        (&[InProgress], false, false),
    ] {
        let first = give(&mut store, &ann, Priority::Low, &[], steps);
        let second = give(&mut store, &ann, Priority::Low, &[first], &[]);
        for (review_required, ready) in [(false, without_review), (true, with_review)] {
            let found =
                store.read(|r| r.ready_tasks(Some(&ann), TaskStatus::Assigned, review_required, 99)).unwrap();
            let found = found.iter().any(|task| task.id == second);
            assert_eq!(found, ready, "{steps:?}, review required: {review_required}");
        }
    }
}

pub fn reports_are_found_since_a_moment_and_where_they_propose_a_skill(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let made = make(&mut store, &[1, 2], None);
    let bob = register(&mut store, "bob");
    for (task, name) in [(&made[0], None), (&made[1], Some("Token tests")), (&made[0], Some("token_tests"))] {
        append(&mut store, &bob, |draft| {
            let summary = draft.plain("done");
            let name = name.map(|name| draft.plain(name));
            let skill_candidate =
                SkillCandidate { found: name.is_some(), name, description: None, reason: None };
            let reported = TaskReported {
                worker: bob.clone(),
                status: ReportStatus::Done,
                summary,
                files_modified: Vec::new(),
                notes: None,
                skill_candidate,
                purpose_gap: None,
                purpose_met: false,
                changed_files: Vec::new(),
                verification: None,
                todo_scan: None,
                commit_info: None,
            };
            draft.add(EntityRef::Task(task.clone()), reported);
        });
    }
    let of = |found: Vec<Reported>| found.into_iter().map(|one| one.task.id).collect::<Vec<_>>();
    let since = |store: &mut Store, at: i64| store.read(|r| r.reports_of(&bob, at, 9)).unwrap();
    let all = since(&mut store, 0);
    let first = all.last().unwrap().report.when.at;
    let newest = store.read(|r| r.newest_report().map(|at| at.unwrap())).unwrap();
    assert_eq!(newest, all[0].report.when.at);
    assert_eq!(of(all), [made[0].clone(), made[1].clone(), made[0].clone()], "newest first");
    assert_eq!(of(since(&mut store, first)), [made[0].clone(), made[1].clone()]);
    let ann = store.read(|r| r.ids_named("ann")).unwrap();
    assert_eq!(store.read(|r| r.reports_of(&ann[0], 0, 9)).unwrap(), [], "of one worker");
    let counted =
        |store: &mut Store, at: i64, most: u32| store.read(|r| r.count_reports_of(&bob, at, most)).unwrap();
    assert_eq!([(0, 9), (first, 9), (0, 1)].map(|(at, most)| counted(&mut store, at, most)), [3, 2, 1]);
    assert_eq!(
        of(store.read(|r| r.proposals(9)).unwrap()),
        [made[1].clone(), made[0].clone()],
        "oldest first"
    );
    let key = SkillKey::of("Token tests").unwrap();
    assert_eq!(store.read(|r| r.skill(&key)).unwrap(), None);
    append(&mut store, &bob, |draft| {
        let reason = draft.plain("too small");
        draft.add(EntityRef::Skill(key.clone()), SkillRejected { reason });
    });
    let decided = store.read(|r| r.skills(9)).unwrap();
    assert!(decided.len() == 1 && decided[0].key == key && !decided[0].is_promoted());
}
