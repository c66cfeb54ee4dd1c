//! The most urgent task that is ready for somebody.

use std::cell::Cell;
use std::cmp::Reverse;

use interagent_core::decide::task as decide;
use interagent_core::entity::{Agent, Task};
use interagent_core::ids::TaskId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::team::{Formation, TeamConfig};
use interagent_core::vocabulary::TaskStatus;
use interagent_store::reader::Reader;
use interagent_wire::answer::NextTaskView;
use interagent_wire::{Answer, request as ask};

use super::is_declined;
use super::snapshot::{self, Depth};
use super::views::{Sight, task_of};
use crate::call::Call;

/// Finds the most urgent task that is ready for the caller, and takes it.
pub(crate) fn next(call: &mut Call<'_>, params: &ask::TaskNext) -> Result<Answer, Refusal> {
    if params.peek {
        return call.read(|reader, known| {
            let identity = known.clone().bound()?;
            let team = reader.team()?.map(|team| team.config);
            let found = pick(reader, team.as_ref(), identity.member())?;
            answer(reader, found.map(|task| task.id), false)
        });
    }
    let chosen = Cell::new(None);
    call.write(
        |scene| {
            let (team, member) = (scene.team.clone(), scene.member.clone());
            let found = pick(&mut scene.look(), team.as_ref(), &member)?;
            let mut draft = scene.draft();
            if let Some(task) = found {
                chosen.set(Some(task.id.clone()));
                if task.assignee.is_none() {
                    let snapshot = snapshot::of(scene, task, Depth::Task)?;
                    decide::claim(&snapshot, scene.context, &mut draft)?;
                }
            }
            Ok(draft)
        },
        |reader, appended| match appended.entry() {
            Some(entry) => answer(reader, task_of(entry), true),
            None => answer(reader, chosen.take(), false),
        },
    )
}

fn answer(reader: &mut Reader<'_>, id: Option<TaskId>, claimed: bool) -> Result<Answer, Refusal> {
    let task = match id {
        Some(id) => reader.task(&id)?,
        None => None,
    };
    let task = task.map(|task| Sight::new(reader)?.view(&task)).transpose()?;
    Ok(NextTaskView { task, claimed }.into())
}

/// What is the member's own comes first; what is nobody's may be taken where work is not assigned by a superior.
fn pick(reader: &mut Reader<'_>, team: Option<&TeamConfig>, member: &Agent) -> Result<Option<Task>, Refusal> {
    let review_required = team.is_some_and(|team| team.rules.review_required);
    let mut own = reader.ready_tasks(Some(&member.id), TaskStatus::RevisionNeeded, review_required, 1)?;
    own.extend(first_wanted(reader, member, review_required)?);
    own.sort_by_key(|task| (Reverse(task.priority()), task.created.at, task.id.clone()));
    if let Some(task) = own.into_iter().next() {
        return Ok(Some(task));
    }
    if team.is_some_and(|team| team.formation == Formation::Captain) {
        return Ok(None);
    }
    let free = reader.ready_tasks(None, TaskStatus::Pending, review_required, limits::PAGE_MAX)?;
    let fitting = free.iter().position(|task| is_good_at(member, task)).unwrap_or(0);
    Ok(free.into_iter().nth(fitting))
}

/// The member's first ready task that it has not declined.
fn first_wanted(
    reader: &mut Reader<'_>,
    member: &Agent,
    review_required: bool,
) -> Result<Option<Task>, Refusal> {
    let all =
        reader.ready_tasks(Some(&member.id), TaskStatus::Assigned, review_required, limits::PAGE_MAX)?;
    for task in all {
        if !is_declined(reader, &task)? {
            return Ok(Some(task));
        }
    }
    Ok(None)
}

/// Whether nothing speaks against this member: somebody of whom nothing is said may be good at anything.
fn is_good_at(member: &Agent, task: &Task) -> bool {
    let Some(wanted) = &task.brief.capability else { return true };
    member.capabilities.is_empty() || member.capabilities.contains(wanted)
}
