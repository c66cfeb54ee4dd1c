//! Whom somebody means who says a name or a role.

use interagent_core::captain::seated;
use interagent_wire::Answer;
use interagent_wire::answer::AgentView;
use interagent_wire::request::AgentList;

use crate::error::CliError;
use crate::session::Session;

/// Everybody who could be meant.
pub(super) fn everybody(session: &mut Session) -> Result<Vec<AgentView>, CliError> {
    Ok(match session.call(AgentList::default())?.answer {
        Answer::Agents(page) => page.items,
        _ => Vec::new(),
    })
}

/// The name by which somebody is known; a role that one member has names that member, and one of several all of them.
pub(super) fn called(given: &str, agents: &[AgentView]) -> String {
    let is_name = agents.iter().any(|agent| agent.name.eq_ignore_ascii_case(given) || agent.id == given);
    if is_name {
        return given.to_owned();
    }
    let role_of = |agent: &AgentView| agent.role.as_deref()?.parse().ok();
    let has_role =
        |agent: &&AgentView| agent.role.as_deref().is_some_and(|role| role.eq_ignore_ascii_case(given));
    match seated(given, agents, role_of) {
        Some(agent) => agent.name.clone(),
        None if agents.iter().filter(has_role).count() > 1 => format!("role:{}", given.to_ascii_lowercase()),
        None => given.to_owned(),
    }
}
