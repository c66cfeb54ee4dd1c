//! A task's way: claiming, moving, noting, waiting.

use std::collections::BTreeSet;

use super::notify::News;
use super::outcome::{Ending, Findings, Review, ask_for_review, complete, judge};
use super::{OpenParts, TaskSnapshot, may_be_waited_for};
use crate::decide::draft_move;
use crate::draft::{Context, Draft};
use crate::entity::Task;
use crate::entity::task::HeldBack;
use crate::event::{TaskAssigned, TaskDependency, TaskEdited, TaskNoted};
use crate::ids::TaskId;
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::{TextHash, Words};
use crate::vocabulary::{Duty, Intent, Priority, Settlement, TaskStatus, Verdict};

/// Takes a task. Compare and set: the first wins; the same agent may say it again.
pub fn claim(snapshot: &TaskSnapshot, context: &Context, draft: &mut Draft) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    if snapshot.is_worker() {
        draft.is_so_already(format!("{} is yours already", snapshot.task.id));
        return Ok(());
    }
    if let Some(holder) = &snapshot.assignee {
        return Err(Refusal::conflict(
            "taken",
            format!("{} has {}", snapshot.called(holder), snapshot.task.id),
        )
        .hint("interagent task next finds another"));
    }
    may_take(snapshot, context)?;
    let assigned = TaskAssigned {
        assignee: snapshot.member.id.clone(),
        before: snapshot.task.assignee.clone(),
        claimed: true,
    };
    draft.add(snapshot.entity(), assigned);
    if snapshot.task.status == TaskStatus::Pending {
        let step = (TaskStatus::Pending, TaskStatus::Assigned);
        draft_move(draft, &snapshot.task.id, None, step, None, None);
    }
    Ok(())
}

/// In a chain of command work is given, not taken; elsewhere what is ready may be taken.
fn may_take(snapshot: &TaskSnapshot, context: &Context) -> Result<(), Refusal> {
    if snapshot.in_chain() && !context.human {
        let lead = rules::superior_of(snapshot.team.as_ref(), &snapshot.member.name);
        return Err(Refusal::rule("F003", "in this team work is assigned, not taken").hint(match lead {
            Some(lead) => format!("ask {lead} to assign it"),
            None => "the operator assigns it".to_owned(),
        }));
    }
    must_be_ready(snapshot, context)
}

/// What waits for others is not begun before them, unless a person says so. Work that is under way goes on.
pub(super) fn must_be_ready(snapshot: &TaskSnapshot, context: &Context) -> Result<(), Refusal> {
    let begun =
        !matches!(snapshot.task.status, TaskStatus::Pending | TaskStatus::Assigned | TaskStatus::Blocked);
    if begun || context.human {
        return Ok(());
    }
    let id = &snapshot.task.id;
    match snapshot.task.held_back_by(&snapshot.waits_for, snapshot.review_required()) {
        None => Ok(()),
        Some(HeldBack::By(on)) => {
            let sentence = format!("{id} waits for {}, which is {}", on.id, on.status);
            Err(Refusal::conflict("not_ready", sentence)
                .hint(format!("interagent task depend {id} {} --remove goes on without it", on.id)))
        }
        Some(HeldBack::NotArrived) => {
            let sentence = format!("{id} waits for a task that has not arrived here yet");
            Err(Refusal::conflict("not_ready", sentence).hint("interagent task next finds one that is ready"))
        }
    }
}

