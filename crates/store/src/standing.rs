//! Decisions of people about replicas, and folding again what they change.

use std::collections::BTreeSet;

use interagent_core::entity::Stamp;
use interagent_core::entry::Entry;
use interagent_core::event::{Event, Fact};
use interagent_core::ids::{EntityRef, OriginId};
use interagent_core::signature::Standing;

use crate::append::settle_texts;
use crate::engine::{Queryable, WriteTx};
use crate::error::StoreError;
use crate::log::{self, bad};
use crate::params;
use crate::replicas;
use crate::store::Store;
use crate::views::{self, Gate, continued_by};

/// What a person decides of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaDecision {
    /// Its operator's words count.
    Accept,
    /// The same, and its agents are those of this one, which is gone.
    AcceptAfter(OriginId),
    /// Nothing it writes counts.
    Reject,
}

/// Whether agents have another home than before: then what others wrote counts otherwise, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Homes {
    AsBefore,
    Changed,
}

/// Folds everything again that a replica wrote about.
pub(crate) fn refold_replica(tx: &mut WriteTx<'_>, hub: i64, origin: &OriginId) -> Result<Homes, StoreError> {
    let mut gate = Gate::load(tx, hub)?;
    let rows = tx.query(
        "SELECT DISTINCT l.entity FROM entity_log l JOIN entries e ON e.hub = l.hub AND e.seq = l.seq
         WHERE l.hub = $1 AND e.origin = $2 ORDER BY l.entity",
        &params![hub, origin.as_str()],
    )?;
    let mut homes = Homes::AsBefore;
    // Agents come first in this order: who lives where decides what counts.
    for row in &rows {
        let entity = EntityRef::read(row.text(0)?);
        let before = home(tx, hub, &entity)?;
        views::refold(tx, hub, &mut gate, &entity)?;
        if before.is_some() && home(tx, hub, &entity)? != before {
            homes = Homes::Changed;
        }
    }
    settle_again(tx, hub, origin)?;
    Ok(homes)
}

fn home(q: &mut dyn Queryable, hub: i64, entity: &EntityRef) -> Result<Option<String>, StoreError> {
    let EntityRef::Agent(id) = entity else { return Ok(None) };
    let row =
        q.query_first("SELECT home FROM agents WHERE hub = $1 AND id = $2", &params![hub, id.as_str()])?;
    row.map(|row| Ok(row.text(0)?.to_owned())).transpose()
}

/// What a replica's entries decide of texts holds once they count.
fn settle_again(tx: &mut WriteTx<'_>, hub: i64, origin: &OriginId) -> Result<(), StoreError> {
    let rows = tx.query(
        "SELECT e.seq, e.line FROM entries e WHERE e.hub = $1 AND e.origin = $2 AND e.held = 0
         AND e.line LIKE '%text.%' ORDER BY e.seq",
        &params![hub, origin.as_str()],
    )?;
    for row in &rows {
        let entry = Entry::read(row.text(1)?).map_err(bad)?;
        let stamp = Stamp::from(&entry.envelope);
        for (n, fact) in (0_i64..).zip(&entry.facts) {
            if log::void(tx, hub, &fact.entity, (stamp.order.at, row.int(0)?, n))?.is_none() {
                settle_texts(tx, hub, fact)?;
            }
        }
    }
    Ok(())
}

/// The replicas that continue one of these, directly or by others in between.
pub(crate) fn successors(
    q: &mut dyn Queryable,
    hub: i64,
    of: &BTreeSet<OriginId>,
) -> Result<Vec<OriginId>, StoreError> {
    let mut found = Vec::new();
    for replica in replicas::all(q, hub)?.into_iter().filter(|replica| replica.standing != Standing::Own) {
        let mut seen = BTreeSet::new();
        let mut current = replica.origin.clone();
        while let Some(before) = continued_by(q, hub, &current)? {
            if of.contains(&before) {
                found.push(replica.origin.clone());
                break;
            }
            if !seen.insert(before.clone()) {
                break;
            }
            current = before;
        }
    }
    Ok(found)
}

/// Whether a fact says who lives at the replica that wrote it.
pub(crate) fn says_who_lives_there(fact: &Fact) -> bool {
    matches!(fact.event, Event::AgentRegistered(_) | Event::OriginOpened(_))
}

impl Store {
    /// Notes what a person decided of a replica, and lets its entries count accordingly. False where the replica is not known.
    pub fn decide_replica(
        &mut self,
        origin: &OriginId,
        decision: &ReplicaDecision,
    ) -> Result<bool, StoreError> {
        let (standing, succeeds) = match decision {
            ReplicaDecision::Accept => (Standing::Accepted, None),
            ReplicaDecision::AcceptAfter(before) => (Standing::Accepted, Some(before.as_str())),
            ReplicaDecision::Reject => (Standing::Rejected, None),
        };
        self.stand(origin, |tx, hub| {
            tx.execute(
                "UPDATE replicas SET standing = $1, succeeds = COALESCE($2, succeeds)
                 WHERE hub = $3 AND origin = $4 AND standing <> 'own'",
                &params![standing.as_str(), succeeds, hub, origin.as_str()],
            )
        })
    }

    /// A clone that joins a team has chosen the history of whoever made the team: the replica that first wrote the team's file
    /// is accepted. Where it has no key, what it wrote so far counts.
    pub fn accept_founder(&mut self) -> Result<Option<OriginId>, StoreError> {
        let (engine, hub, _) = self.parts();
        let row = crate::engine::ReadTx::begin(engine)?.query_first(
            "SELECT e.origin FROM entity_log l JOIN entries e ON e.hub = l.hub AND e.seq = l.seq
             WHERE l.hub = $1 AND l.entity = 'team' ORDER BY l.at, e.origin, e.oseq LIMIT 1",
            &params![hub],
        )?;
        let Some(row) = row else { return Ok(None) };
        let founder = OriginId::parse(row.text(0)?).map_err(bad)?;
        let changed = self.stand(&founder, |tx, hub| {
            tx.execute(
                "UPDATE replicas SET standing = CASE WHEN key = '' THEN 'new' ELSE 'accepted' END,
                 counted = CASE WHEN key = '' THEN (SELECT MAX(oseq) FROM entries e WHERE e.hub = $1 AND e.origin = $2)
                 ELSE counted END WHERE hub = $1 AND origin = $2 AND standing = 'new'",
                &params![hub, founder.as_str()],
            )
        })?;
        Ok(changed.then_some(founder))
    }

    /// Changes how a replica stands, and folds again what it and those who continue it wrote.
    fn stand(
        &mut self,
        origin: &OriginId,
        change: impl FnOnce(&mut WriteTx<'_>, i64) -> Result<u64, StoreError>,
    ) -> Result<bool, StoreError> {
        self.must_be_decided()?;
        let (engine, hub, _) = self.parts();
        let mut tx = WriteTx::begin(engine)?;
        log::hold_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        if change(&mut tx, hub)? == 0 {
            return Ok(false);
        }
        let mut homes = refold_replica(&mut tx, hub, origin)?;
        for next in successors(&mut tx, hub, &BTreeSet::from([origin.clone()]))? {
            if refold_replica(&mut tx, hub, &next)? == Homes::Changed {
                homes = Homes::Changed;
            }
        }
        tx.commit()?;
        if homes == Homes::Changed {
            self.rebuild(&mut |_, _| {})?;
        }
        Ok(true)
    }
}
