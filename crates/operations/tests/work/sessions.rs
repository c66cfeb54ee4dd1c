//! Sessions through the hub.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::{Auth, SessionState};
use interagent_wire::answer::{HandoverView, IdentityView, SessionView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, CallerProcess, Request, Time};
use std::time::Duration;

use super::support::{START_US, Team, claude, kimi};

const BOOT: &str = "boot-1";

fn session(id: &str, pid: i64) -> ask::SessionBind {
    ask::SessionBind {
        session: id.into(),
        pid: Some(pid),
        started: Some(pid * 10),
        boot: Some(BOOT.into()),
        ..Default::default()
    }
}

fn bound(answer: Answer) -> SessionView {
    match answer {
        Answer::Session(session) => session,
        other => panic!("{other:?}"),
    }
}

fn live(team: &mut Team) -> Vec<(String, String)> {
    match team.quietly(&Caller::operator(), ask::SessionList::default()) {
        Answer::Sessions(page) => page.items.into_iter().map(|s| (s.id, s.agent.name)).collect(),
        other => panic!("{other:?}"),
    }
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(id, agent)| ((*id).to_owned(), (*agent).to_owned())).collect()
}

fn end(id: &str) -> ask::SessionEnd {
    ask::SessionEnd { session: id.into() }
}

fn in_session(id: &str) -> Caller {
    Caller { session: Some(id.into()), ..Caller::default() }
}

/// A caller below a client of some kind, known by nothing else.
fn client(profile: &str) -> Caller {
    Caller { profile: Some(profile.into()), ..Caller::default() }
}

fn whoami(team: &mut Team, caller: &Caller) -> IdentityView {
    match team.quietly(caller, ask::Whoami {}) {
        Answer::Identity(identity) => identity,
        other => panic!("{other:?}"),
    }
}

fn take(team: &mut Team, caller: &Caller) -> HandoverView {
    match team.quietly(caller, ask::OfferTake::default()) {
        Answer::Handover(handover) => handover,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bound_session_is_its_agent_from_then_on() {
    let mut team = Team::duo();
    let view = bound(team.quietly(&kimi(), ask::SessionBind { pane: Some("%3".into()), ..session("s1", 7) }));
    assert_eq!((view.agent.name.as_str(), view.profile.as_str(), view.pid), ("kimi", "kimi", Some(7)));
    assert_eq!((view.state, view.bound, view.seen), (SessionState::Idle, Time(START_US), Time(START_US)));
    let below = CallerProcess { pid: 7, started: 70, executable: "kimi".into() };
    let process = Caller { processes: vec![below], boot: Some(BOOT.into()), ..Caller::default() };
    let pane = Caller { pane: Some("%3".into()), ..Caller::default() };
    for (caller, auth) in [(in_session("s1"), Auth::Session), (process, Auth::Process), (pane, Auth::Pane)] {
        let known = whoami(&mut team, &caller);
        assert_eq!((known.member.map(|who| who.name).as_deref(), known.auth), (Some("kimi"), Some(auth)));
    }
}

#[test]
fn the_same_session_again_says_what_is_new_and_keeps_the_rest() {
    let mut team = Team::duo();
    team.ok(
        &kimi(),
        ask::SessionBind { pane: Some("%3".into()), cwd: Some("/w".into()), ..session("s1", 7) },
    );
    team.clock.advance(Duration::from_secs(5));
    let busy =
        ask::SessionBind { session: "s1".into(), state: Some(SessionState::Busy), ..Default::default() };
    let view = bound(team.ok(&in_session("s1"), busy));
    assert_eq!((view.state, view.pid, view.pane.as_deref()), (SessionState::Busy, Some(7), Some("%3")));
    assert_eq!((view.cwd.as_deref(), view.bound), (Some("/w"), Time(START_US)));
    assert_eq!(view.seen, Time(START_US + 5_000_000));
    assert_eq!(live(&mut team), pairs(&[("s1", "kimi")]));
}

#[test]
fn a_second_live_session_is_refused_with_the_process_or_joins() {
    let mut team = Team::duo();
    team.ok(&kimi(), session("s1", 7));
    let refusal = team.refused(&kimi(), session("s2", 8));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "second_session"));
    assert_eq!(refusal.sentence, "kimi is in use by session s1 (process 7)");
    assert_eq!(
        refusal.hint.as_deref(),
        Some("interagent session end s1 if it is gone, or join it with --join")
    );
    assert_eq!(live(&mut team), pairs(&[("s1", "kimi")]));
    team.ok(&kimi(), ask::SessionBind { join: true, ..session("s2", 8) });
    team.ok(&claude(), session("s3", 9));
    assert_eq!(live(&mut team), pairs(&[("s1", "kimi"), ("s2", "kimi"), ("s3", "claude")]));
    team.ok(&Caller::operator(), end("s1"));
    team.ok(&Caller::operator(), end("s2"));
    team.ok(&kimi(), session("s4", 10));
}

