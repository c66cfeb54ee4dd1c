//! Entries and texts as rows: writing them once, reading them back, an entity's history.

use interagent_core::entity::{FOLD_VERSION, Stamp};
use interagent_core::entry::{Entry, Line, RequestKey};
use interagent_core::event::{Fact, Micros};
use interagent_core::ids::{AgentId, EntityRef, OriginId};
use interagent_core::text::{StoredText, TextHash};

use crate::engine::{Queryable, Row, WriteTx};
use crate::error::StoreError;
use crate::params;

/// The head row of a hub: where its log stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The hub's id, the same in all replicas.
    pub hub_id: String,
    /// This replica.
    pub origin: OriginId,
    /// This replica's name for people.
    pub alias: String,
    /// Entries here, in order of arrival.
    pub seq: i64,
    /// Entries of this replica.
    pub oseq: i64,
    /// The highest `at` of any entry that counts.
    pub last_at: Micros,
    /// The hash of this replica's last entry.
    pub prev: String,
}

/// A stored entry with its local place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Order of arrival here; negative while it is held.
    pub seq: i64,
    /// What it says.
    pub entry: Entry,
    /// Came from the future and waits for its time.
    pub held: bool,
}

/// A fact in its entity's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The entry's order of arrival.
    pub seq: i64,
    /// Its place in the entry.
    pub n: i64,
    /// What happened.
    pub fact: Fact,
    /// When, where and by whom.
    pub stamp: Stamp,
    /// Which operation.
    pub op: String,
    /// Why it changed nothing, if it did not.
    pub void: Option<String>,
}

pub(crate) fn bad(error: impl std::fmt::Display) -> StoreError {
    StoreError::unreadable_row(error.to_string())
}

/// Reads the head without holding it.
pub(crate) fn head(q: &mut dyn Queryable, hub: i64) -> Result<Option<Head>, StoreError> {
    let row = q.query_first(
        "SELECT id, origin, alias, seq, oseq, last_at, prev FROM hubs WHERE hub = $1",
        &params![hub],
    )?;
    row.map(|row| read_head(&row)).transpose()
}

/// Refuses to write into views that a newer program folded: applying an event to what this one reads of them would
/// lose what only the newer one knows.
fn must_know_the_fold(row: &Row) -> Result<(), StoreError> {
    match row.int(7)? {
        found if found > FOLD_VERSION => Err(StoreError::NewerFold { found, known: FOLD_VERSION }),
        _ => Ok(()),
    }
}

/// Counts one more entry of our own and answers with the head *before* the count. The first statement of an append:
/// on an engine without a gate the row lock it takes puts the appends in a line.
pub(crate) fn advance_head(tx: &mut WriteTx<'_>, hub: i64) -> Result<Option<Head>, StoreError> {
    let row = tx.query_first(
        "UPDATE hubs SET seq = seq + 1, oseq = oseq + 1 WHERE hub = $1
         RETURNING id, origin, alias, seq - 1, oseq - 1, last_at, prev, fold",
        &params![hub],
    )?;
    row.map(|row| must_know_the_fold(&row).and_then(|()| read_head(&row))).transpose()
}

/// Reads the head and holds it: the first statement of a write that adds entries of other replicas.
pub(crate) fn hold_head(tx: &mut WriteTx<'_>, hub: i64) -> Result<Option<Head>, StoreError> {
    let row = tx.query_first(
        "UPDATE hubs SET seq = seq WHERE hub = $1 RETURNING id, origin, alias, seq, oseq, last_at, prev, fold",
        &params![hub],
    )?;
    row.map(|row| must_know_the_fold(&row).and_then(|()| read_head(&row))).transpose()
}

fn read_head(row: &Row) -> Result<Head, StoreError> {
    Ok(Head {
        hub_id: row.text(0)?.to_owned(),
        origin: OriginId::parse(row.text(1)?).map_err(bad)?,
        alias: row.text(2)?.to_owned(),
        seq: row.int(3)?,
        oseq: row.int(4)?,
        last_at: row.int(5)?,
        prev: row.text(6)?.to_owned(),
    })
}

