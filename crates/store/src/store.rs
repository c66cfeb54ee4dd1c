//! One hub's durable state: the only door to the log, its views and the observations.
//!
//! Reads see one consistent state. An append is decided, applied and answered inside one write transaction, so nothing
//! is acknowledged before COMMIT. Rules live in the core; this module knows none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use interagent_core::authority::Proof;
use interagent_core::draft::{Context, Draft, Fresh};
use interagent_core::entity::{Entity, FOLD_VERSION};
use interagent_core::entry::GENESIS;
use interagent_core::event::{AgentRegistered, OriginOpened};
use interagent_core::ids::{AgentId, EntityRef, HubId, OriginId};
use interagent_core::name::Name;
use interagent_core::store_identity::RecordedStore;
use interagent_core::vocabulary::Auth;

use crate::append::{Appended, KeyConflict, NewEntry, Writer, append_in, seed, write_entry};
use crate::clock::Clock;
use crate::engine::{BackupProgress, Engine, Facts, Queryable, ReadTx, WriteTx};
use crate::error::StoreError;
use crate::identity::{self, Standing};
use crate::log::{self, Head};
use crate::reader::Reader;
use crate::signing::{NewKey, begin_replica, ensure_key};
use crate::sqlite::ensure_user_id;
use crate::{params, views};

/// The number of the one hub in an embedded database.
pub(crate) const EMBEDDED_HUB: i64 = 1;

/// How a new hub begins.
#[derive(Clone, Debug)]
pub struct Founding {
    /// Given when this is a replica of a hub that exists elsewhere.
    pub hub_id: Option<HubId>,
    /// This replica's name for people.
    pub alias: String,
    /// The program's directory in the user's state directory, which holds the user's id.
    pub user_dir: Option<PathBuf>,
}

/// One hub's store.
pub struct Store {
    engine: Box<dyn Engine>,
    clock: Arc<dyn Clock>,
    hub: i64,
    /// Where the log stood in the last transaction.
    reached: i64,
    /// The program's directory in the user's state directory, which holds the user's id.
    pub(crate) user_dir: Option<PathBuf>,
    /// What is known of the identity of the database.
    pub(crate) standing: Standing,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("hub", &self.hub).finish_non_exhaustive()
    }
}

/// A new hub's id.
pub(crate) fn random_hub_id() -> Result<HubId, StoreError> {
    Ok(HubId::from_bits(Fresh::new(seed()?).bits()))
}

/// A new replica's id.
pub(crate) fn random_origin() -> Result<OriginId, StoreError> {
    Ok(OriginId::from_bits(Fresh::new(seed()?).bits()))
}

impl Store {
    /// Takes an engine whose schema is current. A hub that is not there yet is founded; one that may be a copy can only be
    /// read until somebody decides.
    pub fn open(
        mut engine: Box<dyn Engine>,
        clock: Arc<dyn Clock>,
        founding: &Founding,
    ) -> Result<Self, StoreError> {
        let founded = Self::founded(engine.as_mut())?;
        let user_dir = founding.user_dir.clone();
        let standing = match &founded {
            Some((recorded, _)) => Standing::of(engine.as_ref(), recorded, user_dir.as_deref())?,
            None => Standing::Decided,
        };
        let mut store = Self { engine, clock, hub: EMBEDDED_HUB, reached: 0, user_dir, standing };
        match founded {
            None => store.found(founding)?,
            // A copy is written by whoever decides what it is; until then its lists are as the older program made them.
            Some((_, fold)) if fold < FOLD_VERSION && store.doubt().is_none() => store.fold_again()?,
            Some(_) => {}
        }
        Ok(store)
    }

    /// Takes an engine for looking only: nothing is founded, nothing is written. Copies are looked at like any other.
    pub fn open_to_look(mut engine: Box<dyn Engine>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        if Self::founded(engine.as_mut())?.is_none() {
            return Err(StoreError::unreadable_row("the database holds no hub".to_owned()));
        }
        let standing = Standing::Decided;
        Ok(Self { engine, clock, hub: EMBEDDED_HUB, reached: 0, user_dir: None, standing })
    }

