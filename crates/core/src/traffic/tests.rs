//! The budget as properties: no way round delivers more than it, and nothing that goes one way is held below the flood limit.

use proptest::prelude::*;

use super::*;
use crate::draft::{Context, Draft, Fresh};
use crate::event::{Event, MessageHeld, MessageSent, TaskMoved};
use crate::ids::{EntityRef, MessageId, OriginId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{Intent, Priority, TaskStatus};

const BUDGET: Budget = Budget { max_hops: 20, pair_messages: 5, flood_messages: 40 };

fn agent(n: u64) -> AgentId {
    AgentId::from_bits(n + 1)
}

/// Sends, counts, and says whether it was delivered.
fn send(lately: &mut Lately, from: &AgentId, to: &AgentId, flow: Flow) -> bool {
    let held = hold(Sender::Agent(from), to, (flow, 0), lately, BUDGET);
    lately.add(from, to, flow);
    held.is_none()
}

#[test]
fn mutual_work_is_held_at_budget() {
    let (a, b) = (agent(0), agent(1));
    let mut lately = Lately::default();
    let delivered =
        |lately: &mut Lately, from: &AgentId, to: &AgentId| u32::from(send(lately, from, to, Flow::Work));
    let (mut there, mut back) = (0, 0);
    for _ in 0..40 {
        there += delivered(&mut lately, &a, &b);
        back += delivered(&mut lately, &b, &a);
    }
    assert_eq!((there, back), (5, 5));
}

#[test]
fn one_way_work_has_the_flood_limit() {
    let (a, b) = (agent(0), agent(1));
    let mut lately = Lately::default();
    let delivered = (0..60).filter(|_| send(&mut lately, &a, &b, Flow::Work)).count();
    assert_eq!(delivered, 40);
}

#[test]
fn question_of_assignee_does_not_stop_assigner() {
    let (a, b) = (agent(0), agent(1));
    let mut lately = Lately::default();
    for _ in 0..3 {
        assert!(send(&mut lately, &b, &a, Flow::Words));
    }
    assert!((0..40).all(|_| send(&mut lately, &a, &b, Flow::Work)));
}

#[test]
fn words_are_held_one_way() {
    let (a, b) = (agent(0), agent(1));
    let mut lately = Lately::default();
    assert_eq!((0..20).filter(|_| send(&mut lately, &a, &b, Flow::Words)).count(), 5);
}

#[test]
fn work_leaves_words_their_budget() {
    let (a, b) = (agent(0), agent(1));
    let mut lately = Lately::default();
    (0..20).for_each(|_| assert!(send(&mut lately, &a, &b, Flow::Work)));
    assert!(send(&mut lately, &a, &b, Flow::Words));
}

#[test]
fn person_has_only_the_flood_limit() {
    let (person, b) = (agent(0), agent(1));
    let mut lately = Lately::default();
    let mut delivered = 0;
    for _ in 0..60 {
        delivered +=
            u32::from(hold(Sender::Person(&person), &b, (Flow::Words, 99), &lately, BUDGET).is_none());
        lately.add(&person, &b, Flow::Words);
    }
    assert_eq!(delivered, 40);
}

fn flows() -> impl Strategy<Value = Flow> {
    prop_oneof![Just(Flow::Words), Just(Flow::Work)]
}

proptest! {
    #[test]
    fn no_way_round_delivers_more_than_its_budget(
        sends in proptest::collection::vec((0_u64..4, 0_u64..4, flows()), 0..400),
    ) {
        let mut lately = Lately::default();
        let mut delivered: BTreeMap<(u64, u64), u32> = BTreeMap::new();
        for (from, to, flow) in sends {
            if send(&mut lately, &agent(from), &agent(to), flow) {
                *delivered.entry((from, to)).or_default() += 1;
            }
        }
        let least = |ways: &[(u64, u64)]| {
            ways.iter().map(|way| delivered.get(way).copied().unwrap_or_default()).min().unwrap_or_default()
        };
        for a in 0..4 {
            prop_assert!(least(&[(a, a)]) <= BUDGET.pair_messages, "self");
            for b in (0..4).filter(|b| *b != a) {
                prop_assert!(least(&[(a, b), (b, a)]) <= BUDGET.pair_messages, "pair");
                for c in (0..4).filter(|c| ![a, b].contains(c)) {
                    prop_assert!(least(&[(a, b), (b, c), (c, a)]) <= BUDGET.pair_messages, "triangle");
                }
            }
        }
        prop_assert!(delivered.values().all(|count| *count <= BUDGET.flood_messages));
    }

    #[test]
    fn fan_out_below_flood_limit_is_never_held(sends in proptest::collection::vec(1_u64..6, 0..40)) {
        let mut lately = Lately::default();
        for to in sends {
            prop_assert!(send(&mut lately, &agent(0), &agent(to), Flow::Work));
        }
    }

    #[test]
    fn operation_always_commits(
        to in proptest::collection::btree_set(1_u64..6, 1..5), counted in 0_u32..60, hops in 0_u32..40,
        human in any::<bool>(), is_person in any::<bool>(), flow in flows(),
    ) {
        let (mut draft, id) = drafted(&to, flow);
        let before = draft.facts.clone();
        let mut lately = Lately::default();
        for n in 1..4 {
            lately.put(agent(0), agent(n), PairCount { words: counted, all: counted });
            lately.put(agent(n), agent(0), PairCount { words: counted, all: counted });
        }
        let people = if human { BTreeSet::from([agent(5)]) } else { BTreeSet::new() };
        let (me, causes) = (agent(0), BTreeMap::from([(id, hops)]));
        let known = Known { person: is_person.then_some(&me), people: &people, causes: &causes, budget: BUDGET };
        let enforced = enforce(&mut draft, known, &mut lately);
        prop_assert_eq!(&draft.facts[1..before.len()], &before[1..], "what was decided stays");
        let mut reached: Vec<AgentId> = sent(&draft).flat_map(|(_, sent)| sent.to.clone()).collect();
        reached.sort();
        prop_assert_eq!(reached, to.iter().map(|n| agent(*n)).collect::<Vec<_>>(), "nobody is lost or asked twice");
        let held: BTreeSet<MessageId> = enforced.held.iter().map(|held| held.message.clone()).collect();
        for (id, sent) in sent(&draft) {
            let says = draft.facts.iter().any(|fact| {
                fact.entity == EntityRef::Message(id.clone()) && matches!(fact.event, Event::MessageHeld(_))
            });
            prop_assert_eq!(says, held.contains(&id));
            prop_assert!(!says || !sent.to.contains(&agent(5)) || !human, "a person is never kept waiting");
        }
    }
}

fn sent(draft: &Draft) -> impl Iterator<Item = (MessageId, &MessageSent)> {
    draft.facts.iter().filter_map(|fact| match (&fact.entity, &fact.event) {
        (EntityRef::Message(id), Event::MessageSent(sent)) => Some((id.clone(), sent)),
        _ => None,
    })
}

/// A message from the first agent to others, and a task that moves.
fn drafted(to: &BTreeSet<u64>, flow: Flow) -> (Draft, MessageId) {
    let context = Context {
        now: 1,
        origin: OriginId::from_bits(1),
        member: agent(0),
        human: false,
        proof: crate::authority::Proof::Claimed,
        fresh: Fresh::new([7; 32]),
    };
    let mut draft = Draft::new(&context);
    let id = MessageId::from_bits(draft.bits());
    let text = TextHash::of("", "a text");
    let message = MessageSent {
        from: agent(0),
        to: to.iter().map(|n| agent(*n)).collect(),
        addressed: Vec::new(),
        intent: Intent::Delegation,
        subject: text,
        body: None,
        refs: Vec::new(),
        thread: id.clone(),
        reply_to: None,
        priority: Priority::Medium,
        expires: None,
        task: None,
        hops: 0,
        quiet: false,
        ack_wanted: false,
        aliases: Vec::new(),
    };
    draft.add(EntityRef::Message(id.clone()), message);
    draft.counts_as(&id, flow);
    let (from, to) = (TaskStatus::Pending, TaskStatus::Assigned);
    let moved = TaskMoved { from, to, assignee: None, reason: None, successor: None, judges: None };
    draft.add(EntityRef::Task(TaskId::from_bits(1)), moved);
    (draft, id)
}

#[test]
fn outcome_without_step_counts_as_work() {
    let mut lately = Lately::default();
    lately.put(agent(0), agent(1), PairCount { words: 0, all: 40 });
    for has_step in [true, false] {
        let (mut draft, _) = drafted(&BTreeSet::from([1]), Flow::Outcome);
        if !has_step {
            draft.facts.truncate(1);
        }
        let known =
            Known { person: None, people: &BTreeSet::new(), causes: &BTreeMap::new(), budget: BUDGET };
        let held = enforce(&mut draft, known, &mut lately.clone()).held;
        assert_eq!(held.is_empty(), has_step);
    }
}

#[test]
fn caused_work_is_held_after_too_many_hops() {
    let (mut draft, id) = drafted(&BTreeSet::from([1]), Flow::Outcome);
    let causes = BTreeMap::from([(id.clone(), BUDGET.max_hops + 1)]);
    let known = Known { person: None, people: &BTreeSet::new(), causes: &causes, budget: BUDGET };
    let enforced = enforce(&mut draft, known, &mut Lately::default());
    assert_eq!(enforced.held[0].message, id);
    let reasons: Vec<_> = draft
        .facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::MessageHeld(MessageHeld { reason }) => Some(*reason),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, [HoldReason::Hops]);
}
