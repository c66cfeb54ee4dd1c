//! Hooks through the hub, where time matters.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use interagent_core::team::{TeamConfig, render};
use interagent_core::vocabulary::{DeliveryState, Moment, SessionState};
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_store::ManualClock;
use interagent_wire::answer::HookView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};

struct Team {
    hub: LocalHub,
    clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

impl Team {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(1_793_914_800_000_000));
        let opening =
            Opening { hub_dir: dir.path().to_owned(), create: true, alias: "here".into(), hub_id: None };
        let hub = LocalHub::open_with_clock(&opening, clock.clone()).unwrap();
        let mut team = Self { hub, clock, _dir: dir };
        let text = render(&TeamConfig::usual_duo("demo"));
        team.call(&Caller::operator(), ask::TeamTake { text });
        team
    }

    fn call(&mut self, caller: &Caller, request: impl Into<Request>) -> Answer {
        self.clock.advance(Duration::from_millis(1));
        self.hub.call(caller, request.into()).unwrap().answer
    }

    /// A hook of claude's session. `printed` are the hand-overs before it that its client was told.
    fn hook(&mut self, moment: Moment, session: &str, printed: &[i64]) -> HookView {
        let caller = Caller { session: Some(session.into()), ..Caller::agent("claude") };
        let params = ask::SessionHook {
            session: session.into(),
            moment: Some(moment),
            heard: true,
            bind: true,
            printed: printed.to_vec(),
            ..Default::default()
        };
        match self.call(&caller, params) {
            Answer::Hook(view) => view,
            other => panic!("{other:?}"),
        }
    }

    fn send(&mut self) -> String {
        let to = vec!["claude".into()];
        let params = ask::MessageSend { to, body: Some("hello".into()), ..Default::default() };
        match self.call(&Caller::agent("kimi"), params) {
            Answer::Sent(sent) => sent.id,
            other => panic!("{other:?}"),
        }
    }

    fn delivery(&mut self, id: &str) -> DeliveryState {
        match self.call(&Caller::operator(), ask::MessageRead { message: id.into(), as_recipient: false }) {
            Answer::Message(message) => message.to[0].state,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_model_may_think_for_longer_than_an_offer_stands() {
    let mut team = Team::new();
    team.hook(Moment::Start, "s1", &[]);
    let id = team.send();
    let told = team.hook(Moment::Prompt, "s1", &[]);
    assert_eq!(told.messages, [id.as_str()]);
    team.clock.advance(Duration::from_secs(300));
    let later = team.hook(Moment::TurnEnd, "s1", &[told.stamp.unwrap()]);
    assert_eq!((later.text, team.delivery(&id)), (None, DeliveryState::Delivered));
}

/// Its client died and was resumed in another process, and the hook of the start got lost.
#[test]
fn a_session_that_comes_again_without_a_start_gives_back_what_it_was_offered() {
    let mut team = Team::new();
    team.hook(Moment::Start, "s1", &[]);
    let id = team.send();
    let told = team.hook(Moment::Prompt, "s1", &[]).stamp.unwrap();
    team.hook(Moment::End, "s1", &[told]);
    let again = team.hook(Moment::Prompt, "s1", &[told]);
    assert_eq!((again.messages, team.delivery(&id)), (vec![id], DeliveryState::Queued));
}

#[test]
fn what_another_session_took_meanwhile_is_not_the_first_ones_to_confirm() {
    let mut team = Team::new();
    team.hook(Moment::Start, "s1", &[]);
    team.hook(Moment::Start, "s2", &[]);
    let id = team.send();
    let first = team.hook(Moment::Prompt, "s1", &[]).stamp.unwrap();
    team.clock.advance(Duration::from_secs(300));
    let second = team.hook(Moment::Prompt, "s2", &[]);
    assert_eq!(second.messages, [id.as_str()], "nothing was heard of the first in time");
    team.hook(Moment::AfterTool, "s1", &[first]);
    assert_eq!(team.delivery(&id), DeliveryState::Queued);
    team.hook(Moment::AfterTool, "s2", &[second.stamp.unwrap()]);
    assert_eq!(team.delivery(&id), DeliveryState::Delivered);
}

#[test]
fn a_client_that_tells_of_the_end_of_a_turn_once_is_idle_from_then_on() {
    let mut team = Team::new();
    let caller = Caller { session: Some("s".into()), ..Caller::agent("claude") };
    let state = |team: &mut Team, moment: Moment, ends_once: bool| {
        let params = ask::SessionHook {
            session: "s".into(),
            moment: Some(moment),
            heard: true,
            bind: true,
            ends_once,
            ..Default::default()
        };
        let Answer::Hook(said) = team.call(&caller, params) else { panic!() };
        let sign = interagent_store::live::sign_of(team.hub.state_dir(), "s").unwrap();
        (said.text.is_some(), sign.state)
    };
    for (ends_once, after) in [(true, SessionState::Idle), (false, SessionState::Busy)] {
        assert_eq!(state(&mut team, Moment::Prompt, ends_once).1, SessionState::Busy);
        assert_eq!(state(&mut team, Moment::AfterTool, ends_once).1, SessionState::Busy);
        team.send();
        // What is said keeps the turn going; nothing tells of its end any more.
        assert_eq!(state(&mut team, Moment::TurnEnd, ends_once), (true, after));
        assert_eq!(state(&mut team, Moment::AfterTool, ends_once).1, after);
    }
}
