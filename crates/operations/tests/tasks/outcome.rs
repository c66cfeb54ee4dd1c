//! How tasks end: reports, verdicts, reassigning, doing again.

use interagent_core::vocabulary::{Duty, Intent, ReportStatus, Settlement, TaskStatus, Verdict};
use interagent_wire::answer::TaskView;
use interagent_wire::request as ask;

use crate::support::{Team, new_task, to};

fn verdict(task: &TaskView, verdict: Verdict) -> ask::TaskVerdict {
    ask::TaskVerdict {
        task: task.id.clone(),
        verdict: Some(verdict),
        note: Some("because".into()),
        ..Default::default()
    }
}

#[test]
fn in_review_mode_completed_work_waits_for_a_verdict() {
    let mut team = Team::reviewing_duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let done = team.task("kimi", to(&task, TaskStatus::Completed));
    assert_eq!(done.status, TaskStatus::UnderReview);
    let (mail, duties) = team.inbox("claude");
    assert_eq!((mail[0].intent, duties), (Intent::ReviewRequest, 1));
    let request = team.message(&mail[0].id);
    assert_eq!((request.from.name.as_str(), request.to[0].duty), ("kimi", Some(Duty::Verdict)));
    assert!(request.refs.iter().any(|to| to.kind == "review" && to.target.starts_with("rev-")));

    let back = team.task("claude", verdict(&task, Verdict::RevisionNeeded));
    assert_eq!(back.status, TaskStatus::RevisionNeeded);
    assert_eq!((back.verdicts[0].note.as_deref(), back.verdicts[0].overruled), (Some("because"), false));
    assert_eq!(team.message(&mail[0].id).to[0].how, Some(Settlement::Judged));
    let (told, owed) = team.inbox("kimi");
    assert_eq!((told[0].intent, owed), (Intent::Delegation, 1), "the worker owes another start");

    team.task("kimi", to(&task, TaskStatus::Completed));
    assert_eq!(team.inbox("kimi").1, 0);
    let approved = team.task("claude", verdict(&task, Verdict::Approved));
    assert_eq!(approved.status, TaskStatus::Approved);
    assert_eq!(team.inbox("claude").1, 0);
    assert_eq!(team.inbox("kimi").0.last().unwrap().intent, Intent::ContextShare);
}

#[test]
fn nobody_approves_their_own_work() {
    let mut team = Team::duo();
    let task = team.create("kimi", "Build it", Some("claude"));
    team.task("claude", to(&task, TaskStatus::Completed));
    assert_eq!(team.refused("claude", verdict(&task, Verdict::Approved)).code, "own_work");
    assert_eq!(team.refused("claude", to(&task, TaskStatus::Approved)).code, "own_work");
    assert_eq!(team.refused("kimi", verdict(&task, Verdict::Approved)).code, "not_the_judge");
}

#[test]
fn the_operator_overrules_and_the_log_says_so() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let approved = team.task("operator", verdict(&task, Verdict::Approved));
    assert_eq!(approved.status, TaskStatus::Approved);
    let said = &approved.verdicts[0];
    assert_eq!((said.by.name.as_str(), said.overruled), ("operator", true));
    let by_rule = team.create("claude", "Build more", Some("kimi"));
    team.task("kimi", to(&by_rule, TaskStatus::Completed));
    assert!(!team.task("claude", verdict(&by_rule, Verdict::Approved)).verdicts[0].overruled);
}

#[test]
fn a_verdict_needs_its_word_and_finished_work() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let empty = ask::TaskVerdict { task: task.id.clone(), ..Default::default() };
    assert_eq!(team.refused("claude", empty).code, "missing_fields");
    assert_eq!(team.refused("claude", verdict(&task, Verdict::Approved)).code, "not_complete");
    team.task("claude", verdict(&task, Verdict::Rejected));
    assert_eq!(team.refused("claude", verdict(&task, Verdict::Approved)).code, "closed");
}

