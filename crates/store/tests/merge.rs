//! Replicas that worked apart agree on every row once their logs were exchanged, in whatever order that happened.
//!
//! `INTERAGENT_SOAK=1` runs many more cases.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use interagent_core::ids::AgentId;
use interagent_core::signature::Standing;
use interagent_store::{ForeignLine, ManualClock, ReplicaDecision, Store};
use interagent_testkit::conformance::{Factory, THEN};
use interagent_testkit::{dump, exchange, facts, happenings};
use proptest::prelude::*;
use support::SqliteReplicas;

const REPLICAS: [&str; 3] = ["north", "south", "west"];

/// One thing that happens at one replica. The numbers choose entity, kind and details.
#[derive(Clone, Debug)]
enum Step {
    /// Facts about shared entities, as one entry.
    Write { replica: usize, actor: Actor, facts: Vec<(u8, u8, u8)>, after_us: u64 },
    /// The people of the first two replicas decide of the third.
    Decide { replica: usize, standing: Standing },
    /// A part of what one replica knows reaches another.
    Carry { from: usize, to: usize, share: u8, mix: u64 },
}

#[derive(Clone, Copy, Debug)]
enum Actor {
    Operator,
    Agent,
}

fn standing() -> impl Strategy<Value = Standing> {
    prop_oneof![Just(Standing::New), Just(Standing::Accepted), Just(Standing::Rejected)]
}

fn step() -> impl Strategy<Value = Step> {
    let fact = (0..happenings::KINDS, 0_u8..3, any::<u8>());
    let write = (0..3_usize, prop::collection::vec(fact, 1..5), prop_oneof![Just(0), Just(1), 2..2_000_u64])
        .prop_flat_map(|(replica, facts, after_us)| {
            prop_oneof![Just(Actor::Operator), Just(Actor::Agent)].prop_map(move |actor| Step::Write {
                replica,
                actor,
                facts: facts.clone(),
                after_us,
            })
        });
    let decide = (0..2_usize, standing()).prop_map(|(replica, standing)| Step::Decide { replica, standing });
    let carry = (0..3_usize, 1..3_usize, any::<u8>(), any::<u64>())
        .prop_map(|(from, by, share, mix)| Step::Carry { from, to: (from + by) % 3, share, mix });
    prop_oneof![8 => write, 2 => carry, 1 => decide]
}

struct Replica {
    agent: AgentId,
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

/// What the people of one replica decide of another, as far as it is known there.
fn decide(replicas: &mut [Replica], at: usize, of: usize, standing: Standing) {
    let decision = match standing {
        Standing::Accepted => ReplicaDecision::Accept,
        Standing::Rejected => ReplicaDecision::Reject,
        _ => return,
    };
    let origin = replicas[of].store.head().unwrap().origin;
    replicas[at].store.decide_replica(&origin, &decision).unwrap();
}

/// The first two replicas accept each other and end with the same decision of the third, which accepts both.
fn play(steps: Vec<Step>, third: Standing, seed: u64) {
    let files = SqliteReplicas::new();
    let mut replicas: Vec<Replica> = REPLICAS
        .iter()
        .map(|name| {
            let clock = Arc::new(ManualClock::new(THEN));
            let mut store = files.open(name, clock.clone());
            let me = facts::operator(&mut store);
            let agent = facts::register(&mut store, &format!("agent-{name}"));
            Replica { agent, store, clock, me }
        })
        .collect();
    for step in steps {
        match step {
            Step::Decide { replica, standing } if third != Standing::New => {
                decide(&mut replicas, replica, 2, standing);
            }
            Step::Decide { .. } => {}
            Step::Write { replica, actor, facts, after_us } => {
                let Replica { store, clock, me, agent } = &mut replicas[replica];
                let me = if matches!(actor, Actor::Operator) { &*me } else { &*agent };
                clock.advance(Duration::from_micros(after_us));
                facts::append(store, me, |draft| {
                    facts.iter().for_each(|fact| happenings::add(draft, me, *fact));
                });
            }
            Step::Carry { from, to, share, mix } => carry(&mut replicas, from, to, share, &mut Mix(mix)),
        }
    }
    let mut mix = Mix(seed);
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 1), (1, 0)] {
        carry(&mut replicas, from, to, 255, &mut mix);
    }
    for (at, of) in [(0, 1), (1, 0), (2, 0), (2, 1)] {
        decide(&mut replicas, at, of, Standing::Accepted);
    }
    decide(&mut replicas, 0, 2, third);
    decide(&mut replicas, 1, 2, third);
    let dumps = REPLICAS.map(|name| dump::views(files.engine(name).as_mut()));
    // The third one counts its own entries, whatever others think of it.
    let same = if third == Standing::Accepted { &dumps[1..] } else { &dumps[1..2] };
    for other in same {
        for (table, rows) in &dumps[0] {
            // A purge that counted once is done; its text does not come back.
            if *table != "blobs" && *table != "suspects" {
                assert_eq!(&other[table], rows, "replicas disagree in {table}");
            }
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
    fn replicas_that_worked_apart_agree(
        steps in prop::collection::vec(step(), 5..30), third in standing(), seed in any::<u64>(),
    ) {
        play(steps, third, seed);
    }
}
