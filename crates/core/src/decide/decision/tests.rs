//! Decisions, decided without a disk.

use super::*;
use crate::authority::Proof;
use crate::draft::Fresh;
use crate::entity::{Entity, Stamp, fold};
use crate::entry::OrderKey;
use crate::event::{AgentRegistered, Event, Fact};
use crate::ids::OriginId;
use crate::name::Name;
use crate::refusal::RefusalKind;
use crate::vocabulary::{Auth, Duty};

fn stamp() -> Stamp {
    let nobody = AgentId::from_bits(0);
    Stamp {
        order: OrderKey { at: 1, origin: OriginId::from_bits(1), oseq: 1 },
        wall: 1,
        member: nobody.clone(),
        actor: nobody,
        auth: Auth::Session,
    }
}

fn agent(n: u64, name: &str) -> Agent {
    let id = AgentId::from_bits(n);
    let event = AgentRegistered { name: Name::parse(name).unwrap(), profile: "claude".into() }.into();
    match fold([(&Fact { entity: EntityRef::Agent(id), event }, &stamp())]).0 {
        Some(Entity::Agent(agent)) => agent,
        other => panic!("{other:?}"),
    }
}

fn context(human: bool) -> Context {
    Context {
        now: 100,
        origin: OriginId::from_bits(1),
        member: AgentId::from_bits(1),
        human,
        proof: Proof::Proven,
        fresh: Fresh::new([3; 32]),
    }
}

fn words(text: &str) -> Words {
    Words::note("the words", text).unwrap()
}

fn stand(text: &str) -> Stand {
    Stand { position: words(text), reason: None }
}

fn team(text: &str) -> TeamConfig {
    crate::team::parse(text).unwrap()
}

fn question(asked: &[&Agent]) -> Question {
    Question {
        question: words("Which database?"),
        options: vec![words("a"), words("b")],
        asked: asked.iter().map(|agent| (*agent).clone()).collect(),
        deadline: None,
        supersedes: None,
        aliases: Vec::new(),
    }
}

/// The state of one entity after a draft.
fn after(draft: &Draft, wanted: &EntityRef) -> Option<Entity> {
    let stamp = stamp();
    fold(draft.facts.iter().filter(|fact| fact.entity == *wanted).map(|fact| (fact, &stamp))).0
}

fn opened(by: &Agent, asked: &[&Agent]) -> (Draft, Decision, Option<Message>) {
    let mut draft = Draft::new(&context(false));
    let id = open(&question(asked), None, by, &context(false), &mut draft).unwrap();
    let Some(Entity::Decision(decision)) = after(&draft, &EntityRef::Decision(id)) else { panic!() };
    let message = decision.brief.message.clone().and_then(|id| after(&draft, &EntityRef::Message(id)));
    let message = message.map(|message| match message {
        Entity::Message(message) => message,
        other => panic!("{other:?}"),
    });
    (draft, decision, message)
}

fn kinds(draft: &Draft) -> Vec<&str> {
    draft.facts.iter().map(|fact| fact.event.kind()).collect()
}

fn snapshot(by: &Agent, opener: &Agent, decision: &Decision, discussion: Option<Message>) -> DecideSnapshot {
    DecideSnapshot {
        team: None,
        member: by.clone(),
        opener: opener.clone(),
        decision: decision.clone(),
        discussion,
        due: Vec::new(),
        supersedes: None,
        options: vec!["a".into(), "b".into()],
        question: "Which database?".to_owned(),
    }
}

fn standing(
    by: &Agent,
    opener: &Agent,
    decision: &Decision,
    discussion: Option<&Message>,
) -> PositionSnapshot {
    PositionSnapshot {
        decision: decision.clone(),
        question: "Which database?".to_owned(),
        options: Vec::new(),
        discussion: discussion.cloned(),
        member: by.clone(),
        deciders: vec![opener.clone()],
        captain: None,
        must_decide: Some(opener.id.clone()),
        due: Vec::new(),
        retired: Vec::new(),
    }
}

fn choice(outcome: &str) -> Choice {
    Choice { outcome: words(outcome), reason: None, other: false }
}

#[test]
fn those_who_are_asked_owe_a_position_and_the_asker_does_not() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (draft, _, message) = opened(&alice, &[&alice, &bob]);
    assert_eq!(kinds(&draft), ["message.sent", "decision.opened"]);
    let message = message.unwrap();
    assert_eq!(message.deliveries.keys().collect::<Vec<_>>(), [&bob.id]);
    assert_eq!(message.deliveries[&bob.id].owes(), Some(Duty::Position));
}

