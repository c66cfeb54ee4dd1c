//! What agents are called in refusals.

use std::collections::BTreeMap;

use crate::entity::Agent;
use crate::ids::AgentId;

/// The names of other replicas' agents as shown here, with their replica. Agents of this one go by their own name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignNames(BTreeMap<AgentId, String>);

impl ForeignNames {
    /// An agent's name as shown here.
    pub fn called<'a>(&'a self, agent: &'a Agent) -> &'a str {
        self.0.get(&agent.id).map_or(agent.name.as_str(), String::as_str)
    }
}

impl FromIterator<(AgentId, String)> for ForeignNames {
    fn from_iter<I: IntoIterator<Item = (AgentId, String)>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}
