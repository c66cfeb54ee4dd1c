//! Replicas that worked apart agree on every row once their logs were exchanged, in whatever order that happened.
//!
//! `INTERAGENT_SOAK=1` runs many more cases.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use interagent_core::draft::Draft;
use interagent_core::event::{
    AgentRegistered, AgentRenamed, AgentRetired, DecisionDecided, DecisionOpened, DecisionPosition,
    DecisionSuperseded, LeaseReleased, LeaseTaken, MessageAcknowledged, MessageDeclined, MessageDelivered,
    MessageHeld, MessageReleased, MessageSettled, ReviewCommented, ReviewJudged, ReviewOpened,
    ReviewResolved, SpecPublished, SpecSubscribed, TaskAssigned, TaskDependency, TaskEdited, TaskJudged,
    TaskMoved, TaskNoted, TextPurged,
};
use interagent_core::ids::{
    AgentId, CommentId, DecisionId, EntityRef, LeaseId, MessageId, ReviewId, SpecName, TaskId,
};
use interagent_core::name::Name;
use interagent_core::text::TextHash;
use interagent_core::vocabulary::{
    Disposition, HoldReason, LeaseMode, Priority, Settlement, TaskStatus, Verdict, Via,
};
use interagent_store::{ForeignLine, ManualClock, Store, texts_of};
use interagent_testkit::conformance::{Factory, THEN};
use interagent_testkit::{dump, exchange, facts};
use proptest::prelude::*;
use support::SqliteReplicas;

const REPLICAS: [&str; 3] = ["north", "south", "west"];

