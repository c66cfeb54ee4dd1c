//! A task's end: reports, completion, verdicts.

use super::TaskSnapshot;
use crate::decide::{Post, post};
use crate::draft::{Context, Draft};
use crate::event::{ReviewJudged, ReviewOpened, SkillCandidate, TaskJudged, TaskMoved, TaskReported};
use crate::ids::{EntityRef, ReviewId};
use crate::refusal::Refusal;
use crate::rules::{self, Judged};
use crate::text::Words;
use crate::vocabulary::{Duty, Intent, Priority, ReportStatus, Settlement, TaskStatus, Verdict};

/// What a worker reports.
#[derive(Clone, Debug)]
pub struct Findings {
    /// How it ended.
    pub status: ReportStatus,
    /// In short.
    pub summary: Words,
    /// Which files.
    pub files_modified: Vec<String>,
    /// Anything else.
    pub notes: Option<Words>,
    /// What could be reused: name, description, reason.
    pub skill: Option<(Words, Option<Words>, Option<Words>)>,
    /// Where the result misses the purpose.
    pub purpose_gap: Option<Words>,
}

/// Reports on a task and moves it where the report says.
pub fn report(
    snapshot: &TaskSnapshot,
    findings: &Findings,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    snapshot.must_be_worker(context, "report on")?;
    match findings.status {
        ReportStatus::Done => match snapshot.task.status {
            TaskStatus::Completed | TaskStatus::UnderReview => {
                draft_report(snapshot, findings, draft);
                Ok(())
            }
            _ => complete(snapshot, Some(findings), None, context, draft),
        },
        ReportStatus::Failed => {
            draft_report(snapshot, findings, draft);
            snapshot.steps(draft, TaskStatus::Failed, None)?;
            snapshot.settle_duties(draft, Settlement::Withdrawn, |_| true);
            tell_assigner(snapshot, findings, draft);
            Ok(())
        }
        ReportStatus::Blocked => {
            draft_report(snapshot, findings, draft);
            if snapshot.task.status != TaskStatus::Blocked {
                snapshot.steps(draft, TaskStatus::Blocked, None)?;
            }
            snapshot.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
            tell_assigner(snapshot, findings, draft);
            Ok(())
        }
    }
}

fn draft_report(snapshot: &TaskSnapshot, findings: &Findings, draft: &mut Draft) {
    let worker = snapshot.task.assignee.clone().unwrap_or_else(|| snapshot.member.id.clone());
    let skill_candidate = match &findings.skill {
        None => SkillCandidate { found: false, name: None, description: None, reason: None },
        Some((name, description, reason)) => SkillCandidate {
            found: true,
            name: Some(draft.text(name)),
            description: draft.maybe(description.as_ref()),
            reason: draft.maybe(reason.as_ref()),
        },
    };
    let reported = TaskReported {
        worker,
        status: findings.status,
        summary: draft.text(&findings.summary),
        files_modified: findings.files_modified.clone(),
        notes: draft.maybe(findings.notes.as_ref()),
        skill_candidate,
        purpose_gap: draft.maybe(findings.purpose_gap.as_ref()),
    };
    draft.add(snapshot.entity(), reported);
}

/// Reports go up: to who gave the task, unless that one takes no mail.
fn tell_assigner(snapshot: &TaskSnapshot, findings: &Findings, draft: &mut Draft) {
    let in_chain =
        snapshot.team.as_ref().is_some_and(|team| team.formation == crate::team::Formation::Captain);
    let assigner_is_captain = in_chain
        && rules::superior_of(snapshot.team.as_ref(), &snapshot.member.name)
            .is_none_or(|up| rules::is_captain(snapshot.team.as_ref(), up));
    if assigner_is_captain {
        return;
    }
    let subject = draft.plain(&format!("{} ({}): {}", snapshot.title, snapshot.task.id, findings.status));
    let body = Some(draft.text(&findings.summary));
    let letter = Post {
        from: &snapshot.member.id,
        to: vec![snapshot.task.brief.assigner.clone()],
        intent: Intent::Report,
        subject,
        body,
        task: Some(&snapshot.task.id),
        priority: snapshot.task.priority(),
        refs: Vec::new(),
    };
    post(draft, letter);
}

