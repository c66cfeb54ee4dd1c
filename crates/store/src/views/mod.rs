//! The views: rows that say what the log means, kept by the fold and by nothing else.
//!
//! Each entity owns its rows. A live event loads its entity, applies, and writes the rows that differ; a late foreign
//! event deletes the entity's rows and folds its events again.

mod columns;
mod gate;
mod load;
mod save;

pub(crate) use columns::{Expected, expected, stray_statements};
pub(crate) use gate::{Gate, continued_by};
pub(crate) use load::{doc, load, with_deliveries};
pub(crate) use save::{clear, forget, save};

use crate::engine::{Queryable, WriteTx};
use crate::error::StoreError;
use crate::log::{Placed, read_facts};
use crate::params;
use interagent_core::entity::{self, Entity, Stamp, Void};
use interagent_core::event::{Event, Fact};
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

/// Applies a foreign fact: as an append when it is the newest of its entity, otherwise by folding again. Answers with
/// whether it counts.
pub(crate) fn apply_foreign(
    tx: &mut WriteTx<'_>,
    hub: i64,
    gate: &mut Gate,
    (seq, n): (i64, usize),
    fact: &Fact,
    stamp: &Stamp,
) -> Result<bool, StoreError> {
    let newest = tx.query_first(
        "SELECT at FROM entity_log WHERE hub = $1 AND entity = $2 ORDER BY at DESC LIMIT 1",
        &params![hub, fact.entity.to_string()],
    )?;
    let newest = newest.map(|row| row.int(0)).transpose()?;
    gate.forget(&fact.entity);
    // Of several registrations of one agent, the order alone does not decide.
    let is_rival = newest.is_some() && matches!(fact.event, Event::AgentRegistered(_));
    if newest.is_none_or(|at| at < stamp.order.at) && !is_rival {
        let before = load(tx, hub, &fact.entity)?;
        let (after, outcome) = match gate.verdict(tx, fact, stamp, before.as_ref())? {
            Ok(()) => entity::apply(before.clone(), fact, stamp),
            Err(void) => (before.clone(), Err(void)),
        };
        let counts = outcome.is_ok();
        place(tx, hub, seq, n, fact, stamp, outcome.err().map(|void| void.to_string()))?;
        save(tx, hub, before.as_ref(), after.as_ref())?;
        return Ok(counts);
    }
    place(tx, hub, seq, n, fact, stamp, None)?;
    refold(tx, hub, gate, &fact.entity)?;
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    Ok(crate::log::void(tx, hub, &fact.entity, (stamp.order.at, seq, n))?.is_none())
}

/// The state of an entity, and which of its facts are void.
pub(crate) type Folded = (Option<Entity>, Vec<Result<(), Void>>);

/// Folds an entity's history, given in order, as far as it counts here. Also tells which facts are void.
pub(crate) fn fold(q: &mut dyn Queryable, gate: &mut Gate, history: &[Placed]) -> Result<Folded, StoreError> {
    let registrations = gate.registrations(history);
    let (mut state, mut outcomes) = (None, Vec::with_capacity(history.len()));
    for Placed { fact, stamp, .. } in history {
        let verdict = match gate.registers(fact, stamp, &registrations) {
            true => gate.verdict(q, fact, stamp, state.as_ref())?,
            false => Err(Void::NotAtHome),
        };
        let outcome = match verdict {
            Ok(()) => {
                let (next, outcome) = entity::apply(state.take(), fact, stamp);
                state = next;
                outcome
            }
            void => void,
        };
        outcomes.push(outcome);
    }
    Ok((state, outcomes))
}

/// Folds an entity's whole history again and replaces its rows and void marks.
pub(crate) fn refold(
    tx: &mut WriteTx<'_>,
    hub: i64,
    gate: &mut Gate,
    entity: &EntityRef,
) -> Result<(), StoreError> {
    let history = read_facts(tx, hub, entity)?;
    let (state, outcomes) = fold(tx, gate, &history)?;
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
    gate.forget(entity);
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