/// Moves a task to a status; the skipped steps are recorded too.
pub fn move_to(
    snapshot: &TaskSnapshot,
    to: TaskStatus,
    reason: Option<&Words>,
    open_parts: OpenParts,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let from = snapshot.task.status;
    if from == to {
        draft.is_so_already(format!("{} is {to} already", snapshot.task.id));
        return Ok(());
    }
    match to {
        TaskStatus::Approved | TaskStatus::RevisionNeeded | TaskStatus::Rejected => {
            let verdict = match to {
                TaskStatus::Approved => Verdict::Approved,
                TaskStatus::RevisionNeeded => Verdict::RevisionNeeded,
                _ => Verdict::Rejected,
            };
            judge(snapshot, verdict, reason, open_parts, context, draft)
        }
        TaskStatus::Completed | TaskStatus::UnderReview => {
            snapshot.must_be_open()?;
            let review = if to == TaskStatus::UnderReview { Review::Wanted } else { Review::IfRequired };
            if review == Review::Wanted && from == TaskStatus::Completed {
                return to_review(snapshot, reason, context, draft);
            }
            // A move that does not exist is refused as such, not for want of a report.
            from.path_to(to).ok_or_else(|| snapshot.no_way(to))?;
            ensure_worker(snapshot, context, draft)?;
            let ending = Ending { review, open_parts };
            complete(snapshot, None::<&Findings>, reason, ending, context, draft)
        }
        TaskStatus::InProgress | TaskStatus::Blocked => {
            snapshot.must_be_open()?;
            ensure_worker(snapshot, context, draft)?;
            if to == TaskStatus::InProgress {
                must_be_ready(snapshot, context)?;
            }
            let reason = note_reason(snapshot, reason, draft);
            snapshot.steps(draft, to, reason.clone())?;
            if to == TaskStatus::Blocked {
                snapshot.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
                snapshot.notify_blocked(reason, context, draft);
            } else {
                snapshot.settle_progress(draft);
                // A blocked worker has ended its turn and waits.
                if from == TaskStatus::Blocked && !snapshot.is_worker() {
                    snapshot.tell_worker(draft, "unblocked", reason);
                }
            }
            Ok(())
        }
        TaskStatus::Failed => {
            snapshot.must_be_open()?;
            snapshot.must_be_worker(context, "fail")?;
            close(snapshot, to, reason, context, draft)
        }
        TaskStatus::Cancelled => {
            snapshot.must_be_open()?;
            may_cancel(snapshot, context)?;
            close(snapshot, to, reason, context, draft)
        }
        TaskStatus::Pending | TaskStatus::Assigned => Err(snapshot.no_way(to)),
        TaskStatus::Reassigned => Err(Refusal::usage("use_reassign", "reassigning needs to know to whom")
            .hint(format!("interagent task reassign {} --to NAME", snapshot.task.id))),
    }
}

/// Takes completed work under review: its worker asks the reviewers for one, a member that may judge it begins one.
fn to_review(
    snapshot: &TaskSnapshot,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let may_judge = snapshot.may_judge(snapshot.worker()).is_ok();
    let begins = may_judge && !snapshot.is_worker();
    if !begins {
        snapshot.must_be_worker(context, "move")?;
    }
    let reason = note_reason(snapshot, reason, draft);
    if begins {
        snapshot.steps(draft, TaskStatus::UnderReview, reason)
    } else {
        ask_for_review(snapshot, reason.clone(), reason, context, draft);
        Ok(())
    }
}

/// Who may direct or judge the work may withdraw it. Its worker says that it failed instead.
fn may_cancel(snapshot: &TaskSnapshot, context: &Context) -> Result<(), Refusal> {
    let judges = snapshot.assignee.as_ref().is_some_and(|worker| snapshot.may_judge(worker).is_ok());
    if judges {
        return Ok(());
    }
    snapshot.must_direct(context, "cancel").map_err(|refusal| match snapshot.is_worker() {
        true => refusal.hint(format!(
            "interagent task update {} --status failed --note WHY says that you can't do it",
            snapshot.task.id
        )),
        false => refusal,
    })
}

/// A task that is nobody's becomes the mover's, so that the documented `create`, then `--status completed`, works.
pub(super) fn ensure_worker(
    snapshot: &TaskSnapshot,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if snapshot.task.assignee.is_some() {
        return snapshot.must_be_worker(context, "move");
    }
    may_take(snapshot, context)?;
    let assigned = TaskAssigned { assignee: snapshot.member.id.clone(), before: None, claimed: true };
    draft.add(snapshot.entity(), assigned);
    Ok(())
}

/// The reason of a move is also a note: who reads the task must not have to read the log.
pub(super) fn note_reason(
    snapshot: &TaskSnapshot,
    reason: Option<&Words>,
    draft: &mut Draft,
) -> Option<TextHash> {
    let note = draft.text(reason?);
    draft.add(snapshot.entity(), TaskNoted { note: note.clone() });
    Some(note)
}

fn close(
    snapshot: &TaskSnapshot,
    to: TaskStatus,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let reason = note_reason(snapshot, reason, draft);
    end(snapshot, to, reason.clone(), draft)?;
    let news = News { intent: Intent::Report, what: to.as_str(), body: reason };
    snapshot.notify_above(&news, context, draft);
    Ok(())
}