#[test]
fn a_report_names_everything_it_lacks() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let mut report = ask::TaskReport { task: task.id.clone(), ..Default::default() };
    let refusal = team.refused("kimi", report.clone());
    assert_eq!(refusal.sentence, "the report lacks status, summary, skill_candidate");
    report.skill_candidate = Some(ask::SkillParam { found: true, ..Default::default() });
    report.summary = Some(" ".into());
    let refusal = team.refused("kimi", report.clone());
    assert_eq!(refusal.sentence, "the report lacks status, summary, skill_candidate.name");

    report.status = Some(ReportStatus::Done);
    report.summary = Some("it works".into());
    report.files_modified = vec!["src/login.rs".into()];
    report.skill_candidate =
        Some(ask::SkillParam { found: true, name: Some("logins".into()), ..Default::default() });
    assert_eq!(team.refused("claude", report.clone()).code, "F003");
    let done = team.task("kimi", report);
    assert_eq!(done.status, TaskStatus::Completed);
    let said = &done.reports[0];
    assert_eq!((said.worker.name.as_str(), said.summary.as_deref()), ("kimi", Some("it works")));
    assert_eq!(said.skill_candidate.name.as_deref(), Some("logins"));
    let (mail, _) = team.inbox("claude");
    assert_eq!((mail[0].intent, mail[0].from.name.as_str()), (Intent::ReviewRequest, "kimi"));
}

#[test]
fn failed_and_blocked_reports_move_the_task_there() {
    let mut team = Team::duo();
    let task = team.task("claude", ask::TaskCreate { announce: true, ..new_task("Build it", Some("kimi")) });
    let report = |status| ask::TaskReport {
        task: task.id.clone(),
        status: Some(status),
        summary: Some("no network".into()),
        skill_candidate: Some(ask::SkillParam::default()),
        ..Default::default()
    };
    assert_eq!(team.task("kimi", report(ReportStatus::Blocked)).status, TaskStatus::Blocked);
    assert_eq!(team.inbox("kimi").1, 0, "it was started");
    assert_eq!(team.task("kimi", report(ReportStatus::Failed)).status, TaskStatus::Failed);
    assert_eq!(team.refused("kimi", report(ReportStatus::Done)).code, "closed");
}

#[test]
fn reassigning_closes_the_task_and_links_the_next() {
    let mut team = Team::duo();
    let params = ask::TaskCreate {
        description: Some("all of it".into()),
        announce: true,
        ..new_task("Build it", Some("kimi"))
    };
    let task = team.task("claude", params);
    let moved = ask::TaskReassign {
        task: task.id.clone(),
        to: "claude".into(),
        reason: Some("kimi is away".into()),
        ..Default::default()
    };
    assert_eq!(
        team.refused("claude", ask::TaskReassign { to: "kimi".into(), ..moved.clone() }).code,
        "same_assignee"
    );
    let successor = team.task("operator", moved);
    let old = team.show(&task.id);
    assert_eq!((old.status, old.successor), (TaskStatus::Reassigned, Some(successor.id.clone())));
    assert_eq!(old.notes[0].note.as_deref(), Some("kimi is away"));
    assert_eq!(successor.reassigned_from, Some(task.id));
    assert_eq!(
        (successor.status, successor.description.as_deref()),
        (TaskStatus::Assigned, Some("all of it"))
    );
    assert_eq!(team.inbox("kimi").1, 0, "the delegation is withdrawn");
    assert_eq!(team.inbox("claude").1, 1, "the new one is announced");
}

#[test]
fn a_redo_is_a_new_task_linked_to_the_old() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let redo =
        ask::TaskRedo { task: task.id.clone(), reason: Some("wrong page".into()), ..Default::default() };
    assert_eq!(team.refused("claude", redo.clone()).code, "open");
    team.task("kimi", to(&task, TaskStatus::Completed));
    let again = team.task("claude", redo);
    assert_eq!((again.redo_of.clone(), again.assignee.unwrap().name), (Some(task.id.clone()), "kimi".into()));
    assert_eq!(again.notes[0].note.as_deref(), Some("wrong page"));
    assert_eq!(team.show(&task.id).status, TaskStatus::Completed);
}

