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
    assert!(refusal.hint.unwrap().starts_with("write to vice_captain1, your superior: interagent send"));
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
    let failed = moved(&own, TaskStatus::Failed, false).unwrap();
    assert_eq!(failed, ["in_progress>failed", "sent report"], "the assigner hears it");
}

#[test]
fn work_that_a_person_passes_on_stays_that_of_who_gave_it() {
    let work = task(1, TaskStatus::InProgress, Some("kimi"));
    let assigner_after = |snapshot: &TaskSnapshot| {
        let context = context(snapshot.member.is_human());
        let mut draft = Draft::new(&context);
        reassign(snapshot, &agent("codex"), None, &context, &mut draft).unwrap();
        let is_notice = |word: &&String| matches!(word.as_str(), "sent context_share" | "sent report");
        let heard = drafted(&draft).iter().filter(is_notice).count();
        let created = draft.facts.iter().find_map(|fact| match &fact.event {
            Event::TaskCreated(created) => Some(created.assigner.clone()),
            _ => None,
        });
        (created.unwrap(), heard)
    };
    let giver = agent("giver").id;
    assert_eq!(assigner_after(&snapshot(None, "operator", work.clone(), Some("kimi"))), (giver.clone(), 2));
    // Who gave it is told by itself; one who takes no part any more can't be told, and the person takes its place.
    assert_eq!(assigner_after(&snapshot(None, "giver", work.clone(), Some("kimi"))), (giver, 1));
    let mut left = snapshot(None, "operator", work.clone(), Some("kimi"));
    left.giver.as_mut().unwrap().retired = Some(when());
    assert_eq!(assigner_after(&left), (agent("operator").id, 1));
    // And nobody reports to themselves.
    let mut own = snapshot(None, "operator", work, Some("kimi"));
    own.giver = Some(agent("codex"));
    assert_eq!(assigner_after(&own), (agent("operator").id, 1));
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

#[test]
fn a_refusal_names_the_rule_that_was_met_and_a_way_that_works() {
    let duo = Some(TeamConfig::usual_duo("demo"));
    let work = task(1, TaskStatus::InProgress, Some("kimi"));
    let own = snapshot(duo.clone(), "kimi", work.clone(), Some("kimi"));
    let cancel = moved(&own, TaskStatus::Cancelled, false).unwrap_err();
    assert_eq!(cancel.code, "not_yours");
    assert!(cancel.sentence.starts_with(&format!("kimi may not cancel {}: giver or claude", work.id)));
    assert!(cancel.hint.unwrap().contains("--status failed"));
    assert!(
        moved(&snapshot(duo.clone(), "claude", work.clone(), Some("kimi")), TaskStatus::Cancelled, false)
            .is_ok()
    );

    let captain = Some(TeamConfig::usual_captain("demo"));
    let theirs = task(1, TaskStatus::InProgress, Some("member1"));
    let refusal =
        reassigned(&snapshot(captain, "member2", theirs.clone(), Some("member1")), false).unwrap_err();
    assert!(refusal.sentence.starts_with(&format!("member2 may not reassign {}", theirs.id)), "{refusal:?}");

    let principal = task(1, TaskStatus::Completed, Some("claude"));
    let own = snapshot(duo.clone(), "claude", principal, Some("claude"));
    let refusal = judged(&own, Verdict::Approved, false).unwrap_err();
    assert_eq!(refusal.hint.as_deref(), Some("ask: interagent send --to operator -m TEXT"));
}

#[test]
fn what_was_passed_on_names_its_successor() {
    let successor = TaskId::from_bits(2);
    let mut old = task(1, TaskStatus::Reassigned, Some("kimi"));
    old.successor = Some(successor.clone());
    let passed_on = snapshot(None, "giver", old, Some("kimi"));
    let goes_on = format!("{successor} goes on in its place: interagent task show {successor}");
    for refusal in [
        moved(&passed_on, TaskStatus::InProgress, false).unwrap_err(),
        reassigned(&passed_on, false).unwrap_err(),
    ] {
        assert_eq!((refusal.code.as_str(), refusal.hint.as_deref()), ("closed", Some(goes_on.as_str())));
    }
    let again = |snapshot: &TaskSnapshot| {
        let context = context(false);
        redo(snapshot, None, None, None, &context, &mut Draft::new(&context)).unwrap_err()
    };
    assert_eq!(again(&passed_on).code, "goes_on", "the same work is not there twice");
    for (status, hint) in [
        (TaskStatus::Assigned, "reassign"),
        (TaskStatus::InProgress, "reassign"),
        (TaskStatus::UnderReview, "revision_needed"),
    ] {
        let open = again(&snapshot(None, "giver", task(1, status, Some("kimi")), Some("kimi")));
        assert!(open.hint.unwrap().contains(hint), "{status}");
    }
}

#[test]
fn who_completes_what_nobody_may_judge_is_told_who_does() {
    let mut team = TeamConfig::usual_duo("demo");
    team.rules.review_required = true;
    let own = snapshot(Some(team), "claude", task(1, TaskStatus::InProgress, Some("claude")), Some("claude"));
    let context = context(false);
    let mut draft = Draft::new(&context);
    move_to(&own, TaskStatus::Completed, None, OpenParts::Refuse, &context, &mut draft).unwrap();
    assert_eq!(
        draft.notes,
        [format!("only the operator may judge {}; a verdict was requested", own.task.id)]
    );
    let asked: Vec<Vec<AgentId>> = letters(&draft)
        .into_iter()
        .filter(|(_, intent)| *intent == Intent::ReviewRequest)
        .map(|(to, _)| to)
        .collect();
    assert_eq!(asked, [[agent("operator").id]]);
}

/// The agents that a draft writes to, with the intent of each message.
fn letters(draft: &Draft) -> Vec<(Vec<AgentId>, Intent)> {
    let sent = draft.facts.iter().filter_map(|fact| match &fact.event {
        Event::MessageSent(sent) => Some((sent.to.clone(), sent.intent)),
        _ => None,
    });
    sent.collect()
}

#[test]
fn operator_is_notified_of_outcomes() {
    let operator = agent("operator");
    let mut work = task(1, TaskStatus::InProgress, Some("kimi"));
    work.brief.assigner = operator.id.clone();
    let of = |member: &str, status| {
        let work = Task { status, ..work.clone() };
        TaskSnapshot { giver: Some(operator.clone()), ..snapshot(None, member, work, Some("kimi")) }
    };
    let (context, words) = (context(false), Words::note("the reason", "no disk").unwrap());
    let report = (vec![operator.id.clone()], Intent::Report);

    let mut failed = Draft::new(&context);
    let at_work = of("kimi", TaskStatus::InProgress);
    move_to(&at_work, TaskStatus::Failed, Some(&words), OpenParts::Refuse, &context, &mut failed).unwrap();
    assert_eq!(letters(&failed), std::slice::from_ref(&report));

    let mut approved = Draft::new(&context);
    let done = of("claude", TaskStatus::Completed);
    judge(&done, Verdict::Approved, None, OpenParts::Refuse, &context, &mut approved).unwrap();
    assert!(letters(&approved).contains(&report), "{approved:?}");

    let mut cancelled = Draft::new(&context);
    withdraw(&of("operator", TaskStatus::InProgress), &words, &mut cancelled).unwrap();
    assert!(letters(&cancelled).contains(&report), "{cancelled:?}");

    let mut gone = Draft::new(&context);
    let left = LeftTask { task: work.clone(), title: "title".to_owned(), assigner: Some(operator.clone()) };
    tell_assigners((&agent("kimi"), Leaves::Stopped), &[left], None, None, &operator, &mut gone);
    assert_eq!(letters(&gone), [report]);
}

#[test]
fn operator_hears_of_the_captains_work() {
    let team = Some(TeamConfig::usual_captain("demo"));
    let (operator, captain) = (agent("operator"), agent("captain"));
    let mut work = task(1, TaskStatus::InProgress, Some("vice_captain1"));
    work.brief.assigner = captain.id.clone();
    let mut order = snapshot(team, "operator", work.clone(), Some("vice_captain1"));
    order.giver = Some(captain.clone());
    order.dependents = vec![waiting(&work, None)];
    order.dependents[0].task.brief.assigner = captain.id.clone();
    order.dependents[0].contact = Some(captain.clone());
    let words = Words::note("the reason", "nobody answered").unwrap();
    let context = context(false);
    let mut draft = Draft::new(&context);
    withdraw(&order, &words, &mut draft).unwrap();
    let to_operator =
        letters(&draft).into_iter().filter(|(to, _)| *to == [operator.id.clone()]).map(|(_, intent)| intent);
    assert_eq!(to_operator.collect::<Vec<_>>(), [Intent::Report, Intent::Report], "stuck, then cancelled");
    assert!(letters(&draft).iter().all(|(to, _)| !to.contains(&captain.id)));
}

#[test]
fn removed_dependency_announces_ready_work() {
    let (on, other) = (task(2, TaskStatus::InProgress, None), task(3, TaskStatus::Pending, None));
    let mut waits = snapshot(None, "giver", task(1, TaskStatus::Assigned, Some("kimi")), Some("kimi"));
    waits.task.depends_on = [on.id.clone(), other.id.clone()].into();
    waits.waits_for = vec![on.clone(), other.clone()];
    let (context, reach) = (context(false), std::collections::BTreeSet::new());
    let removed = |waits: &TaskSnapshot| {
        let mut draft = Draft::new(&context);
        depend(waits, &on, true, (&reach, &reach), &context, &mut draft).unwrap();
        letters(&draft)
    };
    assert_eq!(removed(&waits), [], "it still waits for another");
    waits.task.depends_on.remove(&other.id);
    waits.waits_for.pop();
    assert_eq!(removed(&waits), [(vec![agent("kimi").id], Intent::ContextShare)]);
    waits.member = agent("kimi");
    assert_eq!(removed(&waits), [], "the worker did it");
}

#[test]
fn refused_move_suggests_allowed_step() {
    let duo = Some(TeamConfig::usual_duo("demo"));
    let back = |member: &str, status: TaskStatus| {
        let mut work = snapshot(duo.clone(), member, task(1, status, Some("kimi")), Some("kimi"));
        work.giver = Some(agent("claude"));
        moved(&work, TaskStatus::Pending, false).unwrap_err().hint.unwrap()
    };
    let id = task(1, TaskStatus::Assigned, None).id;
    assert_eq!(
        back("kimi", TaskStatus::InProgress),
        format!("interagent task update {id} --status blocked --note TEXT")
    );
    assert_eq!(
        back("kimi", TaskStatus::Blocked),
        format!("interagent task update {id} --status failed --note TEXT")
    );
    let reassign = format!("interagent task reassign {id} --to NAME gives it to somebody else");
    assert_eq!(back("claude", TaskStatus::InProgress), reassign);
    assert_eq!(back("operator", TaskStatus::InProgress), reassign);
}

#[test]
fn report_hint_is_complete_in_a_chain() {
    let mut team = TeamConfig::usual_captain("demo");
    team.rules.report_required = true;
    let work =
        snapshot(Some(team), "member1", task(1, TaskStatus::InProgress, Some("member1")), Some("member1"));
    let refusal = moved(&work, TaskStatus::Completed, false).unwrap_err();
    assert_eq!(
        refusal.hint,
        Some(format!("interagent task report {} done --summary TEXT --no-skill --purpose-met", work.task.id))
    );
}
