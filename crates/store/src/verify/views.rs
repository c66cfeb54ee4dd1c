//! The views: each entity's rows and void marks are what a fold of its history gives, and no row is without one.

use interagent_core::ids::EntityRef;

use super::{Check, PAGE, called};
use crate::engine::{Engine, Queryable, ReadTx, Row};
use crate::error::{ErrorKind, StoreError};
use crate::log::read_facts;
use crate::params;
use crate::views::{Expected, Gate, entities_after, expected, fold, load, stray_statements};

pub(super) fn check(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let mut after = String::new();
    loop {
        let mut tx = ReadTx::begin(engine)?;
        let page = entities_after(&mut tx, hub, &after, PAGE)?;
        let mut gate = Gate::load(&mut tx, hub)?;
        for stored in &page {
            let entity = EntityRef::read(stored);
            match compare(&mut tx, hub, &mut gate, &entity, check) {
                Err(error) if error.kind() == ErrorKind::Damaged => {
                    check.stale(format!("{} can't be read: {error}", called(&entity)));
                }
                other => other?,
            }
        }
        check.advance(page.len());
        match page.into_iter().last() {
            Some(last) => after = last,
            None => break,
        }
    }
    strays(engine, hub, check)
}

fn compare(
    tx: &mut ReadTx<'_>,
    hub: i64,
    gate: &mut Gate,
    entity: &EntityRef,
    check: &mut Check<'_>,
) -> Result<(), StoreError> {
    let history = read_facts(tx, hub, entity)?;
    if history.iter().any(|placed| placed.fact.entity != *entity) {
        check.stale(format!("the history of {} holds events of others", called(entity)));
        return Ok(());
    }
    let (state, outcomes) = fold(tx, gate, &history)?;
    let void_marks_agree = history
        .iter()
        .zip(&outcomes)
        .all(|(placed, outcome)| placed.void == outcome.as_ref().err().map(ToString::to_string));
    if !void_marks_agree {
        check.stale(format!("events of {} are marked as void that are not, or the reverse", called(entity)));
    }
    if load(tx, hub, entity)? != state {
        check.stale(format!("what is shown of {} is not what its events say", called(entity)));
    }
    let id = match entity {
        EntityRef::Spec(name) => name.to_string(),
        EntityRef::Skill(key) => key.to_string(),
        other => other.to_string(),
    };
    for Expected { table, sql, rows } in expected(entity, state.as_ref()) {
        let found = tx.query(sql, &params![hub, id.as_str()])?;
        if !found.iter().map(Row::values).eq(rows.iter().map(Vec::as_slice)) {
            check.stale(format!("{} is filed wrongly in the table {table}", called(entity)));
        }
    }
    Ok(())
}

fn strays(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let mut tx = ReadTx::begin(engine)?;
    for (table, sql) in stray_statements() {
        for row in tx.query(sql, &params![hub])? {
            check.stale(format!("the table {table} shows {}, of which the log knows nothing", row.text(0)?));
        }
    }
    let unfounded = tx.query(
        "SELECT l.entity FROM entity_log l LEFT JOIN entries e ON e.hub = l.hub AND e.seq = l.seq AND e.held = 0
         WHERE l.hub = $1 AND e.seq IS NULL LIMIT 5",
        &params![hub],
    )?;
    for row in &unfounded {
        check.stale(format!("the history of {} holds an event that the log does not", row.text(0)?));
    }
    Ok(())
}
