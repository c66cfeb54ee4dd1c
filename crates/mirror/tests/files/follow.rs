//! Following in any steps, across replicas, ends with the files that writing all at once gives.

use std::collections::BTreeSet;
use std::time::Duration;

use interagent_core::event::{AgentRegistered, MessageSettled};
use interagent_core::ids::{AgentId, EntityRef, MessageId};
use interagent_core::name::Name;
use interagent_core::vocabulary::Settlement;
use interagent_mirror::files::Bound;
use interagent_testkit::{exchange, facts, happenings};
use proptest::prelude::*;

use super::support::Hub;

#[derive(Clone, Debug)]
enum Step {
    /// Facts at one of the two replicas, as one entry.
    Write { here: bool, facts: Vec<(u8, u8, u8)>, after_us: u64 },
    /// Everybody has read a message.
    Read { which: u64 },
    /// What the other replica knows arrives here, or the other way round.
    Carry { here: bool },
    /// The files follow.
    Follow { bound: Bound },
    /// Somebody deletes one of the files.
    Delete { which: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let fact = (0..happenings::KINDS, 0_u8..3, any::<u8>());
    let write = (any::<bool>(), prop::collection::vec(fact, 1..5), prop_oneof![Just(1), 2..2_000_u64])
        .prop_map(|(here, facts, after_us)| Step::Write { here, facts, after_us });
    prop_oneof![
        5 => write,
        2 => (1..4_u64).prop_map(|which| Step::Read { which }),
        1 => any::<bool>().prop_map(|here| Step::Carry { here }),
        3 => bound().prop_map(|bound| Step::Follow { bound }),
        1 => (0..50_usize).prop_map(|which| Step::Delete { which }),
    ]
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![Just(Bound::Brief), Just(Bound::Resident), Just(Bound::Whole)]
}

fn read(hub: &mut Hub, me: &AgentId, id: &MessageId) {
    let Some(message) = hub.store.read(|reader| reader.message(id)).unwrap() else { return };
    facts::append(&mut hub.store, me, |draft| {
        for agent in message.deliveries.into_keys() {
            let settled = MessageSettled { agent, how: Settlement::Replied, by: None };
            draft.add(EntityRef::Message(id.clone()), settled);
        }
    });
}

fn play(steps: Vec<Step>) {
    let (mut ours, mut theirs) = (Hub::new("north"), Hub::new("south"));
    let members: [AgentId; 2] = [facts::operator(&mut ours.store), facts::operator(&mut theirs.store)];
    // Nobody writes to somebody who is not registered at home; across replicas it may seem so for a while.
    facts::append(&mut ours.store, &members[0], |draft| {
        for which in 1..=3_u64 {
            let name = Name::parse(&format!("agent-{which}")).unwrap();
            let registered = AgentRegistered { name, profile: "claude".to_owned() };
            draft.add(EntityRef::Agent(AgentId::from_bits(which)), registered);
        }
    });
    // What was deleted is found by a comparison alone.
    let mut last = Bound::Resident;
    for step in steps {
        match step {
            Step::Write { here, facts, after_us } => {
                let (hub, me) = if here { (&mut ours, &members[0]) } else { (&mut theirs, &members[1]) };
                hub.clock.advance(Duration::from_micros(after_us));
                facts::append(&mut hub.store, me, |draft| {
                    facts.iter().for_each(|fact| happenings::add(draft, me, *fact));
                });
            }
            Step::Read { which } => read(&mut ours, &members[0], &MessageId::from_bits(which)),
            Step::Carry { here: true } => drop(exchange::bring(&mut theirs.store, &mut ours.store)),
            Step::Carry { here: false } => drop(exchange::bring(&mut ours.store, &mut theirs.store)),
            Step::Delete { which } => {
                let files = ours.tree();
                if let Some(file) = files.keys().nth(which % files.len().max(1)) {
                    std::fs::remove_file(ours.path(file)).unwrap();
                    last = Bound::Whole;
                }
            }
            Step::Follow { bound } => {
                let followed = ours.follow(bound);
                assert_eq!(followed.troubles, Vec::<String>::new());
                assert_eq!(followed.kept, Vec::<String>::new(), "our own files are known again");
            }
        }
    }
    ours.follow(last);
    let followed = ours.tree();
    let scratch = ours.written_at_once();
    let names = |tree: &super::support::Tree| tree.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&followed), names(&scratch));
    for (name, text) in &scratch {
        assert_eq!(&followed[name], text, "{name}");
    }
    let again = ours.follow(Bound::Whole);
    assert_eq!((again.written, again.removed), (0, 0), "nothing is left to do");
}

fn cases() -> u32 {
    if std::env::var_os("INTERAGENT_SOAK").is_some() { 300 } else { 32 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_steps_give_the_files_of_scratch(steps in prop::collection::vec(step(), 3..25)) {
        play(steps);
    }
}

#[test]
fn an_unchanged_file_keeps_its_time() {
    let mut hub = Hub::new("north");
    let me = facts::operator(&mut hub.store);
    let kimi = facts::register(&mut hub.store, "kimi");
    facts::send(&mut hub.store, &me, &kimi, "one", "1");
    hub.follow(Bound::Brief);
    let times = |hub: &Hub| {
        hub.tree()
            .into_keys()
            .map(|name| (std::fs::metadata(hub.path(&name)).unwrap().modified().unwrap(), name))
            .collect::<BTreeSet<_>>()
    };
    let before = times(&hub);
    std::thread::sleep(Duration::from_millis(20));
    facts::send(&mut hub.store, &me, &kimi, "two", "2");
    let followed = hub.follow(Bound::Brief);
    // The new message and its recipient's file; a question to an agent is nothing for the dashboard.
    assert_eq!(followed.written, 2);
    let changed: Vec<String> = times(&hub).difference(&before).map(|(_, name)| name.clone()).collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert_eq!(hub.follow(Bound::Whole).written, 0);
}

#[test]
fn a_cursor_that_is_lost_torn_or_of_another_log_is_repaired() {
    let mut hub = Hub::new("north");
    let me = facts::operator(&mut hub.store);
    facts::create_task(&mut hub.store, &me, "one");
    hub.follow(Bound::Brief);
    let before = hub.tree();
    let cursor = hub.path("state/files");
    let whole = std::fs::read(&cursor).unwrap();
    for damage in [Vec::new(), b"1 2 ".to_vec(), vec![0xff; 200], {
        let mut other = whole.clone();
        let place = other.iter().position(|byte| *byte == b'-').unwrap();
        other[place + 1] = b'f';
        other
    }] {
        std::fs::write(&cursor, damage).unwrap();
        let task = before.keys().find(|name| name.starts_with("tasks/")).unwrap();
        std::fs::remove_file(hub.path(task)).unwrap();
        hub.follow(Bound::Brief);
        assert_eq!(hub.tree(), before);
    }
}

#[test]
fn a_short_command_does_a_part_and_the_next_ones_the_rest() {
    let mut hub = Hub::new("north");
    let me = facts::operator(&mut hub.store);
    hub.follow(Bound::Brief);
    for number in 0..200 {
        facts::create_task(&mut hub.store, &me, &format!("task {number}"));
    }
    let tasks = |hub: &Hub| hub.tree().keys().filter(|name| name.starts_with("tasks/active/")).count();
    hub.follow(Bound::Brief);
    assert!((1..=64).contains(&tasks(&hub)), "{}", tasks(&hub));
    for _ in 0..400 {
        hub.follow(Bound::Brief);
    }
    assert_eq!(tasks(&hub), 200);
    assert_eq!(hub.tree(), hub.written_at_once());
}
