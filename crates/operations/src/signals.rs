//! Which signal files follow from an entry. The rule is the core's; here the state after the entry is asked for it.

use interagent_core::entity::{Agent, Message};
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::refusal::Refusal;
use interagent_core::signal::{self, Place, Signal, Touched};
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::LocalEffect;

use crate::names::Names;

/// What an entry leaves to do. Trouble with it is nobody's trouble: a breadcrumb never fails what was asked.
pub(crate) fn after(reader: &mut Reader<'_>, appended: &Appended) -> Vec<LocalEffect> {
    let mut effects = Vec::new();
    let facts = appended.entry().map(|entry| entry.facts.as_slice()).unwrap_or_default();
    for touched in facts.iter().filter_map(signal::touched) {
        let found = match touched {
            Touched::Everybody(message) => of_message(reader, &message, None),
            Touched::One(message, agent) => of_message(reader, &message, Some(agent)),
            Touched::Agent(agent) => of_agent(reader, &agent).map(|cleared| cleared.into_iter().collect()),
        };
        found.unwrap_or_default().into_iter().for_each(|effect| add(&mut effects, effect));
    }
    effects
}

/// Takes away what is left of an agent's signal files.
pub(crate) fn cleared(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<LocalEffect>, Refusal> {
    let place = place(reader, agent)?;
    Ok(place.map(|place| LocalEffect::ClearSignals { place }))
}

fn of_agent(reader: &mut Reader<'_>, agent: &AgentId) -> Result<Option<LocalEffect>, Refusal> {
    match reader.agent(agent)? {
        Some(agent) => cleared(reader, &agent),
        None => Ok(None),
    }
}

/// What becomes of a message's signals, for one recipient or for all.
fn of_message(
    reader: &mut Reader<'_>,
    message: &MessageId,
    only: Option<AgentId>,
) -> Result<Vec<LocalEffect>, Refusal> {
    let Some(message) = reader.message(message)? else { return Ok(Vec::new()) };
    let agents = match only {
        Some(agent) => vec![agent],
        None => message.deliveries.keys().cloned().collect(),
    };
    let mut effects = Vec::new();
    for agent in agents {
        let Some(agent) = reader.agent(&agent)? else { continue };
        let Some(place) = place(reader, &agent)? else { continue };
        effects.push(for_recipient(reader, &message, &agent, place)?);
    }
    Ok(effects)
}

fn for_recipient(
    reader: &mut Reader<'_>,
    message: &Message,
    agent: &Agent,
    place: Place,
) -> Result<LocalEffect, Refusal> {
    if signal::stands(message, &agent.id, reader.now()) && agent.retired.is_none() {
        let mut names = Names::new(reader);
        let from = names.who(&message.from)?.name;
        let subject = names.line(&message.subject)?;
        let signal = Signal { message: message.id.clone(), from, to: agent.name.to_string(), subject };
        return Ok(LocalEffect::PutSignal { place, signal });
    }
    Ok(match reader.has_undelivered(&agent.id)? {
        true => LocalEffect::RemoveSignals { place, messages: vec![message.id.clone()] },
        false => LocalEffect::ClearSignals { place },
    })
}

/// Where an agent's files lie, if that is on this machine: only its home delivers to it.
fn place(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<Place>, Refusal> {
    match Place::of(agent) {
        Some(place) if reader.is_home(&agent.home)? => Ok(Some(place)),
        _ => Ok(None),
    }
}

/// A hand-over of many messages becomes one effect.
fn add(effects: &mut Vec<LocalEffect>, new: LocalEffect) {
    match (effects.last_mut(), new) {
        (
            Some(LocalEffect::RemoveSignals { place, messages }),
            LocalEffect::RemoveSignals { place: same, messages: more },
        ) if *place == same => {
            messages.extend(more.into_iter().filter(|id| !messages.contains(id)).collect::<Vec<_>>())
        }
        (Some(last), new) if *last == new => {}
        (_, new) => effects.push(new),
    }
}
