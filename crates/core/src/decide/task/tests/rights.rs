//! Tests of who may do what to a task, and who hears of it.

use super::*;

fn edited(snapshot: &TaskSnapshot, branch_only: bool, human: bool) -> Result<Vec<String>, Refusal> {
    let context = context(human);
    let mut draft = Draft::new(&context);
    let title = Words::line("the title", "another").unwrap();
    let (title, branch) = if branch_only { (None, Some("fix".to_owned())) } else { (Some(&title), None) };
    edit(snapshot, title, None, None, branch, &context, &mut draft)?;
    Ok(drafted(&draft))
}

fn reassigned(snapshot: &TaskSnapshot, human: bool) -> Result<Vec<String>, Refusal> {
    let context = context(human);
    let mut draft = Draft::new(&context);
    reassign(snapshot, &agent("codex"), None, &context, &mut draft)?;
    Ok(drafted(&draft))
}

#[test]
fn what_a_task_asks_for_is_not_its_workers_to_change() {
    let duo = Some(TeamConfig::usual_duo("demo"));
    for worker in [Some("kimi"), None] {
        let status = if worker.is_some() { TaskStatus::InProgress } else { TaskStatus::Pending };
        let as_member = |member: &str| snapshot(duo.clone(), member, task(1, status, worker), worker);
        let kimi = as_member("kimi");
        for refusal in [edited(&kimi, false, false).unwrap_err(), reassigned(&kimi, false).unwrap_err()] {
            assert_eq!(refusal.code, "not_yours");
            assert!(refusal.sentence.contains("giver or claude or the operator may"), "{refusal:?}");
        }
        assert_eq!(edited(&kimi, true, false).is_ok(), worker.is_some(), "the branch is the worker's");
        for member in ["giver", "claude"] {
            assert!(edited(&as_member(member), false, false).is_ok(), "{member}");
            assert!(reassigned(&as_member(member), false).is_ok(), "{member}");
        }
        assert!(edited(&kimi, false, true).is_ok() && reassigned(&kimi, true).is_ok(), "a person may");
    }
    let free = snapshot(duo, "kimi", task(1, TaskStatus::Pending, None), None);
    assert_eq!(judged(&free, Verdict::Rejected, false).unwrap_err().code, "not_yours");
}

#[test]
fn in_a_chain_who_stands_above_directs() {
    let team = Some(TeamConfig::usual_captain("demo"));
    let work = task(1, TaskStatus::InProgress, Some("member1"));
    let as_member = |member: &str| snapshot(team.clone(), member, work.clone(), Some("member1"));
    assert!(edited(&as_member("vice_captain1"), false, false).is_ok());
    assert!(edited(&as_member("captain"), false, false).is_ok());
    let refusal = edited(&as_member("member2"), false, false).unwrap_err();
    assert!(refusal.hint.unwrap().starts_with("ask giver or vice_captain1 or the operator"));
}

#[test]
fn a_worker_hears_that_the_work_was_taken_away() {
    let work = task(1, TaskStatus::InProgress, Some("kimi"));
    let theirs = snapshot(None, "giver", work.clone(), Some("kimi"));
    let stop = moved(&theirs, TaskStatus::Cancelled, false).unwrap();
    assert_eq!(stop, ["in_progress>cancelled", "sent context_share"]);
    let passed_on = reassigned(&theirs, false).unwrap();
    assert_eq!(passed_on.iter().filter(|word| *word == "sent context_share").count(), 1, "{passed_on:?}");
    assert!(passed_on.contains(&"sent delegation".to_owned()));
    let own = snapshot(None, "kimi", work, Some("kimi"));
    assert_eq!(moved(&own, TaskStatus::Failed, false).unwrap(), ["in_progress>failed"], "who did it knows");
}

#[test]
fn what_is_held_back_is_not_begun() {
    let held = |status: TaskStatus| {
        let mut held = snapshot(None, "kimi", task(1, status, Some("kimi")), Some("kimi"));
        held.task.depends_on.insert(TaskId::from_bits(2));
        held.waits_for.push(task(2, TaskStatus::InProgress, None));
        held
    };
    let waits = held(TaskStatus::Assigned);
    for to in [TaskStatus::InProgress, TaskStatus::Completed, TaskStatus::UnderReview] {
        let refusal = moved(&waits, to, false).unwrap_err();
        let (id, on) = (&waits.task.id, &waits.waits_for[0].id);
        assert_eq!(refusal.code, "not_ready", "{to}");
        assert_eq!(
            refusal.hint,
            Some(format!("interagent task depend {id} {on} --remove goes on without it"))
        );
        assert!(moved(&waits, to, true).is_ok(), "a person may: {to}");
    }
    assert!(moved(&waits, TaskStatus::Blocked, false).is_ok(), "saying that one is stuck begins nothing");
    assert!(moved(&held(TaskStatus::InProgress), TaskStatus::Completed, false).is_ok(), "it had begun");
}