/// Closes a task: what is owed about it is withdrawn, and everybody who has to know is told.
pub(super) fn end(
    snapshot: &TaskSnapshot,
    to: TaskStatus,
    reason: Option<TextHash>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.steps(draft, to, reason.clone())?;
    snapshot.settle_duties(draft, Settlement::Withdrawn, |_| true);
    // Nothing else would make the worker stop.
    snapshot.tell_worker(draft, to.as_str(), reason);
    snapshot.tell_dependents(draft, to);
    Ok(())
}

/// Adds a time-stamped note. A note by somebody else on open work reaches its worker, without starting a turn.
pub fn note(snapshot: &TaskSnapshot, words: &Words, draft: &mut Draft) {
    let note = draft.text(words);
    draft.add(snapshot.entity(), TaskNoted { note: note.clone() });
    if !snapshot.task.status.is_closed() {
        snapshot.tell_noted(note, draft);
    }
}

/// Changes title, description, priority or branch.
pub fn edit(
    snapshot: &TaskSnapshot,
    title: Option<&Words>,
    description: Option<&Words>,
    priority: Option<Priority>,
    branch: Option<String>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    // Where the work is done is the worker's to say; what it is, is not.
    let only_where = title.is_none() && description.is_none() && priority.is_none();
    if !(only_where && snapshot.is_worker()) {
        snapshot.must_direct(context, "edit")?;
    }
    let edited = TaskEdited {
        title: draft.maybe(title),
        description: draft.maybe(description),
        priority: priority.filter(|p| *p != snapshot.task.priority()),
        branch: branch.filter(|branch| Some(branch) != snapshot.task.brief.branch.as_ref()),
    };
    let nothing = TaskEdited { title: None, description: None, priority: None, branch: None };
    if edited != nothing {
        draft.add(snapshot.entity(), edited);
    }
    Ok(())
}

/// Makes a task wait for another, or no longer.
///
/// `reach` is everything `on` waits for, directly or not; `above` are the tasks that this one is a part of.
pub fn depend(
    snapshot: &TaskSnapshot,
    on: &Task,
    remove: bool,
    (reach, above): (&BTreeSet<TaskId>, &BTreeSet<TaskId>),
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    snapshot.must_have_say(context, "change what holds back")?;
    let id = &snapshot.task.id;
    if snapshot.task.depends_on.contains(&on.id) != remove {
        draft.is_so_already(match remove {
            true => format!("{id} does not wait for {}", on.id),
            false => format!("{id} waits for {} already", on.id),
        });
        return Ok(());
    }
    if !remove {
        if &on.id == id {
            return Err(Refusal::conflict("cycle", format!("{id} can't wait for itself")));
        }
        if reach.contains(id) {
            return Err(Refusal::conflict(
                "cycle",
                format!("{} waits for {id} already: that would be a circle", on.id),
            )
            .hint(format!("interagent task show {} shows what it waits for", on.id)));
        }
        must_not_wait_for_whole(on, reach, above)?;
        may_be_waited_for(on)?;
        if reach.len() >= limits::CYCLE_WALK_TASKS || snapshot.task.depends_on.len() >= limits::DEPENDENCIES {
            return Err(Refusal::usage("too_many_dependencies", "the task would wait for too many others"));
        }
    }
    draft.add(snapshot.entity(), TaskDependency { on: on.id.clone(), removed: remove });
    if remove {
        snapshot.tell_freed(on, draft);
    }
    Ok(())
}

/// Refuses that a part waits for a task it belongs to: that one is done only when its parts are, so neither could start.
pub fn must_not_wait_for_whole(
    on: &Task,
    reach: &BTreeSet<TaskId>,
    above: &BTreeSet<TaskId>,
) -> Result<(), Refusal> {
    let whole = match above.contains(&on.id) {
        true => &on.id,
        false => match above.intersection(reach).next() {
            Some(whole) => whole,
            None => return Ok(()),
        },
    };
    let sentence = match *whole == on.id {
        true => format!("a part of {whole} can't wait for {whole}: {whole} is done only when its parts are"),
        false => format!(
            "{} waits for {whole}, which is done only when its parts are: a part of it can't wait for that",
            on.id
        ),
    };
    Err(Refusal::conflict("cycle", sentence)
        .hint(format!("interagent task show {whole} shows its parts; let the part wait for one of them")))
}
