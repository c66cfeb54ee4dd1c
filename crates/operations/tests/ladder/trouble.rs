//! One bad record harms nobody else: it is shown in the trace, and whoever supervises goes on.

use std::time::Duration;

use interagent_core::vocabulary::Intent;
use interagent_operations::ladder::Act;
use interagent_testkit::damage::{self, Record};
use interagent_wire::request as ask;

use crate::support::Team;

#[test]
fn a_message_that_cannot_be_read_is_passed_by_and_the_others_climb() {
    let mut team = Team::captain(|_| {});
    let bad = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    let good = team.send("vice_captain1", "member2", Intent::Question, "Which host?");
    damage::record(&team.state_dir(), Record::Message, &bad);
    team.supervise(245);
    assert_eq!(team.read(&good).escalations.len(), 1);
    let shown = team.traced("ladder.failed");
    assert!(shown.iter().any(|data| data.contains(&bad)), "{shown:?}");
    // The cursor has moved on: what was looked at is not looked at again.
    let before = shown.len();
    team.pass();
    assert_eq!(team.traced("ladder.failed").len(), before);
    team.kill();
    team.sweep();
    assert!(team.traced("ladder.failed").len() > before, "it stays visible");
}

#[test]
fn an_agent_and_an_entry_that_cannot_be_read_are_passed_by() {
    let mut team = Team::captain(|_| {});
    team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    let entry = team.entries();
    let good = team.send("vice_captain1", "member2", Intent::Question, "Which host?");
    let bad = team.id_of("member1");
    damage::record(&team.state_dir(), Record::Agent, bad.as_str());
    damage::record(&team.state_dir(), Record::Entry, &entry.to_string());
    team.kill();
    team.supervise(1);
    let shown = team.traced("ladder.failed");
    assert!(shown.iter().any(|data| data.contains(bad.as_str())), "{shown:?}");
    let id = interagent_core::ids::MessageId::parse(&good).unwrap();
    let agent = team.id_of("member2");
    let kind = interagent_core::vocabulary::TimerKind::Ladder;
    let timer = team.hub.store().read(|reader| reader.timer(kind, id.as_str(), &agent)).unwrap();
    assert!(timer.is_some());
}

#[test]
fn what_cannot_be_concluded_is_passed_by() {
    let mut team = Team::captain(|_| {});
    let bad = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    let good = team.send("vice_captain1", "member2", Intent::Question, "Which host?");
    team.supervise(245);
    let carrier = team.read(&bad).escalations[0].by.clone();
    for (agent, message) in [("member1", &bad), ("member2", &good)] {
        let reply =
            ask::MessageReply { message: message.clone(), body: Some("8080".into()), ..Default::default() };
        team.ok(agent, reply);
    }
    damage::record(&team.state_dir(), Record::Message, &carrier);
    team.supervise(2);
    assert!(team.read(&good).escalations[0].concluded.is_some(), "the other one is over");
    assert!(team.read(&bad).escalations[0].concluded.is_none());
    assert!(team.traced("ladder.failed").iter().any(|data| data.contains(&bad)));
}

#[test]
fn what_was_decided_before_the_disk_was_full_is_still_done() {
    let mut team = Team::captain(|_| {});
    for agent in ["member1", "member2"] {
        team.send("vice_captain1", agent, Intent::ContextShare, "The port is 8080.");
        team.pass();
        team.clock.advance(Duration::from_secs(1));
    }
    let last = team.id_of("member2");
    damage::full_disk(&team.state_dir(), last.as_str());
    team.clock.advance(Duration::from_secs(60));
    let (acts, passed) = team.try_to_pass();
    assert_eq!(passed.unwrap_err().code, "store_full");
    let [Act::Tell(notice)] = acts.as_slice() else { unreachable!("{acts:?}") };
    assert_eq!(notice.title, "1 message waits for member1, and nothing reaches it");
}
