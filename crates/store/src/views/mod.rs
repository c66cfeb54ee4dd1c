//! The views: rows that say what the log means, kept by the fold and by nothing else.
//!
//! Each entity owns its rows. A live event loads its entity, applies, and writes the rows that differ; a late foreign
//! event deletes the entity's rows and folds its events again.

mod columns;
mod load;
mod save;

pub(crate) use columns::{Expected, expected, stray_statements};
pub(crate) use load::{doc, load, with_deliveries};
pub(crate) use save::{clear, forget, save};

use crate::engine::{Queryable, WriteTx};
use crate::error::StoreError;
use crate::log::read_facts;
use crate::params;
use interagent_core::entity::{self, Stamp};
use interagent_core::event::Fact;
use interagent_core::ids::EntityRef;

/// Applies one new fact of entry `seq` to its entity: log position, void mark and rows.
pub(crate) fn apply_live(
    tx: &mut WriteTx<'_>,
    hub: i64,
    seq: i64,
    n: usize,
    fact: &Fact,
    stamp: &Stamp,
) -> Result<(), StoreError> {
    let before = load(tx, hub, &fact.entity)?;
    let (after, outcome) = entity::apply(before.clone(), fact, stamp);
    place(tx, hub, seq, n, fact, stamp, outcome.err().map(|void| void.to_string()))?;
    save(tx, hub, before.as_ref(), after.as_ref())
}

/// Writes where a fact stands in its entity's history.
pub(crate) fn place(
    tx: &mut WriteTx<'_>,
    hub: i64,
    seq: i64,
    n: usize,
    fact: &Fact,
    stamp: &Stamp,
    void: Option<String>,
) -> Result<(), StoreError> {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    tx.execute(
        "INSERT INTO entity_log (hub, entity, at, seq, n, void) VALUES ($1, $2, $3, $4, $5, $6)",
        &params![hub, fact.entity.to_string(), stamp.order.at, seq, n, void],
    )?;
    Ok(())
}

/// Applies a foreign fact: as an append when it is the newest of its entity, otherwise by folding again.
pub(crate) fn apply_foreign(
    tx: &mut WriteTx<'_>,
    hub: i64,
    seq: i64,
    n: usize,
    fact: &Fact,
    stamp: &Stamp,
) -> Result<(), StoreError> {
    let newest = tx.query_first(
        "SELECT at FROM entity_log WHERE hub = $1 AND entity = $2 ORDER BY at DESC LIMIT 1",
        &params![hub, fact.entity.to_string()],
    )?;
    let newest = newest.map(|row| row.int(0)).transpose()?;
    if newest.is_none_or(|at| at < stamp.order.at) {
        return apply_live(tx, hub, seq, n, fact, stamp);
    }
    place(tx, hub, seq, n, fact, stamp, None)?;
    refold(tx, hub, &fact.entity)
}

/// Folds an entity's whole history again and replaces its rows and void marks.
pub(crate) fn refold(tx: &mut WriteTx<'_>, hub: i64, entity: &EntityRef) -> Result<(), StoreError> {
    let history = read_facts(tx, hub, entity)?;
    let (state, outcomes) = entity::fold(history.iter().map(|placed| (&placed.fact, &placed.stamp)));
    for (placed, outcome) in history.iter().zip(&outcomes) {
        let void = outcome.as_ref().err().map(ToString::to_string);
        if void != placed.void {
            tx.execute(
                "UPDATE entity_log SET void = $1 WHERE hub = $2 AND entity = $3 AND at = $4 AND seq = $5 AND n = $6",
                &params![void, hub, entity.to_string(), placed.stamp.order.at, placed.seq, placed.n],
            )?;
        }
    }
    forget(tx, hub, entity)?;
    save(tx, hub, None, state.as_ref())
}

/// The stored names of entities that have events, in their order, after one of them.
pub(crate) fn entities_after(
    q: &mut dyn Queryable,
    hub: i64,
    after: &str,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let rows = q.query(
        "SELECT DISTINCT entity FROM entity_log WHERE hub = $1 AND entity > $2 ORDER BY entity LIMIT $3",
        &params![hub, after, limit],
    )?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}
