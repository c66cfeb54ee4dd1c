//! Names that a connection claims: checks and refusals.

use std::path::Path;

use interagent_core::refusal::Refusal;
use interagent_wire::Caller;
use interagent_wire::answer::AgentView;

use super::{profile, session};
use crate::hub::Hubs;

/// A name alone is no proof: an agent that works elsewhere is somebody else's. A place that is gone says nothing.
pub(super) fn must_work_here(
    hubs: &Hubs,
    looking: &Caller,
    agent: &AgentView,
    here: Option<&str>,
) -> Result<(), Refusal> {
    let (Some(there), Some(here)) = (&agent.workspace, here) else { return Ok(()) };
    let (elsewhere, here) = (Path::new(there), Path::new(here));
    if elsewhere.starts_with(here) || here.starts_with(elsewhere) || !elsewhere.is_dir() {
        return Ok(());
    }
    let sentence = format!("{} works in {there}, and this is {}", agent.name, here.display());
    Err(Refusal::conflict("name_taken", sentence).hint(session::another_name(hubs, looking, &agent.name)))
}

/// Refuses another client's agent to a known client whose own seat is free.
pub(super) fn must_be_of_client(base: &Caller, agent: &AgentView, free: &str) -> Result<(), Refusal> {
    let Some(client) = base.profile.as_ref().filter(|client| *client != profile::UNKNOWN) else {
        return Ok(());
    };
    let is_of_client = agent.profile == *client || base.kin.contains(&agent.profile);
    if is_of_client || agent.profile == profile::UNKNOWN {
        return Ok(());
    }
    let sentence = format!("{} is an agent of another client; {free} is this client's agent", agent.name);
    let hint =
        format!("leave the name out to be {free}, or set INTERAGENT_AGENT={} for the server", agent.name);
    Err(Refusal::rule("not_you", sentence).hint(hint))
}

/// Refuses the name of another agent.
pub(super) fn not_you(you: &str, other: &str) -> Refusal {
    Refusal::rule("not_you", format!("you are {you}, not {other}"))
        .hint(format!("leave the name out: what you do counts for {you}"))
}

/// Refuses a name that no agent has.
pub(super) fn nobody(name: &str) -> Refusal {
    let shown: String = name.chars().take(64).collect();
    Refusal::not_found("no_such_agent", format!("there is no agent {shown} here"))
        .hint(format!("register_agent(name=\"{shown}\", workspace_path=..., description=...) first"))
}

/// What every tool that changes something answers to a connection nobody knows.
pub(super) fn unbound(why: &str) -> Refusal {
    let sentence = match why {
        "" => "it is not known who you are".to_owned(),
        why => format!("it is not known who you are: {why}"),
    };
    Refusal::rule("unbound", sentence).hint(HOW_TO_REGISTER)
}

/// The way out for an unbound connection: a tool, where the hub names a command.
pub(crate) const HOW_TO_REGISTER: &str =
    "register_agent(name=..., workspace_path=..., description=...) once in this session";