#[test]
fn a_new_session_of_the_same_process_or_process_number_takes_the_place_of_the_old() {
    let mut team = Team::duo();
    team.ok(&kimi(), session("s1", 7));
    team.ok(&kimi(), session("s2", 7));
    assert_eq!(live(&mut team), pairs(&[("s2", "kimi")]));
    team.ok(&kimi(), ask::SessionBind { started: Some(999), ..session("s3", 7) });
    assert_eq!(live(&mut team), pairs(&[("s3", "kimi")]));
}

#[test]
fn a_session_does_not_outlive_the_run_of_the_machine() {
    let mut team = Team::duo();
    team.ok(&kimi(), ask::SessionBind { pane: Some("%3".into()), ..session("s1", 7) });
    let mut team = team.reboot(START_US);
    assert_eq!(live(&mut team), []);
    let pane = Caller { pane: Some("%3".into()), profile: Some("claude".into()), ..Caller::default() };
    let known = whoami(&mut team, &pane);
    assert_eq!(known.member.map(|who| who.name).as_deref(), Some("claude"), "the pane is another one now");
    team.ok(&kimi(), ask::SessionBind { boot: Some("boot-2".into()), ..session("s2", 8) });
    assert_eq!(live(&mut team), pairs(&[("s2", "kimi")]));
}

#[test]
fn a_session_stays_with_its_agent_until_that_one_is_retired() {
    let mut team = Team::duo();
    team.ok(&kimi(), session("s1", 7));
    let moved = ask::SessionBind { agent: Some("claude".into()), ..session("s1", 7) };
    let refusal = team.refused(&Caller::operator(), moved.clone());
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "session_taken"));
    assert_eq!(team.refused(&in_session("s1"), moved.clone()).code, "not_you");
    team.ok(&Caller::operator(), end("s1"));
    assert_eq!(team.refused(&Caller::operator(), moved.clone()).code, "session_taken");
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "kimi".into(), reason: None });
    assert_eq!(bound(team.ok(&Caller::operator(), moved)).agent.name, "claude");
}

#[test]
fn who_is_not_known_yet_binds_a_free_name() {
    let mut team = Team::duo();
    team.register("eve", "kimi");
    team.register("eva", "codex");
    team.register("ada", "codex");
    let named =
        |agent: &str, id: &str, pid| ask::SessionBind { agent: Some(agent.into()), ..session(id, pid) };
    let unbound = client("kimi");
    assert_eq!(team.refused(&client("codex"), session("s1", 7)).code, "unbound");
    assert_eq!(bound(team.ok(&unbound, named("kimi", "s1", 7))).agent.name, "kimi");
    // One kimi is left, so the caller is taken for it; the name that it gives corrects the guess.
    assert_eq!(team.refused(&unbound, named("kimi", "s2", 8)).code, "second_session");
    assert_eq!(bound(team.ok(&unbound, session("s2", 8))).agent.name, "eve");
    assert_eq!(team.refused(&unbound, named("nobody", "s3", 9)).code, "no_such_agent");
    assert_eq!(team.refused(&claude(), named("kimi", "s3", 9)).code, "not_you");
}

#[test]
fn a_person_is_no_session_and_a_session_no_person() {
    let mut team = Team::duo();
    assert_eq!(team.refused(&Caller::operator(), session("s1", 7)).code, "not_an_agent");
    let named = ask::SessionBind { agent: Some("operator".into()), ..session("s1", 7) };
    assert_eq!(team.refused(&Caller::operator(), named).code, "not_an_agent");
    let spoken_for = Caller { behalf: Some("kimi".into()), ..Caller::operator() };
    assert_eq!(bound(team.ok(&spoken_for, session("s1", 7))).agent.name, "kimi");
}