#[test]
fn a_question_to_nobody_is_a_question_and_stores_no_message() {
    let alice = agent(1, "alice");
    let (draft, decision, message) = opened(&alice, &[&alice]);
    assert_eq!((kinds(&draft), message), (vec!["decision.opened"], None));
    assert_eq!(decision.brief.message, None);
    assert_eq!(draft.texts.len(), 3, "the question and two options");
}

#[test]
fn the_chain_of_command_holds_for_questions_too() {
    let team = team(
        "project = 'x'\nformation = 'captain'\n[agents.boss]\nprofile = 'a'\nrole = 'captain'\n\
         [agents.vice]\nprofile = 'a'\nrole = 'vice_captain'\nreports_to = 'boss'\n\
         [agents.hand]\nprofile = 'a'\nrole = 'member'\nreports_to = 'vice'\n",
    );
    let (boss, vice, hand) = (agent(1, "boss"), agent(2, "vice"), agent(3, "hand"));
    let ask = |from: &Agent, to: &Agent, human| {
        let context = context(human);
        open(&question(&[to]), Some(&team), from, &context, &mut Draft::new(&context)).map_err(|r| r.code)
    };
    assert_eq!(ask(&vice, &boss, false), Err("chain_of_command".into()));
    assert!(ask(&vice, &hand, false).is_ok());
    assert!(ask(&vice, &boss, true).is_ok(), "the operator speaks for the vice captain");
}

#[test]
fn a_deadline_lies_ahead() {
    let alice = agent(1, "alice");
    let late = Question { deadline: Some(100), ..question(&[]) };
    let refusal = open(&late, None, &alice, &context(false), &mut Draft::new(&context(false))).unwrap_err();
    assert_eq!(refusal.code, "past_deadline");
}

#[test]
fn a_position_settles_the_duty_of_who_was_asked_and_only_theirs() {
    let (alice, bob, eve) = (agent(1, "alice"), agent(2, "bob"), agent(3, "eve"));
    let (_, decision, message) = opened(&alice, &[&bob]);
    let mut by_bob = Draft::new(&context(false));
    position(&standing(&bob, &alice, &decision, message.as_ref()), &stand("a"), &context(false), &mut by_bob)
        .unwrap();
    let steps = ["decision.position", "message.delivered", "message.acknowledged", "message.settled"];
    assert_eq!(kinds(&by_bob), [&steps[..], &["message.sent"]].concat(), "and the asker is told");
    let mut by_eve = Draft::new(&context(false));
    position(&standing(&eve, &alice, &decision, message.as_ref()), &stand("b"), &context(false), &mut by_eve)
        .unwrap();
    assert_eq!(kinds(&by_eve), ["decision.position", "message.sent"]);
    let quiet = |draft: &Draft| match draft.facts.last().map(|fact| &fact.event) {
        Some(Event::MessageSent(sent)) => (sent.to.clone(), sent.quiet),
        other => panic!("{other:?}"),
    };
    assert_eq!(quiet(&by_bob), (vec![alice.id.clone()], false), "everybody who was asked has answered");
    assert_eq!(quiet(&by_eve), (vec![alice.id.clone()], true), "bob has not");
}

#[test]
fn deciding_withdraws_what_is_owed_and_tells_everybody_concerned() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (_, decision, message) = opened(&alice, &[&bob]);
    let mut draft = Draft::new(&context(false));
    decide(&snapshot(&alice, &alice, &decision, message), &choice("a"), &context(false), &mut draft).unwrap();
    let settled = draft.facts.iter().any(|fact| match &fact.event {
        Event::MessageSettled(end) => end.agent == bob.id && end.how == Settlement::Withdrawn,
        _ => false,
    });
    assert!(settled, "{draft:?}");
    let Some(Event::MessageSent(sent)) = draft.facts.last().map(|fact| &fact.event) else {
        panic!("{draft:?}")
    };
    assert_eq!((sent.intent, &sent.to), (Intent::ContextShare, &vec![bob.id]));
    assert_eq!(sent.refs[0].target, decision.id.to_string());
}