/// Stores an entry's line. The bytes are never touched again.
pub(crate) fn insert(tx: &mut WriteTx<'_>, hub: i64, stored: &Stored, line: &Line) -> Result<(), StoreError> {
    let envelope = &stored.entry.envelope;
    tx.execute(
        "INSERT INTO entries (hub, seq, origin, oseq, at, wall, actor, op, key, request, held, line)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &params![
            hub,
            stored.seq,
            envelope.origin.as_str(),
            envelope.oseq,
            envelope.at,
            envelope.wall,
            envelope.actor.as_str(),
            &envelope.op,
            envelope.key.as_ref().map(|k| k.key.as_str()),
            envelope.key.as_ref().map(|k| k.request.as_str()),
            stored.held,
            line.text.as_str()
        ],
    )?;
    Ok(())
}

/// Stores a text beside the log; a text that is there already stays. Answers with how many were added.
pub(crate) fn insert_text(tx: &mut WriteTx<'_>, hub: i64, text: &StoredText) -> Result<u64, StoreError> {
    tx.execute(
        "INSERT INTO blobs (hub, hash, salt, text) VALUES ($1, $2, $3, $4) ON CONFLICT (hub, hash) DO NOTHING",
        &params![hub, text.hash.as_str(), &text.salt, &text.text],
    )
}

/// What became of a text that an event points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextState {
    /// It is here and is what was written.
    Whole(String),
    /// Its bytes are not those that were stored.
    Damaged(String),
    /// It was deleted for good.
    Purged,
    /// It is not here, and nobody deleted it: lost, or it has not arrived yet.
    Missing,
}

impl TextState {
    /// The words, if they are the ones that were written.
    pub fn whole(self) -> Option<String> {
        match self {
            Self::Whole(text) => Some(text),
            Self::Damaged(_) | Self::Purged | Self::Missing => None,
        }
    }
}

/// Looks a text up by its hash.
pub(crate) fn text(q: &mut dyn Queryable, hub: i64, hash: &TextHash) -> Result<TextState, StoreError> {
    let row = q.query_first(
        "SELECT salt, text FROM blobs WHERE hub = $1 AND hash = $2",
        &params![hub, hash.as_str()],
    )?;
    let Some(row) = row else {
        let purged = crate::takein::is_purged(q, hub, hash)?;
        return Ok(if purged { TextState::Purged } else { TextState::Missing });
    };
    let (salt, text) = (row.text(0)?, row.text(1)?.to_owned());
    // The engine does not notice every lost page: one from the middle of a long text reads as zeros.
    let is_whole = TextHash::of(salt, &text) == *hash;
    Ok(if is_whole { TextState::Whole(text) } else { TextState::Damaged(text) })
}

const ENTRY_COLUMNS_SEQ: usize = 0;
const ENTRY_COLUMNS_LINE: usize = 1;
const ENTRY_COLUMNS_HELD: usize = 2;

fn read_stored(row: &Row) -> Result<Stored, StoreError> {
    Ok(Stored {
        seq: row.int(ENTRY_COLUMNS_SEQ)?,
        entry: Entry::read(row.text(ENTRY_COLUMNS_LINE)?).map_err(bad)?,
        held: row.int(ENTRY_COLUMNS_HELD)? != 0,
    })
}

/// Entries after a place, oldest first.
pub(crate) fn after(
    q: &mut dyn Queryable,
    hub: i64,
    seq: i64,
    limit: u32,
) -> Result<Vec<Stored>, StoreError> {
    q.query(
        "SELECT seq, line, held FROM entries WHERE hub = $1 AND seq > $2 AND held = 0 ORDER BY seq LIMIT $3",
        &params![hub, seq, limit],
    )?
    .iter()
    .map(read_stored)
    .collect()
}

/// Entries before a place, newest first.
pub(crate) fn before(
    q: &mut dyn Queryable,
    hub: i64,
    seq: i64,
    limit: u32,
) -> Result<Vec<Stored>, StoreError> {
    q.query(
        "SELECT seq, line, held FROM entries WHERE hub = $1 AND seq > 0 AND seq < $2 AND held = 0 ORDER BY seq DESC LIMIT $3",
        &params![hub, seq, limit],
    )?
    .iter()
    .map(read_stored)
    .collect()
}

