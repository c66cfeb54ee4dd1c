//! Decisions through the hub.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::Duty;
use interagent_wire::answer::DecisionView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Time};

use super::support::{START_US, Team, claude, kimi};

fn question(to: &[&str]) -> ask::DecisionOpen {
    ask::DecisionOpen {
        question: "Which database?".into(),
        options: vec!["sqlite".into(), "postgres".into()],
        to: to.iter().map(|to| (*to).to_owned()).collect(),
        ..Default::default()
    }
}

fn decision(answer: Answer) -> DecisionView {
    match answer {
        Answer::Decision(decision) => decision,
        other => panic!("{other:?}"),
    }
}

fn position(decision: &str, position: &str) -> ask::DecisionPosition {
    ask::DecisionPosition {
        decision: decision.into(),
        position: position.into(),
        reason: Some("it is small".into()),
        key: None,
    }
}

fn outcome(decision: &str) -> ask::DecisionDecide {
    ask::DecisionDecide {
        decision: decision.into(),
        outcome: "sqlite".into(),
        reason: Some("one file".into()),
        ..Default::default()
    }
}

fn owed(team: &mut Team, agent: &str) -> Vec<Duty> {
    team.inbox(agent).duties.iter().map(|duty| duty.duty).collect()
}

fn listed(team: &mut Team, open: bool) -> Vec<String> {
    match team.quietly(&kimi(), ask::DecisionList { open, ..Default::default() }) {
        Answer::Decisions(page) => page.items.into_iter().map(|decision| decision.id).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_delegate_takes_a_position_and_the_principal_decides() {
    let mut team = Team::duo();
    let opened = decision(team.ok(&claude(), question(&["all"])));
    assert_eq!(opened.options, ["sqlite", "postgres"]);
    assert_eq!(owed(&mut team, "kimi"), [Duty::Position]);
    assert_eq!(team.subjects("kimi"), ["Which database?"]);
    assert_eq!(listed(&mut team, true), std::slice::from_ref(&opened.id));

    let positioned = decision(team.ok(&kimi(), position(&opened.id, "sqlite")));
    assert_eq!(owed(&mut team, "kimi"), []);
    let taken = &positioned.positions[0];
    assert_eq!((taken.agent.name.as_str(), taken.position.as_deref()), ("kimi", Some("sqlite")));
    assert_eq!(taken.reason.as_deref(), Some("it is small"));

    let refusal = team.refused(&kimi(), outcome(&opened.id));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Refused, "not_the_decider"));
    let decided = decision(team.ok(&claude(), outcome(&opened.id)));
    assert_eq!(decided.outcome.as_deref(), Some("sqlite"));
    assert_eq!(decided.reason.as_deref(), Some("one file"));
    assert_eq!(decided.decided_by.map(|who| who.name).as_deref(), Some("claude"));
    assert_eq!(decided.decided, Some(Time(START_US)));
    assert!(team.subjects("kimi").contains(&"Decided: sqlite".to_owned()));
    assert_eq!(listed(&mut team, true), Vec::<String>::new());
    assert_eq!(listed(&mut team, false), std::slice::from_ref(&opened.id));

    let late = team.refused(&kimi(), position(&opened.id, "postgres"));
    assert_eq!((late.kind, late.code.as_str()), (RefusalKind::Conflict, "decided"));
    assert_eq!(
        late.hint,
        Some(format!("interagent decision show {}", opened.id)),
        "kimi may not supersede it"
    );
    let again = team.refused(&claude(), outcome(&opened.id));
    assert_eq!(again.code, "decided");
    assert_eq!(again.hint, Some(format!("interagent decision open QUESTION --supersedes {}", opened.id)));
}

#[test]
fn the_operator_decides_over_the_rules_and_nobody_owes_a_position_any_more() {
    let mut team = Team::duo();
    let opened = decision(team.ok(&kimi(), question(&["claude"])));
    assert_eq!(owed(&mut team, "claude"), [Duty::Position]);
    team.ok(&Caller::operator(), outcome(&opened.id));
    assert_eq!(owed(&mut team, "claude"), []);
    assert_eq!(team.subjects("kimi"), ["Decided: sqlite"]);
}

