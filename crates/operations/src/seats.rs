//! Callers that nothing binds: the seat a client's new session takes, and whether anything shows an agent at all.
//!
//! Owns gathering what the core's decisions need. The decisions are `interagent_core::seat`.

use interagent_core::entity::Agent;
use interagent_core::refusal::Refusal;
use interagent_core::seat::{self, Choice, Evidence, FreeSeat, Sign, Standing};
use interagent_store::reader::Reader;
use interagent_wire::Caller;

/// The seat that a client's new session takes; otherwise the reason why it has none.
pub(crate) fn seat_of(
    reader: &mut Reader<'_>,
    caller: &Caller,
    profile: &str,
) -> Result<Result<(Agent, String), String>, Refusal> {
    let clock = reader.clock();
    // A client that was killed did not say that its session ended.
    let sessions = reader.sessions(None)?;
    let busy: Vec<_> = sessions.into_iter().filter(|row| !row.is_gone(clock)).map(|row| row.agent).collect();
    let is_kind = |agent: &Agent| agent.profile == profile || caller.kin.contains(&agent.profile);
    let mut agents: Vec<Agent> = Vec::new();
    for agent in reader.agents()? {
        let is_free = agent.retired.is_none() && is_kind(&agent) && !busy.contains(&agent.id);
        if is_free && reader.is_home(&agent.home)? {
            agents.push(agent);
        }
    }
    let seats = match agents.len() {
        // Nothing to compare: the team and the mail are not read.
        0 | 1 => agents.iter().map(|agent| plain_seat(agent, profile)).collect(),
        _ => compared_seats(reader, &agents, profile)?,
    };
    let called: Vec<&str> = std::iter::once(profile).chain(caller.kin.iter().map(String::as_str)).collect();
    let count = agents.len();
    Ok(match seat::choose(&called, &seats) {
        Choice::Seat(at) if count == 1 => {
            Ok((agents.swap_remove(at), format!("the only {profile} agent without a live session")))
        }
        Choice::Seat(at) => {
            let how = format!("the first choice of {count} {profile} agents without a live session");
            Ok((agents.swap_remove(at), how))
        }
        Choice::NoneFree => Err(format!("no {profile} agent without a live session is registered here")),
        Choice::Tie(tied) => Err(format!("{tied} agents here could be this {profile}")),
    })
}

fn plain_seat(agent: &Agent, profile: &str) -> FreeSeat {
    let is_own_kind = agent.profile == profile;
    FreeSeat { name: agent.name.clone(), is_own_kind, is_in_team: false, has_mail: false }
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

/// What a caller is that nothing binds and that names no agent.
pub(crate) fn standing(reader: &mut Reader<'_>, caller: &Caller) -> Result<Standing, Refusal> {
    let evidence = Evidence {
        has_client: caller.profile.is_some(),
        has_unknown_session: caller.session.is_some(),
        // Not asked where a client is already evidence enough.
        has_bound_ancestor: caller.profile.is_none() && was_bound(reader, caller)?,
        has_unreadable_chain: caller.chain_unreadable,
        has_terminal: caller.terminal,
    };
    Ok(seat::standing(evidence))
}

/// Whether a process of the caller's chain was ever bound to an agent in this run of the machine.
fn was_bound(reader: &mut Reader<'_>, caller: &Caller) -> Result<bool, Refusal> {
    let boot = caller.boot.as_deref().unwrap_or_default();
    let pids: Vec<i64> = caller.processes.iter().map(|process| process.pid).collect();
    let bound = reader.processes_bound(&pids)?;
    Ok(bound.iter().any(|bound| {
        let is_it = |process: &interagent_wire::CallerProcess| {
            process.pid == bound.pid && process.started == bound.started && bound.boot == boot
        };
        caller.processes.iter().any(is_it)
    }))
}

/// Why a caller is unbound.
pub(crate) fn explained(sign: Sign) -> &'static str {
    match sign {
        Sign::Client => "an agent's client runs this",
        Sign::UnknownSession => "the session is bound to no agent",
        Sign::BoundAncestor => "a parent process belongs to an agent whose session has ended",
        Sign::UnreadableChain => "the processes above this one can't be read, and there is no terminal",
    }
}
