//! The reset of a silent agent's context: a control message that is carried out, once, and told of only then.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::time::Duration;

use interagent_core::vocabulary::{ControlOutcome, ControlVerb, Intent, SessionState};
use interagent_wire::Answer;
use interagent_wire::answer::ControlView;
use interagent_wire::request as ask;

use crate::support::Team;

fn team() -> Team {
    let mut team = Team::captain(|config| config.ladder.reset_allowed = true);
    team.abilities.resets = ["claude".to_owned()].into();
    team
}

/// What waits to be carried out.
fn controls(team: &mut Team) -> Vec<ControlView> {
    match team.ok("operator", ask::ControlList { agent: None }) {
        Answer::Controls(open) => open.items,
        other => panic!("{other:?}"),
    }
}

/// Asked, and told of it above: what the superior reads after it was asked.
fn told_above(team: &mut Team, asked: &str) -> String {
    let up = team.read(asked).escalations[0].by.clone();
    team.read(&up).body.unwrap()
}

#[test]
fn a_busy_agent_is_left_alone_and_a_captain_is_never_reset() {
    let mut team = team();
    for (agent, state) in
        [("member1", SessionState::Busy), ("member2", SessionState::Idle), ("captain", SessionState::Idle)]
    {
        team.seat(agent, state);
        team.send("operator", agent, Intent::Question, "Which port?");
    }
    let told = team.supervise(119);
    assert_eq!(controls(&mut team), []);
    team.supervise(2);
    let [reset] = controls(&mut team).try_into().unwrap();
    assert_eq!((reset.agent.name.as_str(), reset.verb), ("member2", ControlVerb::Clear));
    assert!(!told.iter().any(|line| line.contains("member1 nudge")), "{told:?}");
}

#[test]
fn a_client_that_also_speaks_to_a_server_is_reset_all_the_same() {
    let mut team = team();
    team.seat("member1", SessionState::Idle);
    let visit = ask::SessionBind {
        session: "mcp-77-88-0123456789abcdef".into(),
        agent: Some("member1".into()),
        join: true,
        ..Default::default()
    };
    team.ok("operator", visit);
    team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.supervise(122);
    assert_eq!(controls(&mut team).len(), 1);
}

#[test]
fn five_duties_give_one_reset_and_its_words_prompt_the_agent() {
    let mut team = team();
    team.seat("member1", SessionState::Idle);
    let asked: Vec<String> =
        (0..5).map(|n| team.send("vice_captain1", "member1", Intent::Question, &format!("{n}?"))).collect();
    let messages = asked.clone();
    team.ok("member1", ask::MessageAcknowledge { messages, ..Default::default() });
    team.supervise(122);
    let [reset] = controls(&mut team).try_into().unwrap();
    let done =
        ask::ControlDone { message: reset.message.clone(), outcome: Some(ControlOutcome::Done), note: None };
    team.ok("operator", done);
    let words = team.read(&reset.message).body.unwrap();
    let names_one = asked.iter().any(|id| words.contains(id.as_str()));
    assert!(names_one && words.contains("cleared your conversation"), "{words}");
    // The briefing of the new conversation names the call, in the words of its session.
    assert!(!words.contains("interagent reply"), "{words}");
    assert_eq!(team.supervise(0), ["0 member1 nudge"], "it is prompted to read them");
    // Another one is asked for by nobody before its time.
    team.send("vice_captain1", "member1", Intent::Question, "And the host?");
    team.supervise(130);
    assert_eq!(controls(&mut team), []);
    let told = told_above(&mut team, &asked[0]);
    assert!(told.contains("its context was reset"), "{told}");
}

#[test]
fn a_reset_that_was_put_off_is_not_told_of_and_ends_with_its_time() {
    let mut team = team();
    team.seat("member1", SessionState::Idle);
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.supervise(122);
    let [reset] = controls(&mut team).try_into().unwrap();
    // Nobody could type: it is not idle any more.
    team.seat("member1", SessionState::Busy);
    team.supervise(120);
    assert_eq!(controls(&mut team), [], "its superior is asked now");
    let told = told_above(&mut team, &asked);
    assert!(!told.contains("reset"), "{told}");
    team.sweep();
    let ended = |team: &mut Team| {
        let id = interagent_core::ids::MessageId::parse(&reset.message).unwrap();
        let message = team.hub.store().read(|reader| reader.message(&id)).unwrap().unwrap();
        message.control.unwrap().carried_out.map(|end| end.outcome)
    };
    assert_eq!(ended(&mut team), Some(ControlOutcome::Failed), "the log says that it was not");
    let before = team.entries();
    team.sweep();
    assert_eq!(team.entries(), before);
}

#[test]
fn who_did_what_it_owed_keeps_its_context() {
    let mut team = team();
    team.seat("member1", SessionState::Idle);
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.supervise(122);
    assert_eq!(controls(&mut team).len(), 1);
    team.ok("member1", ask::MessageReply { message: asked, body: Some("8080".into()), ..Default::default() });
    team.clock.advance(Duration::from_secs(1));
    team.pass();
    assert_eq!(controls(&mut team), [], "nobody clears it now");
}
