//! Which facts of other replicas count: what this store knows of replicas and agents, for the rule in the core.

use std::collections::BTreeMap;

use interagent_core::entity::{Entity, Stamp, Void};
use interagent_core::entry::Entry;
use interagent_core::event::{Event, Fact};
use interagent_core::ids::{AgentId, EntityRef, OriginId};
use interagent_core::name::OPERATOR;
use interagent_core::signature::{ActsAs, Powers, Standing, counts, may_register, speakers};

use crate::engine::{Queryable, Row};
use crate::error::StoreError;
use crate::log::{self, Placed, bad};
use crate::params;
use crate::replicas::{self, Replica};

/// A chain of takeovers is as long as the number of disasters; the bound guards against a circle.
const MOST_TAKEOVERS: usize = 64;

/// What one transaction knows of replicas and of who lives where.
pub(crate) struct Gate {
    hub: i64,
    /// This replica: what it wrote always counts, whatever its row says.
    own: Option<OriginId>,
    replicas: BTreeMap<OriginId, Replica>,
    /// Where an agent lives, and whether it is a person.
    agents: BTreeMap<AgentId, Option<(OriginId, bool)>>,
    /// Which replica another one says it continues.
    continues: BTreeMap<OriginId, Option<OriginId>>,
}

impl Gate {
    pub(crate) fn load(q: &mut dyn Queryable, hub: i64) -> Result<Self, StoreError> {
        let all = replicas::all(q, hub)?;
        let replicas = all.into_iter().map(|replica| (replica.origin.clone(), replica)).collect();
        let own = log::head(q, hub)?.map(|head| head.origin);
        Ok(Self { hub, own, replicas, agents: BTreeMap::new(), continues: BTreeMap::new() })
    }

    /// How a replica stands, and up to which entry everything counted before.
    pub(crate) fn powers(&self, origin: &OriginId) -> Powers {
        let known = self.replicas.get(origin);
        let standing = match known {
            _ if self.own.as_ref() == Some(origin) => Standing::Own,
            Some(known) => known.standing,
            None => Standing::New,
        };
        Powers { standing, counted: known.map_or(0, |known| known.counted) }
    }

    /// Whether a fact counts. `state` is what its entity is before it.
    pub(crate) fn verdict(
        &mut self,
        q: &mut dyn Queryable,
        fact: &Fact,
        stamp: &Stamp,
        state: Option<&Entity>,
    ) -> Result<Result<(), Void>, StoreError> {
        let origin = &stamp.order.origin;
        let powers = self.powers(origin);
        let is_known_before = powers.standing == Standing::New && powers.is_trusted(stamp);
        if powers.standing == Standing::Own || is_known_before {
            return Ok(counts(fact, stamp, powers, ActsAs::Agent));
        }
        let acts = match (&fact.entity, state) {
            // An agent is changed by its home alone; that needs no look at others.
            (EntityRef::Agent(_), Some(Entity::Agent(agent))) => {
                let is_home = self.speaks_for(q, origin, &agent.home.clone())?;
                if is_home { ActsAs::Operator } else { ActsAs::Stranger }
            }
            (EntityRef::Agent(_) | EntityRef::Origin(_), _) => ActsAs::Operator,
            _ => self.acts(q, fact, stamp)?,
        };
        Ok(counts(fact, stamp, powers, acts))
    }

    fn acts(&mut self, q: &mut dyn Queryable, fact: &Fact, stamp: &Stamp) -> Result<ActsAs, StoreError> {
        let mut acts = ActsAs::Agent;
        for speaker in speakers(fact, stamp) {
            let Some((home, is_person)) = self.agent(q, speaker)? else { return Ok(ActsAs::Stranger) };
            if !self.speaks_for(q, &stamp.order.origin, &home)? {
                return Ok(ActsAs::Stranger);
            }
            if is_person {
                acts = ActsAs::Operator;
            }
        }
        Ok(acts)
    }

