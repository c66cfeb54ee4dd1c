//! Decisions that did not count: named for everybody, and told to who made them, once, by their home.

use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Void};
use interagent_core::event::{Event, MessageSent};
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::merge::{self, Loss};
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::{Intent, Priority};
use interagent_store::Placed;
use interagent_store::reader::Reader;
use interagent_wire::answer::Who;

use super::VOIDS;
use crate::names::Names;

/// A decision that came after another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What it was about.
    pub entity: String,
    /// Whose decision did not count.
    pub loser: Who,
    /// Who had decided before, where that is one member.
    pub winner: Option<Who>,
    /// In a sentence, from the loser's side.
    pub sentence: String,
    /// The command that shows what did not count.
    pub shown_by: String,
}

/// Writes to the losers that live here, and names every conflict that came with the entries after a place.
pub(super) fn tell(
    reader: &mut Reader<'_>,
    operator: &Agent,
    before: i64,
    draft: &mut Draft,
    told: &mut Vec<Who>,
) -> Result<Vec<Conflict>, Refusal> {
    let mut conflicts = Vec::new();
    let mut done: Vec<MessageId> = Vec::new();
    for void in reader.voids(VOIDS)? {
        let why = void.void.clone().unwrap_or_default();
        let (entity, order) = (&void.fact.entity, &void.stamp.order);
        // What this version does not understand, or what has not arrived whole, is nobody's loss.
        if why == Void::Unknown.to_string()
            || why == Void::Absent.to_string()
            || Void::is_about_replica(&why)
            || merge::loss(entity, &void.fact.event, "", None, &why).is_none()
        {
            continue;
        }
        let id =
            merge::message_id(&["void", order.origin.as_str(), &order.oseq.to_string(), &entity.to_string()]);
        // One entry about one thing is told once: a claim is an assignment and a step.
        let was_told = reader.message(&id)?.is_some();
        let is_new = arrived_with(reader, &void, before)?;
        if done.contains(&id) || (was_told && !is_new) {
            continue;
        }
        let winner = winner(reader, &void)?;
        let mut names = Names::new(reader);
        let winner = names.maybe_who(winner.as_ref())?;
        let loser = names.who(&void.stamp.member)?;
        let winner_name = winner.as_ref().map(|who| who.name.as_str());
        let Some(loss) = merge::loss(entity, &void.fact.event, &loser.name, winner_name, &why) else {
            continue;
        };
        done.push(id.clone());
        let at_home = match reader.agent(&void.stamp.member)? {
            Some(agent) => agent.retired.is_none() && reader.is_home(&agent.home)?,
            None => false,
        };
        let is_to_tell = at_home && !was_told;
        if is_to_tell {
            send(draft, operator, &void.stamp.member, id, &loss, task_of(entity))?;
            told.push(loser.clone());
        }
        if is_to_tell || is_new {
            let Loss { subject: sentence, shown_by, .. } = loss;
            conflicts.push(Conflict { entity: entity.to_string(), loser, winner, sentence, shown_by });
        }
    }
    Ok(conflicts)
}

/// Whether the conflict became known with what arrived after a place: one of the two sides came then.
fn arrived_with(reader: &mut Reader<'_>, void: &Placed, before: i64) -> Result<bool, Refusal> {
    if void.seq > before {
        return Ok(true);
    }
    let history = reader.history(&void.fact.entity)?;
    Ok(history
        .iter()
        .any(|other| other.seq > before && other.void.is_none() && other.stamp.order < void.stamp.order))
}

/// Who decided the same before, and counted.
fn winner(reader: &mut Reader<'_>, void: &Placed) -> Result<Option<AgentId>, Refusal> {
    let history = reader.history(&void.fact.entity)?;
    let earlier: Vec<&Placed> =
        history.iter().filter(|other| other.void.is_none() && other.stamp.order < void.stamp.order).collect();
    let same = |other: &&&Placed| other.fact.event.kind() == void.fact.event.kind();
    let found = earlier.iter().rev().find(same).or(earlier.last());
    Ok(found.map(|placed| placed.stamp.member.clone()).filter(|member| *member != void.stamp.member))
}

fn task_of(entity: &EntityRef) -> Option<TaskId> {
    if let EntityRef::Task(task) = entity { Some(task.clone()) } else { None }
}

/// A message of the program's own making, in the operator's name: they are who put the logs together.
pub(super) fn send(
    draft: &mut Draft,
    operator: &Agent,
    to: &AgentId,
    id: MessageId,
    loss: &Loss,
    task: Option<TaskId>,
) -> Result<(), Refusal> {
    let subject = draft.text(&Words::line("the subject", &loss.subject)?);
    let body = Some(draft.text(&Words::document("the body", &loss.body)?));
    let sent = MessageSent {
        from: operator.id.clone(),
        to: vec![to.clone()],
        addressed: Vec::new(),
        intent: Intent::Message,
        subject,
        body,
        refs: Vec::new(),
        thread: id.clone(),
        reply_to: None,
        priority: Priority::High,
        expires: None,
        task,
        hops: 0,
        quiet: false,
        ack_wanted: false,
        aliases: Vec::new(),
    };
    draft.add(EntityRef::Message(id), Event::from(sent));
    Ok(())
}
