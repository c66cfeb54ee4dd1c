//! A task's end: reports, completion, verdicts.

use super::moves::{ensure_worker, must_be_ready, note_reason};
use super::notify::News;
use super::{OpenParts, TaskSnapshot};
use crate::decide::review::{Approval, draft_submitted, draft_verdict, to_review};
use crate::decide::{Post, draft_move, post};
use crate::draft::{Context, Draft};
use crate::entity;
use crate::event::{
    ChangedFile, CommitInfo, ReviewOpened, ReviewRound, SkillCandidate, TaskJudged, TaskReported, TodoScan,
    Verification,
};
use crate::ids::{AgentId, EntityRef, ReviewId};
use crate::line::quoted_line;
use crate::phrasing::{Dialect, Step};
use crate::refusal::Refusal;
use crate::rules::Judged;
use crate::text::{TextHash, Words};
use crate::vocabulary::{BuildResult, Duty, Intent, ReportStatus, Settlement, TaskStatus, Verdict};

/// Characters of a purpose or criterion in a refusal.
const PURPOSE_CHARS: usize = 160;

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
    /// How the result compares with the purpose, where the worker looked.
    pub purpose: Option<Purpose>,
    /// What else is known of the work.
    pub details: Details,
    /// What to do about parts that are not done.
    pub open_parts: OpenParts,
}

/// How a result compares with its purpose.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// It serves it.
    Met,
    /// It misses it, so.
    Gap(Words),
}

/// What a report may say besides: which files and how, how it was tried, what is left, where it is in git.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// Which files, and how each was changed.
    pub changed_files: Vec<ChangedFile>,
    /// How the build ended, by which command, and what stood on the console.
    pub verification: Option<(BuildResult, Option<Words>, Option<Words>)>,
    /// How many marks of work to do there are, and the new ones.
    pub todo_scan: Option<(u32, Vec<Words>)>,
    /// Where the result is in git.
    pub commit_info: Option<CommitInfo>,
}

/// Reports on a task and moves it where the report says.
pub fn report(
    snapshot: &TaskSnapshot,
    findings: &Findings,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    match snapshot.task.assignee {
        Some(_) => snapshot.must_be_worker(context, "report on")?,
        None => ensure_worker(snapshot, context, draft)?,
    }
    must_compare(snapshot, findings, context)?;
    match findings.status {
        ReportStatus::Done => match snapshot.task.status {
            TaskStatus::Completed | TaskStatus::UnderReview => {
                draft_report(snapshot, findings, draft);
                if says_something_new(snapshot, findings) {
                    tell_above(snapshot, findings, context, draft);
                }
                Ok(())
            }
            _ => {
                let ending = Ending { review: Review::IfRequired, open_parts: findings.open_parts };
                complete(snapshot, Some(findings), None, ending, context, draft)
            }
        },
        ReportStatus::Failed => {
            draft_report(snapshot, findings, draft);
            snapshot.steps(draft, TaskStatus::Failed, None)?;
            snapshot.settle_duties(draft, Settlement::Withdrawn, |_| true);
            tell_above(snapshot, findings, context, draft);
            snapshot.tell_dependents(draft, TaskStatus::Failed);
            Ok(())
        }
        ReportStatus::Blocked => {
            draft_report(snapshot, findings, draft);
            if snapshot.task.status != TaskStatus::Blocked {
                snapshot.steps(draft, TaskStatus::Blocked, None)?;
            }
            snapshot.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
            let body = Some(draft.text(&findings.summary));
            snapshot.notify_blocked(body, context, draft);
            Ok(())
        }
    }
}

/// Whether a further report on finished work tells more than the one before.
fn says_something_new(snapshot: &TaskSnapshot, findings: &Findings) -> bool {
    let skill = findings.skill.as_ref().map(|(name, ..)| name.as_str());
    snapshot.reported.as_ref().is_none_or(|before| {
        before.status != findings.status
            || before.summary != findings.summary.as_str()
            || (skill.is_some() && before.skill.as_deref() != skill)
    })
}