    fn agent(&mut self, q: &mut dyn Queryable, id: &AgentId) -> Result<Option<(OriginId, bool)>, StoreError> {
        if let Some(known) = self.agents.get(id) {
            return Ok(known.clone());
        }
        let row = q.query_first(
            "SELECT home, name FROM agents WHERE hub = $1 AND id = $2",
            &params![self.hub, id.as_str()],
        )?;
        let read = |row: &Row| {
            let home = OriginId::parse(row.text(0)?).map_err(bad)?;
            Ok::<_, StoreError>((home, row.text(1)? == OPERATOR))
        };
        let found = row.as_ref().map(read).transpose()?;
        self.agents.insert(id.clone(), found.clone());
        Ok(found)
    }

    /// What is known of an agent may have changed.
    pub(crate) fn forget(&mut self, entity: &EntityRef) {
        if let EntityRef::Agent(id) = entity {
            self.agents.remove(id);
        }
    }

    /// Whether a replica acts for those who live at another one: it is that one, or succeeds it.
    fn speaks_for(
        &mut self,
        q: &mut dyn Queryable,
        origin: &OriginId,
        home: &OriginId,
    ) -> Result<bool, StoreError> {
        let mut current = origin.clone();
        for _ in 0..MOST_TAKEOVERS {
            if current == *home {
                return Ok(true);
            }
            let Some(before) = self.continues(q, &current)? else { return Ok(false) };
            if !self.succeeds(&current, &before) {
                return Ok(false);
            }
            current = before;
        }
        Ok(false)
    }

    /// Whether what a replica says of the one that it continues is proven: by the same key, or by a person here.
    fn succeeds(&self, origin: &OriginId, before: &OriginId) -> bool {
        let Some(known) = self.replicas.get(origin) else { return false };
        let key = self.replicas.get(before).and_then(|before| before.key);
        known.standing == Standing::Own
            || known.succeeds.as_ref() == Some(before)
            || (known.key.is_some() && known.key == key)
            || known.counted > 0
    }

    fn continues(
        &mut self,
        q: &mut dyn Queryable,
        origin: &OriginId,
    ) -> Result<Option<OriginId>, StoreError> {
        if let Some(known) = self.continues.get(origin) {
            return Ok(known.clone());
        }
        let before = continued_by(q, self.hub, origin)?;
        // A replica whose beginning has not arrived is asked for again.
        if before.is_some() {
            self.continues.insert(origin.clone(), before.clone());
        }
        Ok(before)
    }

    /// The registrations in an agent's history, each with whether its replica is trusted.
    pub(crate) fn registrations(&self, history: &[Placed]) -> Vec<(OriginId, bool)> {
        let is_registration = |placed: &&Placed| matches!(placed.fact.event, Event::AgentRegistered(_));
        let each = history.iter().filter(is_registration).map(|placed| {
            let origin = &placed.stamp.order.origin;
            (origin.clone(), self.powers(origin).is_trusted(&placed.stamp))
        });
        each.collect()
    }

    /// Whether a registration counts among those of its agent.
    pub(crate) fn registers(&self, fact: &Fact, stamp: &Stamp, others: &[(OriginId, bool)]) -> bool {
        !matches!(fact.event, Event::AgentRegistered(_))
            || may_register(self.powers(&stamp.order.origin), stamp, others)
    }
}

/// The replica that another one said it continues, in its first entry.
pub(crate) fn continued_by(
    q: &mut dyn Queryable,
    hub: i64,
    origin: &OriginId,
) -> Result<Option<OriginId>, StoreError> {
    let row = q.query_first(
        "SELECT line FROM entries WHERE hub = $1 AND origin = $2 AND oseq = 1",
        &params![hub, origin.as_str()],
    )?;
    let Some(row) = row else { return Ok(None) };
    // A damaged first line says nothing; the check of the log names it.
    let opened = Entry::read(row.text(0)?).ok().and_then(|entry| {
        entry.facts.into_iter().find_map(|fact| match fact.event {
            Event::OriginOpened(opened) => Some(opened),
            _ => None,
        })
    });
    Ok(opened.and_then(|opened| opened.continues))
}
