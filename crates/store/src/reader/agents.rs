//! Questions about the team, its replicas and its agents.

use interagent_core::entity::{Agent, Entity, Origin, Team};
use interagent_core::event::Event;
use interagent_core::ids::{AgentId, EntityRef, OriginId};
use interagent_core::name::{Name, OPERATOR};
use interagent_core::signature::{Standing, StandingShown};

use super::{Reader, id};
use crate::error::StoreError;
use crate::params;
use crate::views::doc;

impl Reader<'_> {
    /// The team, once a team file was taken in.
    pub fn team(&mut self) -> Result<Option<Team>, StoreError> {
        Ok(match self.entity(&EntityRef::Team)? {
            Some(Entity::Team(team)) => Some(team),
            _ => None,
        })
    }

    /// All replicas that are known.
    pub fn origins(&mut self) -> Result<Vec<Origin>, StoreError> {
        let rows = self.rows("SELECT doc FROM origins WHERE hub = $1 ORDER BY id", &params![self.hub])?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// How a replica stands here.
    pub fn standing_of(&mut self, origin: &OriginId) -> Result<StandingShown, StoreError> {
        let known = crate::replicas::one(self.q, self.hub, origin)?;
        Ok(known.map_or(StandingShown::Unverified, |known| {
            let counted = known.standing == Standing::New && known.counted > 0 && known.key.is_none();
            // What was here before standings were known goes on being shown as it was.
            if counted {
                StandingShown::Accepted
            } else {
                StandingShown::of(known.standing, known.key.as_ref())
            }
        }))
    }

    /// One agent by its id.
    pub fn agent(&mut self, id: &AgentId) -> Result<Option<Agent>, StoreError> {
        Ok(match self.entity(&EntityRef::Agent(id.clone()))? {
            Some(Entity::Agent(agent)) => Some(agent),
            _ => None,
        })
    }

    /// Every agent that ever registered, oldest first.
    pub fn agents(&mut self) -> Result<Vec<Agent>, StoreError> {
        let rows =
            self.rows("SELECT doc FROM agents WHERE hub = $1 ORDER BY at, name, id", &params![self.hub])?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// The ids of all agents whose home is here, retired ones too; people are none.
    pub fn agents_here(&mut self) -> Result<Vec<AgentId>, StoreError> {
        let mut found = Vec::new();
        for home in self.homes()? {
            let rows = self.rows(
                "SELECT id FROM agents WHERE hub = $1 AND home = $2 AND name <> $3 ORDER BY at, name, id",
                &params![self.hub, home.as_str(), OPERATOR],
            )?;
            for row in &rows {
                found.push(id(AgentId::parse(row.text(0)?))?);
            }
        }
        Ok(found)
    }

    /// The ids of all agents that have a name, retired ones too.
    pub fn ids_named(&mut self, name: &str) -> Result<Vec<AgentId>, StoreError> {
        let rows = self.rows(
            "SELECT id FROM agents WHERE hub = $1 AND name = $2 ORDER BY id",
            &params![self.hub, name],
        )?;
        rows.iter().map(|row| id(AgentId::parse(row.text(0)?))).collect()
    }

    /// When each agent last wrote, by the wall clock, as far as the newest `entries` of the log tell.
    pub fn last_written(&mut self, entries: u32) -> Result<Vec<(AgentId, i64)>, StoreError> {
        let before = self.head()?.seq - i64::from(entries);
        let rows = self.rows(
            "SELECT actor, MAX(wall) FROM entries WHERE hub = $1 AND seq > $2 AND held = 0 GROUP BY actor",
            &params![self.hub, before.max(0)],
        )?;
        rows.iter().map(|row| Ok((id(AgentId::parse(row.text(0)?))?, row.int(1)?))).collect()
    }

    /// The agents of a name that are not retired; one at each home at most.
    pub fn agents_named(&mut self, name: &str) -> Result<Vec<Agent>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM agents WHERE hub = $1 AND name = $2 AND retired = 0 ORDER BY at, id",
            &params![self.hub, name],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// Earlier names of these agents, each with the name of now.
    pub fn renamed(&mut self, agents: &[Agent]) -> Result<Vec<(Name, Name)>, StoreError> {
        let mut found = Vec::new();
        for agent in agents {
            for step in self.history(&EntityRef::Agent(agent.id.clone()))? {
                let name = match step.fact.event {
                    Event::AgentRegistered(registered) => registered.name,
                    Event::AgentRenamed(renamed) => renamed.name,
                    _ => continue,
                };
                if name != agent.name && step.void.is_none() {
                    found.push((name, agent.name.clone()));
                }
            }
        }
        Ok(found)
    }
}