/// In a chain of command nobody calls work done without a look at what it was for.
fn must_compare(snapshot: &TaskSnapshot, findings: &Findings, context: &Context) -> Result<(), Refusal> {
    let Some(served) = &snapshot.serves else { return Ok(()) };
    let is_asked = snapshot.in_chain() && findings.status == ReportStatus::Done && !context.human;
    if !is_asked || findings.purpose.is_some() {
        return Ok(());
    }
    let mut sentence = format!(
        "the report does not say whether the result serves its purpose: {} ({})",
        quoted_line(&served.purpose, PURPOSE_CHARS),
        served.order
    );
    if !served.acceptance_criteria.is_empty() {
        let criteria = served.acceptance_criteria.iter().map(|one| quoted_line(one, PURPOSE_CHARS));
        sentence.push_str(&format!("; it is done when: {}", criteria.collect::<Vec<_>>().join(", ")));
    }
    Err(Refusal::rule("purpose_unchecked", sentence)
        .hint("compare, then say --purpose-met or --purpose-gap TEXT; in YAML, purpose_gap: null or a text"))
}

/// The command for the report that this team requires.
fn report_step(snapshot: &TaskSnapshot) -> String {
    Dialect::Shell.say(&Step::report_task(snapshot.task.id.as_str(), snapshot.team.as_ref()))
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
    let details = &findings.details;
    let reported = TaskReported {
        worker,
        status: findings.status,
        summary: draft.text(&findings.summary),
        files_modified: findings.files_modified.clone(),
        notes: draft.maybe(findings.notes.as_ref()),
        skill_candidate,
        purpose_gap: match &findings.purpose {
            Some(Purpose::Gap(gap)) => Some(draft.text(gap)),
            Some(Purpose::Met) | None => None,
        },
        purpose_met: matches!(findings.purpose, Some(Purpose::Met)),
        changed_files: details.changed_files.clone(),
        verification: details.verification.as_ref().map(|(build_result, command, console)| Verification {
            build_result: *build_result,
            build_command: draft.maybe(command.as_ref()),
            error_console: draft.maybe(console.as_ref()),
        }),
        todo_scan: details
            .todo_scan
            .as_ref()
            .map(|(count, new)| TodoScan { count: *count, new_todos: draft.each(new) }),
        commit_info: details.commit_info.clone(),
    };
    draft.add(snapshot.entity(), reported);
}

/// Reports go up: to the superior where there is a chain, otherwise to the assigner.
fn tell_above(snapshot: &TaskSnapshot, findings: &Findings, context: &Context, draft: &mut Draft) {
    let body = Some(draft.text(&findings.summary));
    let news = News { intent: Intent::Report, what: findings.status.as_str(), body };
    snapshot.notify_above(&news, context, draft);
}

/// Whether a completed task goes on to a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Review {
    /// Where the team's rules say so and there is somebody to ask.
    IfRequired,
    /// The worker asks for one.
    Wanted,
}

/// How a task is completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) review: Review,
    pub(super) open_parts: OpenParts,
}

/// Completes a task: report where one is needed, verdict asked for, dependents told.
pub(super) fn complete(
    snapshot: &TaskSnapshot,
    findings: Option<&Findings>,
    reason: Option<&Words>,
    ending: Ending,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    must_be_ready(snapshot, context)?;
    // An earlier report does not count: it told of work that was sent back, or was stuck.
    let needs_report = snapshot.team.as_ref().is_some_and(|team| team.rules.report_required);
    if needs_report && findings.is_none() && !context.human {
        return Err(Refusal::rule(
            "report_required",
            format!("completing {} needs a report", snapshot.task.id),
        )
        .hint(report_step(snapshot)));
    }
    snapshot.must_have_done_parts(ending.open_parts, draft)?;
    let said = findings.map(|findings| draft.text(&findings.summary));
    if let Some(findings) = findings {
        draft_report(snapshot, findings, draft);
    }
    let reason = note_reason(snapshot, reason, draft);
    let said = said.or_else(|| reason.clone());
    snapshot.steps(draft, TaskStatus::Completed, reason)?;
    snapshot.settle_progress(draft);
    let required = snapshot.review_required() && !snapshot.reviewers.is_empty();
    if snapshot.review_required() && snapshot.reviewers.is_empty() && !context.human {
        draft.remark(format!("only the operator may judge {}; a verdict was requested", snapshot.task.id));
    }
    let word = findings.map_or(TaskStatus::Completed.as_str(), |findings| findings.status.as_str());
    if required || ending.review == Review::Wanted {
        ask_for_review(snapshot, None, said.clone(), context, draft);
        snapshot.notify_assigner(word, said, context, draft);
    } else {
        snapshot.notify_completed(word, said, context, draft);
        snapshot.tell_dependents(draft, TaskStatus::Completed);
    }
    Ok(())
}

