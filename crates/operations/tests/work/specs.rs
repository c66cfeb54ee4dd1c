//! Specs through the hub.

use interagent_core::refusal::RefusalKind;
use interagent_wire::answer::{Page, SpecRow, SpecView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use super::support::{Team, claude, kimi};

fn publication(body: &str, expected_version: Option<u32>) -> ask::SpecPublish {
    ask::SpecPublish {
        name: "User-API".into(),
        body: body.into(),
        note: Some("why".into()),
        expected_version,
    }
}

fn spec(answer: Answer) -> SpecView {
    match answer {
        Answer::Spec(spec) => spec,
        other => panic!("{other:?}"),
    }
}

fn specs(answer: Answer) -> Page<SpecRow> {
    match answer {
        Answer::Specs(page) => page,
        other => panic!("{other:?}"),
    }
}

fn shown(team: &mut Team, version: Option<u32>) -> SpecView {
    spec(team.quietly(&kimi(), ask::SpecShow { name: "user-api".into(), version, publisher: None }))
}

#[test]
fn a_lost_update_is_refused() {
    let mut team = Team::duo();
    let first = spec(team.ok(&claude(), publication("one", Some(0))));
    assert_eq!(
        (first.version, first.body.as_deref(), first.publisher.name.as_str()),
        (1, Some("one"), "claude")
    );
    team.ok(&kimi(), publication("two", Some(1)));
    let refusal = team.refused(&claude(), publication("mine", Some(1)));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "lost_update"));
    let third = spec(team.ok(&claude(), publication("three", Some(2))));
    let versions: Vec<_> =
        third.versions.iter().map(|row| (row.version, row.publisher.name.as_str())).collect();
    assert_eq!(versions, [(1, "claude"), (2, "kimi"), (3, "claude")]);
    assert_eq!(shown(&mut team, Some(2)).body.as_deref(), Some("two"));
    assert_eq!(shown(&mut team, None).body.as_deref(), Some("three"));
}

#[test]
fn the_same_text_again_is_no_new_version_and_tells_nobody() {
    let mut team = Team::duo();
    team.ok(&claude(), publication("one", Some(0)));
    team.ok(&kimi(), ask::SpecSubscribe { name: "user-api".into(), remove: false });
    assert_eq!(spec(team.quietly(&claude(), publication("one", Some(0)))).version, 1);
    assert!(team.subjects("kimi").is_empty());
}

#[test]
fn subscribers_are_told_until_they_take_it_back() {
    let mut team = Team::duo();
    let wish = |remove| ask::SpecSubscribe { name: "user-api".into(), remove };
    // A spec can be waited for before it exists.
    let Answer::Changed(changed) = team.ok(&kimi(), wish(false)) else { panic!() };
    assert_eq!((changed.changed, changed.unchanged), (vec!["user-api".to_owned()], vec![]));
    let Answer::Changed(changed) = team.quietly(&kimi(), wish(false)) else { panic!() };
    assert_eq!((changed.changed, changed.unchanged), (vec![], vec!["user-api".to_owned()]));
    let missing = team.refused(&kimi(), ask::SpecShow { name: "user-api".into(), ..Default::default() });
    assert_eq!(missing.kind, RefusalKind::NotFound);

    let published = spec(team.ok(&claude(), publication("one", None)));
    assert_eq!(published.subscribers.iter().map(|who| who.name.as_str()).collect::<Vec<_>>(), ["kimi"]);
    assert_eq!(team.subjects("kimi"), ["Spec user-api is at version 1"]);
    assert!(team.subjects("claude").is_empty());
    team.ok(&kimi(), wish(true));
    team.ok(&claude(), publication("two", None));
    assert_eq!(team.subjects("kimi"), ["Spec user-api is at version 1"]);
}

#[test]
fn who_takes_part_no_longer_is_not_told() {
    let mut team = Team::duo();
    team.register("eve", "codex");
    team.ok(&Caller::agent("eve"), ask::SpecSubscribe { name: "user-api".into(), remove: false });
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "eve".into(), reason: None });
    let seq = team.seq();
    assert!(spec(team.ok(&claude(), publication("one", None))).subscribers.is_empty());
    let Answer::Messages(messages) = team.ok(&Caller::operator(), ask::MessageList::default()) else {
        panic!()
    };
    assert_eq!((team.seq() - seq, messages.items.len()), (1, 0));
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let mut team = Team::duo();
    let show = |name: &str, version| ask::SpecShow { name: name.into(), version, publisher: None };
    let none = team.refused(&kimi(), show("other", None));
    assert!(none.hint.unwrap().starts_with("no spec was published yet"));
    team.ok(&claude(), publication("one", None));
    let other = team.refused(&kimi(), show("other", None));
    assert_eq!((other.kind, other.sentence.as_str()), (RefusalKind::NotFound, "there is no spec other"));
    assert_eq!(other.hint.as_deref(), Some("there is user-api"));
    team.ok(&claude(), publication("two", None));
    let version = team.refused(&kimi(), show("user-api", Some(7)));
    assert_eq!(version.sentence, "user-api has no version 7");
    assert_eq!(version.hint.as_deref(), Some("there are versions 1 to 2"));
    assert_eq!(team.refused(&kimi(), show("../x", None)).kind, RefusalKind::Usage);
    assert_eq!(team.refused(&claude(), publication(" ", None)).code, "bad_text");
}

#[test]
fn specs_are_listed_by_name_in_pages() {
    let mut team = Team::duo();
    for name in ["c", "a", "b"] {
        team.ok(&claude(), ask::SpecPublish { name: name.into(), body: "x".into(), ..Default::default() });
    }
    team.ok(&kimi(), ask::SpecSubscribe { name: "still-to-come".into(), remove: false });
    let mut after = None;
    let mut pages = Vec::new();
    loop {
        let page = specs(team.quietly(&kimi(), ask::SpecList { after, limit: Some(2) }));
        pages.push(page.items.into_iter().map(|row| row.name).collect::<Vec<_>>());
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages, [vec!["a", "b"], vec!["c"]]);
}
