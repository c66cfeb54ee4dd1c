//! Which replica this database is, and what a person decides where it may be a copy.
//!
//! Owns the facts about the store in the hub's row, their comparison at opening, and the refusal of writes until a doubt
//! is settled. The rule itself is `interagent_core::store_identity`.

use std::path::Path;

use interagent_core::draft::Fresh;
use interagent_core::ids::{OriginId, StoreId, UserStateId};
use interagent_core::store_identity::{
    CopyDoubt, IdFile, ObservedStore, RecordedStore, StoreIdentity, identify,
};

use crate::append::seed;
use crate::engine::{Engine, Queryable, ReadTx, WriteTx};
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::sqlite::{ensure_user_id, find_user_id};
use crate::store::{Store, new_chain};

/// What an open store knows of its own identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is the store of its replica, or is only looked at.
    Decided,
    /// The same, made by a version that wrote no id. The next write adds one.
    Unnamed,
    /// It may be a copy: it can be read, not written.
    Undecided(CopyDoubt),
}

impl Standing {
    /// Compares what is recorded with what is there.
    pub(crate) fn of(
        engine: &dyn Engine,
        recorded: &RecordedStore,
        user_dir: Option<&Path>,
    ) -> Result<Self, StoreError> {
        match identity_of(engine, recorded, user_dir)? {
            StoreIdentity::Same if recorded.id.is_none() => Ok(Self::Unnamed),
            StoreIdentity::Same => Ok(Self::Decided),
            StoreIdentity::Undecided(doubt) => Ok(Self::Undecided(doubt)),
            StoreIdentity::Unreadable(detail) => Err(StoreError::Unidentified { detail }),
        }
    }
}

/// The facts that only describe a doubt are read where there is one.
fn identity_of(
    engine: &dyn Engine,
    recorded: &RecordedStore,
    user_dir: Option<&Path>,
) -> Result<StoreIdentity, StoreError> {
    let mut observed =
        ObservedStore { id: engine.id_file(), inode: engine.inode()?, machine: None, user: None };
    let identity = identify(recorded, &observed);
    if !matches!(identity, StoreIdentity::Undecided(_)) {
        return Ok(identity);
    }
    (observed.machine, observed.user) = (engine.machine(), find_user_id(user_dir));
    Ok(identify(recorded, &observed))
}

/// The facts about the store in the hub's row, and how its views were folded.
pub(crate) fn recorded(q: &mut dyn Queryable, hub: i64) -> Result<Option<(RecordedStore, i64)>, StoreError> {
    let row = q.query_first(
        "SELECT store_id, inode, machine, user_id, fold FROM hubs WHERE hub = $1",
        &params![hub],
    )?;
    row.map(|row| {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let recorded = RecordedStore {
            id: some(row.text(0)?).map(|id| StoreId::parse(&id)).transpose().map_err(log::bad)?,
            inode: row.int(1)?.cast_unsigned(),
            machine: some(row.text(2)?),
            user: some(row.text(3)?).and_then(|user| UserStateId::parse(&user).ok()),
        };
        Ok((recorded, row.int(4)?))
    })
    .transpose()
}

/// How a user is written into the row.
pub(crate) fn text_of(user: Option<&UserStateId>) -> &str {
    user.map(UserStateId::as_str).unwrap_or_default()
}

/// A new store's id.
pub(crate) fn random_store_id() -> Result<StoreId, StoreError> {
    Ok(StoreId::from_bits(Fresh::new(seed()?).bits()))
}

/// The id beside the database, written where there is none. The caller holds the gate.
pub(crate) fn ensure_id(engine: &mut dyn Engine) -> Result<StoreId, StoreError> {
    match engine.id_file() {
        IdFile::Holds(id) => Ok(id),
        IdFile::Unreadable(detail) => Err(StoreError::Unidentified { detail }),
        IdFile::Missing => {
            let id = random_store_id()?;
            engine.write_id(&id)?;
            Ok(id)
        }
    }
}

impl Store {
    /// Why this store can only be read, where it may be a copy.
    pub fn doubt(&self) -> Option<CopyDoubt> {
        match self.standing {
            Standing::Undecided(doubt) => Some(doubt),
            Standing::Decided | Standing::Unnamed => None,
        }
    }

