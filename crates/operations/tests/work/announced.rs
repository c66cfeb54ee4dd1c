//! What the person is told of, once.

use interagent_core::vocabulary::Intent;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use super::support::Team;

/// kimi can't go on and asks the operator; answers with the message that carries it.
fn escalate(team: &mut Team, why: &str) -> String {
    let question = ask::MessageSend {
        to: vec!["kimi".into()],
        intent: Some(Intent::Question),
        body: Some("Which key?".into()),
        ..Default::default()
    };
    let Answer::Sent(sent) = team.ok(&Caller::agent("claude"), question) else { panic!("it was sent") };
    let up = ask::MessageEscalate { message: sent.id, reason: why.into(), ..Default::default() };
    let Answer::Sent(sent) = team.ok(&Caller::agent("kimi"), up) else { panic!("it went up") };
    sent.id
}

fn marks(team: &mut Team) -> Vec<String> {
    team.hub.store().read(|reader| reader.marked("announced")).unwrap()
}

#[test]
fn each_is_announced_once_and_remembered_while_it_waits() {
    let mut team = Team::duo();
    let (first, second) = (escalate(&mut team, "It is gone."), escalate(&mut team, "So is the other."));
    let take = |team: &mut Team| team.hub.take_unannounced(&[]).unwrap().and_then(|notice| notice.key);
    assert_eq!(take(&mut team).as_ref(), Some(&first), "one at a time, the oldest first");
    assert_eq!(marks(&mut team), [first.as_str()]);
    assert_eq!(take(&mut team).as_ref(), Some(&second));
    assert_eq!(take(&mut team), None);
    let answer = ask::MessageAnswer { message: first, body: "Take the spare one.".into(), key: None };
    team.ok(&Caller::operator(), answer);
    let third = escalate(&mut team, "The spare one, too.");
    assert_eq!(take(&mut team).as_ref(), Some(&third));
    let mut left = marks(&mut team);
    left.sort();
    let mut waiting = vec![second, third];
    waiting.sort();
    assert_eq!(left, waiting, "what was answered is forgotten");
    assert_eq!(take(&mut team), None);
}
