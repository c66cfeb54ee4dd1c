//! The key of this replica, and its signature on its own log.
//!
//! The private key lies in a file beside the database; the database pins its public half. Where the two do not fit, nothing
//! is signed and no new key is made: a key that changes by itself would prove nothing.

use std::path::{Path, PathBuf};

use interagent_core::ids::{HubId, OriginId};
use interagent_core::signature::{PublicKey, Seal, SecretKey, Standing};

use crate::append::seed;
use crate::engine::{KeyFile, ReadTx, WriteTx};
use crate::error::StoreError;
use crate::log::{self, Head, bad};
use crate::replicas;
use crate::sqlite::write_new;
use crate::store::Store;

/// Where the private key of a backup lies, if it was asked for.
pub fn key_beside(backup: &Path) -> PathBuf {
    let mut name = backup.as_os_str().to_owned();
    name.push(".key");
    PathBuf::from(name)
}

/// A new random key.
fn random_key() -> Result<SecretKey, StoreError> {
    SecretKey::from_seed(seed()?).map_err(bad)
}

/// The key in the file, where it is the one that is pinned.
fn key_of(file: KeyFile, pinned: PublicKey) -> Result<SecretKey, StoreError> {
    match file {
        KeyFile::Holds(key) if key.public() == pinned => Ok(*key),
        KeyFile::Holds(key) => {
            let (found, pinned) = (key.public().fingerprint(), pinned.fingerprint());
            Err(StoreError::Key {
                detail: format!("it holds the key {found}, and this replica's is {pinned}"),
            })
        }
        KeyFile::Missing => Err(StoreError::Key { detail: "it is missing".to_owned() }),
        KeyFile::Unreadable(detail) => Err(StoreError::Key { detail }),
    }
}

/// Gives a replica without a pinned key one: that of the file, or a new one. The file is written first, so that an
/// interruption leaves a file without a pin, never a pin without a file.
pub(crate) fn ensure_key(tx: &mut WriteTx<'_>, hub: i64, own: &OriginId) -> Result<(), StoreError> {
    replicas::meet(tx, hub, own, Standing::Own)?;
    if replicas::one(tx, hub, own)?.is_some_and(|row| row.key.is_some()) {
        return Ok(());
    }
    let key = match tx.engine().key_file() {
        KeyFile::Holds(key) => *key,
        KeyFile::Missing => {
            let key = random_key()?;
            tx.engine().write_key(&key)?;
            key
        }
        KeyFile::Unreadable(detail) => return Err(StoreError::Key { detail }),
    };
    replicas::pin(tx, hub, own, &key.public())
}

/// What becomes of the key where a new replica begins in this database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewKey {
    /// The replica of before is known to be gone: its key goes on, where it is here. It proves the succession to others.
    Inherit,
    /// The replica of before goes on elsewhere with its key.
    Fresh,
}

/// Notes the replica that begins in this database, and gives it its key.
pub(crate) fn begin_replica(
    tx: &mut WriteTx<'_>,
    hub: i64,
    before: &OriginId,
    own: &OriginId,
    how: NewKey,
) -> Result<(), StoreError> {
    let pinned = replicas::one(tx, hub, before)?.and_then(|row| row.key);
    replicas::hand_on(tx, hub, before, own)?;
    if how == NewKey::Inherit {
        replicas::succeed(tx, hub, own, before)?;
    }
    let inherited = match (how, tx.engine().key_file()) {
        (NewKey::Fresh, _) => None,
        (NewKey::Inherit, KeyFile::Holds(key)) if pinned.is_none_or(|pinned| pinned == key.public()) => {
            Some(*key)
        }
        (NewKey::Inherit, KeyFile::Unreadable(detail)) => return Err(StoreError::Key { detail }),
        (NewKey::Inherit, _) => None,
    };
    let key = match inherited {
        Some(key) => key,
        None => {
            let key = random_key()?;
            tx.engine().write_key(&key)?;
            key
        }
    };
    replicas::pin(tx, hub, own, &key.public())
}

/// Signs the head of this replica's log.
fn seal(head: &Head, key: &SecretKey) -> Result<Seal, StoreError> {
    let hub = HubId::parse(&head.hub_id).map_err(bad)?;
    Ok(key.seal(hub, head.origin.clone(), head.oseq, head.prev.clone()))
}

impl Store {
    /// Signs the head of this replica's log and keeps the seal. A store of an earlier version gets its key.
    pub fn sign(&mut self) -> Result<Seal, StoreError> {
        self.must_be_decided()?;
        let (engine, hub, _) = self.parts();
        let mut tx = WriteTx::begin(engine)?;
        let head = log::hold_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        ensure_key(&mut tx, hub, &head.origin)?;
        let own = replicas::one(&mut tx, hub, &head.origin)?.ok_or_else(StoreError::no_hub)?;
        if let Some(kept) = own.seal.filter(|kept| kept.oseq == head.oseq && kept.hash == head.prev) {
            return Ok(kept);
        }
        let pinned = own.key.ok_or_else(StoreError::no_hub)?;
        let key = key_of(tx.engine().key_file(), pinned)?;
        let seal = seal(&head, &key)?;
        replicas::keep_seal(&mut tx, hub, &seal)?;
        tx.commit()?;
        Ok(seal)
    }

    /// Signs the head without keeping the seal: nothing is written. `None` where this replica has no key yet.
    pub fn head_seal(&mut self) -> Result<Option<Seal>, StoreError> {
        let (engine, hub, _) = self.parts();
        let mut tx = ReadTx::begin(engine)?;
        let head = log::head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let own = replicas::one(&mut tx, hub, &head.origin)?;
        drop(tx);
        let Some(pinned) = own.and_then(|own| own.key) else { return Ok(None) };
        let (engine, ..) = self.parts();
        let key = key_of(engine.key_file(), pinned)?;
        seal(&head, &key).map(Some)
    }

    /// Copies the private key into a new file for the owner alone.
    pub fn copy_key(&mut self, to: &Path) -> Result<(), StoreError> {
        let (engine, hub, _) = self.parts();
        let mut tx = ReadTx::begin(engine)?;
        let head = log::head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let own = replicas::one(&mut tx, hub, &head.origin)?;
        drop(tx);
        let pinned = own.and_then(|own| own.key).ok_or_else(StoreError::no_hub)?;
        let (engine, ..) = self.parts();
        let key = key_of(engine.key_file(), pinned)?;
        write_new(to, &key.text())
    }

    /// Why this replica can't sign, where it can't. One without a key yet gets it when it signs.
    pub fn key_problem(&mut self) -> Result<Option<StoreError>, StoreError> {
        match self.head_seal() {
            Ok(_) => Ok(None),
            Err(error @ StoreError::Key { .. }) => Ok(Some(error)),
            Err(other) => Err(other),
        }
    }
}