#[test]
fn ending_gives_back_what_was_offered() {
    let mut team = Team::duo();
    team.ok(&kimi(), session("s1", 7));
    team.ok(&kimi(), ask::SessionBind { join: true, ..session("s2", 8) });
    let message =
        ask::MessageSend { to: vec!["kimi".into()], body: Some("hello".into()), ..Default::default() };
    team.ok(&claude(), message);
    assert_eq!(take(&mut team, &in_session("s1")).items.len(), 1);
    assert_eq!(take(&mut team, &in_session("s2")).items.len(), 0, "it is on its way into s1");
    let ended = bound(team.quietly(&in_session("s1"), end("s1")));
    assert_eq!(ended.state, SessionState::Ended);
    assert_eq!(live(&mut team), pairs(&[("s2", "kimi")]));
    let handover = take(&mut team, &in_session("s2"));
    assert_eq!((handover.items.len(), handover.items[0].redelivered), (1, 1));
    team.quietly(&Caller::operator(), end("s1"));
    assert_eq!(take(&mut team, &in_session("s2")).items[0].redelivered, 1, "ending again lapses nothing");
}

#[test]
fn a_session_that_gave_way_gives_back_what_was_offered() {
    let mut team = Team::duo();
    team.ok(&kimi(), session("s1", 7));
    let message =
        ask::MessageSend { to: vec!["kimi".into()], body: Some("hello".into()), ..Default::default() };
    team.ok(&claude(), message);
    assert_eq!(take(&mut team, &in_session("s1")).items.len(), 1);
    team.ok(&kimi(), session("s2", 7));
    assert_eq!(take(&mut team, &in_session("s2")).items.len(), 1);
}

#[test]
fn others_do_not_end_a_session() {
    let mut team = Team::duo();
    team.ok(&kimi(), session("s1", 7));
    let refusal = team.refused(&claude(), end("s1"));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Refused, "not_yours"));
    assert_eq!(team.refused(&claude(), end("s9")).kind, RefusalKind::NotFound);
    team.ok(&kimi(), end("s1"));
    // A client resumes a conversation under its old id.
    assert_eq!(bound(team.ok(&kimi(), session("s1", 8))).state, SessionState::Idle);
}

#[test]
fn bad_sessions_are_refused() {
    let mut team = Team::duo();
    for params in [
        session(" ", 7),
        session("a\nb", 7),
        session(&"x".repeat(1025), 7),
        ask::SessionBind { state: Some(SessionState::Ended), ..session("s1", 7) },
        ask::SessionBind { started: None, ..session("s1", 7) },
    ] {
        let refusal = team.refused(&kimi(), params);
        assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Usage, "bad_session"));
    }
}

#[test]
fn an_agent_of_another_replica_does_not_act_here() {
    let mut original = Team::duo();
    original.ok(&claude(), session("s1", 7));
    let mut copy = original.copied();
    let away = Caller::agent("claude@here");
    for caller in [away.clone(), Caller { behalf: Some("claude@here".into()), ..Caller::operator() }] {
        for request in [
            Request::from(ask::StatusSet { text: Some("busy".into()), ..Default::default() }),
            ask::OfferTake::default().into(),
            ask::MessageSend { to: vec!["operator".into()], body: Some("hi".into()), ..Default::default() }
                .into(),
        ] {
            let refusal = copy.refused(&caller, request);
            assert_eq!(refusal.code, "not_at_home", "{refusal:?}");
            assert!(refusal.sentence.contains("claude lives at here"), "{refusal:?}");
        }
    }
    // The session came along with the copy; the agent did not.
    let session = Caller { session: Some("s1".into()), profile: Some("claude".into()), ..Caller::default() };
    let status = ask::StatusSet { text: Some("busy".into()), ..Default::default() };
    assert_eq!(copy.refused(&session, status).code, "unbound");
    copy.ok(&Caller::operator(), ask::MessageList::default());
}

#[test]
fn ended_sessions_are_forgotten_in_the_end() {
    let mut team = Team::duo();
    team.ok(&claude(), session("old", 7));
    team.ok(&claude(), ask::SessionEnd { session: "old".into() });
    team.clock.advance(Duration::from_secs(31 * 24 * 3600));
    team.ok(&claude(), session("new", 8));
    assert!(team.hub.store().read(|reader| reader.session("old")).unwrap().is_some());
    team.ok(&claude(), ask::SessionEnd { session: "new".into() });
    assert!(team.hub.store().read(|reader| reader.session("old")).unwrap().is_none());
    assert!(team.hub.store().read(|reader| reader.session("new")).unwrap().is_some());
}
