//! The seat a client's new session takes, and the evidence that a caller is an agent.
//!
//! Owns gathering what the core's decisions need. The decisions are `interagent_core::seat` and `interagent_core::identity`.

use interagent_core::entity::Agent;
use interagent_core::identity::{BoundTo, Evidence, NameSource, NamedAs};
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_core::seat::{self, Choice, FreeSeat};
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_wire::Caller;

/// The seat that a client's new session takes; otherwise the reason why it has none.
pub(crate) fn seat_of(
    reader: &mut Reader<'_>,
    caller: &Caller,
    profile: &str,
) -> Result<Result<(Agent, String), String>, Refusal> {
    let mut agents = free_agents(reader, caller, profile)?;
    let before = match previous_agent(reader, caller, profile)? {
        // Under another name it would know what that agent was told.
        Some((PreviousBy::Session, agent)) if !agents.iter().any(|free| free.id == agent.id) => {
            return Ok(Err(format!("this conversation belongs to {}, whose seat is not free", agent.name)));
        }
        found => found.map(|(_, agent)| agent.id),
    };
    let mut seats = match agents.len() {
        // Nothing to compare: the team and the mail are not read.
        0 | 1 => agents.iter().map(|agent| plain_seat(agent, profile)).collect(),
        _ => compared_seats(reader, &agents, profile)?,
    };
    for (seat, agent) in seats.iter_mut().zip(&agents) {
        seat.was_caller = before.as_ref() == Some(&agent.id);
    }
    let called: Vec<&str> = std::iter::once(profile).chain(caller.kin.iter().map(String::as_str)).collect();
    let count = agents.len();
    Ok(match seat::choose(&called, &seats) {
        Choice::Seat(at) => {
            let how = match count {
                _ if seats[at].was_caller => "this session previously ran as that agent".to_owned(),
                1 => format!("the only {profile} agent without a live session"),
                _ => format!("the first choice of {count} {profile} agents without a live session"),
            };
            Ok((agents.swap_remove(at), how))
        }
        Choice::NoneFree => Err(format!("no {profile} agent without a live session is registered here")),
        Choice::Tie(_) => {
            let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
            Err(format!("several agents match: {}", names.join(", ")))
        }
    })
}

/// The agents whose seat a client could take: of its kind, without a live session.
fn free_agents(reader: &mut Reader<'_>, caller: &Caller, profile: &str) -> Result<Vec<Agent>, Refusal> {
    let clock = reader.clock();
    // A client that was killed did not say that its session ended.
    let sessions = reader.sessions(None)?;
    let busy: Vec<_> = sessions.into_iter().filter(|row| !row.is_gone(clock)).map(|row| row.agent).collect();
    let is_kind = |agent: &Agent| agent.profile == profile || caller.kin.contains(&agent.profile);
    let mut agents = Vec::new();
    for agent in reader.agents()? {
        let is_free = agent.retired.is_none() && is_kind(&agent) && !busy.contains(&agent.id);
        if is_free && reader.is_home(&agent.home)? {
            agents.push(agent);
        }
    }
    Ok(agents)
}

/// Whether a caller's client could take the seat of an agent by naming it.
pub(crate) fn may_take(reader: &mut Reader<'_>, caller: &Caller, agent: &Agent) -> Result<bool, Refusal> {
    let Some(profile) = &caller.profile else { return Ok(false) };
    let is_it = |free: &Agent| free.id == agent.id;
    if !free_agents(reader, caller, profile)?.iter().any(is_it) {
        return Ok(false);
    }
    let before = previous_agent(reader, caller, profile)?;
    Ok(before.is_none_or(|(how, before)| how == PreviousBy::Process || is_it(&before)))
}

/// What shows which agent a session was before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousBy {
    /// Its id: the conversation is resumed.
    Session,
    /// Its client's process: the conversation was cleared.
    Process,
}

