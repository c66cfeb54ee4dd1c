//! The captain's formation: work is assigned, reported and judged along the chain.

use interagent_core::vocabulary::{Intent, ReportStatus, TaskStatus, Verdict};
use interagent_wire::answer::TaskView;
use interagent_wire::request as ask;

use crate::support::{Team, claim, new_task, to};

#[test]
fn only_the_superior_assigns() {
    let mut team = Team::captain();
    let task = team.create("vice_captain1", "Build it", Some("member1"));
    for (who, whom) in
        [("captain", "member1"), ("member2", "member1"), ("member1", "member1"), ("member1", "captain")]
    {
        let refusal = team.refused(who, new_task("More", Some(whom)));
        assert_eq!(refusal.code, "chain_of_command", "{who} -> {whom}");
    }
    let moved = ask::TaskReassign { task: task.id, to: "member2".into(), ..Default::default() };
    assert_eq!(team.refused("member1", moved.clone()).code, "not_yours");
    team.task("vice_captain1", moved);
    team.create("operator", "By the person", Some("member1"));
}

#[test]
fn work_is_not_taken() {
    let mut team = Team::captain();
    let task = team.create("vice_captain1", "Build it", None);
    let refusal = team.refused("member1", claim(&task));
    assert_eq!(
        (refusal.code.as_str(), refusal.hint.as_deref()),
        ("F003", Some("ask vice_captain1 to assign it"))
    );
    assert_eq!(team.refused("member1", to(&task, TaskStatus::InProgress)).code, "F003");
    assert_eq!(team.next("member1").task, None);
    let given = team.create("vice_captain1", "Yours", Some("member1"));
    assert_eq!(team.next("member1").task.unwrap().id, given.id);
    assert_eq!(team.refused("member2", to(&given, TaskStatus::InProgress)).code, "F003");
}

#[test]
fn completing_needs_a_report_and_the_superior_judges() {
    let mut team = Team::captain();
    let task = team.create("vice_captain1", "Build it", Some("member1"));
    assert_eq!(team.refused("member1", to(&task, TaskStatus::Completed)).code, "report_required");
    let report = ask::TaskReport {
        task: task.id.clone(),
        status: Some(ReportStatus::Done),
        summary: Some("done".into()),
        skill_candidate: Some(ask::SkillParam::default()),
        ..Default::default()
    };
    assert_eq!(team.task("member1", report).status, TaskStatus::Completed);
    assert_eq!(team.inbox("vice_captain1").0[0].intent, Intent::ReviewRequest, "it owes the verdict");
    let verdict =
        ask::TaskVerdict { task: task.id.clone(), verdict: Some(Verdict::Approved), ..Default::default() };
    assert_eq!(team.refused("member2", verdict.clone()).code, "not_the_judge");
    assert_eq!(team.refused("member1", verdict.clone()).code, "own_work");
    assert_eq!(team.task("vice_captain1", verdict).status, TaskStatus::Approved);
}

#[test]
fn what_a_vice_captain_reports_does_not_disturb_the_captain() {
    let mut team = Team::captain();
    let order = team.create("captain", "The order", Some("vice_captain1"));
    let report = ask::TaskReport {
        task: order.id,
        status: Some(ReportStatus::Done),
        summary: Some("done".into()),
        skill_candidate: Some(ask::SkillParam::default()),
        ..Default::default()
    };
    team.task("vice_captain1", report);
    assert_eq!(team.inbox("captain").0, []);
}

#[test]
fn refusal_hints_at_no_refused_command() {
    let mut team = Team::captain();
    let task = team.create("vice_captain1", "Parse", Some("member1"));
    let refused = team.refused("member2", to(&task, TaskStatus::InProgress));
    assert_eq!(refused.code, "F003");
    let hint = refused.hint.unwrap();
    assert!(hint.contains("interagent send --to member1"), "{hint}");
    let note = ask::TaskNote { task: task.id, note: "mine".into(), ..Default::default() };
    let refused = team.refused("member2", note);
    let hint = refused.hint.unwrap();
    assert!(hint.contains("task list --assignee member2") && hint.contains("interagent send"), "{hint}");
}

/// A task of the operator that vice_captain1 passed from member1 on to member2.
fn passed_on(team: &mut Team) -> (TaskView, TaskView) {
    let task = team.create("operator", "Build it", Some("member1"));
    let moved = ask::TaskReassign { task: task.id.clone(), to: "member2".into(), ..Default::default() };
    let successor = team.task("vice_captain1", moved);
    (task, successor)
}

#[test]
fn operator_learns_reassigned_task_outcome() {
    let mut team = Team::captain();
    let (_, task) = passed_on(&mut team);
    let before = team.inbox("operator").0.len();
    let report = ask::TaskReport {
        task: task.id.clone(),
        status: Some(ReportStatus::Done),
        summary: Some("done".into()),
        skill_candidate: Some(ask::SkillParam::default()),
        ..Default::default()
    };
    team.task("member2", report);
    let verdict =
        ask::TaskVerdict { task: task.id.clone(), verdict: Some(Verdict::Approved), ..Default::default() };
    team.task("vice_captain1", verdict);
    let heard: Vec<_> = team.inbox("operator").0.split_off(before);
    let heard: Vec<_> = heard.iter().map(|mail| (mail.intent, mail.subject.as_str())).collect();
    let (done, approved) =
        (format!("Build it ({}): done", task.id), format!("approved: Build it ({})", task.id));
    assert_eq!(heard, [(Intent::Report, done.as_str()), (Intent::Report, approved.as_str())]);
}

#[test]
fn successor_reads_earlier_task() {
    let mut team = Team::captain();
    let (before, _) = passed_on(&mut team);
    let show = ask::TaskShow { task: before.id };
    team.task("member2", show.clone());
    assert_eq!(team.refused("member3", show).code, "F003");
}