/// Moves a completed task on to its review and asks the reviewers, where there are any. `said` is what the worker says of
/// the result.
pub(super) fn ask_for_review(
    snapshot: &TaskSnapshot,
    reason: Option<TextHash>,
    said: Option<TextHash>,
    context: &Context,
    draft: &mut Draft,
) {
    let step = (TaskStatus::Completed, TaskStatus::UnderReview);
    draft_move(draft, &snapshot.task.id, snapshot.task.assignee.as_ref(), step, reason, None);
    if snapshot.reviewers.is_empty() {
        snapshot.request_verdict(said, context, draft);
        return;
    }
    let author = snapshot.task.assignee.clone().unwrap_or_else(|| snapshot.member.id.clone());
    let title = draft.plain(&snapshot.title);
    let has_reviewers = |review: &&entity::Review| {
        snapshot.reviewers.iter().all(|reviewer| review.brief.reviewers.contains(&reviewer.id))
    };
    let reference = match snapshot.unfinished_review.as_ref().filter(has_reviewers) {
        Some(review) => {
            go_on(snapshot, review, &author, draft);
            to_review(&review.id, review.diff().cloned())
        }
        None => to_review(&open_review(snapshot, &author, title.clone(), draft), None),
    };
    // Those who were asked when it was completed owe the verdict already.
    let mut to = snapshot.mailable(&snapshot.reviewers);
    to.retain(|reviewer| !snapshot.owes(reviewer, Duty::Verdict));
    let letter = Post::new(&author, to, Intent::ReviewRequest, title, said)
        .about(&snapshot.task.id, snapshot.task.priority())
        .pointing_at(vec![reference]);
    post(draft, letter);
}

/// Adds a round to a review that was sent back, with the change as it was last shown. An open review stays as it is.
fn go_on(snapshot: &TaskSnapshot, review: &entity::Review, author: &AgentId, draft: &mut Draft) {
    let (Some(_), Some(last)) = (&review.end, review.rounds.last()) else { return };
    let round = ReviewRound {
        round: review.round().saturating_add(1),
        by: author.clone(),
        since_base: None,
        since_head: None,
        ..last.change.clone()
    };
    draft_submitted(draft, &snapshot.task.id, &review.id, round.round);
    draft.add(EntityRef::Review(review.id.clone()), round);
}

fn open_review(snapshot: &TaskSnapshot, author: &AgentId, title: TextHash, draft: &mut Draft) -> ReviewId {
    let id = ReviewId::from_bits(draft.bits());
    let opened = ReviewOpened {
        author: author.clone(),
        reviewers: snapshot.reviewers.iter().map(|agent| agent.id.clone()).collect(),
        title,
        task: Some(snapshot.task.id.clone()),
        diff: None,
        aliases: Vec::new(),
    };
    draft.add(EntityRef::Review(id.clone()), opened);
    draft_submitted(draft, &snapshot.task.id, &id, 1);
    id
}

/// Whether a new round can be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgeable {
    /// Its reviewers are asked.
    Now,
    /// The worker reports first, which asks them.
    AfterReport,
}

