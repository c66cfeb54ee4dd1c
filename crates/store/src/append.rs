//! One append: decide under the gate, seal the entry, apply it, answer.
//!
//! Owns what an entry is before it is sealed and what becomes of it, and the write transaction as operations see it.
//! Knows no rule: whoever calls decides.

use interagent_core::authority::Proof;
use interagent_core::draft::{Context, Draft, Fresh};
use interagent_core::entity::Stamp;
use interagent_core::entry::{Entry, Envelope, RequestKey};
use interagent_core::event::{Event, Fact};
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_core::vocabulary::Auth;

use crate::clock::Clock;
use crate::engine::WriteTx;
use crate::error::StoreError;
use crate::log::{self, Head, KeyUse, Stored};
use crate::reader::Reader;
use crate::texts::texts_of;
use crate::{held, params, views};

/// Who acts, how that is known, and what for: everything of an entry that is not decided.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// Who acts.
    pub actor: AgentId,
    /// For whom the operator speaks.
    pub behalf: Option<AgentId>,
    /// A person acts, for themselves or for an agent.
    pub human: bool,
    /// How the program knows.
    pub auth: Auth,
    /// Which operation.
    pub op: &'static str,
    /// The caller's key.
    pub key: Option<RequestKey>,
}

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// A new entry.
    New(Box<Stored>),
    /// The key was used for the same request: the entry it made.
    Again(Box<Stored>),
    /// Nothing needed to change.
    Nothing,
}

impl Appended {
    /// The entry, if there is one.
    pub fn entry(&self) -> Option<&Entry> {
        match self {
            Self::New(stored) | Self::Again(stored) => Some(&stored.entry),
            Self::Nothing => None,
        }
    }
}

/// A key that belongs to another request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyConflict {
    /// The key.
    pub key: String,
}

impl From<KeyConflict> for Refusal {
    fn from(conflict: KeyConflict) -> Self {
        let sentence = format!("the key `{}` belongs to another request", conflict.key);
        Self::conflict("key_conflict", sentence).hint("use a new key, or repeat the request as it was")
    }
}

/// Thirty-two bytes of the system's randomness.
pub(crate) fn seed() -> Result<[u8; 32], StoreError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| StoreError::internal(format!("no randomness: {error}")))?;
    Ok(seed)
}

/// One append inside a transaction; tells whether anything was written.
pub(crate) fn append_in<T, E: From<StoreError> + From<KeyConflict>>(
    tx: &mut WriteTx<'_>,
    hub: i64,
    clock: &dyn Clock,
    new: NewEntry,
    decide: impl FnOnce(&mut Writer<'_, '_>, &Context) -> Result<Draft, E>,
    answer: impl FnOnce(&mut Reader<'_>, &Appended) -> Result<T, E>,
) -> Result<(T, bool), E> {
    #[cfg(feature = "sabotage")]
    let new = match crate::sabotage::is(crate::sabotage::Sabotage::ForgetKeys) {
        true => NewEntry { key: None, ..new },
        false => new,
    };
    let head = log::advance_head(tx, hub)?.ok_or_else(StoreError::no_hub)?;
    if let Some(key) = &new.key {
        match log::key_use(tx, hub, &new.actor, key)? {
            KeyUse::Free => {}
            KeyUse::Same(stored) => {
                uncount(tx, hub, &head)?;
                let said = answer(&mut Reader::new(tx, hub, clock), &Appended::Again(stored))?;
                return Ok((said, false));
            }
            KeyUse::Other => return Err(KeyConflict { key: key.key.clone() }.into()),
        }
    }
    let context = Context {
        now: clock.wall_us(),
        origin: head.origin.clone(),
        member: new.behalf.clone().unwrap_or_else(|| new.actor.clone()),
        human: new.human,
        proof: Proof::of(new.auth),
        fresh: Fresh::new(seed()?),
    };
    let mut writer = Writer::new(tx, hub, clock);
    let draft = decide(&mut writer, &context)?;
    let touched = writer.has_written();
    let (appended, wrote) = if draft.facts.is_empty() {
        uncount(tx, hub, &head)?;
        (Appended::Nothing, touched)
    } else {
        (Appended::New(Box::new(write_entry(tx, hub, &head, new, context.now, draft)?)), true)
    };
    let said = answer(&mut Reader::new(tx, hub, clock), &appended)?;
    Ok((said, wrote))
}

/// Seals the draft into the next entry of this replica and applies it.
pub(crate) fn write_entry(
    tx: &mut WriteTx<'_>,
    hub: i64,
    head: &Head,
    new: NewEntry,
    now: i64,
    draft: Draft,
) -> Result<Stored, StoreError> {
    let at = now.max(head.last_at + 1);
    let envelope = Envelope {
        id: entry_id(now)?,
        origin: head.origin.clone(),
        oseq: head.oseq + 1,
        prev: head.prev.clone(),
        at,
        wall: draft.wall(now),
        actor: new.actor,
        behalf: new.behalf,
        auth: new.auth,
        op: new.op.to_owned(),
        key: new.key,
    };
    let stored = Stored { seq: head.seq + 1, entry: Entry { envelope, facts: draft.facts }, held: false };
    let line = stored.entry.seal().map_err(log::bad)?;
    log::insert(tx, hub, &stored, &line)?;
    for text in &draft.texts {
        log::insert_text(tx, hub, text)?;
    }
    for suspect in &draft.suspects {
        held::note(tx, hub, &suspect.hash, suspect.kind, owner(&stored.entry.facts, &suspect.hash))?;
    }
    let stamp = Stamp::from(&stored.entry.envelope);
    for (n, fact) in stored.entry.facts.iter().enumerate() {
        settle_texts(tx, hub, fact)?;
        views::apply_live(tx, hub, stored.seq, n, fact, &stamp)?;
    }
    tx.execute("UPDATE hubs SET last_at = $1, prev = $2 WHERE hub = $3", &params![at, line.hash, hub])?;
    Ok(stored)
}

/// The entity whose event points to a text first.
fn owner<'f>(facts: &'f [Fact], hash: &TextHash) -> Option<&'f EntityRef> {
    facts.iter().find(|fact| texts_of(&fact.event).contains(&hash)).map(|fact| &fact.entity)
}

