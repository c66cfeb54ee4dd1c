//! Who may read a task and its reports.

use interagent_core::entity::{Agent, Task};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::limits::COUNTED;
use interagent_core::refusal::Refusal;
use interagent_core::rules::{self, WorkRelation};
use interagent_core::vocabulary::Duty;
use interagent_store::reader::{Due, PageStart, Reader, TaskFilter};

use super::snapshot::LEVELS;
use crate::call::Scene;
use crate::identity::Known;

/// Refuses work that is another agent's, where the team's rules say so. The order that a member's own task is part of stays
/// readable: its purpose is what the report is measured by. So do the tasks that its own takes over or redoes.
pub(crate) fn must_be_readable(reader: &mut Reader<'_>, known: &Known, task: &Task) -> Result<(), Refusal> {
    let Known::Bound(identity) = known else { return Ok(()) };
    // A person reads everything, also on behalf of an agent.
    if identity.actor.is_human() {
        return Ok(());
    }
    may_read(reader, identity.member(), task)
}

/// The same for whatever a history is asked of.
pub(crate) fn of_entity(reader: &mut Reader<'_>, known: &Known, entity: &EntityRef) -> Result<(), Refusal> {
    let EntityRef::Task(id) = entity else { return Ok(()) };
    match reader.task(id)? {
        Some(task) => must_be_readable(reader, known, &task),
        None => Ok(()),
    }
}

/// The same for a member who changes a task.
pub(super) fn must_be_involved(scene: &mut Scene<'_, '_, '_>, task: &Task) -> Result<(), Refusal> {
    if scene.context.human {
        return Ok(());
    }
    let member = scene.member.clone();
    may_read(&mut scene.look(), &member, task)
}

/// Asks the rule about a task. What takes a look at other tasks and at mail is only found out where the rule needs it.
fn may_read(reader: &mut Reader<'_>, member: &Agent, task: &Task) -> Result<(), Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let worker = agent(reader, task.assignee.as_ref())?;
    let assigner = agent(reader, Some(&task.brief.assigner))?;
    let mut relation = WorkRelation {
        worker: worker.as_ref().map(|agent| &agent.name),
        assigner: assigner.as_ref().map(|agent| &agent.name),
        is_own_order: false,
        is_asked: false,
    };
    if rules::may_read_work(team.as_ref(), member, &relation).is_ok() {
        return Ok(());
    }
    relation.is_own_order = is_order_of(reader, &member.id, &task.id)?;
    relation.is_asked = is_asked(reader, &member.id, &task.id)?;
    rules::may_read_work(team.as_ref(), member, &relation)
}

fn agent(reader: &mut Reader<'_>, id: Option<&AgentId>) -> Result<Option<Agent>, Refusal> {
    let Some(id) = id else { return Ok(None) };
    Ok(reader.agent(id)?)
}

/// Whether an agent is asked for a verdict on a task, or was.
pub(crate) fn is_asked(reader: &mut Reader<'_>, agent: &AgentId, task: &TaskId) -> Result<bool, Refusal> {
    let owes = |due: &Due| due.agent == *agent && due.duty == Duty::Verdict;
    if reader.owed_about(task)?.iter().any(owes) {
        return Ok(true);
    }
    Ok(reader.reviews_of(task)?.iter().any(|review| review.brief.reviewers.contains(agent)))
}

/// Whether an agent has a task below this one, or one that replaces it.
pub(crate) fn is_order_of(
    reader: &mut Reader<'_>,
    worker: &AgentId,
    order: &TaskId,
) -> Result<bool, Refusal> {
    let filter = TaskFilter { assignee: Some(worker.clone()), ..TaskFilter::default() };
    for task in reader.tasks(&filter, &PageStart::default(), COUNTED)? {
        let parent = task.brief.parent.clone();
        let before = predecessor(&task);
        if leads_to(reader, parent, order, |task| task.brief.parent)?
            || leads_to(reader, before, order, |task| predecessor(&task))?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The task that this one takes over or redoes.
pub(super) fn predecessor(task: &Task) -> Option<TaskId> {
    task.brief.reassigned_from.clone().or_else(|| task.brief.redo_of.clone())
}

/// Whether following `next` from a task reaches another one.
fn leads_to(
    reader: &mut Reader<'_>,
    from: Option<TaskId>,
    to: &TaskId,
    next: impl Fn(Task) -> Option<TaskId>,
) -> Result<bool, Refusal> {
    let mut at = from;
    for _ in 0..LEVELS {
        let Some(id) = at else { break };
        if id == *to {
            return Ok(true);
        }
        at = reader.task(&id)?.and_then(&next);
    }
    Ok(false)
}