#[test]
fn whose_work_is_taken_away_is_told() {
    let mut team = Team::duo();
    let [dropped, moved] = ["dropped", "moved"].map(|title| team.create("claude", title, Some("kimi")));
    for task in [&dropped, &moved] {
        team.task("kimi", to(task, TaskStatus::InProgress));
    }
    let before = team.inbox("kimi").0.len();
    let stop = ask::TaskUpdate { note: Some("stop".into()), ..to(&dropped, TaskStatus::Cancelled) };
    team.task("claude", stop);
    let elsewhere = ask::TaskReassign { task: moved.id.clone(), to: "claude".into(), ..Default::default() };
    let successor = team.task("claude", elsewhere);
    let mail = team.inbox("kimi").0;
    let [stopped, passed_on] = &mail[before..] else { panic!("{mail:?}") };
    assert_eq!(stopped.subject, format!("cancelled: dropped ({})", dropped.id));
    assert_eq!(team.message(&stopped.id).body.as_deref(), Some("stop"));
    assert_eq!(passed_on.subject, format!("reassigned: moved ({})", moved.id));
    let goes_on = format!("claude goes on with it as {}.", successor.id);
    assert_eq!(team.message(&passed_on.id).body, Some(goes_on));
    assert_eq!(team.inbox("claude").0, [], "who did it knows");
}

#[test]
fn a_task_of_somebody_else_is_neither_rewritten_nor_given_away() {
    let mut team = Team::duo();
    let [free, given] = [None, Some("kimi")].map(|assignee| team.create("claude", "as agreed", assignee));
    for task in [&free, &given] {
        let rewrite = ask::TaskUpdate {
            task: task.id.clone(),
            title: Some("hijack".into()),
            priority: "critical".parse().ok(),
            ..Default::default()
        };
        let refusal = team.refused("kimi", rewrite.clone());
        assert!(refusal.sentence.contains("claude or the operator may do that"), "{refusal:?}");
        let away = ask::TaskReassign { task: task.id.clone(), to: "claude".into(), ..Default::default() };
        assert_eq!(team.refused("kimi", away).code, "not_yours");
        assert_eq!(team.task("operator", rewrite).title, "hijack");
    }
    let branch = ask::TaskUpdate { task: given.id, branch: Some("fix".into()), ..Default::default() };
    assert_eq!(team.task("kimi", branch).branch.as_deref(), Some("fix"));
}

#[test]
fn unblocked_worker_is_notified() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("kimi", to(&task, TaskStatus::Blocked));
    let before = team.inbox("kimi").0.len();
    let go = ask::TaskUpdate { note: Some("go".into()), ..to(&task, TaskStatus::InProgress) };
    team.task("operator", go);
    let mail = team.inbox("kimi").0;
    let [news] = &mail[before..] else { panic!("{mail:?}") };
    assert_eq!(news.subject, format!("unblocked: Build it ({})", task.id));
    let message = team.message(&news.id);
    assert_eq!((message.body.as_deref(), message.quiet), (Some("go"), false));
    assert_eq!(team.inbox("claude").1, 0, "nothing is left to unblock");
    // Its own step is no news.
    team.task("kimi", to(&task, TaskStatus::Blocked));
    team.task("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(team.inbox("kimi").0.len(), before + 1);
}

#[test]
fn assigner_redoes_cancelled_task_once() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("claude", to(&task, TaskStatus::Cancelled));
    let redo = ask::TaskRedo { task: task.id.clone(), ..Default::default() };
    let refusal = team.refused("kimi", redo.clone());
    assert_eq!(
        (refusal.code.as_str(), refusal.hint.as_deref()),
        ("not_yours", Some("ask: interagent send --to claude -m TEXT"))
    );
    let start = team.refused("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(start.hint.as_deref(), Some("ask: interagent send --to claude -m TEXT"));
    let again = team.task("claude", redo.clone());
    for who in ["claude", "operator"] {
        let refusal = team.refused(who, redo.clone());
        assert_eq!(refusal.code, "goes_on");
        assert!(refusal.sentence.contains(&again.id), "{refusal:?}");
    }
    team.task("claude", to(&again, TaskStatus::Cancelled));
    team.task("operator", redo);
}
