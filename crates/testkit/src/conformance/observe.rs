//! Observations: rows of this machine that are no entries.

use std::time::Duration;

use interagent_core::event::LeaseTaken;
use interagent_core::guard::edits::Seen;
use interagent_core::ids::{EntityRef, LeaseId};
use interagent_core::limits::{EDIT_WINDOW_S, OFFER_SECONDS, TRACE_ROWS};
use interagent_core::traffic::{Flow, PairCount};
use interagent_core::vocabulary::{LeaseMode, SessionState, Via};
use interagent_store::observe::{PaneOrigin, PaneRow, Process, SessionRow};
use interagent_store::{Clock, Store, StoreError};

use super::{Factory, THEN, clock};
use crate::facts::{append, register, send};

pub fn an_offer_lapses_and_is_counted(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let ann = register(&mut store, "ann");
    let id = send(&mut store, &ann, &ann, "s", "b");
    let head = store.head().unwrap();
    store.observe(|w| w.offer(&id, &ann, "session-1", Via::Hook, 0, THEN)).unwrap();
    let row = store.read(|r| r.unread(&ann, 9)).unwrap().pop().unwrap();
    let offer = row.offer.unwrap();
    assert_eq!((offer.holder.as_str(), offer.attempt, offer.offered), ("session-1", 0, THEN));
    assert!(!offer.has_lapsed(clock.as_ref()));
    clock.step_wall(3_600_000_000);
    assert!(!offer.has_lapsed(clock.as_ref()), "a step of the wall clock is no time");
    clock.advance(Duration::from_secs(OFFER_SECONDS.unsigned_abs()));
    assert!(offer.has_lapsed(clock.as_ref()));
    store.observe(|w| w.offer(&id, &ann, "session-2", Via::Hook, 1, THEN)).unwrap();
    assert_eq!(store.read(|r| r.offers_to("session-1")).unwrap(), []);
    assert_eq!(store.read(|r| r.offers_to("session-2")).unwrap()[0].attempt, 1);
    assert_eq!(store.observe(|w| w.lapse_offers("session-2")).unwrap(), 1);
    assert!(store.read(|r| r.offers_to("session-2")).unwrap()[0].has_lapsed(clock.as_ref()));
    store.observe(|w| w.end_offer(&id, &ann)).unwrap();
    assert_eq!(store.read(|r| r.unread(&ann, 9)).unwrap()[0].offer, None);
    assert_eq!(store.head().unwrap(), head, "nothing of this is an entry");
}

