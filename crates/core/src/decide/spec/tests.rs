//! Specs, decided without a disk.

use super::*;
use crate::draft::{Context, Fresh};
use crate::entity::spec::SpecVersion;
use crate::entity::{Entity, When, fold};
use crate::event::{AgentRegistered, Event, Fact};
use crate::ids::OriginId;
use crate::name::Name;
use crate::refusal::RefusalKind;
use crate::text::TextHash;

fn agent(n: u64, name: &str) -> Agent {
    let id = AgentId::from_bits(n);
    let registered = AgentRegistered { name: Name::parse(name).unwrap(), profile: "claude".into() };
    let fact = Fact { entity: EntityRef::Agent(id.clone()), event: registered.into() };
    let stamp = crate::entity::Stamp {
        order: crate::entry::OrderKey { at: 1, origin: OriginId::from_bits(1), oseq: 1 },
        wall: 1,
        member: id.clone(),
        actor: id,
        auth: crate::vocabulary::Auth::Session,
    };
    match fold([(&fact, &stamp)]).0 {
        Some(Entity::Agent(agent)) => agent,
        other => panic!("{other:?}"),
    }
}

fn draft() -> Draft {
    Draft::new(&Context {
        now: 1,
        origin: OriginId::from_bits(1),
        member: AgentId::from_bits(1),
        human: false,
        proof: crate::authority::Proof::Claimed,
        fresh: Fresh::new([7; 32]),
    })
}

fn shelf(versions: u32, newest: &str, subscribers: &[&Agent]) -> Shelf {
    let version = |version| SpecVersion {
        version,
        body: TextHash::of("", newest),
        publisher: AgentId::from_bits(1),
        note: None,
        when: When { at: 1, wall: 1 },
    };
    let subscribers: Vec<AgentId> = subscribers.iter().map(|agent| agent.id.clone()).collect();
    let spec = Spec {
        name: SpecName::parse("user-api").unwrap(),
        versions: (1..=versions).map(version).collect(),
        subscribers: subscribers.iter().cloned().collect(),
    };
    Shelf { spec: Some(spec), newest: (versions > 0).then(|| newest.to_owned()), subscribers }
}

fn edition(body: &str, expected: Option<u32>) -> Edition {
    let words = |text: &str| Words::document("the spec", text).unwrap();
    Edition {
        name: SpecName::parse("user-api").unwrap(),
        body: words(body),
        note: Some(words("why")),
        expected,
    }
}

fn kinds(draft: &Draft) -> Vec<&str> {
    draft.facts.iter().map(|fact| fact.event.kind()).collect()
}

#[test]
fn a_newer_version_is_not_overwritten_unseen() {
    let alice = agent(1, "alice");
    let mut draft = draft();
    let refusal = publish(&shelf(3, "new", &[]), &edition("mine", Some(2)), &alice, &mut draft).unwrap_err();
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "lost_update"));
    assert_eq!(refusal.sentence, "user-api is at version 3, not 2: publishing would lose what is new");
    assert!(draft.facts.is_empty() && draft.texts.is_empty());

    let early = publish(&Shelf::default(), &edition("mine", Some(1)), &alice, &mut draft).unwrap_err();
    assert_eq!(early.sentence, "user-api has no version yet, so it can't be at version 1");
    assert_eq!(publish(&Shelf::default(), &edition("mine", Some(0)), &alice, &mut draft), Ok(1));
}

#[test]
fn a_repeated_publication_changes_nothing_though_its_expected_version_is_old_by_then() {
    let mut draft = draft();
    let again = publish(&shelf(2, "text", &[]), &edition("text", Some(1)), &agent(1, "alice"), &mut draft);
    assert_eq!(again, Ok(2));
    assert!(draft.facts.is_empty() && draft.texts.is_empty());
}

#[test]
fn subscribers_are_told_and_the_publisher_is_not() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let mut told = draft();
    assert_eq!(publish(&shelf(1, "old", &[&alice, &bob]), &edition("new", None), &alice, &mut told), Ok(2));
    assert_eq!(kinds(&told), ["spec.published", "message.sent"]);
    let Event::MessageSent(sent) = &told.facts[1].event else { panic!("{told:?}") };
    assert_eq!(sent.to, [bob.id]);
    let stored: Vec<&str> = told.texts.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(stored, ["new", "why", "Spec user-api is at version 2"]);

    let mut alone = draft();
    publish(&shelf(1, "old", &[&alice]), &edition("new", None), &alice, &mut alone).unwrap();
    assert_eq!(kinds(&alone), ["spec.published"]);
    assert_eq!(alone.texts.len(), 2, "no subject is stored for a message that nobody gets");
}

#[test]
fn subscribing_twice_is_subscribing_once() {
    let alice = agent(1, "alice");
    let name = SpecName::parse("user-api").unwrap();
    let subscribed = shelf(0, "", &[&alice]).spec;
    for (spec, remove, facts) in
        [(None, false, 1), (None, true, 0), (subscribed.as_ref(), false, 0), (subscribed.as_ref(), true, 1)]
    {
        let mut draft = draft();
        subscribe(spec, &name, &[], &alice, remove, &mut draft);
        assert_eq!(draft.facts.len(), facts, "{spec:?} {remove}");
    }
}
