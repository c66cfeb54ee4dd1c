//! Timers: what is due when, in whatever order it was set, and across a restart of the machine.

use std::sync::Arc;
use std::time::Duration;

use interagent_core::event::{MessageSent, MessageSettled};
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::vocabulary::{Intent, Settlement, TimerKind};
use interagent_store::observe::TimerDue;
use interagent_store::{ManualClock, Store};

use super::{Factory, THEN, clock};
use crate::facts::{append, message, operator, register};

fn set(store: &mut Store, subject: &str, agent: &AgentId, due: TimerDue) {
    store.observe(|w| w.put_timer(TimerKind::Wake, subject, agent, due, "{}")).unwrap();
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method alone is not general enough in its lifetimes"
)]
fn due(store: &mut Store) -> (Vec<String>, Option<i64>) {
    let due = store.read(|r| r.due_timers(9)).unwrap();
    (
        due.into_iter().map(|timer| timer.subject).collect(),
        store.read(|r| r.first_due()).unwrap().map(|first| first.left_us),
    )
}

pub fn timers_are_due_in_their_order(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let ann = register(&mut store, "ann");
    let head = store.head().unwrap();
    set(&mut store, "late", &ann, TimerDue::In(20));
    set(&mut store, "soon", &ann, TimerDue::In(10));
    set(&mut store, "never", &ann, TimerDue::Never);
    assert_eq!(due(&mut store), (vec![], Some(10_000_000)));
    clock.step_wall(3_600_000_000);
    assert_eq!(due(&mut store), (vec![], Some(10_000_000)), "a step of the wall clock is no time");
    clock.advance(Duration::from_secs(20));
    assert_eq!(due(&mut store), (vec!["soon".to_owned(), "late".to_owned()], Some(-10_000_000)));
    set(&mut store, "soon", &ann, TimerDue::In(5));
    set(&mut store, "late", &ann, TimerDue::AsBefore);
    assert_eq!(due(&mut store), (vec!["late".to_owned()], Some(0)));
    assert!(store.observe(|w| w.drop_timer(TimerKind::Wake, "late", &ann)).unwrap());
    assert!(!store.observe(|w| w.drop_timer(TimerKind::Wake, "late", &ann)).unwrap());
    assert_eq!(due(&mut store), (vec![], Some(5_000_000)));
    assert_eq!(store.head().unwrap(), head, "nothing of this is an entry");
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method alone is not general enough in its lifetimes"
)]
pub fn timers_outlive_the_run_of_the_machine(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    set(&mut store, "soon", &ann, TimerDue::In(100));
    set(&mut store, "never", &ann, TimerDue::Never);
    drop(store);
    let mut later = ManualClock::new(THEN + 40_000_000);
    later.reboot("boot-2");
    let later = Arc::new(later);
    let mut store = factory.open("a", later.clone());
    assert_eq!(due(&mut store), (vec![], None), "they belong to another run");
    assert_eq!(store.observe(|w| w.carry_timers_over()).unwrap(), 2);
    assert_eq!(due(&mut store), (vec![], Some(60_000_000)));
    later.advance(Duration::from_secs(60));
    assert_eq!(due(&mut store).0, ["soon"]);
    assert_eq!(store.observe(|w| w.carry_timers_over()).unwrap(), 0);
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method alone is not general enough in its lifetimes"
)]
pub fn duties_without_a_timer_are_found_and_timers_without_a_duty_go(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let ann = register(&mut store, "ann");
    let person = operator(&mut store);
    // What a person owes has no ladder, and is not looked at.
    append(&mut store, &ann, |draft| {
        let (id, sent) = message(draft, &ann, std::slice::from_ref(&person), "s", "b");
        draft.add(EntityRef::Message(id), MessageSent { intent: Intent::Question, ..sent });
    });
    let ask = |store: &mut Store, intent: Intent, expires: Option<i64>| {
        let mut asked = None;
        append(store, &ann, |draft| {
            let (id, sent) = message(draft, &ann, std::slice::from_ref(&ann), "s", "b");
            draft.add(EntityRef::Message(id.clone()), MessageSent { intent, expires, ..sent });
            asked = Some(id);
        });
        asked.unwrap()
    };
    let plain = ask(&mut store, Intent::ContextShare, None);
    let one = ask(&mut store, Intent::Question, None);
    let two = ask(&mut store, Intent::Question, Some(THEN + 50_000_000));
    let mut owed = vec![(one.clone(), ann.clone()), (two.clone(), ann.clone())];
    owed.sort();
    let open = |store: &mut Store| store.read(|r| r.owed_without_timer(None, 9)).unwrap();
    assert_eq!(open(&mut store), owed);
    assert_eq!(store.read(|r| r.owed_without_timer(Some(&owed[0]), 9)).unwrap(), owed[1..]);
    for message in [&one, &two, &plain] {
        let put = |w: &mut interagent_store::Writer<'_, '_>| {
            w.put_timer(TimerKind::Ladder, message.as_str(), &ann, TimerDue::In(9), "{}")
        };
        store.observe(put).unwrap();
    }
    set(&mut store, "", &ann, TimerDue::In(9));
    assert_eq!(open(&mut store), []);
    assert_eq!(store.observe(|w| w.drop_settled_timers()).unwrap(), 1, "what never asked for anything");
    clock.advance(Duration::from_secs(60));
    assert_eq!(
        store.observe(|w| w.drop_settled_timers()).unwrap(),
        1,
        "what is not worth an answer any more"
    );
    assert_eq!(open(&mut store), []);
    append(&mut store, &ann, |draft| {
        let settled = MessageSettled { agent: ann.clone(), how: Settlement::Replied, by: None };
        draft.add(EntityRef::Message(one.clone()), settled);
    });
    assert_eq!(store.observe(|w| w.drop_settled_timers()).unwrap(), 1);
    assert_eq!(due(&mut store).0, [""], "timers of another kind stay");
}