#[test]
fn who_asked_nobody_is_still_told_what_somebody_else_decides() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (_, decision, _) = opened(&alice, &[]);
    let mut draft = Draft::new(&context(true));
    decide(&snapshot(&bob, &alice, &decision, None), &choice("a"), &context(true), &mut draft).unwrap();
    assert_eq!(kinds(&draft), ["decision.decided", "message.sent"]);
    let mut own = Draft::new(&context(false));
    decide(&snapshot(&alice, &alice, &decision, None), &choice("a"), &context(false), &mut own).unwrap();
    assert_eq!((kinds(&own), own.texts.len()), (vec!["decision.decided"], 1));
}

#[test]
fn in_a_duo_the_principal_decides() {
    let team = team(
        "project = 'x'\nprincipal = 'alice'\n[agents.alice]\nprofile = 'a'\n[agents.bob]\nprofile = 'b'\n",
    );
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (_, decision, message) = opened(&bob, &[&alice]);
    let by = |member: &Agent, human| {
        let snapshot =
            DecideSnapshot { team: Some(team.clone()), ..snapshot(member, &bob, &decision, message.clone()) };
        let mut draft = Draft::new(&context(human));
        decide(&snapshot, &choice("a"), &context(human), &mut draft).map_err(|refusal| refusal.code)
    };
    assert_eq!(by(&bob, false), Err("not_the_decider".into()));
    assert_eq!(by(&alice, false), Ok(()));
    assert_eq!(by(&bob, true), Ok(()), "the operator may overrule");
}

#[test]
fn a_superseded_question_leaves_nobody_owing_a_position_that_can_no_longer_be_taken() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (_, old, old_message) = opened(&alice, &[&bob]);
    let (_, mut new, _) = opened(&alice, &[]);
    new.id = DecisionId::from_bits(99);
    let snapshot = DecideSnapshot {
        supersedes: Some(Earlier {
            decision: old.clone(),
            discussion: old_message.clone(),
            opener: Some(alice.clone()),
            due: Vec::new(),
        }),
        ..snapshot(&alice, &alice, &new, None)
    };
    let mut draft = Draft::new(&context(false));
    decide(&snapshot, &choice("b"), &context(false), &mut draft).unwrap();
    assert!(kinds(&draft).contains(&"decision.superseded"));
    assert!(kinds(&draft).contains(&"message.settled"), "{:?}", kinds(&draft));

    let gone = Decision { superseded_by: Some(new.id.clone()), ..old };
    let refusal = position(
        &standing(&bob, &alice, &gone, old_message.as_ref()),
        &stand("a"),
        &context(false),
        &mut draft,
    )
    .unwrap_err();
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "superseded"));
    let gone = Earlier { decision: gone, discussion: None, opener: Some(alice.clone()), due: Vec::new() };
    let again = Question { supersedes: Some(gone), ..question(&[]) };
    assert!(open(&again, None, &alice, &context(false), &mut draft).is_err());
}

#[test]
fn positions_count_until_the_deadline_and_deciding_stays_possible() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (_, mut decision, message) = opened(&alice, &[&bob]);
    let mut at = |deadline| {
        decision.brief.deadline = Some(deadline);
        let mut draft = Draft::new(&context(false));
        position(
            &standing(&bob, &alice, &decision, message.as_ref()),
            &stand("a"),
            &context(false),
            &mut draft,
        )
    };
    assert_eq!(at(100), Ok(()), "the deadline itself is in time");
    let refusal = at(99).unwrap_err();
    assert_eq!(refusal.code, "past_deadline");
    assert!(refusal.hint.is_some_and(|hint| hint.contains("interagent reply msg-")));
    let mut draft = Draft::new(&context(false));
    decide(&snapshot(&alice, &alice, &decision, message), &choice("a"), &context(false), &mut draft).unwrap();
}

#[test]
fn an_outcome_is_one_of_the_options_or_says_why_not() {
    let alice = agent(1, "alice");
    let (_, decision, _) = opened(&alice, &[]);
    let decided = |choice: &Choice| {
        let mut draft = Draft::new(&context(false));
        decide(&snapshot(&alice, &alice, &decision, None), choice, &context(false), &mut draft)
            .map(|()| draft.texts[0].text.clone())
            .map_err(|refusal| (refusal.code, refusal.hint.unwrap_or_default()))
    };
    assert_eq!(decided(&choice(" B ")), Ok("b".to_owned()), "as the option is written");
    let (code, hint) = decided(&choice("c")).unwrap_err();
    assert_eq!(
        (code.as_str(), hint.as_str()),
        ("not_an_option", "choose \"a\" or \"b\", or pass --other with --reason")
    );
    assert_eq!(decided(&Choice { other: true, ..choice("c") }).unwrap_err().0, "reason_needed");
    let free = Choice { other: true, reason: Some(words("both are slow")), ..choice("c") };
    assert_eq!(decided(&free), Ok("c".to_owned()));
}