/// What an event decides of texts holds wherever the event arrives: a purge deletes text and salt, a release lets it
/// out.
pub(crate) fn settle_texts(tx: &mut WriteTx<'_>, hub: i64, fact: &Fact) -> Result<(), StoreError> {
    match (&fact.entity, &fact.event) {
        (EntityRef::Text(hash), Event::TextPurged(_)) => {
            tx.execute("DELETE FROM blobs WHERE hub = $1 AND hash = $2", &params![hub, hash.as_str()])?;
            held::forget(tx, hub, hash)
        }
        (entity, Event::TextReleased(released)) => {
            released.texts.iter().try_for_each(|hash| held::release(tx, hub, hash, entity))
        }
        _ => Ok(()),
    }
}

/// Takes back the count of an append that wrote observations only.
fn uncount(tx: &mut WriteTx<'_>, hub: i64, head: &Head) -> Result<(), StoreError> {
    tx.execute("UPDATE hubs SET seq = $1, oseq = $2 WHERE hub = $3", &params![head.seq, head.oseq, hub])?;
    Ok(())
}

/// A UUIDv7 of this moment.
pub(crate) fn entry_id(now: i64) -> Result<String, StoreError> {
    let random = seed()?;
    let mut tail = [0; 10];
    tail.copy_from_slice(&random[..10]);
    let millis = u64::try_from(now / 1000).unwrap_or(0);
    Ok(uuid::Builder::from_unix_timestamp_millis(millis, &tail).into_uuid().to_string())
}

/// A write transaction as operations see it: everything a reader can, and rows that are no events.
pub struct Writer<'t, 'e> {
    tx: &'t mut WriteTx<'e>,
    hub: i64,
    clock: &'t dyn Clock,
    touched: bool,
}

impl std::fmt::Debug for Writer<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("touched", &self.touched).finish_non_exhaustive()
    }
}

impl<'t, 'e> Writer<'t, 'e> {
    pub(crate) fn new(tx: &'t mut WriteTx<'e>, hub: i64, clock: &'t dyn Clock) -> Self {
        Self { tx, hub, clock, touched: false }
    }

    /// Whether an observation row changed.
    pub(crate) fn has_written(&self) -> bool {
        self.touched
    }

    /// Looks at the state under the gate.
    pub fn look(&mut self) -> Reader<'_> {
        Reader::new(self.tx, self.hub, self.clock)
    }

    /// Writes an observation row.
    pub(crate) fn note(
        &mut self,
        sql: &'static str,
        params: &[crate::engine::Value],
    ) -> Result<u64, StoreError> {
        let changed = self.tx.execute(sql, params)?;
        self.touched |= changed > 0;
        Ok(changed)
    }

    pub(crate) fn hub(&self) -> i64 {
        self.hub
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock
    }
}
