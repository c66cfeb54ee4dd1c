//! A task's way: claiming, moving, noting, waiting.

use std::collections::BTreeSet;

use super::TaskSnapshot;
use super::outcome::{Findings, complete, judge};
use crate::draft::{Context, Draft};
use crate::event::{TaskAssigned, TaskDependency, TaskEdited, TaskMoved, TaskNoted};
use crate::ids::TaskId;
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::Words;
use crate::vocabulary::{Duty, Priority, Settlement, TaskStatus, Verdict};

/// Takes a task. Compare and set: the first wins; the same agent may say it again.
pub fn claim(snapshot: &TaskSnapshot, context: &Context, draft: &mut Draft) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    if snapshot.is_worker() {
        return Ok(());
    }
    if let Some(holder) = &snapshot.assignee {
        return Err(Refusal::conflict("taken", format!("{} has {}", holder.name, snapshot.task.id))
            .hint("interagent task next finds another"));
    }
    let waiting = snapshot.waits_for.iter().find(|on| !on.frees_dependents(snapshot.review_required()));
    if let Some(on) = waiting {
        return Err(Refusal::conflict(
            "not_ready",
            format!("{} waits for {}, which is {}", snapshot.task.id, on.id, on.status),
        )
        .hint("interagent task next finds one that is ready"));
    }
    if snapshot.team.as_ref().is_some_and(|team| team.formation == crate::team::Formation::Captain)
        && !context.human
    {
        return Err(Refusal::rule("F003", "in this team work is assigned, not taken").hint(
            match rules::superior_of(snapshot.team.as_ref(), &snapshot.member.name) {
                Some(lead) => format!("ask {lead} to assign it"),
                None => "the operator assigns it".to_owned(),
            },
        ));
    }
    let assigned = TaskAssigned {
        assignee: snapshot.member.id.clone(),
        before: snapshot.task.assignee.clone(),
        claimed: true,
    };
    draft.add(snapshot.entity(), assigned);
    if snapshot.task.status == TaskStatus::Pending {
        let moved =
            TaskMoved { from: TaskStatus::Pending, to: TaskStatus::Assigned, reason: None, successor: None };
        draft.add(snapshot.entity(), moved);
    }
    Ok(())
}

/// Moves a task to a status; the skipped steps are recorded too.
pub fn move_to(
    snapshot: &TaskSnapshot,
    to: TaskStatus,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let from = snapshot.task.status;
    if from == to {
        return Ok(());
    }
    match to {
        TaskStatus::Approved | TaskStatus::RevisionNeeded | TaskStatus::Rejected => {
            let verdict = match to {
                TaskStatus::Approved => Verdict::Approved,
                TaskStatus::RevisionNeeded => Verdict::RevisionNeeded,
                _ => Verdict::Rejected,
            };
            judge(snapshot, verdict, reason, context, draft)
        }
        TaskStatus::Completed => {
            snapshot.must_be_open()?;
            ensure_worker(snapshot, context, draft)?;
            complete(snapshot, None::<&Findings>, reason, context, draft)
        }
        TaskStatus::InProgress | TaskStatus::Blocked => {
            snapshot.must_be_open()?;
            ensure_worker(snapshot, context, draft)?;
            let reason = draft.maybe(reason);
            snapshot.steps(draft, to, reason)?;
            snapshot.settle_duties(draft, Settlement::Started, |duty| matches!(duty, Duty::Start));
            Ok(())
        }
        TaskStatus::Failed => {
            snapshot.must_be_open()?;
            snapshot.must_be_worker(context, "fail")?;
            close(snapshot, to, reason, draft)
        }
        TaskStatus::Cancelled => {
            snapshot.must_be_open()?;
            let giver = snapshot.task.brief.assigner == snapshot.member.id;
            if !giver && !context.human {
                match &snapshot.assignee {
                    Some(worker) => {
                        rules::may_judge(snapshot.team.as_ref(), &snapshot.member, worker)?;
                    }
                    None => {
                        return Err(Refusal::rule(
                            "not_yours",
                            format!("who created {} may cancel it", snapshot.task.id),
                        ));
                    }
                }
            }
            close(snapshot, to, reason, draft)
        }
        TaskStatus::UnderReview => {
            snapshot.must_be_open()?;
            ensure_worker(snapshot, context, draft)?;
            let reason = draft.maybe(reason);
            snapshot.steps(draft, to, reason)
        }
        TaskStatus::Pending | TaskStatus::Assigned => Err(snapshot.no_way(to)),
        TaskStatus::Reassigned => Err(Refusal::usage("use_reassign", "reassigning needs to know to whom")
            .hint(format!("interagent task reassign {} --to NAME", snapshot.task.id))),
    }
}

/// A task that is nobody's becomes the mover's, so that the documented `create`, then `--status completed`, works.
fn ensure_worker(snapshot: &TaskSnapshot, context: &Context, draft: &mut Draft) -> Result<(), Refusal> {
    if snapshot.assignee.is_some() {
        return snapshot.must_be_worker(context, "move");
    }
    let assigned = TaskAssigned { assignee: snapshot.member.id.clone(), before: None, claimed: true };
    draft.add(snapshot.entity(), assigned);
    Ok(())
}

fn close(
    snapshot: &TaskSnapshot,
    to: TaskStatus,
    reason: Option<&Words>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let reason = draft.maybe(reason);
    snapshot.steps(draft, to, reason)?;
    snapshot.settle_duties(draft, Settlement::Withdrawn, |_| true);
    Ok(())
}

/// Adds a time-stamped note.
pub fn note(snapshot: &TaskSnapshot, words: &Words, draft: &mut Draft) {
    let note = draft.text(words);
    draft.add(snapshot.entity(), TaskNoted { note });
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
    let giver = snapshot.task.brief.assigner == snapshot.member.id;
    if !giver {
        snapshot.must_be_worker(context, "edit")?;
    }
    let edited = TaskEdited {
        title: draft.maybe(title),
        description: draft.maybe(description),
        priority: priority.filter(|p| *p != snapshot.task.priority()),
        branch,
    };
    draft.add(snapshot.entity(), edited);
    Ok(())
}

/// Makes a task wait for another, or no longer.
///
/// `reach` is everything `on` waits for, directly or not.
pub fn depend(
    snapshot: &TaskSnapshot,
    on: &TaskId,
    remove: bool,
    reach: &BTreeSet<TaskId>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    let has = snapshot.task.depends_on.contains(on);
    if has != remove {
        return Ok(());
    }
    if !remove {
        if on == &snapshot.task.id || reach.contains(&snapshot.task.id) {
            return Err(Refusal::conflict(
                "cycle",
                format!("{on} waits for {} already: that would be a circle", snapshot.task.id),
            )
            .hint(format!("interagent task show {on} shows what it waits for")));
        }
        if reach.len() >= limits::CYCLE_WALK_TASKS || snapshot.task.depends_on.len() >= limits::DEPENDENCIES {
            return Err(Refusal::usage("too_many_dependencies", "the task would wait for too many others"));
        }
    }
    draft.add(snapshot.entity(), TaskDependency { on: on.clone(), removed: remove });
    Ok(())
}
