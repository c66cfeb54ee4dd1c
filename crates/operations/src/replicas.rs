//! The replicas of the hub as people see them, and what follows from a decision about one.

use interagent_core::entity::replica::called;
use interagent_core::ids::OriginId;
use interagent_core::refusal::Refusal;
use interagent_core::signature::{Standing, StandingShown};
use interagent_store::reader::Reader;
use interagent_store::search::SearchIndex;
use interagent_store::{Replica, ReplicaDecision, Store};
use interagent_wire::LocalEffect;

use crate::local::LocalHub;
use crate::reach;
use crate::record::search::INDEX_FILE;

/// A replica with its name for people.
#[derive(Clone, Debug)]
pub struct KnownReplica {
    /// What the store knows.
    pub replica: Replica,
    /// What people call it.
    pub name: String,
    /// The replica that it says it continues.
    pub continues: Option<OriginId>,
    /// How many of its entries are here.
    pub entries: i64,
}

impl KnownReplica {
    /// How it stands, as shown.
    pub fn shown(&self) -> StandingShown {
        StandingShown::of(self.replica.standing, self.replica.key.as_ref())
    }

    /// Whether a person has to decide about it.
    pub fn waits(&self) -> bool {
        self.replica.standing == Standing::New
    }

    /// Whether it continues one that is known, without having that one's key, and nobody confirmed it.
    pub fn is_unconfirmed_successor(&self, all: &[Self]) -> bool {
        let Some(before) = &self.continues else { return false };
        let key = all.iter().find(|one| one.replica.origin == *before).and_then(|one| one.replica.key);
        let is_proven = self.replica.key.is_some() && self.replica.key == key;
        self.replica.standing != Standing::Own
            && !is_proven
            && self.replica.counted == 0
            && self.replica.succeeds.as_ref() != Some(before)
    }
}

/// Every replica that is known, this one first.
pub fn known_replicas(store: &mut Store) -> Result<Vec<KnownReplica>, Refusal> {
    let replicas = store.replicas()?;
    let heads = store.origin_heads()?;
    let origins = store.read(|reader: &mut Reader<'_>| Ok::<_, Refusal>(reader.origins()?))?;
    let mut known: Vec<KnownReplica> = replicas
        .into_iter()
        .map(|replica| KnownReplica {
            name: called(&origins, &replica.origin),
            continues: origins
                .iter()
                .find(|origin| origin.id == replica.origin)
                .and_then(|origin| origin.continues.clone()),
            entries: heads.get(&replica.origin).copied().unwrap_or(0),
            replica,
        })
        .collect();
    known.sort_by_key(|one| (one.replica.standing != Standing::Own, one.name.clone()));
    Ok(known)
}

impl LocalHub {
    /// Notes what a person decided of a replica; answers with what is to be done on this machine now. `None` where the replica
    /// is not known.
    pub fn decide_replica(
        &mut self,
        origin: &OriginId,
        decision: &ReplicaDecision,
    ) -> Result<Option<Vec<LocalEffect>>, Refusal> {
        if !self.store().decide_replica(origin, decision)? {
            return Ok(None);
        }
        self.forget_index();
        let state_dir = self.state_dir().to_owned();
        let mut effects = self.store().read(|reader: &mut Reader<'_>| reach::waiting(reader, &state_dir))?;
        self.with_waker(&mut effects);
        Ok(Some(effects))
    }

    /// A clone that joins accepts whoever made the team.
    pub fn accept_founder(&mut self) -> Result<Option<OriginId>, Refusal> {
        let founder = self.store().accept_founder()?;
        if founder.is_some() {
            self.forget_index();
        }
        Ok(founder)
    }

    /// The index follows the log, and what counts changed without a new entry. It is made again by the next search.
    fn forget_index(&self) {
        if let Ok((mut index, _)) = SearchIndex::open(&self.state_dir().join(INDEX_FILE)) {
            let _ = index.empty();
        }
    }
}