/// Completes a task: report where one is needed, review where one is required, dependents told.
pub(super) fn complete(
    snapshot: &TaskSnapshot,
    findings: Option<&Findings>,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let needs_report = snapshot.team.as_ref().is_some_and(|team| team.rules.report_required);
    if needs_report && findings.is_none() && snapshot.task.reports.is_empty() && !context.human {
        return Err(Refusal::rule(
            "report_required",
            format!("completing {} needs a report", snapshot.task.id),
        )
        .hint(format!("interagent task report {} --status done --summary ...", snapshot.task.id)));
    }
    if let Some(findings) = findings {
        draft_report(snapshot, findings, draft);
        tell_assigner(snapshot, findings, draft);
    }
    let reason = draft.maybe(reason);
    snapshot.steps(draft, TaskStatus::Completed, reason)?;
    snapshot.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
    if snapshot.review_required() && !snapshot.reviewers.is_empty() {
        ask_for_review(snapshot, draft);
    } else {
        snapshot.tell_ready(draft, TaskStatus::Completed);
    }
    Ok(())
}

fn ask_for_review(snapshot: &TaskSnapshot, draft: &mut Draft) {
    let author = snapshot.task.assignee.clone().unwrap_or_else(|| snapshot.member.id.clone());
    let reviewers: Vec<_> = snapshot.reviewers.iter().map(|agent| agent.id.clone()).collect();
    let moved =
        TaskMoved { from: TaskStatus::Completed, to: TaskStatus::UnderReview, reason: None, successor: None };
    draft.add(snapshot.entity(), moved);
    let review = ReviewId::from_bits(draft.bits());
    let title = draft.plain(&snapshot.title);
    draft.add(
        EntityRef::Review(review),
        ReviewOpened {
            author: author.clone(),
            reviewers: reviewers.clone(),
            title: title.clone(),
            task: Some(snapshot.task.id.clone()),
            diff: None,
        },
    );
    let letter = Post {
        from: &author,
        to: reviewers,
        intent: Intent::ReviewRequest,
        subject: title,
        body: None,
        task: Some(&snapshot.task.id),
        priority: snapshot.task.priority(),
        refs: Vec::new(),
    };
    post(draft, letter);
}

/// Passes judgement on completed work.
pub fn judge(
    snapshot: &TaskSnapshot,
    verdict: Verdict,
    note: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    let judged = match &snapshot.assignee {
        Some(worker) if context.human => {
            // A person who speaks for an agent still overrules where that agent may not judge.
            rules::may_judge(snapshot.team.as_ref(), &snapshot.member, worker).unwrap_or(Judged::Overruled)
        }
        Some(worker) => rules::may_judge(snapshot.team.as_ref(), &snapshot.member, worker)?,
        None if verdict == Verdict::Rejected => Judged::ByRule,
        None => {
            return Err(Refusal::conflict("no_work", format!("nobody worked on {} yet", snapshot.task.id)));
        }
    };
    if verdict == Verdict::RevisionNeeded && !done(snapshot.task.status) {
        return Err(Refusal::conflict(
            "not_complete",
            format!("{} is {}: there is nothing to revise yet", snapshot.task.id, snapshot.task.status),
        ));
    }
    if verdict == Verdict::Approved && !done(snapshot.task.status) && !context.human {
        return Err(Refusal::conflict(
            "not_complete",
            format!("{} is {}: its worker has not completed it", snapshot.task.id, snapshot.task.status),
        ));
    }
    let note_hash = draft.maybe(note);
    snapshot.steps(draft, verdict.status(), note_hash.clone())?;
    let review = snapshot.open_review.clone();
    draft.add(
        snapshot.entity(),
        TaskJudged {
            verdict,
            by: snapshot.member.id.clone(),
            note: note_hash.clone(),
            review: review.clone(),
            overruled: judged == Judged::Overruled,
        },
    );
    if let Some(review) = review {
        let judged = ReviewJudged { verdict, by: snapshot.member.id.clone(), note: note_hash.clone() };
        draft.add(EntityRef::Review(review), judged);
    }
    snapshot.settle_duties(draft, Settlement::Judged, |duty| duty == Duty::Verdict);
    tell_worker(snapshot, verdict, note_hash, draft);
    snapshot.tell_ready(draft, verdict.status());
    Ok(())
}

fn done(status: TaskStatus) -> bool {
    matches!(status, TaskStatus::Completed | TaskStatus::UnderReview)
}

fn tell_worker(
    snapshot: &TaskSnapshot,
    verdict: Verdict,
    note: Option<crate::text::TextHash>,
    draft: &mut Draft,
) {
    let Some(worker) = &snapshot.task.assignee else { return };
    let subject = draft.plain(&format!("{verdict}: {} ({})", snapshot.title, snapshot.task.id));
    let letter = Post {
        from: &snapshot.member.id,
        to: vec![worker.clone()],
        intent: if verdict == Verdict::RevisionNeeded { Intent::Delegation } else { Intent::ContextShare },
        subject,
        body: note,
        task: Some(&snapshot.task.id),
        priority: if verdict == Verdict::Approved { Priority::Low } else { snapshot.task.priority() },
        refs: Vec::new(),
    };
    post(draft, letter);
}
