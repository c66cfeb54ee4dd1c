//! Who may read a task and its reports, and the messages and reviews about it.

use interagent_core::entity::{Agent, Message, Review, Task};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::limits::COUNTED;
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::rules::{self, WorkRelation};
use interagent_core::vocabulary::Duty;
use interagent_store::reader::{Due, PageStart, Reader, TaskFilter};

use super::snapshot::LEVELS;
use crate::call::Scene;
use crate::identity::Known;

/// Refuses work that is another agent's, where the team's rules say so. The order that a member's own task is part of stays
/// readable: its purpose is what the report is measured by. So do the tasks that its own takes over or redoes.
pub(crate) fn must_be_readable(reader: &mut Reader<'_>, known: &Known, task: &Task) -> Result<(), Refusal> {
    match bound_agent(known) {
        Some(member) => may_read(reader, member, task, &[]),
        None => Ok(()),
    }
}

/// The agent that asks. A person reads everything, also on behalf of an agent.
fn bound_agent(known: &Known) -> Option<&Agent> {
    let Known::Bound(identity) = known else { return None };
    (!identity.actor.is_human()).then(|| identity.member())
}

/// The same for a message about a task. Messages about anything else are open to all.
pub(crate) fn message_must_be_readable(
    reader: &mut Reader<'_>,
    known: &Known,
    message: &Message,
) -> Result<(), Refusal> {
    let (Some(member), Some(task)) = (bound_agent(known), &message.task) else { return Ok(()) };
    may_read_about(reader, member, task, &parties(message))
}

/// The same for a review of a task.
pub(crate) fn review_must_be_readable(
    reader: &mut Reader<'_>,
    known: &Known,
    review: &Review,
) -> Result<(), Refusal> {
    let (Some(member), Some(task)) = (bound_agent(known), &review.brief.task) else { return Ok(()) };
    may_read_about(reader, member, task, &review.participants().into_iter().cloned().collect::<Vec<_>>())
}

/// The same for a member who changes a review.
pub(crate) fn must_be_in_review(scene: &mut Scene<'_, '_, '_>, review: &Review) -> Result<(), Refusal> {
    let Some(task) = review.brief.task.as_ref().filter(|_| !scene.context.human) else { return Ok(()) };
    let (member, parties) = (scene.member.clone(), review.participants().into_iter().cloned());
    may_read_about(&mut scene.look(), &member, task, &parties.collect::<Vec<_>>())
}

/// Who takes part in a message: its sender and its recipients.
pub(crate) fn parties(message: &Message) -> Vec<AgentId> {
    std::iter::once(&message.from).chain(message.deliveries.keys()).cloned().collect()
}

/// The same for whatever a history is asked of.
pub(crate) fn of_entity(reader: &mut Reader<'_>, known: &Known, entity: &EntityRef) -> Result<(), Refusal> {
    match entity {
        EntityRef::Task(id) => match reader.task(id)? {
            Some(task) => must_be_readable(reader, known, &task),
            None => Ok(()),
        },
        EntityRef::Message(id) => match reader.message(id)? {
            Some(message) => message_must_be_readable(reader, known, &message),
            None => Ok(()),
        },
        EntityRef::Review(id) => match reader.review(id)? {
            Some(review) => review_must_be_readable(reader, known, &review),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Whether a list may show more of something than its title.
pub(crate) fn is_readable(readable: Result<(), Refusal>) -> Result<bool, Refusal> {
    match readable {
        Ok(()) => Ok(true),
        Err(refusal) if refusal.kind == RefusalKind::Refused => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

/// The same for a member who changes a task.
pub(super) fn must_be_involved(scene: &mut Scene<'_, '_, '_>, task: &Task) -> Result<(), Refusal> {
    if scene.context.human {
        return Ok(());
    }
    let member = scene.member.clone();
    may_read(&mut scene.look(), &member, task, &[])
}

/// Asks the rule about a message or a review of a task, with those who take part in it.
fn may_read_about(
    reader: &mut Reader<'_>,
    member: &Agent,
    task: &TaskId,
    parties: &[AgentId],
) -> Result<(), Refusal> {
    if parties.contains(&member.id) {
        return Ok(());
    }
    match reader.task(task)? {
        Some(task) => may_read(reader, member, &task, parties),
        None => Ok(()),
    }
}

/// Asks the rule about a task. What takes a look at other tasks and at mail is only found out where the rule needs it.
fn may_read(
    reader: &mut Reader<'_>,
    member: &Agent,
    task: &Task,
    parties: &[AgentId],
) -> Result<(), Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let mut named = Vec::with_capacity(parties.len());
    for id in parties {
        named.extend(agent(reader, Some(id))?.map(|agent| agent.name));
    }
    let worker = agent(reader, task.assignee.as_ref())?;
    let assigner = agent(reader, Some(&task.brief.assigner))?;
    let mut relation = WorkRelation {
        worker: worker.as_ref().map(|agent| &agent.name),
        assigner: assigner.as_ref().map(|agent| &agent.name),
        is_own_order: false,
        is_asked: false,
    };
    if rules::may_read_about_work(team.as_ref(), member, &named, &relation).is_ok() {
        return Ok(());
    }
    relation.is_own_order = is_order_of(reader, &member.id, &task.id)?;
    relation.is_asked = is_asked(reader, &member.id, &task.id)?;
    rules::may_read_about_work(team.as_ref(), member, &named, &relation)
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
