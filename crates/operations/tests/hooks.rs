//! Hooks through the hub, where time matters.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use interagent_core::team::{TeamConfig, render};
use interagent_core::vocabulary::{DeliveryState, Intent, Moment, SessionState};
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
        let opening = Opening {
            hub_dir: dir.path().to_owned(),
            create: true,
            alias: "here".into(),
            hub_id: None,
            user_dir: None,
        };
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

/// A hook that tells what claude's client calls our tools.
fn hook_with_tools(team: &mut Team, moment: Moment, session: &str, configured: bool) -> String {
    let caller = Caller { session: Some(session.into()), ..Caller::agent("claude") };
    let params = ask::SessionHook {
        session: session.into(),
        moment: Some(moment),
        heard: true,
        bind: true,
        tools: Some("mcp__interagent__{tool}".into()),
        tools_configured: configured,
        host: Some("7-8".into()),
        ..Default::default()
    };
    match team.call(&caller, params) {
        Answer::Hook(view) => view.text.unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

fn ask_claude(team: &mut Team) {
    let params = ask::MessageSend {
        to: vec!["claude".into()],
        body: Some("Which port?".into()),
        intent: Some(Intent::Question),
        ..Default::default()
    };
    team.call(&Caller::agent("kimi"), params);
}

#[test]
fn session_with_server_reads_of_tools_and_of_no_command() {
    let mut team = Team::new();
    let briefing = hook_with_tools(&mut team, Moment::Start, "s1", true);
    assert!(briefing.contains("mcp__interagent__reply_message(original_message_id=ID"), "{briefing}");
    ask_claude(&mut team);
    let told = team.hook(Moment::Prompt, "s1", &[]).text.unwrap();
    assert!(told.contains("to answer: mcp__interagent__reply_message"), "{told}");
    for text in [briefing, told] {
        assert!(!text.contains("interagent reply") && !text.contains("interagent send"), "{text}");
    }
}

#[test]
fn session_without_server_reads_of_commands() {
    let mut team = Team::new();
    let briefing = hook_with_tools(&mut team, Moment::Start, "s1", false);
    assert!(briefing.contains("interagent reply ID -m TEXT") && !briefing.contains("mcp__"), "{briefing}");
    // The settings list the server, but long after the start none runs: the person declined it.
    hook_with_tools(&mut team, Moment::Start, "s1", true);
    team.clock.advance(Duration::from_secs(300));
    ask_claude(&mut team);
    let told = team.hook(Moment::Prompt, "s1", &[]).text.unwrap();
    assert!(told.contains("to answer: interagent reply ID -m TEXT") && !told.contains("mcp__"), "{told}");
    // One that runs counts, whatever the settings say.
    interagent_store::live::note_server(team.hub.state_dir(), "7-8").unwrap();
    ask_claude(&mut team);
    let told = team.hook(Moment::Prompt, "s1", &[]).text.unwrap();
    assert!(told.contains("to answer: mcp__interagent__reply_message"), "{told}");
}

#[test]
fn briefing_does_not_announce_mail_that_hooks_bring() {
    let mut team = Team::new();
    team.send();
    // Codex and Droid brief at the start and bring the mail with the prompt of the same request.
    let briefing = team.hook(Moment::Start, "s1", &[]).text.unwrap();
    assert!(!briefing.contains("unread"), "{briefing}");
    let prompt = team.hook(Moment::Prompt, "s1", &[]);
    assert_eq!(prompt.messages.len(), 1);
    assert!(!prompt.text.unwrap().contains("unread"));
}

#[test]
fn briefing_says_who_the_operator_is_and_words_stay_the_users() {
    let mut team = Team::new();
    let briefing = team.hook(Moment::Start, "s1", &[]).text.unwrap();
    assert!(briefing.contains("messages from operator are your user's own words"), "{briefing}");
    let say =
        ask::MessageSend { to: vec!["claude".into()], body: Some("Stop.".into()), ..Default::default() };
    team.call(&Caller::operator(), say);
    let told = team.hook(Moment::Prompt, "s1", &[]).text.unwrap();
    assert!(told.contains("from operator (your user, auth terminal)"), "{told}");
    assert!(!told.contains("not the user") && !told.contains("do not obey"), "{told}");
}

/// What the sender reads after it wrote to claude.
fn notes_after_send(team: &mut Team) -> Vec<String> {
    let params =
        ask::MessageSend { to: vec!["claude".into()], body: Some("hello".into()), ..Default::default() };
    team.clock.advance(Duration::from_millis(1));
    team.hub.call(&Caller::agent("kimi"), params.into()).unwrap().notes
}

#[test]
fn sender_reads_what_is_true_for_the_recipient() {
    let mut team = Team::new();
    assert_eq!(notes_after_send(&mut team), ["claude: not running; sees it when it starts"]);
    // A session that an MCP connection bound: no hook of it was ever heard.
    let bind = ask::SessionBind { session: "s1".into(), agent: Some("claude".into()), ..Default::default() };
    team.call(&Caller::agent("claude"), bind);
    assert_eq!(
        notes_after_send(&mut team),
        ["claude: no hook in this session; sees it when it checks its inbox"]
    );
    let state_dir = team.hub.state_dir().to_owned();
    let waiting = interagent_store::live::Waiting::note(&state_dir, "s1", Duration::from_secs(60));
    assert_eq!(notes_after_send(&mut team), ["claude: waiting in check_inbox; gets it now"]);
    drop(waiting);
    team.hook(Moment::TurnEnd, "s1", &[]);
    team.hook(Moment::TurnEnd, "s1", &[]);
    interagent_store::live::heard(&state_dir, "s1", SessionState::Idle).unwrap();
    assert_eq!(notes_after_send(&mut team), ["claude: idle; sees it on its next prompt"]);
}
