//! Reaching agents with waiting mail: those who are idle, stuck, away, or back again.

use std::time::Duration;

use interagent_core::ladder::waking::Channel;
use interagent_core::vocabulary::{Intent, Moment, NoticeKind, SessionState};
use interagent_core::{limits, session_id};
use interagent_operations::ladder::{Act, End, Outcome};
use interagent_store::observe::{PaneOrigin, PaneRow, Process};
use interagent_wire::request as ask;

use crate::support::Team;

#[test]
fn an_idle_agent_in_a_pane_is_nudged_six_times_and_then_a_person_is_told() {
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Idle);
    team.send("vice_captain1", "member1", Intent::ContextShare, "The port is 8080.");
    let nudges = team.supervise(400);
    assert_eq!(
        nudges,
        [
            "0 member1 nudge",
            "10 member1 nudge",
            "20 member1 nudge",
            "40 member1 nudge",
            "80 member1 nudge",
            "120 member1 nudge",
            "180 1 message waits for member1, and nothing reaches it"
        ]
    );
    team.kill();
    team.send("vice_captain1", "member1", Intent::ContextShare, "And the host is ::1.");
    assert_eq!(team.supervise(400), Vec::<String>::new(), "nobody is told twice of what nobody heard");
    let messages = team.inbox("member1").items.into_iter().map(|mail| mail.id).collect();
    team.ok("member1", ask::MessageAcknowledge { messages, ..Default::default() });
    let waiting = team.send("vice_captain1", "member1", Intent::ContextShare, "Thanks for looking.");
    assert_eq!(team.supervise(0), ["0 member1 nudge"], "it looked: that is evidence");
    let id = team.id_of("member1");
    let done = |oldest: &str| Outcome { channel: Channel::Nudge, oldest: oldest.into(), end: End::Done };
    team.hub.has_reached(&id, &done("msg-of-before")).unwrap();
    assert_eq!(team.supervise(10), ["10 member1 nudge"], "what became of an earlier message changes nothing");
    team.hub.has_reached(&id, &done(&waiting)).unwrap();
    assert_eq!(team.supervise(59), Vec::<String>::new(), "a line that was typed gets its time to be heard");
    assert_eq!(team.supervise(1), ["1 member1 nudge"]);
}

#[test]
fn who_comes_back_is_woken_though_the_person_was_told() {
    let mut team = Team::captain(|_| {});
    team.send("vice_captain1", "member1", Intent::ContextShare, "The port is 8080.");
    let told = team.supervise(300);
    assert_eq!(told, ["60 1 message waits for member1, and nothing reaches it"]);
    team.seat("member1", SessionState::Idle);
    let woken = team.sweep();
    let is_nudge = |act: &Act| matches!(act, Act::Reach { channel: Channel::Nudge, .. });
    assert!(matches!(woken.as_slice(), [act] if is_nudge(act)), "it was started again: {woken:?}");
    team.supervise(400);
    assert_eq!(team.sweep(), [], "the same session is no news");
    assert_eq!(team.supervise(60), Vec::<String>::new());
}

#[test]
fn a_client_that_nobody_prompted_is_told_in_its_terminal_though_a_server_knows_it() {
    let mut team = Team::captain(|_| {});
    let pane = PaneRow {
        agent: team.id_of("member1"),
        socket: "/tmp/socket".to_owned(),
        pane: "%1".to_owned(),
        process: Process { pid: 7, started: 70, boot: String::new() },
        origin: PaneOrigin::Launched,
        profile: "kimi".to_owned(),
        tty: None,
        since: 0,
        auto_approve: false,
        model: None,
    };
    team.hub.note_pane(&pane).unwrap();
    let connection = ask::SessionBind {
        session: session_id::of_server("0-7"),
        agent: Some("member1".into()),
        profile: Some("kimi".into()),
        ..Default::default()
    };
    team.ok("operator", connection);
    team.send("vice_captain1", "member1", Intent::ContextShare, "The port is 8080.");
    assert_eq!(team.supervise(0), ["0 member1 nudge"]);
}

#[test]
fn a_turn_that_gives_no_sign_of_life_is_told_once() {
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Busy);
    team.send("vice_captain1", "member1", Intent::ContextShare, "The port is 8080.");
    let minutes = |team: &mut Team, count: u64| {
        let mut told = Vec::new();
        for _ in 0..count {
            team.clock.advance(Duration::from_secs(60));
            let swept = team.sweep();
            told.extend(swept.into_iter().chain(team.pass()));
        }
        told
    };
    let wedged = limits::WEDGED_US.unsigned_abs() / 60_000_000;
    assert_eq!(minutes(&mut team, wedged - 1), [], "its own hooks hand it over");
    let told = minutes(&mut team, 20);
    let [Act::Tell(notice)] = told.as_slice() else { unreachable!("{told:?}") };
    assert_eq!(notice.title, "1 message waits for member1, which is in a turn and gave no sign for long");
    assert!(notice.text.contains("interagent attach member1"), "{}", notice.text);
    team.seat("member1", SessionState::Idle);
    assert_eq!(
        team.supervise(60),
        ["60 member1 nudge"],
        "it is looked at on, and typed to once its turn is over"
    );
}