    /// The identity as it is now, also of a store that was opened for looking.
    pub fn identity(&mut self, user_dir: Option<&Path>) -> Result<StoreIdentity, StoreError> {
        let (engine, hub, _) = self.parts();
        let found = recorded(&mut ReadTx::begin(engine)?, hub)?;
        let (recorded, _) = found.ok_or_else(StoreError::no_hub)?;
        identity_of(engine, &recorded, user_dir)
    }

    /// Refuses a write to a store that may be a copy. Another process may have settled the doubt since it was opened.
    pub fn must_be_decided(&mut self) -> Result<(), StoreError> {
        match self.standing {
            Standing::Decided => return Ok(()),
            Standing::Unnamed => {
                // Without an id the inode alone decides, as before. The next write tries again.
                if self.adopt().is_ok() {
                    self.standing = Standing::Decided;
                }
                return Ok(());
            }
            Standing::Undecided(_) => {}
        }
        let user_dir = self.user_dir.clone();
        match self.identity(user_dir.as_deref())? {
            StoreIdentity::Same => {
                self.standing = Standing::Decided;
                // Opening left the views as an older program made them.
                self.fold_again()
            }
            StoreIdentity::Undecided(doubt) => Err(StoreError::Undecided { doubt }),
            StoreIdentity::Unreadable(detail) => Err(StoreError::Unidentified { detail }),
        }
    }

    /// Gives a store of an earlier version its id.
    fn adopt(&mut self) -> Result<(), StoreError> {
        let user = ensure_user_id(self.user_dir.as_deref());
        let (engine, hub, _) = self.parts();
        let mut tx = WriteTx::begin(engine)?;
        let id = ensure_id(tx.engine())?;
        tx.execute(
            "UPDATE hubs SET store_id = $1, user_id = $2 WHERE hub = $3 AND store_id = ''",
            &params![id.as_str(), text_of(user.as_ref()), hub],
        )?;
        tx.commit()
    }

    /// Settles that this store is a copy whose original goes on: it becomes a replica of its own. False where there is
    /// nothing to settle.
    pub fn become_copy(&mut self, alias: &str) -> Result<bool, StoreError> {
        match self.identity(None)? {
            StoreIdentity::Same => Ok(false),
            StoreIdentity::Undecided(_) => self.new_origin(alias, None),
            StoreIdentity::Unreadable(detail) => Err(StoreError::Unidentified { detail }),
        }
    }

    /// Begins a new replica in this database: the old one is never continued.
    ///
    /// `continues` names the old one when it is known to be gone, so that its agents live on here. False where another
    /// process was first.
    pub fn new_origin(&mut self, alias: &str, continues: Option<OriginId>) -> Result<bool, StoreError> {
        let before = self.head()?.origin;
        self.fold_again()?;
        let user_dir = self.user_dir.clone();
        let user = ensure_user_id(user_dir.as_deref());
        let (engine, hub, clock) = self.parts();
        let machine = engine.machine().unwrap_or_default();
        let mut tx = WriteTx::begin(engine)?;
        let head = log::head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let (recorded, _) = recorded(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let identity = identity_of(tx.engine(), &recorded, None)?;
        let is_same = identity == StoreIdentity::Same;
        // Another process may have settled it while we waited for the gate.
        let begins = head.origin == before && !(is_same && continues.is_none());
        if begins {
            let id = match (identity, recorded.id) {
                (StoreIdentity::Unreadable(detail), _) => return Err(StoreError::Unidentified { detail }),
                (StoreIdentity::Same, Some(id)) => id,
                // The file first: if the row does not follow, the doubt stays.
                _ => {
                    let id = random_store_id()?;
                    tx.engine().write_id(&id)?;
                    id
                }
            };
            let inode = tx.engine().inode()?.cast_signed();
            tx.execute(
                "UPDATE hubs SET machine = $1, inode = $2, store_id = $3, user_id = $4 WHERE hub = $5",
                &params![machine, inode, id.as_str(), text_of(user.as_ref()), hub],
            )?;
            new_chain(&mut tx, hub, clock.wall_us(), alias, continues)?;
            tx.commit()?;
        } else {
            drop(tx);
        }
        self.standing = Standing::Decided;
        Ok(begins)
    }
}
