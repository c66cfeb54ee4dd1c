//! Who owes a verdict where the team names no judge, and what becomes of declined work.

use interagent_core::vocabulary::{Duty, Intent, TaskStatus, Verdict};
use interagent_operations::Hub;
use interagent_wire::answer::TaskView;
use interagent_wire::{Answer, request as ask};

use crate::support::{Team, caller, to};

/// What somebody owes about a task.
fn owed(team: &mut Team, who: &str, task: &TaskView) -> Vec<Duty> {
    let params = ask::MessageInbox { agent: Some(who.into()), ..Default::default() };
    let Answer::Inbox(inbox) = team.ok("operator", params) else { unreachable!("another answer") };
    inbox.duties.iter().filter(|duty| duty.task.as_ref() == Some(&task.id)).map(|duty| duty.duty).collect()
}

fn approve(task: &TaskView) -> ask::TaskVerdict {
    ask::TaskVerdict { task: task.id.clone(), verdict: Some(Verdict::Approved), ..Default::default() }
}

#[test]
fn operator_owes_verdict_nobody_else_may_give() {
    for mut team in [Team::duo(), Team::reviewing_duo()] {
        for ending in [TaskStatus::Completed, TaskStatus::UnderReview] {
            let task = team.create("kimi", "Cut the release", Some("claude"));
            team.task("claude", to(&task, ending));
            assert_eq!(owed(&mut team, "operator", &task), [Duty::Verdict], "{ending}");
            team.task("operator", approve(&task));
            assert_eq!(owed(&mut team, "operator", &task), []);
        }
    }
    // Asked once, though it goes to review afterwards.
    let mut team = Team::duo();
    let task = team.create("kimi", "Cut the release", Some("claude"));
    team.task("claude", to(&task, TaskStatus::Completed));
    team.task("claude", to(&task, TaskStatus::UnderReview));
    assert_eq!(owed(&mut team, "operator", &task), [Duty::Verdict]);
}

#[test]
fn operator_judges_what_it_assigned_to_a_peer() {
    let mut team = Team::peers(&["claude", "kimi"]);
    let task = team.create("operator", "Cut the release", Some("claude"));
    team.task("claude", to(&task, TaskStatus::Completed));
    assert_eq!(owed(&mut team, "operator", &task), [Duty::Verdict]);
    let mail = team.inbox("operator").0;
    assert_eq!(mail.iter().map(|mail| mail.intent).collect::<Vec<_>>(), [Intent::ReviewRequest]);
    assert_eq!(owed(&mut team, "kimi", &task), []);
    team.task("operator", approve(&task));
    assert_eq!(owed(&mut team, "operator", &task), []);

    // A peer's own task needs nobody, and what a peer assigned is the peer's to judge.
    let own = team.create("claude", "Sweep", Some("claude"));
    team.task("claude", to(&own, TaskStatus::Completed));
    let given = team.create("kimi", "Sweep more", Some("claude"));
    team.task("claude", to(&given, TaskStatus::Completed));
    assert_eq!((owed(&mut team, "operator", &own), owed(&mut team, "operator", &given)), (vec![], vec![]));
    assert_eq!(owed(&mut team, "kimi", &given), [Duty::Verdict]);
}

#[test]
fn operator_judges_the_captain() {
    let mut team = Team::captain();
    let task = team.create("operator", "Ship it", Some("captain"));
    let report = ask::TaskReport {
        task: task.id.clone(),
        status: Some(interagent_core::vocabulary::ReportStatus::Done),
        summary: Some("shipped".into()),
        skill_candidate: Some(ask::SkillParam { found: false, ..Default::default() }),
        ..Default::default()
    };
    team.task("captain", report);
    assert_eq!(owed(&mut team, "operator", &task), [Duty::Verdict]);
}

/// Assigns a task of claude to kimi once more.
fn again(task: &TaskView) -> ask::TaskReassign {
    ask::TaskReassign { task: task.id.clone(), to: "kimi".into(), ..Default::default() }
}

#[test]
fn declined_work_is_reassigned() {
    let mut team = Team::duo();
    let task = team.create("claude", "Fix login", Some("kimi"));
    let delegation = team.inbox("kimi").0[0].id.clone();
    let decline = ask::MessageDecline { message: delegation, reason: Some("busy".into()), key: None };
    team.ok("kimi", decline);
    let briefing = ask::Briefing { agent: Some("claude".into()), ..Default::default() };
    let Answer::Briefing(briefing) = team.ok("operator", briefing) else { unreachable!("another answer") };
    let step = format!("interagent task reassign {} --to NAME", task.id);
    assert!(briefing.text.contains(&step), "{}", briefing.text);
    let Answer::Summary(summary) = team.ok("operator", ask::Summary {}) else {
        unreachable!("another answer")
    };
    let said: Vec<&str> = summary.actions.iter().map(|action| action.sentence.as_str()).collect();
    let wanted = format!("Tell claude to reassign \"Fix login\", which kimi declined ({step}).");
    assert_eq!(said, [wanted.as_str()]);

    // Words are no assignment.
    let mail = team.inbox("claude").0[0].id.clone();
    let words = ask::MessageReply { message: mail, body: Some("I see to it.".into()), ..Default::default() };
    let reply = team.hub.call(&caller("claude"), words.into()).unwrap();
    assert_eq!(
        reply.notes[0],
        format!("{} is declined and needs an assignee, another one or the same again: {step}", task.id)
    );
    assert_eq!(team.next("kimi").task, None);
    // Assigned once more, kimi has to start.
    team.task("claude", again(&task));
    let Answer::Summary(summary) = team.ok("operator", ask::Summary {}) else {
        unreachable!("another answer")
    };
    assert!(summary.actions.iter().any(|action| action.sentence.starts_with("Tell kimi to start")));
}

#[test]
fn declined_task_waits_for_its_assigner() {
    let mut team = Team::duo();
    let task = team.create("claude", "Fix login", Some("kimi"));
    let delegation = team.inbox("kimi").0[0].id.clone();
    team.ok("kimi", ask::MessageDecline { message: delegation, reason: Some("busy".into()), key: None });

    assert_eq!(team.next("kimi").task, None);
    let Answer::Relay(relay) = team.ok("kimi", ask::Relay { agent: Some("kimi".into()) }) else {
        unreachable!("another answer")
    };
    assert_eq!((relay.new_tasks, relay.waiting), (Vec::new(), false));
    let briefing = ask::Briefing { agent: Some("kimi".into()), ..Default::default() };
    let Answer::Briefing(briefing) = team.ok("kimi", briefing) else { unreachable!("another answer") };
    assert!(!briefing.text.contains(&task.id), "{}", briefing.text);
    assert_eq!(team.show(&task.id).notes[0].note.as_deref(), Some("Declined: busy"));
    let Answer::Summary(summary) = team.ok("operator", ask::Summary {}) else {
        unreachable!("another answer")
    };
    assert_eq!(
        summary.headlines,
        [format!("Tell claude to reassign 1 task(s) that nobody does: {}", task.id)]
    );

    // It may change its mind.
    team.task("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(team.inbox("claude").1, 0, "nothing is left to unblock");
    assert_eq!(team.refused("claude", again(&task)).sentence, format!("kimi has {} already", task.id));
}
