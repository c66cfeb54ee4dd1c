//! What this store knows of each replica: its pinned key, its newest seal, and what its people decided.
//!
//! These rows are local. They are no views: a rebuild keeps them, and a backup carries them. Which entries count follows
//! from them by the rules in the core.

use interagent_core::ids::OriginId;
use interagent_core::signature::{Claim, Coverage, PublicKey, Seal, Standing};

use crate::engine::{Queryable, ReadTx, Row, WriteTx};
use crate::error::StoreError;
use crate::log::{self, bad};
use crate::params;
use crate::store::Store;

/// What this store knows of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// Which.
    pub origin: OriginId,
    /// What people here decided.
    pub standing: Standing,
    /// Its key, where it has signed something.
    pub key: Option<PublicKey>,
    /// The newest seal of that key.
    pub seal: Option<Seal>,
    /// The entry up to which its history was unsigned before.
    pub first_sealed: i64,
    /// A seal of another key, where one was seen.
    pub rival: Option<Seal>,
    /// Entries up to this one count whatever the standing says.
    pub counted: i64,
    /// The replica that it succeeds, because a person said so here.
    pub succeeds: Option<OriginId>,
}

impl Replica {
    fn read(row: &Row) -> Result<Self, StoreError> {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let seal =
            |text: Option<String>| text.map(|text| serde_json::from_str(&text).map_err(bad)).transpose();
        Ok(Self {
            origin: OriginId::parse(row.text(0)?).map_err(bad)?,
            standing: row.text(1)?.parse().map_err(bad)?,
            key: some(row.text(2)?).map(|key| PublicKey::parse(&key)).transpose().map_err(bad)?,
            seal: seal(some(row.text(3)?))?,
            first_sealed: row.int(4)?,
            rival: seal(some(row.text(5)?))?,
            counted: row.int(6)?,
            succeeds: some(row.text(7)?).map(|id| OriginId::parse(&id)).transpose().map_err(bad)?,
        })
    }

    /// What is known of its key before lines are looked at that claim to be its own.
    pub(crate) fn claim(&self) -> Claim {
        match (self.standing, self.key) {
            (Standing::Own, key) => Claim::Own(key),
            (_, Some(key)) => Claim::Pinned(key),
            (_, None) => Claim::Unsigned,
        }
    }
}

/// Every replica that is known, in the order of their ids.
pub(crate) fn all(q: &mut dyn Queryable, hub: i64) -> Result<Vec<Replica>, StoreError> {
    q.query(
        "SELECT origin, standing, key, seal, first_sealed, rival, counted, succeeds FROM replicas
         WHERE hub = $1 ORDER BY origin",
        &params![hub],
    )?
    .iter()
    .map(Replica::read)
    .collect()
}

/// One of them.
pub(crate) fn one(q: &mut dyn Queryable, hub: i64, origin: &OriginId) -> Result<Option<Replica>, StoreError> {
    q.query_first(
        "SELECT origin, standing, key, seal, first_sealed, rival, counted, succeeds FROM replicas
         WHERE hub = $1 AND origin = $2",
        &params![hub, origin.as_str()],
    )?
    .map(|row| Replica::read(&row))
    .transpose()
}

/// Notes a replica that was not known.
pub(crate) fn meet(
    tx: &mut WriteTx<'_>,
    hub: i64,
    origin: &OriginId,
    standing: Standing,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO replicas (hub, origin, standing) VALUES ($1, $2, $3) ON CONFLICT (hub, origin) DO NOTHING",
        &params![hub, origin.as_str(), standing.as_str()],
    )?;
    Ok(())
}

/// Pins a key, where none is pinned.
pub(crate) fn pin(
    tx: &mut WriteTx<'_>,
    hub: i64,
    origin: &OriginId,
    key: &PublicKey,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE replicas SET key = $1 WHERE hub = $2 AND origin = $3 AND key = ''",
        &params![key.to_string(), hub, origin.as_str()],
    )?;
    Ok(())
}

/// Keeps a seal of the pinned key, where it covers more than the one that is known.
pub(crate) fn keep_seal(tx: &mut WriteTx<'_>, hub: i64, seal: &Seal) -> Result<u64, StoreError> {
    let text = serde_json::to_string(seal).map_err(bad)?;
    tx.execute(
        "UPDATE replicas SET seal = $1, sealed = $2,
         first_sealed = CASE WHEN first_sealed = 0 THEN $2 ELSE first_sealed END
         WHERE hub = $3 AND origin = $4 AND key = $5 AND sealed < $2",
        &params![text, seal.oseq, hub, seal.origin.as_str(), seal.key.to_string()],
    )
}

/// Forgets the newest seal of a replica; its key stays pinned.
pub(crate) fn forget_seal(tx: &mut WriteTx<'_>, hub: i64, origin: &OriginId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE replicas SET seal = '', sealed = 0 WHERE hub = $1 AND origin = $2",
        &params![hub, origin.as_str()],
    )?;
    Ok(())
}