/// One thing that happens at one replica. The numbers choose entity, kind and details.
#[derive(Clone, Debug)]
enum Step {
    /// Facts about shared entities, as one entry.
    Write { replica: usize, facts: Vec<(u8, u8, u8)>, after_us: u64 },
    /// A part of what one replica knows reaches another.
    Carry { from: usize, to: usize, share: u8, mix: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let fact = (0_u8..32, 0_u8..3, any::<u8>());
    let write = (0..3_usize, prop::collection::vec(fact, 1..5), prop_oneof![Just(0), Just(1), 2..2_000_u64])
        .prop_map(|(replica, facts, after_us)| Step::Write { replica, facts, after_us });
    let carry = (0..3_usize, 1..3_usize, any::<u8>(), any::<u64>())
        .prop_map(|(from, by, share, mix)| Step::Carry { from, to: (from + by) % 3, share, mix });
    prop_oneof![4 => write, 1 => carry]
}

/// Entities have the same ids everywhere, so that replicas act on the same ones without having met.
fn add(draft: &mut Draft, me: &AgentId, (kind, which, detail): (u8, u8, u8)) {
    let bits = u64::from(which) + 1;
    let other = AgentId::from_bits(u64::from(detail % 3) + 1);
    let [task, message, decision, review, lease] = [
        EntityRef::Task(TaskId::from_bits(bits)),
        EntityRef::Message(MessageId::from_bits(bits)),
        EntityRef::Decision(DecisionId::from_bits(bits)),
        EntityRef::Review(ReviewId::from_bits(bits)),
        EntityRef::Lease(LeaseId::from_bits(bits)),
    ];
    let spec = EntityRef::Spec(SpecName::parse(&format!("spec-{which}")).unwrap());
    let agent = EntityRef::Agent(AgentId::from_bits(bits));
    let comment = CommentId::from_bits(u64::from(detail % 4));
    let text = draft.plain(&format!("{kind}/{which}/{detail}"));
    let spare = text.clone();
    let status = TaskStatus::ALL[usize::from(detail) % TaskStatus::ALL.len()];
    match kind {
        0 | 1 => {
            let (_, mut created) = facts::task(draft, me, "task");
            created.depends_on = vec![TaskId::from_bits(u64::from(detail % 3) + 1)];
            created.aliases = vec![format!("cmd_{}", detail % 4)];
            draft.add(task, created);
        }
        2 | 3 => {
            let before = (detail % 2 == 0).then(|| other.clone());
            draft.add(task, TaskAssigned { assignee: me.clone(), before, claimed: true });
        }
        4 => draft.add(task, TaskAssigned { assignee: me.clone(), before: None, claimed: true }),
        5..=7 => {
            let from = TaskStatus::ALL[usize::from(detail / 16) % TaskStatus::ALL.len()];
            let assignee = (detail % 3 > 0).then(|| if detail % 3 == 1 { me.clone() } else { other.clone() });
            draft.add(task, TaskMoved { from, to: status, assignee, reason: None, successor: None });
        }
        8 => {
            let to = TaskStatus::Assigned;
            let assignee = (detail % 2 == 0).then(|| me.clone());
            draft.add(
                task,
                TaskMoved { from: TaskStatus::Pending, to, assignee, reason: None, successor: None },
            );
        }
        9 => draft.add(task, TaskNoted { note: text }),
        10 => {
            let on = TaskId::from_bits(u64::from(detail % 3) + 1);
            draft.add(task, TaskDependency { on, removed: detail % 2 == 0 });
        }
        11 => {
            let priority = Some(if detail % 2 == 0 { Priority::Low } else { Priority::Critical });
            draft.add(task, TaskEdited { title: Some(text), description: None, priority, branch: None });
        }
        12 => {
            let verdict = Verdict::Approved;
            draft.add(
                task,
                TaskJudged { verdict, by: me.clone(), note: None, review: None, overruled: false },
            );
        }
        13 | 14 => {
            let (_, mut sent) = facts::message(draft, me, &[other, me.clone()], "subject", "body");
            sent.aliases = vec![format!("mail_{}", detail % 4)];
            draft.add(message, sent);
        }
        15 => draft.add(message, MessageDelivered { agent: other, via: Via::Hook, redelivered: 0 }),
        16 => draft.add(message, MessageAcknowledged { agent: other }),
        17 => draft.add(message, MessageSettled { agent: other, how: Settlement::Replied, by: None }),
        18 => draft.add(message, MessageDeclined { agent: other, reason: None }),
        19 => draft.add(message, MessageHeld { reason: HoldReason::Hops }),
        20 => draft.add(message, MessageReleased {}),
        21..=23 => {
            let version = u32::from(detail % 3) + 1;
            draft.add(spec, SpecPublished { version, body: text, publisher: me.clone(), note: None });
        }
        24 => draft.add(spec, SpecSubscribed { agent: other, removed: detail % 2 == 0 }),
        25 => match detail % 4 {
            0 => draft.add(
                decision,
                DecisionOpened {
                    question: text,
                    options: Vec::new(),
                    by: me.clone(),
                    deadline: None,
                    message: None,
                    supersedes: None,
                },
            ),
            1 => draft.add(decision, DecisionPosition { agent: other, position: text, reason: None }),
            2 => draft.add(decision, DecisionDecided { outcome: text, by: me.clone(), reason: None }),
            _ => draft.add(decision, DecisionSuperseded { by: DecisionId::from_bits(9) }),
        },
        26 => draft.add(
            review,
            ReviewOpened { author: other, reviewers: vec![me.clone()], title: text, task: None, diff: None },
        ),
        27 => draft.add(
            review,
            ReviewCommented {
                comment: CommentId::from_bits(u64::from(detail / 16 % 4)),
                thread: comment,
                by: me.clone(),
                body: text,
                disposition: Disposition::Note,
                file: None,
                line: None,
                side: None,
            },
        ),
        28 if detail % 2 == 0 => draft.add(review, ReviewResolved { thread: comment, by: me.clone() }),
        28 => draft.add(review, ReviewJudged { verdict: Verdict::Approved, by: me.clone(), note: None }),
        29 => match detail % 3 {
            0 => draft.add(agent, AgentRegistered { name: name(detail), profile: "claude".to_owned() }),
            1 => draft.add(agent, AgentRenamed { name: name(detail) }),
            _ => draft.add(agent, AgentRetired { reason: None }),
        },
        30 if detail % 2 == 0 => draft.add(lease, LeaseReleased {}),
        30 => draft.add(
            lease,
            LeaseTaken {
                holder: me.clone(),
                globs: vec!["src/**".to_owned()],
                mode: LeaseMode::Exclusive,
                ttl_s: 60,
                reason: None,
                task: None,
            },
        ),
        // Purges a text that others may bring later, or that nobody ever wrote.
        _ => draft.add(
            EntityRef::Text(TextHash::of("salt", &detail.to_string())),
            TextPurged { reason: Some(text) },
        ),
    }
    let used = draft.facts.last().is_some_and(|fact| texts_of(&fact.event).contains(&&spare));
    draft.texts.retain(|stored| used || stored.hash != spare);
}

fn name(detail: u8) -> Name {
    Name::parse(&format!("agent-{}", detail % 8)).unwrap()
}

struct Replica {
    store: Store,
    clock: Arc<ManualClock>,
    me: AgentId,
}

/// Numbers that are random enough to mix lines, and the same for the same seed.
struct Mix(u64);

impl Mix {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

/// Interleaves the lines of several origins at random; each origin's stay in order.
fn interleave(by_origin: Vec<Vec<ForeignLine>>, mix: &mut Mix) -> Vec<ForeignLine> {
    let mut queues: Vec<_> = by_origin.into_iter().map(Vec::into_iter).collect();
    let mut mixed = Vec::new();
    while !queues.is_empty() {
        let chosen = mix.below(queues.len());
        match queues[chosen].next() {
            Some(line) => mixed.push(line),
            None => drop(queues.swap_remove(chosen)),
        }
    }
    mixed
}

/// Brings a share (of 255) of every origin's log, in pieces of random length.
fn carry(replicas: &mut [Replica], from: usize, to: usize, share: u8, mix: &mut Mix) {
    let mut known: Vec<_> = exchange::lines_by_origin(&mut replicas[from].store).into_values().collect();
    for lines in &mut known {
        lines.truncate((lines.len() * usize::from(share)).div_ceil(255));
    }
    let mut lines = interleave(known, mix);
    let texts = exchange::texts(&mut replicas[from].store, &lines);
    while !lines.is_empty() {
        let rest = lines.split_off((1 + mix.below(8)).min(lines.len()));
        let taken = replicas[to].store.take_in(&lines, &texts).unwrap();
        assert_eq!(taken.problems, []);
        lines = rest;
    }
}

fn play(steps: Vec<Step>, seed: u64) {
    let files = SqliteReplicas::new();
    let mut replicas: Vec<Replica> = REPLICAS
        .iter()
        .map(|name| {
            let clock = Arc::new(ManualClock::new(THEN));
            let mut store = files.open(name, clock.clone());
            let me = facts::operator(&mut store);
            Replica { store, clock, me }
        })
        .collect();
    for step in steps {
        match step {
            Step::Write { replica, facts, after_us } => {
                let Replica { store, clock, me } = &mut replicas[replica];
                clock.advance(Duration::from_micros(after_us));
                facts::append(store, me, |draft| facts.iter().for_each(|fact| add(draft, me, *fact)));
            }
            Step::Carry { from, to, share, mix } => carry(&mut replicas, from, to, share, &mut Mix(mix)),
        }
    }
    let mut mix = Mix(seed);
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 1), (1, 0)] {
        carry(&mut replicas, from, to, 255, &mut mix);
    }
    let dumps = REPLICAS.map(|name| dump::views(files.engine(name).as_mut()));
    for other in &dumps[1..] {
        for (table, rows) in &dumps[0] {
            assert_eq!(&other[table], rows, "replicas disagree in {table}");
        }
    }
    let Replica { store, .. } = &mut replicas[mix.below(3)];
    assert_eq!(store.verify(&mut |_, _| {}).unwrap(), []);
    store.rebuild(&mut |_, _| {}).unwrap();
    for (name, before) in REPLICAS.iter().zip(&dumps) {
        assert_eq!(&dump::views(files.engine(name).as_mut()), before, "a rebuild changed rows");
    }
}

fn cases() -> u32 {
    if std::env::var_os("INTERAGENT_SOAK").is_some() { 1000 } else { 24 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replicas_that_worked_apart_agree(steps in prop::collection::vec(step(), 5..30), seed in any::<u64>()) {
        play(steps, seed);
    }
}