pub fn sessions_are_replaced_and_end(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    let mut session = SessionRow {
        id: "s1".to_owned(),
        agent: ann.clone(),
        profile: "claude".to_owned(),
        process: None,
        pane: None,
        cwd: Some("/work".to_owned()),
        state: SessionState::Busy,
        bound: THEN,
        seen: THEN,
        briefed: false,
        reminded: None,
        wake: None,
        woken: None,
        waking: Some(("m-1".to_owned(), 5)),
        remark: None,
        reports_told: None,
        viewed: false,
        prompts: Vec::new(),
        tools: None,
    };
    store.observe(|w| w.put_session(&session)).unwrap();
    session.state = SessionState::Idle;
    session.seen += 1;
    store.observe(|w| w.put_session(&session)).unwrap();
    assert_eq!(store.read(|r| r.sessions(Some(&ann))).unwrap(), [session.clone()]);
    assert_eq!(store.read(|r| r.sessions(Some(&bob))).unwrap(), []);
    let earlier = SessionRow { id: "s0".to_owned(), seen: THEN - 1, ..session.clone() };
    let process = Some(Process { pid: 1, started: 1, boot: "another run".to_owned() });
    let gone = SessionRow { id: "s2".to_owned(), seen: THEN + 9, process, ..session.clone() };
    for row in [&earlier, &gone] {
        store.observe(|w| w.put_session(row)).unwrap();
    }
    let living = store.read(|r| r.living_sessions(&ann)).unwrap();
    assert_eq!(living, [session.clone(), earlier.clone()], "heard of last, first; and only who lives");
    for row in [earlier, gone] {
        store.observe(|w| w.put_session(&SessionRow { state: SessionState::Ended, ..row })).unwrap();
    }
    session.state = SessionState::Ended;
    store.observe(|w| w.put_session(&session)).unwrap();
    assert_eq!(store.read(|r| r.sessions(None)).unwrap(), []);
    assert_eq!(store.read(|r| r.session("s1")).unwrap(), Some(session));
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method alone is not general enough in its lifetimes"
)]
pub fn a_step_of_the_wall_clock_does_not_move_a_lease(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let ann = register(&mut store, "ann");
    let mut id = None;
    append(&mut store, &ann, |draft| {
        let lease = LeaseId::from_bits(draft.bits());
        let taken = LeaseTaken {
            holder: ann.clone(),
            globs: vec!["src/**".to_owned()],
            mode: LeaseMode::Exclusive,
            ttl_s: 300,
            reason: None,
            task: None,
        };
        draft.add(EntityRef::Lease(lease.clone()), taken);
        id = Some(lease);
    });
    let id = id.unwrap();
    store.observe(|w| w.wind_lease(&id, 300)).unwrap();
    let live = |store: &mut interagent_store::Store| store.read(|r| r.live_leases()).unwrap().len();
    clock.step_wall(86_400_000_000);
    assert_eq!(live(&mut store), 1, "set forward");
    clock.step_wall(-2 * 86_400_000_000);
    clock.advance(Duration::from_secs(299));
    assert_eq!(live(&mut store), 1);
    store.observe(|w| w.wind_lease(&id, 300)).unwrap();
    clock.advance(Duration::from_secs(299));
    assert_eq!(live(&mut store), 1, "renewed");
    clock.advance(Duration::from_secs(1));
    assert_eq!(live(&mut store), 0);
    store.observe(|w| w.drop_stopped_lease_clocks()).unwrap();
    assert_eq!(live(&mut store), 0);
}

pub fn pairs_are_counted_within_their_window(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    let count =
        |store: &mut interagent_store::Store| store.read(|r| r.pair_count(&ann, &bob, 600)).unwrap().all;
    for _ in 0..3 {
        store.observe(|w| w.count_pair(&ann, &bob, Flow::Work, 600)).unwrap();
    }
    assert_eq!(count(&mut store), 3);
    assert_eq!(store.read(|r| r.pair_count(&bob, &ann, 600)).unwrap().all, 0, "the pair is ordered");
    store.observe(|w| w.count_pair(&ann, &bob, Flow::Words, 600)).unwrap();
    let both = PairCount { words: 1, all: 4 };
    assert_eq!(store.read(|r| r.pair_count(&ann, &bob, 600)).unwrap(), both);
    assert_eq!(store.read(|r| r.busy_pairs(4, 600)).unwrap(), [(ann.clone(), bob.clone(), both)]);
    assert_eq!(store.read(|r| r.busy_pairs(5, 600)).unwrap(), []);
    clock.advance(Duration::from_secs(600));
    assert_eq!(count(&mut store), 0);
    store.observe(|w| w.count_pair(&ann, &bob, Flow::Work, 600)).unwrap();
    assert_eq!(count(&mut store), 1);
    store.observe(|w| w.reset_pairs(&ann, &bob)).unwrap();
    assert_eq!(count(&mut store), 0);
}

pub fn the_trace_is_bounded(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    store
        .observe(|w| {
            (0..TRACE_ROWS + 5).try_for_each(|i| w.trace("test", &format!("{{\"i\":{i}}}")))?;
            Ok::<_, StoreError>(())
        })
        .unwrap();
    let newest = store.read(|r| r.trace(2)).unwrap();
    assert_eq!(newest[0].data, format!("{{\"i\":{}}}", TRACE_ROWS + 4));
    let all = store.read(|r| r.trace(u32::MAX)).unwrap();
    assert_eq!(i64::try_from(all.len()).unwrap(), TRACE_ROWS);
}