/// Keeps a seal of another key than the pinned one, so that people see it. The first one stays.
pub(crate) fn keep_rival(tx: &mut WriteTx<'_>, hub: i64, seal: &Seal) -> Result<u64, StoreError> {
    let text = serde_json::to_string(seal).map_err(bad)?;
    tx.execute(
        "UPDATE replicas SET rival = $1 WHERE hub = $2 AND origin = $3 AND rival = ''",
        &params![text, hub, seal.origin.as_str()],
    )
}

/// Another replica goes on in this database: the one of before is known, and its key stays pinned.
pub(crate) fn hand_on(
    tx: &mut WriteTx<'_>,
    hub: i64,
    before: &OriginId,
    own: &OriginId,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE replicas SET standing = 'accepted' WHERE hub = $1 AND origin = $2 AND standing = 'own'",
        &params![hub, before.as_str()],
    )?;
    meet(tx, hub, own, Standing::Own)
}

/// Notes that a replica of this store succeeds another one.
pub(crate) fn succeed(
    tx: &mut WriteTx<'_>,
    hub: i64,
    own: &OriginId,
    before: &OriginId,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE replicas SET succeeds = $1 WHERE hub = $2 AND origin = $3",
        &params![before.as_str(), hub, own.as_str()],
    )?;
    Ok(())
}

/// What seals told.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    /// Replicas that are signed with two keys: the pinned one and another.
    pub(crate) rivals: Vec<(OriginId, PublicKey, PublicKey)>,
    /// Replicas that proved to have the key of one that was known.
    pub(crate) heirs: Vec<OriginId>,
    /// Whether anything was written.
    pub(crate) changed: bool,
}

/// Judges the seals that came along against what is stored: the first key of a replica is pinned, newer seals of a pinned key
/// are kept, and seals of another key are kept apart. Answers with those of another key.
pub(crate) fn learn(tx: &mut WriteTx<'_>, hub: i64, coverage: &Coverage) -> Result<Learned, StoreError> {
    let mut learned = Learned::default();
    let hub_id = log::head(tx, hub)?.ok_or_else(StoreError::no_hub)?.hub_id;
    let seals: Vec<&Seal> = coverage.seals().filter(|seal| seal.hub.as_str() == hub_id).collect();
    for seal in &seals {
        let Some(known) = one(tx, hub, &seal.origin)? else { continue };
        if known.seal.as_ref().is_some_and(|kept| kept.key == seal.key && kept.oseq >= seal.oseq) {
            continue;
        }
        if !is_stored(tx, hub, seal)? {
            continue;
        }
        match (known.standing, known.key) {
            // The row of this replica is written by its own signature only.
            (Standing::Own, None) => {}
            (_, Some(pinned)) if pinned != seal.key => {
                learned.rivals.push((seal.origin.clone(), pinned, seal.key));
                learned.changed |= keep_rival(tx, hub, seal)? > 0;
            }
            (_, None) if coverage.first_key(&seal.origin).is_some_and(|first| first != seal.key) => {}
            (_, pinned) => {
                if pinned.is_none() {
                    pin(tx, hub, &seal.origin, &seal.key)?;
                    if inherit(tx, hub, seal)? {
                        learned.heirs.push(seal.origin.clone());
                    }
                }
                learned.changed |= keep_seal(tx, hub, seal)? > 0;
            }
        }
    }
    Ok(learned)
}

/// A replica with the key of another one is the same people's, who decided of that one: it stands as that one does. The key is
/// proven, so nobody else gets there.
fn inherit(tx: &mut WriteTx<'_>, hub: i64, seal: &Seal) -> Result<bool, StoreError> {
    let all = all(tx, hub)?;
    let is_kin = |other: &&Replica| other.origin != seal.origin && other.key == Some(seal.key);
    let Some(kin) = all.iter().find(is_kin) else { return Ok(false) };
    let standing = if kin.standing == Standing::Own { Standing::Accepted } else { kin.standing };
    tx.execute(
        "UPDATE replicas SET standing = $1 WHERE hub = $2 AND origin = $3 AND standing = 'new'",
        &params![standing.as_str(), hub, seal.origin.as_str()],
    )?;
    Ok(true)
}

/// Whether the entry that a seal covers is here.
fn is_stored(q: &mut dyn Queryable, hub: i64, seal: &Seal) -> Result<bool, StoreError> {
    let row = q.query_first(
        "SELECT line FROM entries WHERE hub = $1 AND origin = $2 AND oseq = $3",
        &params![hub, seal.origin.as_str(), seal.oseq],
    )?;
    // The line was verified when it was taken in.
    row.map_or(Ok(false), |row| Ok(crate::verify::hash_in(row.text(0)?) == Some(seal.hash.as_str())))
}

impl Store {
    /// Every replica that is known, in the order of their ids.
    pub fn replicas(&mut self) -> Result<Vec<Replica>, StoreError> {
        let (engine, hub, _) = self.parts();
        all(&mut ReadTx::begin(engine)?, hub)
    }
}