#[test]
fn what_keeps_a_line_from_being_typed_is_named_with_a_command_that_is_not_refused_for_it_too() {
    let why = End::PutOff("somebody's text stands in its composer".to_owned());
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Idle);
    team.send("vice_captain1", "member1", Intent::ContextShare, "The port is 8080.");
    let (title, text) = team.supervise_until_told("member1", 300, &why).unwrap();
    let what = "and no line can be typed: somebody's text stands in its composer";
    assert_eq!(title, format!("1 message waits for member1, {what}"));
    assert!(text.contains("interagent attach member1"), "{text}");
}

#[test]
fn permission_prompt_is_not_silence() {
    let mut team = Team::captain(|config| config.ladder.reset_allowed = true);
    team.seat("member1", SessionState::Busy);
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    let hook = |team: &mut Team, moment, notice| {
        let params = ask::SessionHook {
            session: "session-member1".into(),
            moment: Some(moment),
            notice,
            tool: Some("Bash".into()),
            command: Some("cargo test".into()),
            ..Default::default()
        };
        team.ok("member1", params);
    };
    hook(&mut team, Moment::Notice, Some(NoticeKind::Asking));
    assert_eq!(team.supervise(2_000), Vec::<String>::new(), "no wake, no reset, nobody above");
    assert_eq!(team.read(&asked).escalations, []);
    assert_eq!(team.inbox("vice_captain1").unread, 0);
    hook(&mut team, Moment::AfterTool, None);
    let ladder = interagent_core::ladder::times(None);
    team.supervise(u64::from(ladder.reset_s) - 1);
    assert_eq!(team.read(&asked).escalations, [], "its time on the rung begins again");
    team.supervise(600);
    assert_ne!(team.read(&asked).escalations, [], "and then it goes on");
}

#[test]
fn screen_answers_only_prompts_it_has_seen() {
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Busy);
    let ask = |team: &mut Team, command: &str| {
        let params = ask::SessionHook {
            session: "session-member1".into(),
            moment: Some(Moment::Notice),
            notice: Some(NoticeKind::Asking),
            tool: Some("Bash".into()),
            command: Some(command.into()),
            ..Default::default()
        };
        team.ok("member1", params);
        team.hub.session("session-member1").unwrap().unwrap().prompts
    };
    let seen = ask(&mut team, "cargo test").last().unwrap().since;
    team.supervise(12);
    let both = ask(&mut team, "cargo publish");
    assert_eq!(both.len(), 2, "{both:?}");
    team.hub.saw_no_prompt("session-member1", seen, SessionState::Busy).unwrap();
    let left = team.hub.session("session-member1").unwrap().unwrap().prompts;
    assert_eq!(left, both[1..], "a hook reported it after the screen was read");
}

#[test]
fn what_superiors_are_told_was_tried_is_what_was_tried() {
    let told = |end: End| {
        let mut team = Team::captain(|_| {});
        team.seat("member1", SessionState::Idle);
        let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
        while team.read(&asked).escalations.is_empty() {
            team.supervise_until_told("member1", 1, &end);
        }
        let carrier = team.read(&asked).escalations[0].by.clone();
        team.read(&carrier).body.unwrap()
    };
    let put_off = told(End::PutOff("a question is open on its screen".to_owned()));
    let why = "no line was typed, so that nobody is disturbed: a question is open on its screen";
    assert!(!put_off.contains("Nothing was tried"), "{put_off}");
    assert_eq!(put_off.matches(why).count(), 2, "before and after the person was told: {put_off}");
    let failed = told(End::Failed("typed, not taken, and removed again".to_owned()));
    assert!(failed.contains("a line did not get through: typed, not taken"), "{failed}");
    assert!(!failed.contains("no line could be typed"), "{failed}");
}

#[test]
fn who_was_woken_by_its_waiter_was_tried_to_reach() {
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Idle);
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.abilities.channels.clear();
    team.hub.woken_by_waiter("session-member1").unwrap();
    team.supervise(245);
    let carrier = team.read(&asked).escalations[0].by.clone();
    let body = team.read(&carrier).body.unwrap();
    assert!(body.contains("its client was told"), "{body}");
}
