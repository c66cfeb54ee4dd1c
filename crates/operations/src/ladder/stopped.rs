//! Agents whose client stopped in the middle of their work: their assigners are told once, by the program.

use interagent_core::decide::task::{Leaves, LeftTask, tell_assigners};
use interagent_core::draft::Draft;
use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::session_id;
use interagent_store::reader::Reader;

use super::Supervision;
use super::climb::entry_of;
use crate::identity;
use crate::names::Names;

/// Marks of the sessions whose end was told.
const TOLD: &str = "stopped";
/// Tasks of one agent that are named.
const NAMED: u32 = 20;

/// Notifies the assigners of agents that stopped.
pub(super) fn tell(on: &mut Supervision<'_>) -> Result<(), Refusal> {
    for agent in on.store.read(untold)? {
        tell_of(on, &agent)?;
    }
    Ok(())
}

/// Agents whose client is gone and who have work, as far as nobody was told.
fn untold(reader: &mut Reader<'_>) -> Result<Vec<AgentId>, Refusal> {
    let mut found = Vec::new();
    for agent in reader.agents_here()? {
        if left_session(reader, &agent)?.is_some() && !reader.open_tasks(Some(&agent), 1)?.is_empty() {
            found.push(agent);
        }
    }
    Ok(found)
}

/// The session in which an agent's client stopped, where it has no other and nobody was told. A reboot stops every client:
/// do not report each.
fn left_session(reader: &mut Reader<'_>, agent: &AgentId) -> Result<Option<String>, Refusal> {
    let mut sessions = reader.unended_sessions(Some(agent))?;
    sessions.retain(|row| session_id::server(&row.id).is_none());
    let clock = reader.clock();
    let lives = |row: &interagent_store::observe::SessionRow| !row.is_gone(clock);
    if sessions.iter().any(lives) {
        return Ok(None);
    }
    let stopped = sessions.into_iter().filter(|row| row.has_died(clock) && !row.is_of_earlier_run(clock));
    let newest = stopped.max_by_key(|row| row.seen);
    let Some(newest) = newest else { return Ok(None) };
    let is_told = reader.mark(TOLD, agent.as_str())?.as_deref() == Some(newest.id.as_str());
    Ok((!is_told).then_some(newest.id))
}

fn tell_of(on: &mut Supervision<'_>, agent: &AgentId) -> Result<(), Refusal> {
    let operator = on.store.read(identity::operator)?;
    on.store.append(
        entry_of(&operator, Some(agent), "agent.stopped"),
        |writer, context| {
            let mut draft = Draft::new(context);
            let mut look = writer.look();
            let (Some(session), Some(agent)) = (left_session(&mut look, agent)?, look.agent(agent)?) else {
                return Ok::<_, Refusal>(draft);
            };
            let team = look.team()?.map(|team| team.config);
            let left = left_tasks(&mut look, &agent)?;
            tell_assigners((&agent, Leaves::Stopped), &left, None, team.as_ref(), &operator, &mut draft);
            writer.put_mark(TOLD, agent.id.as_str(), &session)?;
            Ok(draft)
        },
        |_, _| Ok::<_, Refusal>(()),
    )
}

/// The open tasks of an agent, with their assigners.
pub(crate) fn left_tasks(reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<LeftTask>, Refusal> {
    let mut left = Vec::new();
    for task in reader.open_tasks(Some(&agent.id), NAMED)? {
        let (title, assigner) =
            (Names::new(reader).line(&task.brief.title)?, reader.agent(&task.brief.assigner)?);
        left.push(LeftTask { task, title, assigner });
    }
    Ok(left)
}
