//! The log: every line by its own hash, every origin's chain without a gap, every event in its entity's history.

use interagent_core::entry::{Entry, GENESIS, Line};
use interagent_core::ids::OriginId;

use super::{Check, PAGE, SYNC, Severity};
use crate::engine::{Engine, Queryable, ReadTx, Row};
use crate::error::StoreError;
use crate::params;

pub(super) fn check(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let origins = ReadTx::begin(engine)?
        .query("SELECT DISTINCT origin FROM entries WHERE hub = $1 ORDER BY origin", &params![hub])?;
    for row in &origins {
        origin(engine, hub, row.text(0)?, check)?;
    }
    Ok(())
}

/// Where an origin's chain stands.
struct Link {
    oseq: i64,
    hash: String,
}

fn origin(engine: &mut dyn Engine, hub: i64, origin: &str, check: &mut Check<'_>) -> Result<(), StoreError> {
    let mut link = Link { oseq: 0, hash: GENESIS.to_owned() };
    loop {
        let mut tx = ReadTx::begin(engine)?;
        let page = tx.query(
            "SELECT seq, oseq, at, actor, held, line FROM entries
             WHERE hub = $1 AND origin = $2 AND oseq > $3 ORDER BY oseq LIMIT $4",
            &params![hub, origin, link.oseq, PAGE],
        )?;
        for row in &page {
            entry(&mut tx, hub, origin, row, &mut link, check)?;
        }
        check.advance(page.len());
        if page.len() < PAGE as usize {
            return Ok(());
        }
    }
}

fn entry(
    tx: &mut ReadTx<'_>,
    hub: i64,
    origin: &str,
    row: &Row,
    link: &mut Link,
    check: &mut Check<'_>,
) -> Result<(), StoreError> {
    let (seq, oseq, text) = (row.int(0)?, row.int(1)?, row.text(5)?);
    if oseq != link.oseq + 1 {
        let missing = format!("entries {} to {} of {origin} are missing", link.oseq + 1, oseq - 1);
        // What another replica still has comes back by itself.
        check.add(Severity::Damage, SYNC, missing);
    }
    let gap = oseq != link.oseq + 1;
    let before = std::mem::replace(link, Link { oseq, hash: hash_in(text).unwrap_or_default().to_owned() });
    let read = Line::verify(text).and_then(|line| line.entry());
    let entry = match read {
        Ok(entry) => entry,
        Err(why) => {
            check.damage(format!("entry {oseq} of {origin} is damaged: {why}"));
            return Ok(());
        }
    };
    if !gap && entry.envelope.prev != before.hash {
        check.damage(format!("entry {oseq} of {origin} does not follow from entry {}", before.oseq));
    }
    if !columns_agree(&entry, origin, row)? {
        check.damage(format!("entry {oseq} of {origin} is filed under facts that its line does not say"));
    }
    if row.int(4)? == 0 {
        history(tx, hub, seq, &entry, check)?;
    }
    Ok(())
}

fn columns_agree(entry: &Entry, origin: &str, row: &Row) -> Result<bool, StoreError> {
    let envelope = &entry.envelope;
    Ok(OriginId::as_str(&envelope.origin) == origin
        && envelope.oseq == row.int(1)?
        && envelope.at == row.int(2)?
        && envelope.actor.as_str() == row.text(3)?
        && (row.int(0)? > 0 || row.int(4)? != 0))
}

/// Every event that counts stands in its entity's history.
fn history(
    tx: &mut ReadTx<'_>,
    hub: i64,
    seq: i64,
    entry: &Entry,
    check: &mut Check<'_>,
) -> Result<(), StoreError> {
    for (n, fact) in entry.facts.iter().enumerate() {
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        let placed = tx.query_first(
            "SELECT 1 FROM entity_log WHERE hub = $1 AND entity = $2 AND at = $3 AND seq = $4 AND n = $5",
            &params![hub, fact.entity.to_string(), entry.envelope.at, seq, n],
        )?;
        if placed.is_none() {
            check.stale(format!(
                "event {} of entry {} of {} is missing from the history of {}",
                n + 1,
                entry.envelope.oseq,
                entry.envelope.origin,
                super::called(&fact.entity)
            ));
        }
    }
    Ok(())
}

/// The hash a line says it has, unchecked.
pub(crate) fn hash_in(line: &str) -> Option<&str> {
    line.strip_prefix("{\"hash\":\"")?.get(..64)
}
