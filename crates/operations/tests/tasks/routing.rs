//! Tasks that name nobody: who gets them, in whose name, and what is refused.

use interagent_core::name::{Label, Name};
use interagent_core::team::{Recruit, TeamConfig};
use interagent_wire::{Answer, Caller, request as ask};

use crate::support::{Team, new_task};

fn routed(title: &str) -> ask::TaskCreate {
    ask::TaskCreate { route: true, announce: true, ..new_task(title, None) }
}

#[test]
fn a_task_goes_to_whom_it_fits_and_says_why() {
    let mut team = Team::duo();
    let task = team.task("claude", routed("Implement user auth"));
    assert_eq!(task.assignee.as_ref().map(|who| who.name.as_str()), Some("kimi"));
    let why = task.notes[0].note.clone().unwrap();
    assert!(why.starts_with("Routed to kimi: it is good at implementation"), "{why}");
    assert_eq!(
        team.told(&task.id),
        ["task.created", "task.noted", "task.assigned", "pending>assigned"],
        "one entry tells all of it"
    );
    assert_eq!(team.inbox("kimi").0[0].subject, "Implement user auth");
}

#[test]
fn asking_creates_nothing_and_answers_as_creating_would() {
    let mut team = Team::duo();
    let before = team.seq();
    let view = team.route("claude", "Review the login change");
    assert_eq!(team.seq(), before);
    assert_eq!(view.best.as_ref().map(|who| who.name.as_str()), Some("claude"));
    assert_eq!(
        view.ranking.iter().map(|row| row.agent.name.as_str()).collect::<Vec<_>>(),
        ["claude", "kimi"]
    );
    assert_eq!(view.guesses, ["`review` reads like code review"]);
    let created = team.task("claude", routed("Review the login change"));
    assert_eq!(created.assignee, view.best);
}

#[test]
fn load_decides_among_equals() {
    let recruit =
        |name: &str| Recruit { name: Name::parse(name).unwrap(), profile: Label::parse("kimi").unwrap() };
    let mut team = Team::of(&TeamConfig::peers("demo", [recruit("anna"), recruit("ben")]));
    let got = |team: &mut Team| team.task("operator", routed("Implement it")).assignee.unwrap().name;
    assert_eq!([got(&mut team), got(&mut team), got(&mut team)], ["anna", "ben", "anna"]);
}

#[test]
fn nobody_fitting_is_a_refusal_that_leaves_nothing() {
    let mut team = Team::duo();
    let wanted = ask::TaskCreate { capability: Some("Quantum".into()), ..routed("Implement it") };
    assert_eq!(team.refused("claude", wanted).code, "nobody_fits");
    let both = ask::TaskCreate { assignee: Some("kimi".into()), ..routed("Implement it") };
    assert_eq!(team.refused("claude", both).code, "assignee_and_route");
    for agent in ["claude", "kimi"] {
        team.ok("operator", ask::AgentRetire { agent: agent.into(), reason: None });
    }
    let nobody = team.refused("operator", routed("Implement it"));
    assert_eq!(nobody.code, "nobody");
    assert!(nobody.hint.unwrap().contains("agent register"));
}

#[test]
fn the_chain_of_command_holds_for_routing_too() {
    let mut team = Team::captain();
    assert_eq!(team.task("captain", routed("Implement it")).assignee.unwrap().name, "vice_captain1");
    assert_eq!(team.task("vice_captain1", routed("Implement it")).assignee.unwrap().name, "member1");
    assert_eq!(team.refused("member1", routed("Implement it")).code, "chain_of_command");
    let by_default = Caller { principal: true, ..Caller::operator() };
    let Ok(Answer::Task(task)) = team.try_as(&by_default, routed("Implement it")) else { panic!("refused") };
    assert_eq!(
        (task.assigner.name.as_str(), task.assignee.unwrap().name.as_str()),
        ("captain", "vice_captain1")
    );
}

#[test]
fn quick_by_the_operator_is_the_operators() {
    let mut team = Team::duo();
    let by_default = Caller { principal: true, ..Caller::operator() };
    let mut given = |params: ask::TaskCreate| match team.try_as(&by_default, params) {
        Ok(Answer::Task(task)) => (task.assigner.name, task.assignee.unwrap().name),
        other => panic!("{other:?}"),
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(given(new_task("Build it", Some("kimi"))), pair("operator", "kimi"));
    assert_eq!(given(new_task("Plan it", Some("claude"))), pair("operator", "claude"));
    assert_eq!(given(routed("Implement it")), pair("operator", "kimi"));
    // An agent is who it is.
    let agent = Caller { principal: true, ..Caller::agent("kimi") };
    let Ok(Answer::Task(task)) = team.try_as(&agent, new_task("x", Some("claude"))) else {
        panic!("refused")
    };
    assert_eq!(task.assigner.name, "kimi");
}
