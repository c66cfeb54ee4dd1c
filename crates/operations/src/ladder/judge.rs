//! What holds for one duty at this moment: whether it climbs, and which way it takes.

use interagent_core::entity::{Agent, Message};
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::ladder::{self, Above, Matter, Way};
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::team::TeamConfig;
use interagent_store::reader::Reader;

use crate::tasks;

/// A duty that climbs.
pub(super) struct Duty {
    pub(super) matter: Message,
    pub(super) agent: Agent,
    pub(super) way: Way,
    /// The agent above, where one is asked.
    pub(super) superior: Option<Agent>,
}

/// What is to become of a duty.
pub(super) enum Verdict {
    /// It climbs.
    Climbs(Box<Duty>),
    /// It does not, or not any more.
    Rests,
    /// It is settled, and people above still wait for an answer to it.
    IsOver(Box<(Message, Agent)>),
}

/// Judges one duty.
pub(super) fn judge(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    message: &MessageId,
    agent: &AgentId,
) -> Result<Verdict, Refusal> {
    let (Some(matter), Some(agent)) = (reader.message(message)?, reader.agent(agent)?) else {
        return Ok(Verdict::Rests);
    };
    // Only its home acts for an agent, and nobody for a person.
    if agent.is_human() || !reader.is_home(&agent.home)? {
        return Ok(Verdict::Rests);
    }
    let is_settled = matter.deliveries.get(&agent.id).is_none_or(|delivery| delivery.settled.is_some());
    if is_settled {
        let is_asked = matter.escalations.iter().any(|e| e.agent == agent.id && e.by_ladder && e.is_open());
        return Ok(if is_asked { Verdict::IsOver(Box::new((matter, agent))) } else { Verdict::Rests });
    }
    let Some(owed) = matter.owed_by(&agent.id).filter(|_| !matter.is_expired(reader.now())) else {
        return Ok(Verdict::Rests);
    };
    // Work that waits for other work is nobody's silence.
    let has_to_wait = tasks::waits_for_others(reader, owed, matter.task.as_ref())?;
    if has_to_wait || ladder::took_it_up(&matter, &agent.id) {
        return Ok(Verdict::Rests);
    }
    let superior = match rules::superior_of(team, &agent.name) {
        Some(name) => here(reader, name.as_str())?,
        None => None,
    };
    let above = match ladder::above(team, &agent.name) {
        Above::Superior if superior.is_none() => Above::Nobody,
        above => above,
    };
    let is_carrier = reader.carried(&matter)?.is_some_and(|(_, escalation)| escalation.by_ladder);
    let way = Way { above, matter: if is_carrier { Matter::Carrier } else { Matter::Own } };
    Ok(Verdict::Climbs(Box::new(Duty { matter, agent, way, superior })))
}

/// The agent of a name that takes part here.
fn here(reader: &mut Reader<'_>, name: &str) -> Result<Option<Agent>, Refusal> {
    for agent in reader.agents_named(name)? {
        if reader.is_home(&agent.home)? {
            return Ok(Some(agent));
        }
    }
    Ok(None)
}

/// The messages that carry an agent's matter up because the ladder took it there.
pub(super) fn carriers(
    reader: &mut Reader<'_>,
    matter: &Message,
    agent: &AgentId,
) -> Result<Vec<Message>, Refusal> {
    let mut found = Vec::new();
    for escalation in matter.escalations.iter().filter(|e| e.agent == *agent && e.by_ladder && e.is_open()) {
        found.extend(reader.message(&escalation.by)?);
    }
    Ok(found)
}

/// Who could do an agent's work: those in the same place below the same superior who are here and have a living session.
pub(super) fn others(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    agent: &Agent,
) -> Result<Vec<Agent>, Refusal> {
    let Some((team, seat)) = team.and_then(|team| Some((team, team.agents.get(&agent.name)?))) else {
        return Ok(Vec::new());
    };
    let alike = team.agents.iter().filter(|(name, other)| {
        **name != agent.name && other.role == seat.role && other.reports_to == seat.reports_to
    });
    let names: Vec<_> = alike.map(|(name, _)| name.clone()).collect();
    let mut found = Vec::new();
    for name in names {
        if let Some(other) = here(reader, name.as_str())?
            && !reader.living_sessions(&other.id)?.is_empty()
        {
            found.push(other);
        }
    }
    Ok(found)
}