/// The agent that the caller's session was before, or its client's process.
fn previous_agent(
    reader: &mut Reader<'_>,
    caller: &Caller,
    profile: &str,
) -> Result<Option<(PreviousBy, Agent)>, Refusal> {
    let resumed = match &caller.session {
        Some(id) => reader.session(id)?.filter(|row| row.profile == profile),
        None => None,
    };
    let found = match resumed {
        Some(row) => Some((PreviousBy::Session, row)),
        None => {
            let rows = bound_before(reader, caller)?.into_iter().filter(|row| row.profile == profile);
            rows.max_by_key(|row| row.seen).map(|row| (PreviousBy::Process, row))
        }
    };
    let Some((how, row)) = found else { return Ok(None) };
    let agent = reader.agent(&row.agent)?.filter(|agent| agent.retired.is_none());
    Ok(match agent {
        Some(agent) if reader.is_home(&agent.home)? => Some((how, agent)),
        _ => None,
    })
}

fn plain_seat(agent: &Agent, profile: &str) -> FreeSeat {
    FreeSeat {
        name: agent.name.clone(),
        was_caller: false,
        is_own_kind: agent.profile == profile,
        is_in_team: false,
        has_mail: false,
    }
}

fn compared_seats(
    reader: &mut Reader<'_>,
    agents: &[Agent],
    profile: &str,
) -> Result<Vec<FreeSeat>, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let mut seats = Vec::with_capacity(agents.len());
    for agent in agents {
        seats.push(FreeSeat {
            is_in_team: team.as_ref().is_some_and(|team| team.agents.contains_key(&agent.name)),
            has_mail: reader.unread_count(&agent.id, 1)? > 0,
            ..plain_seat(agent, profile)
        });
    }
    Ok(seats)
}

/// The evidence about a caller, compared with the agent it is bound to and the one it names.
pub(crate) fn evidence(
    reader: &mut Reader<'_>,
    caller: &Caller,
    bound: Option<&Agent>,
    named: Option<&Result<Agent, Refusal>>,
) -> Result<Evidence, Refusal> {
    let bound_to = match (bound, named) {
        (None, _) => BoundTo::Nobody,
        (Some(agent), Some(Ok(other))) if agent.id != other.id => BoundTo::AnotherAgent,
        (Some(_), _) => BoundTo::Agent,
    };
    let named_as = match named {
        None => NamedAs::Nobody,
        Some(Ok(agent)) if agent.is_human() => NamedAs::Operator,
        Some(Ok(_)) => NamedAs::Agent,
        Some(Err(_)) => NamedAs::Unusable,
    };
    let before = from_facts(caller);
    // Not asked where something else is already evidence enough.
    let is_open = bound_to == BoundTo::Nobody && matches!(named_as, NamedAs::Nobody | NamedAs::Operator);
    let is_asked = is_open && !before.has_client && !before.has_unknown_session;
    let has_bound_ancestor = is_asked && !bound_before(reader, caller)?.is_empty();
    Ok(Evidence { named: named_as, bound: bound_to, has_bound_ancestor, ..before })
}

/// What the facts alone show, compared with no hub.
pub(crate) fn from_facts(caller: &Caller) -> Evidence {
    let named = match caller.agent.as_deref() {
        None => NamedAs::Nobody,
        Some(name) if name.eq_ignore_ascii_case(Name::operator().as_str()) => NamedAs::Operator,
        Some(_) => NamedAs::Unusable,
    };
    Evidence {
        named,
        source: if caller.agent_by_variable { NameSource::Variable } else { NameSource::Request },
        bound: BoundTo::Nobody,
        has_client: caller.profile.is_some(),
        has_unknown_session: caller.session.is_some(),
        has_bound_ancestor: false,
        has_unreadable_chain: caller.chain_unreadable,
        has_terminal: caller.terminal,
    }
}

/// The sessions, ended ones included, of the processes in the caller's chain.
fn bound_before(reader: &mut Reader<'_>, caller: &Caller) -> Result<Vec<SessionRow>, Refusal> {
    let boot = caller.boot.as_deref().unwrap_or_default();
    let pids: Vec<i64> = caller.processes.iter().map(|process| process.pid).collect();
    let mut rows = reader.sessions_of_processes(&pids)?;
    rows.retain(|row| {
        row.process.as_ref().is_some_and(|bound| {
            let is_it = |process: &interagent_wire::CallerProcess| {
                process.pid == bound.pid && process.started == bound.started && bound.boot == boot
            };
            caller.processes.iter().any(is_it)
        })
    });
    Ok(rows)
}