#[test]
fn a_question_to_nobody_is_allowed() {
    let mut team = Team::duo();
    let opened = decision(team.ok(&claude(), ask::DecisionOpen { quiet: true, ..question(&[]) }));
    assert!(team.subjects("kimi").is_empty());
    team.ok(&kimi(), position(&opened.id[..9], "postgres"));
    team.ok(&claude(), outcome(&opened.id));
    assert_eq!(team.subjects("kimi"), ["Decided: sqlite"], "who took a position hears the outcome");
}

#[test]
fn a_decision_supersedes_another_once_it_is_decided() {
    let mut team = Team::duo();
    let old = decision(team.ok(&claude(), question(&["kimi"])));
    let again = ask::DecisionOpen { supersedes: Some(old.id.clone()), quiet: true, ..question(&[]) };
    let new = decision(team.ok(&claude(), again.clone()));
    assert_eq!(new.supersedes.as_deref(), Some(old.id.as_str()));
    let show = ask::DecisionShow { decision: old.id.clone() };
    assert_eq!(decision(team.quietly(&kimi(), show.clone())).superseded_by, None);
    assert_eq!(owed(&mut team, "kimi"), [Duty::Position]);

    let decided = decision(team.ok(&claude(), outcome(&new.id)));
    assert_eq!(decided.id, new.id);
    assert_eq!(decision(team.quietly(&kimi(), show)).superseded_by, Some(new.id));
    assert_eq!(owed(&mut team, "kimi"), [], "the old question can't be answered any more");
    assert_eq!(team.refused(&kimi(), position(&old.id, "sqlite")).code, "superseded");
    assert_eq!(team.refused(&claude(), again).code, "superseded");
}

#[test]
fn a_repeated_key_answers_with_the_decision_of_that_time() {
    let mut team = Team::duo();
    let keyed = ask::DecisionOpen { key: Some("k1".into()), ..question(&["kimi"]) };
    let opened = decision(team.ok(&claude(), keyed.clone()));
    assert_eq!(decision(team.quietly(&claude(), keyed)).id, opened.id);
    let other = ask::DecisionOpen { key: Some("k1".into()), ..question(&[]) };
    assert_eq!(team.refused(&claude(), other).code, "key_conflict");
    let keyed = ask::DecisionDecide { key: Some("k2".into()), ..outcome(&opened.id) };
    team.ok(&claude(), keyed.clone());
    assert_eq!(decision(team.quietly(&claude(), keyed)).outcome.as_deref(), Some("sqlite"));
}

#[test]
fn bad_questions_are_refused_before_anything_is_written() {
    let mut team = Team::duo();
    let cases = [
        (ask::DecisionOpen { question: "  ".into(), ..question(&[]) }, "bad_text"),
        (ask::DecisionOpen { options: vec!["x".into(); 51], ..question(&[]) }, "too_many_options"),
        (ask::DecisionOpen { deadline: Some(Time(START_US)), ..question(&[]) }, "past_deadline"),
        (ask::DecisionOpen { supersedes: Some("dec-0000".into()), ..question(&[]) }, "not_found"),
        (question(&["nobody"]), "no_such_agent"),
    ];
    for (params, code) in cases {
        assert_eq!(team.refused(&claude(), params).code, code);
    }
}

#[test]
fn decisions_are_listed_newest_first_in_pages() {
    let mut team = Team::duo();
    let ids: Vec<String> = (0..3).map(|_| decision(team.ok(&claude(), question(&[]))).id).collect();
    let page = |team: &mut Team, after: Option<String>| match team
        .quietly(&kimi(), ask::DecisionList { open: false, after, limit: Some(2) })
    {
        Answer::Decisions(page) => page,
        other => panic!("{other:?}"),
    };
    let first = page(&mut team, None);
    assert_eq!(first.items.iter().map(|d| &d.id).collect::<Vec<_>>(), [&ids[2], &ids[1]]);
    let second = page(&mut team, first.next);
    assert_eq!(second.items.iter().map(|d| &d.id).collect::<Vec<_>>(), [&ids[0]]);
    assert_eq!(second.next, None);
}
