//! Who may read a task and its reports, and the messages and reviews about it.

use interagent_core::entity::{Agent, Message, Review, Task};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::limits::COUNTED;
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::rules::{self, WorkRelation};
use interagent_core::team::{Guard, TeamConfig};
use interagent_core::vocabulary::Duty;
use interagent_store::reader::{Due, PageStart, Reader, TaskFilter};

use super::snapshot::LEVELS;
use crate::call::Scene;
use crate::identity::Known;

/// What a caller may read. Made once for each answer, because the team is loaded for it.
pub(crate) struct Access {
    /// The agent whose reading the team's rules limit, with the team; `None` for a caller that reads everything.
    limited: Option<(Agent, TeamConfig)>,
}

impl Access {
    /// A person reads everything, also on behalf of an agent.
    pub(crate) fn of(reader: &mut Reader<'_>, known: &Known) -> Result<Self, Refusal> {
        match known {
            Known::Bound(identity) if !identity.actor.is_human() => Self::of_agent(reader, identity.member()),
            Known::Bound(_) | Known::Unbound { .. } => Ok(Self::unlimited()),
        }
    }

    fn of_agent(reader: &mut Reader<'_>, member: &Agent) -> Result<Self, Refusal> {
        let team = reader.team()?.map(|team| team.config);
        let team = team.filter(|team| team.rules.guards.contains(&Guard::F003));
        Ok(Self { limited: team.map(|team| (member.clone(), team)) })
    }

    /// For answers about the reader's own mail and work.
    pub(crate) fn unlimited() -> Self {
        Self { limited: None }
    }

    /// Refuses work that is another agent's, where the team's rules say so. The order that a member's own task is part of
    /// stays readable: its purpose is what the report is measured by. So do the tasks that its own takes over or redoes.
    pub(crate) fn task(&self, reader: &mut Reader<'_>, task: &Task) -> Result<(), Refusal> {
        match &self.limited {
            Some((member, team)) => may_read(reader, member, team, task, &[]),
            None => Ok(()),
        }
    }

    /// The same for a message about a task. Messages about anything else are open to all.
    pub(crate) fn message(&self, reader: &mut Reader<'_>, message: &Message) -> Result<(), Refusal> {
        self.about(reader, message.task.as_ref(), || parties(message))
    }

    /// The same for a review of a task.
    pub(crate) fn review(&self, reader: &mut Reader<'_>, review: &Review) -> Result<(), Refusal> {
        let parties = || review.participants().into_iter().cloned().collect();
        self.about(reader, review.brief.task.as_ref(), parties)
    }

    /// The same for anything that has a history.
    pub(crate) fn entity(&self, reader: &mut Reader<'_>, entity: &EntityRef) -> Result<(), Refusal> {
        if self.limited.is_none() {
            return Ok(());
        }
        match entity {
            EntityRef::Task(id) => reader.task(id)?.map_or(Ok(()), |task| self.task(reader, &task)),
            EntityRef::Message(id) => {
                reader.message(id)?.map_or(Ok(()), |message| self.message(reader, &message))
            }
            EntityRef::Review(id) => reader.review(id)?.map_or(Ok(()), |review| self.review(reader, &review)),
            _ => Ok(()),
        }
    }

    /// Asks the rule about a message or a review of a task, with those who take part in it.
    fn about(
        &self,
        reader: &mut Reader<'_>,
        task: Option<&TaskId>,
        parties: impl FnOnce() -> Vec<AgentId>,
    ) -> Result<(), Refusal> {
        let (Some((member, team)), Some(task)) = (&self.limited, task) else { return Ok(()) };
        let parties = parties();
        if parties.contains(&member.id) {
            return Ok(());
        }
        match reader.task(task)? {
            Some(task) => may_read(reader, member, team, &task, &parties),
            None => Ok(()),
        }
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

/// What the member of a scene may read.
fn of_scene(scene: &mut Scene<'_, '_, '_>) -> Result<Access, Refusal> {
    if scene.context.human {
        return Ok(Access::unlimited());
    }
    let member = scene.member.clone();
    Access::of_agent(&mut scene.look(), &member)
}

/// Refuses a member who changes a review that it may not read.
pub(crate) fn must_be_in_review(scene: &mut Scene<'_, '_, '_>, review: &Review) -> Result<(), Refusal> {
    of_scene(scene)?.review(&mut scene.look(), review)
}

/// Refuses a member who answers or escalates a message that it may not read: the answer would repeat its subject.
pub(crate) fn must_read_message(scene: &mut Scene<'_, '_, '_>, message: &Message) -> Result<(), Refusal> {
    of_scene(scene)?.message(&mut scene.look(), message)
}

/// Refuses a member who changes a task that it may not read.
pub(super) fn must_be_involved(scene: &mut Scene<'_, '_, '_>, task: &Task) -> Result<(), Refusal> {
    of_scene(scene)?.task(&mut scene.look(), task)
}

/// Who takes part in a message: its sender and its recipients.
pub(crate) fn parties(message: &Message) -> Vec<AgentId> {
    std::iter::once(&message.from).chain(message.deliveries.keys()).cloned().collect()
}

/// Asks the rule about a task. What takes a look at other tasks and at mail is only found out where the rule needs it.
fn may_read(
    reader: &mut Reader<'_>,
    member: &Agent,
    team: &TeamConfig,
    task: &Task,
    parties: &[AgentId],
) -> Result<(), Refusal> {
    let mut named = Vec::with_capacity(parties.len());
    for id in parties {
        named.extend(agent(reader, Some(id))?.map(|agent| agent.name));
    }
    let worker = agent(reader, task.assignee.as_ref())?;
    let assigner = agent(reader, Some(&task.brief.assigner))?;
    let mut relation = WorkRelation::of(
        worker.as_ref().map(|agent| &agent.name),
        assigner.as_ref().map(|agent| &agent.name),
    );
    if rules::may_read_about_work(Some(team), member, &named, &relation).is_ok() {
        return Ok(());
    }
    relation.is_own_order = is_order_of(reader, &member.id, &task.id)?;
    relation.is_asked = is_asked(reader, &member.id, &task.id)?;
    rules::may_read_about_work(Some(team), member, &named, &relation)
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