/// Moves a task that was sent back on to its review again: its worker added a round. Where a report is required, the worker
/// still has to write it, and only that moves the task.
pub fn back_to_review(
    snapshot: &TaskSnapshot,
    context: &Context,
    draft: &mut Draft,
) -> Result<Judgeable, Refusal> {
    let is_at_work = matches!(snapshot.task.status, TaskStatus::RevisionNeeded | TaskStatus::InProgress);
    if !is_at_work || !(snapshot.is_worker() || context.human) {
        return Ok(Judgeable::Now);
    }
    if snapshot.team.as_ref().is_some_and(|team| team.rules.report_required) {
        let (id, step) = (&snapshot.task.id, report_step(snapshot));
        draft.remark(format!("{id} needs a report before its verdict: {step}"));
        return Ok(Judgeable::AfterReport);
    }
    snapshot.steps(draft, TaskStatus::UnderReview, None)?;
    snapshot.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
    Ok(Judgeable::Now)
}

/// Passes judgement on completed work.
pub fn judge(
    snapshot: &TaskSnapshot,
    verdict: Verdict,
    note: Option<&Words>,
    open_parts: OpenParts,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    let judged = match &snapshot.assignee {
        Some(worker) if context.human => {
            // A person who speaks for an agent still overrules where that agent may not judge.
            snapshot.may_judge(worker).unwrap_or(Judged::Overruled)
        }
        Some(worker) => snapshot.may_judge(worker)?,
        None if verdict == Verdict::Rejected => {
            snapshot.must_direct(context, "reject")?;
            Judged::ByRule
        }
        None => {
            return Err(Refusal::conflict("no_work", format!("nobody worked on {} yet", snapshot.task.id)));
        }
    };
    if verdict == Verdict::RevisionNeeded && !snapshot.task.status.awaits_verdict() {
        return Err(Refusal::conflict(
            "not_complete",
            format!("{} is {}: there is nothing to revise yet", snapshot.task.id, snapshot.task.status),
        ));
    }
    if verdict == Verdict::Approved && !snapshot.task.status.awaits_verdict() && !context.human {
        return Err(Refusal::conflict(
            "not_complete",
            format!("{} is {}: its worker has not completed it", snapshot.task.id, snapshot.task.status),
        ));
    }
    if verdict == Verdict::Approved {
        snapshot.must_have_done_parts(open_parts, draft)?;
    }
    let note_hash = draft.maybe(note);
    snapshot.judged_steps(draft, verdict.status(), note_hash.clone())?;
    let review = snapshot.open_reviews.first().map(|review| review.id.clone());
    draft.add(
        snapshot.entity(),
        TaskJudged {
            verdict,
            by: snapshot.member.id.clone(),
            note: note_hash.clone(),
            review,
            overruled: judged == Judged::Overruled,
            judges: snapshot.task.submitted.clone(),
        },
    );
    for review in &snapshot.open_reviews {
        draft_verdict(review, verdict, &snapshot.member.id, note_hash.as_ref(), draft);
        if verdict == Verdict::Approved {
            snapshot.approval_of(review, note_hash.as_ref()).tell_overtaken(draft);
        }
    }
    snapshot.settle_duties(draft, Settlement::Judged, |duty| duty == Duty::Verdict);
    if verdict.status().is_closed() {
        let is_moot = |duty| matches!(duty, Duty::Start | Duty::Accept | Duty::Unblock);
        snapshot.settle_duties(draft, Settlement::Withdrawn, is_moot);
    }
    snapshot.notify_verdict(verdict, note_hash.as_ref(), context, draft);
    snapshot.tell_dependents(draft, verdict.status());
    Ok(())
}

impl TaskSnapshot {
    fn approval_of<'a>(&'a self, review: &'a entity::Review, note: Option<&'a TextHash>) -> Approval<'a> {
        let (title, member, team) = (self.title.as_str(), &self.member, self.team.as_ref());
        Approval { review, title, member, team, participants: &self.judges, note }
    }
}
