//! One damaged or lost text: its own row says so, everything else is shown.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::Intent;
use interagent_testkit::damage::TextDamage::{self, Changed, Lost};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::support::{Team, as_agent};

/// Three messages to kimi; the middle one's subject and body are hit by `damage`.
fn team(damage: TextDamage) -> (Team, String) {
    let mut team = Team::duo();
    team.send("claude", "kimi", Intent::Message, "First", "one");
    let bad = team.send("claude", "kimi", Intent::Question, "Second", "two");
    team.send("claude", "kimi", Intent::Message, "Third", "three");
    team.damage(damage, "Second");
    team.damage(damage, "two");
    (team, bad)
}

fn subjects(answer: Answer) -> Vec<String> {
    match answer {
        Answer::Inbox(inbox) => inbox.items.into_iter().map(|mail| mail.subject).collect(),
        Answer::Handover(mail) => mail.items.into_iter().map(|mail| mail.subject).collect(),
        Answer::Messages(page) => page.items.into_iter().rev().map(|mail| mail.subject).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_show_the_rest_and_mark_the_one() {
    for (damage, note) in [
        (Changed, "[text damaged; see interagent doctor]"),
        (Lost, "[text not here: lost, not arrived or held back elsewhere; see interagent doctor]"),
    ] {
        let (mut team, bad) = team(damage);
        let kimi = as_agent("kimi");
        let expected = ["First".to_owned(), note.to_owned(), "Third".to_owned()];
        assert_eq!(
            subjects(team.ok(&kimi, ask::MessageInbox { bodies: true, ..Default::default() })),
            expected
        );
        assert_eq!(subjects(team.ok(&kimi, ask::MessageList::default())), expected);
        assert_eq!(subjects(team.ok(&kimi, ask::OfferTake::default())), expected);
        assert!(team.history(&bad).steps[0].what.contains(note));
        assert_eq!(team.state(&bad, None)["body"], note);
        assert!(!team.summary().mail.is_empty());
        team.briefing(&kimi, None);
        let found = team.search(ask::Search { text: "three".into(), ..Default::default() });
        assert_eq!(found.items.len(), 1, "search goes on without it");
    }
}

#[test]
fn reading_that_very_message_says_it_plainly() {
    for (damage, word) in [(Changed, "damaged"), (Lost, "missing")] {
        let (mut team, bad) = team(damage);
        let refusal = team.refused(&as_agent("kimi"), ask::MessageRead { message: bad, as_recipient: false });
        assert_eq!(refusal.kind, RefusalKind::Unavailable, "{refusal:?}");
        assert!(refusal.sentence.contains(word), "{refusal:?}");
        assert!(refusal.hint.iter().any(|hint| hint.contains("interagent doctor")), "{refusal:?}");
    }
}

#[test]
fn a_spec_whose_text_is_not_here_is_not_called_deleted() {
    let mut team = Team::duo();
    let spec = ask::SpecPublish { name: "api".into(), body: "the text".into(), ..Default::default() };
    team.ok(&as_agent("claude"), spec);
    team.damage(Lost, "the text");
    let show = ask::SpecShow { name: "api".into(), ..Default::default() };
    let Answer::Spec(shown) = team.ok(&as_agent("kimi"), show.clone()) else { panic!() };
    assert!(shown.body.as_deref().is_some_and(|body| body.starts_with("[text not here: ")), "{shown:?}");
}

#[test]
fn a_damaged_message_is_answered_settled_and_purged_like_any_other() {
    let (mut team, bad) = team(Changed);
    let reply = ask::MessageReply { message: bad.clone(), body: Some("yes".into()), ..Default::default() };
    team.ok(&as_agent("kimi"), reply);
    let purge = ask::TextPurge { entity: bad.clone(), ..Default::default() };
    let gone = team.purge(&Caller::operator(), purge).unwrap();
    assert_eq!(gone.changed.len(), 2, "{gone:?}");
    let Answer::Message(message) =
        team.ok(&as_agent("kimi"), ask::MessageRead { message: bad, as_recipient: false })
    else {
        panic!("no message");
    };
    assert!(message.purged);
}

#[test]
fn a_task_with_a_damaged_title_is_listed_moved_and_waited_for() {
    let mut team = Team::duo();
    let first = team.task(ask::TaskCreate {
        title: "Broken".into(),
        assignee: Some("kimi".into()),
        quiet: true,
        ..Default::default()
    });
    team.task(ask::TaskCreate {
        title: "Whole".into(),
        depends_on: vec![first.clone()],
        ..Default::default()
    });
    team.damage(Changed, "Broken");
    let Answer::Tasks(page) = team.ok(&Caller::operator(), ask::TaskList::default()) else {
        panic!("no list")
    };
    assert_eq!(page.items.len(), 2);
    let done = ask::TaskUpdate {
        task: first,
        status: Some(interagent_core::vocabulary::TaskStatus::Completed),
        ..Default::default()
    };
    team.ok(&as_agent("kimi"), done);
}

#[test]
fn a_damaged_spec_is_compared_with_nothing() {
    for (damage, word) in [(Changed, "damaged"), (Lost, "missing")] {
        let mut team = Team::duo();
        for body in ["the first text", "the second text"] {
            let edition = ask::SpecPublish {
                name: "api".into(),
                body: body.into(),
                note: None,
                expected_version: None,
            };
            team.ok(&as_agent("claude"), edition);
        }
        team.damage(damage, "the first text");
        let refusal =
            team.refused(&as_agent("kimi"), ask::SpecDiff { name: "api".into(), from: None, to: None });
        assert_eq!(refusal.kind, RefusalKind::Unavailable, "{refusal:?}");
        assert!(refusal.sentence.contains(word), "{refusal:?}");
    }
}