/// Entries that wait for their time, soonest first.
pub(crate) fn held(q: &mut dyn Queryable, hub: i64, limit: u32) -> Result<Vec<Stored>, StoreError> {
    q.query(
        "SELECT seq, line, held FROM entries WHERE hub = $1 AND held = 1 ORDER BY at, origin, oseq LIMIT $2",
        &params![hub, limit],
    )?
    .iter()
    .map(read_stored)
    .collect()
}

/// One entry by its place.
pub(crate) fn entry(q: &mut dyn Queryable, hub: i64, seq: i64) -> Result<Option<Stored>, StoreError> {
    let row =
        q.query_first("SELECT seq, line, held FROM entries WHERE hub = $1 AND seq = $2", &params![hub, seq])?;
    row.map(|row| read_stored(&row)).transpose()
}

/// What an idempotency key was used for before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyUse {
    /// Never used.
    Free,
    /// The same request: its entry.
    Same(Box<Stored>),
    /// Another request.
    Other,
}

/// Looks an idempotency key up; its scope is hub and actor.
pub(crate) fn key_use(
    q: &mut dyn Queryable,
    hub: i64,
    actor: &AgentId,
    key: &RequestKey,
) -> Result<KeyUse, StoreError> {
    let row = q.query_first(
        "SELECT seq, line, held, request FROM entries WHERE hub = $1 AND actor = $2 AND key = $3",
        &params![hub, actor.as_str(), &key.key],
    )?;
    match row {
        None => Ok(KeyUse::Free),
        Some(row) if row.opt_text(3)? == Some(key.request.as_str()) => {
            Ok(KeyUse::Same(Box::new(read_stored(&row)?)))
        }
        Some(_) => Ok(KeyUse::Other),
    }
}

/// Why an event counts for nothing, if it does: others came before it.
pub(crate) fn void(
    q: &mut dyn Queryable,
    hub: i64,
    entity: &EntityRef,
    (at, seq, n): (i64, i64, i64),
) -> Result<Option<String>, StoreError> {
    let row = q.query_first(
        "SELECT void FROM entity_log
         WHERE hub = $1 AND entity = $2 AND at = $3 AND seq = $4 AND n = $5 AND void IS NOT NULL",
        &params![hub, entity.to_string(), at, seq, n],
    )?;
    row.map(|row| Ok(row.text(0)?.to_owned())).transpose()
}

/// An entity's whole history in the order every replica agrees on.
pub(crate) fn read_facts(
    q: &mut dyn Queryable,
    hub: i64,
    entity: &EntityRef,
) -> Result<Vec<Placed>, StoreError> {
    let rows = q.query(
        "SELECT e.seq, e.line, e.held, l.n, l.void FROM entity_log l
         JOIN entries e ON e.hub = l.hub AND e.seq = l.seq
         WHERE l.hub = $1 AND l.entity = $2 ORDER BY l.at, e.origin, e.oseq, l.n",
        &params![hub, entity.to_string()],
    )?;
    placed(&rows)
}

/// Events that are void. Those of messages are left out: two clones that took over the same mail have one for each.
pub(crate) fn read_voids(q: &mut dyn Queryable, hub: i64, limit: u32) -> Result<Vec<Placed>, StoreError> {
    let rows = q.query(
        "SELECT e.seq, e.line, e.held, l.n, l.void FROM entity_log l
         JOIN entries e ON e.hub = l.hub AND e.seq = l.seq
         WHERE l.hub = $1 AND l.void IS NOT NULL AND l.entity NOT LIKE 'msg-%' ORDER BY l.entity, l.at, l.seq, l.n LIMIT $2",
        &params![hub, limit],
    )?;
    placed(&rows)
}

fn placed(rows: &[Row]) -> Result<Vec<Placed>, StoreError> {
    let mut history = Vec::with_capacity(rows.len());
    for row in rows {
        let Stored { seq, entry, .. } = read_stored(row)?;
        let n = row.int(3)?;
        let index = usize::try_from(n).map_err(bad)?;
        let stamp = Stamp::from(&entry.envelope);
        let op = entry.envelope.op;
        let fact =
            entry.facts.into_iter().nth(index).ok_or_else(|| bad("an event is missing from its entry"))?;
        history.push(Placed { seq, n, fact, stamp, op, void: row.opt_text(4)?.map(ToOwned::to_owned) });
    }
    Ok(history)
}