    /// Whether the database holds a hub: whoever was killed while making it left one without.
    pub fn is_founded(engine: &mut dyn Engine) -> Result<bool, StoreError> {
        Ok(Self::founded(engine)?.is_some())
    }

    /// What the hub's row says of its store, and how its views were folded.
    fn founded(engine: &mut dyn Engine) -> Result<Option<(RecordedStore, i64)>, StoreError> {
        // Who only looks takes the views as they are.
        let may_write = engine.may_write();
        let found = identity::recorded(&mut ReadTx::begin(engine)?, EMBEDDED_HUB)?;
        Ok(found.map(|(recorded, fold)| (recorded, if may_write { fold } else { FOLD_VERSION })))
    }

    /// Makes the hub's row and its first entry: this replica and its human.
    fn found(&mut self, founding: &Founding) -> Result<(), StoreError> {
        let user = ensure_user_id(founding.user_dir.as_deref());
        let mut fresh = Fresh::new(seed()?);
        let hub_id = founding.hub_id.clone().unwrap_or_else(|| HubId::from_bits(fresh.bits()));
        let origin = OriginId::from_bits(fresh.bits());
        let mut tx = WriteTx::begin(self.engine.as_mut())?;
        let id = identity::ensure_id(tx.engine())?;
        let (inode, machine) = (tx.engine().inode()?, tx.engine().machine().unwrap_or_default());
        // Another process may have founded it while we waited for the gate.
        let made = tx.execute(
            "INSERT INTO hubs (hub, id, origin, alias, machine, inode, seq, oseq, last_at, prev, fold, store_id, user_id)
             VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, $7, $8, $9, $10) ON CONFLICT (hub) DO NOTHING",
            &params![
                self.hub,
                hub_id.as_str(),
                origin.as_str(),
                &founding.alias,
                machine,
                inode.cast_signed(),
                GENESIS,
                FOLD_VERSION,
                id.as_str(),
                identity::text_of(user.as_ref())
            ],
        )?;
        if made == 1 {
            ensure_key(&mut tx, self.hub, &origin)?;
            open_origin(&mut tx, self.hub, self.clock.wall_us(), &mut fresh, None)?;
            tx.commit()?;
        }
        Ok(())
    }

    /// Answers a question from one consistent state.
    pub fn read<T, E: From<StoreError>>(
        &mut self,
        ask: impl FnOnce(&mut Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let clock = Arc::clone(&self.clock);
        let mut tx = ReadTx::begin(self.engine.as_mut())?;
        let answer = ask(&mut Reader::new(&mut tx, self.hub, clock.as_ref()))?;
        let reached = reached(&mut tx, self.hub)?;
        tx.commit()?;
        self.reached = reached;
        Ok(answer)
    }

    /// Decides, applies and answers inside one write transaction.
    ///
    /// `decide` sees the state under the gate; `answer` sees it after the entry was applied. When the key was used
    /// before for the same request, only `answer` runs, on the entry of that time.
    pub fn append<T, E: From<StoreError> + From<KeyConflict>>(
        &mut self,
        new: NewEntry,
        decide: impl FnOnce(&mut Writer<'_, '_>, &Context) -> Result<Draft, E>,
        answer: impl FnOnce(&mut Reader<'_>, &Appended) -> Result<T, E>,
    ) -> Result<T, E> {
        self.must_be_decided()?;
        let clock = Arc::clone(&self.clock);
        let mut tx = WriteTx::begin(self.engine.as_mut())?;
        let (said, wrote) = append_in(&mut tx, self.hub, clock.as_ref(), new, decide, answer)?;
        let reached = reached(&mut tx, self.hub)?;
        if wrote {
            tx.commit()?;
        }
        self.reached = reached;
        Ok(said)
    }

    /// Appends many entries in one transaction: all of them or none. For bulk work such as an import.
    pub fn append_each<E: From<StoreError> + From<KeyConflict>>(
        &mut self,
        entries: impl IntoIterator<Item = NewEntry>,
        mut decide: impl FnMut(&mut Writer<'_, '_>, &Context) -> Result<Draft, E>,
    ) -> Result<(), E> {
        let entries = entries.into_iter().map(|new| (new, ()));
        self.append_batch(entries, |writer, context, ()| decide(writer, context), |(), _| {})
    }

    /// The same where each entry has something of its own to decide from; `outcome` hears what became of each, before
    /// the commit.
    pub fn append_batch<I: Clone, E: From<StoreError> + From<KeyConflict>>(
        &mut self,
        entries: impl IntoIterator<Item = (NewEntry, I)>,
        mut decide: impl FnMut(&mut Writer<'_, '_>, &Context, I) -> Result<Draft, E>,
        mut outcome: impl FnMut(I, &Appended),
    ) -> Result<(), E> {
        self.must_be_decided()?;
        let clock = Arc::clone(&self.clock);
        let mut tx = WriteTx::begin(self.engine.as_mut())?;
        for (new, item) in entries {
            let decide =
                |writer: &mut Writer<'_, '_>, context: &Context| decide(writer, context, item.clone());
            let told = |_: &mut Reader<'_>, appended: &Appended| {
                outcome(item.clone(), appended);
                Ok(())
            };
            append_in(&mut tx, self.hub, clock.as_ref(), new, decide, told)?;
        }
        tx.commit()?;
        Ok(())
    }

    /// Writes observations only: nothing enters the log. Commits when something was written.
    pub fn observe<T, E: From<StoreError>>(
        &mut self,
        note: impl FnOnce(&mut Writer<'_, '_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.must_be_decided()?;
        let clock = Arc::clone(&self.clock);
        let mut tx = WriteTx::begin(self.engine.as_mut())?;
        let mut writer = Writer::new(&mut tx, self.hub, clock.as_ref());
        let answer = note(&mut writer)?;
        let wrote = writer.has_written();
        let reached = reached(&mut tx, self.hub)?;
        if wrote {
            tx.commit()?;
        }
        self.reached = reached;
        Ok(answer)
    }

    /// Prepares for many entries, such as an import: uses more memory for as long as this store is open.
    pub fn expect_bulk(&mut self) -> Result<(), StoreError> {
        self.engine.expect_bulk()
    }

    /// Upkeep that may run once the caller has its answer.
    pub fn finish(&mut self) -> Result<(), StoreError> {
        self.engine.finish_write()
    }

    /// Sleeps until `ready` answers with something, or the time is over. A signal is only a hint to ask again; a slow
    /// sweep repairs a missed one.
    pub fn wait<T, E: From<StoreError>>(
        &mut self,
        timeout: Duration,
        mut ready: impl FnMut(&mut Reader<'_>) -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        const SWEEP: Duration = Duration::from_secs(15);
        let deadline = std::time::Instant::now() + timeout;
        let mut waiter = None;
        loop {
            if let Some(found) = self.read(&mut ready)? {
                return Ok(Some(found));
            }
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            match &mut waiter {
                // The waiter exists before the next look, so a commit in between is not missed.
                None => waiter = Some(self.engine.waiter()?),
                Some(waiter) => {
                    #[cfg(feature = "sabotage")]
                    if crate::sabotage::is(crate::sabotage::Sabotage::BusyWait) {
                        std::thread::sleep(Duration::from_millis(10));
                        continue;
                    }
                    waiter.wait(left.min(SWEEP))?;
                }
            }
        }
    }

    /// Sixty random bits for an id that must be known before the decision.
    pub fn fresh_bits(&self) -> Result<u64, StoreError> {
        Ok(Fresh::new(seed()?).bits())
    }

    /// Where the log stands.
    pub fn head(&mut self) -> Result<Head, StoreError> {
        let mut tx = ReadTx::begin(self.engine.as_mut())?;
        log::head(&mut tx, self.hub)?.ok_or_else(StoreError::no_hub)
    }

    /// Where the log stood when the last reading or writing ended: what its answer is about. Asks the engine nothing, so
    /// that nothing can fail between a commit and its answer.
    pub fn reached(&self) -> i64 {
        self.reached
    }

    /// The clock this store lives by.
    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// Copies one consistent state into a new file.
    pub fn backup_to(
        &mut self,
        path: &Path,
        progress: &mut dyn FnMut(BackupProgress),
    ) -> Result<(), StoreError> {
        self.engine.backup_to(path, progress)
    }

    /// What the engine says of itself.
    pub fn facts(&mut self) -> Result<Facts, StoreError> {
        self.engine.facts()
    }

    pub(crate) fn parts(&mut self) -> (&mut dyn Engine, i64, Arc<dyn Clock>) {
        (self.engine.as_mut(), self.hub, Arc::clone(&self.clock))
    }
}

/// The human of a replica, where both are known.
fn operator_of(tx: &mut WriteTx<'_>, hub: i64, origin: &OriginId) -> Result<Option<AgentId>, StoreError> {
    let Some(Entity::Origin(origin)) = views::load(tx, hub, &EntityRef::Origin(origin.clone()))? else {
        return Ok(None);
    };
    let agent = views::load(tx, hub, &EntityRef::Agent(origin.operator.clone()))?;
    Ok(agent.map(|_| origin.operator))
}

/// Where the log stands in a transaction.
fn reached(q: &mut dyn Queryable, hub: i64) -> Result<i64, StoreError> {
    log::head(q, hub)?.map(|head| head.seq).ok_or_else(StoreError::no_hub)
}

/// The first entry of a replica: it opens, and its human registers, unless the human is the one of the replica that it
/// continues: what was sent to them waits for them still.
pub(crate) fn open_origin(
    tx: &mut WriteTx<'_>,
    hub: i64,
    now: i64,
    fresh: &mut Fresh,
    continues: Option<OriginId>,
) -> Result<(), StoreError> {
    let head = log::advance_head(tx, hub)?.ok_or_else(StoreError::no_hub)?;
    let known = continues.as_ref().map_or(Ok(None), |before| operator_of(tx, hub, before))?;
    let is_new = known.is_none();
    let operator = known.unwrap_or_else(|| AgentId::from_bits(fresh.bits()));
    let context = Context {
        now,
        origin: head.origin.clone(),
        member: operator.clone(),
        human: true,
        proof: Proof::Claimed,
        fresh: Fresh::new(seed()?),
    };
    let mut draft = Draft::new(&context);
    let hub_id = HubId::parse(&head.hub_id).map_err(log::bad)?;
    draft.add(
        EntityRef::Origin(head.origin.clone()),
        OriginOpened { hub: hub_id, alias: head.alias.clone(), operator: operator.clone(), continues },
    );
    if is_new {
        let profile = interagent_core::entity::agent::HUMAN_PROFILE.to_owned();
        draft.add(EntityRef::Agent(operator.clone()), AgentRegistered { name: Name::operator(), profile });
    }
    let new = NewEntry {
        actor: operator,
        behalf: None,
        human: true,
        auth: Auth::Terminal,
        op: "origin.open",
        key: None,
    };
    write_entry(tx, hub, &head, new, now, draft)?;
    Ok(())
}

/// Gives the database a new replica whose log begins now.
pub(crate) fn new_chain(
    tx: &mut WriteTx<'_>,
    hub: i64,
    now: i64,
    alias: &str,
    continues: Option<OriginId>,
) -> Result<(), StoreError> {
    let mut fresh = Fresh::new(seed()?);
    let own = OriginId::from_bits(fresh.bits());
    let before = log::head(tx, hub)?.ok_or_else(StoreError::no_hub)?.origin;
    // After a recovery the replica that goes on is the one that was saved, not that of the new database.
    let (before, key) = match &continues {
        Some(before) => (before.clone(), NewKey::Inherit),
        None => (before, NewKey::Fresh),
    };
    begin_replica(tx, hub, &before, &own, key)?;
    tx.execute(
        "UPDATE hubs SET origin = $1, alias = $2, oseq = 0, prev = $3 WHERE hub = $4",
        &params![own.as_str(), alias, GENESIS, hub],
    )?;
    open_origin(tx, hub, now, &mut fresh, continues)
}
