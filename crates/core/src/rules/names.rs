//! Agent names as refusals display them.

use std::collections::BTreeMap;

use crate::entity::Agent;
use crate::ids::AgentId;

/// Display names of other replicas' agents, including the replica. Agents of this replica keep their plain name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignNames(BTreeMap<AgentId, String>);

impl ForeignNames {
    /// The display name of an agent.
    pub fn called<'a>(&'a self, agent: &'a Agent) -> &'a str {
        self.0.get(&agent.id).map_or(agent.name.as_str(), String::as_str)
    }
}

impl FromIterator<(AgentId, String)> for ForeignNames {
    fn from_iter<I: IntoIterator<Item = (AgentId, String)>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}