pub fn edits_are_forgotten_after_their_time(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    let edit = Seen { agent: ann.clone(), told: None, at: THEN };
    let again = Seen { at: THEN + 5, ..edit.clone() };
    let told = Seen { agent: bob, told: Some(ann), at: THEN + 9 };
    let note = |store: &mut interagent_store::Store, seen: &Seen| {
        store.observe(|w| w.note_edit("/p/a.rs", seen)).unwrap();
    };
    [&edit, &again, &told].iter().for_each(|seen| note(&mut store, seen));
    assert_eq!(store.read(|r| r.edits_of("/p/a.rs")).unwrap(), [again, told.clone()]);
    assert_eq!(store.read(|r| r.edits_of("/p/b.rs")).unwrap(), []);
    store.observe(|w| w.drop_old_edits(THEN + 5 + EDIT_WINDOW_S * 1_000_000)).unwrap();
    assert_eq!(store.read(|r| r.edits_of("/p/a.rs")).unwrap(), [told]);
    store.observe(|w| w.drop_old_edits(0)).unwrap();
    assert_eq!(store.read(|r| r.edits_of("/p/a.rs")).unwrap(), [], "the clock was set back");
}

pub fn an_agent_has_one_pane_and_it_is_forgotten(factory: &dyn Factory) {
    let clock = clock();
    let mut store = factory.open("a", clock.clone());
    let (ann, bob) = (register(&mut store, "ann"), register(&mut store, "bob"));
    let head = store.head().unwrap();
    let pane = |agent: &interagent_core::ids::AgentId, pane: &str| PaneRow {
        agent: agent.clone(),
        socket: "/tmp/socket".to_owned(),
        pane: pane.to_owned(),
        process: Process { pid: 7, started: 70, boot: clock.boot_id().to_owned() },
        origin: PaneOrigin::Launched,
        profile: "claude".to_owned(),
        tty: None,
        since: THEN,
        auto_approve: false,
        model: None,
    };
    store.observe(|w| w.put_pane(&pane(&ann, "%1"))).unwrap();
    store.observe(|w| w.put_pane(&pane(&bob, "%2"))).unwrap();
    store.observe(|w| w.put_pane(&pane(&ann, "%3"))).unwrap();
    assert_eq!(store.read(|r| r.pane(&ann)).unwrap(), Some(pane(&ann, "%3")), "the newest counts");
    assert_eq!(store.read(|r| r.panes().map(|rows| rows.len())).unwrap(), 2);
    let earlier =
        PaneRow { process: Process { boot: "earlier".to_owned(), pid: 7, started: 70 }, ..pane(&ann, "%1") };
    assert!(earlier.is_gone(clock.as_ref()) && !pane(&ann, "%1").is_gone(clock.as_ref()));
    assert!(store.observe(|w| w.drop_pane(&ann)).unwrap());
    assert!(!store.observe(|w| w.drop_pane(&ann)).unwrap());
    let left = store.read(|r| Ok::<_, StoreError>((r.panes()?, r.pane(&ann)?))).unwrap();
    assert_eq!(left, (vec![pane(&bob, "%2")], None));
    assert_eq!(store.head().unwrap(), head, "nothing of this is an entry");
}

pub fn marks_are_kept_and_replaced_and_are_no_entries(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let head = store.head().unwrap();
    assert_eq!(store.read(|r| r.mark("announced", "msg-1")).unwrap(), None);
    store.observe(|w| w.put_mark("announced", "msg-1", "")).unwrap();
    store.observe(|w| w.put_mark("reports.seen", ann.as_str(), "1")).unwrap();
    store.observe(|w| w.put_mark("reports.seen", ann.as_str(), "2")).unwrap();
    assert_eq!(store.read(|r| r.mark("announced", "msg-1")).unwrap().as_deref(), Some(""));
    assert_eq!(store.read(|r| r.mark("announced", ann.as_str())).unwrap(), None, "kinds do not meet");
    assert_eq!(store.read(|r| r.mark("reports.seen", ann.as_str())).unwrap().as_deref(), Some("2"));
    assert_eq!(store.read(|r| r.marked("announced")).unwrap(), ["msg-1"]);
    let drop = |store: &mut Store| store.observe(|w| w.drop_mark("announced", "msg-1")).unwrap();
    assert_eq!((drop(&mut store), drop(&mut store)), (true, false));
    assert_eq!(store.read(|r| r.marked("announced")).unwrap(), [] as [String; 0]);
    assert_eq!(store.read(|r| r.marked("reports.seen")).unwrap(), [ann.as_str()]);
    assert_eq!(store.head().unwrap(), head, "nothing of this is an entry");
}