#[test]
fn only_who_may_decide_the_old_one_supersedes_it() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let (_, old, _) = opened(&alice, &[]);
    let earlier = Earlier { decision: old, discussion: None, opener: Some(alice.clone()), due: Vec::new() };
    let anew = Question { supersedes: Some(earlier.clone()), ..question(&[]) };
    let ask = |by: &Agent, human| {
        let context = context(human);
        open(&anew, None, by, &context, &mut Draft::new(&context)).map(drop).map_err(|refusal| refusal.code)
    };
    assert_eq!(ask(&bob, false), Err("not_the_decider".into()), "it could never be decided");
    assert_eq!((ask(&alice, false), ask(&bob, true)), (Ok(()), Ok(())));

    let (_, new, _) = opened(&bob, &[]);
    let by_bob = DecideSnapshot { supersedes: Some(earlier), ..snapshot(&bob, &bob, &new, None) };
    let end = |human| {
        let mut draft = Draft::new(&context(human));
        decide(&by_bob, &choice("a"), &context(human), &mut draft).map_err(|refusal| refusal.code)
    };
    assert_eq!(end(false), Err("not_the_decider".into()));
    assert_eq!(end(true), Ok(()));
}

#[test]
fn options_differ_and_a_position_is_one_of_them() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let twice = Question { options: vec![words("a"), words("b"), words(" A ")], ..question(&[&bob]) };
    let mut draft = Draft::new(&context(false));
    let refusal = open(&twice, None, &alice, &context(false), &mut draft).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.sentence.as_str()),
        ("same_option", "the option \"A\" is there twice")
    );

    let (_, decision, message) = opened(&alice, &[&bob]);
    let options = ["a".to_owned(), "b".to_owned()];
    let take = |said: &str, options: &[String]| {
        let mut draft = Draft::new(&context(false));
        let snapshot = standing(&bob, &alice, &decision, message.as_ref());
        let snapshot = PositionSnapshot { options: options.to_vec(), ..snapshot };
        position(&snapshot, &stand(said), &context(false), &mut draft)?;
        Ok::<_, Refusal>(draft.texts[0].text.clone())
    };
    assert_eq!(take(" B ", &options).unwrap(), "b", "as the option is written");
    let refusal = take("c", &options).unwrap_err();
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Usage, "not_an_option"));
    assert!(refusal.hint.unwrap().starts_with("take \"a\" or \"b\"; interagent reply msg-"));
    assert_eq!(take("anything", &[]).unwrap(), "anything", "where nothing was offered");
}

#[test]
fn last_open_position_wakes_asker() {
    let (alice, bob, eve) = (agent(1, "alice"), agent(2, "bob"), agent(3, "eve"));
    let (_, decision, message) = opened(&alice, &[&bob, &eve]);
    let mut replied = message.unwrap();
    let end = crate::entity::message::Settled { when: (&stamp()).into(), how: Settlement::Replied, by: None };
    let eves = replied.deliveries.get_mut(&eve.id).unwrap();
    assert_eq!(eves.owes(), Some(Duty::Position));
    eves.settled = Some(end);
    let quiet = |snapshot: &PositionSnapshot| {
        let mut draft = Draft::new(&context(false));
        position(snapshot, &stand("a"), &context(false), &mut draft).unwrap();
        match draft.facts.last().map(|fact| &fact.event) {
            Some(Event::MessageSent(sent)) => sent.quiet,
            other => panic!("{other:?}"),
        }
    };
    assert!(!quiet(&standing(&bob, &alice, &decision, Some(&replied))), "eve replied in words");
    let (_, both, message) = opened(&alice, &[&bob, &eve]);
    let left = PositionSnapshot { retired: vec![eve.id], ..standing(&bob, &alice, &both, message.as_ref()) };
    assert!(!quiet(&left), "eve has retired");
    let (_, unasked, _) = opened(&alice, &[]);
    assert!(quiet(&standing(&bob, &alice, &unasked, None)), "nobody was asked");
}
