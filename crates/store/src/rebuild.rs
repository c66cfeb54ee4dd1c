//! Making the views again from the log alone.
//!
//! Owns the explicit repair that `doctor --rebuild` runs. Observations are untouched, and so is the log. Everything
//! happens in one transaction: whoever looks meanwhile sees the views as they were.
//!
//! Memory stays small however long the log is: entries are read in pages to place their events, then each entity is
//! folded from its own history.

use interagent_core::entity::{FOLD_VERSION, Stamp};
use interagent_core::entry::Entry;
use interagent_core::ids::EntityRef;

use crate::engine::{Engine, Queryable, WriteTx};
use crate::error::StoreError;
use crate::held::Decides;
use crate::log;
use crate::store::Store;
use crate::views::Gate;
use crate::{held, params, views};

/// Entries or entities read at once.
const PAGE: u32 = 500;

/// What a rebuild went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Entries that count.
    pub entries: u64,
    /// Entities they are about.
    pub entities: u64,
}

/// Why the views are made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// Somebody asked for it, and wants to know what can't be read.
    Asked,
    /// An older program made them. One damaged entry must not keep everybody out: it is left out, and `doctor` names it.
    OlderFold,
}

impl Store {
    /// Folds a log again whose views an older program made, once: of several programs that start together, the first.
    pub(crate) fn fold_again(&mut self) -> Result<(), StoreError> {
        let (engine, hub, _) = self.parts();
        rebuild(engine, hub, Reason::OlderFold, &mut |_, _| {})?;
        // What the rows left in the write-ahead log is taken over by the upkeep of the next write, if not now.
        engine.finish_write()
    }

    /// Drops every view row and folds the log again. `progress` hears how much of how much is done. A store that may be a
    /// copy is refused.
    pub fn rebuild(&mut self, progress: &mut dyn FnMut(u64, u64)) -> Result<Rebuilt, StoreError> {
        self.must_be_decided()?;
        let (engine, hub, _) = self.parts();
        let rebuilt = rebuild(engine, hub, Reason::Asked, progress)?;
        // The old and the new rows went through the write-ahead log: do not leave that to the next opener.
        engine.scrub()?;
        Ok(rebuilt)
    }
}

fn rebuild(
    engine: &mut dyn Engine,
    hub: i64,
    reason: Reason,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Rebuilt, StoreError> {
    let path = engine.facts()?.path;
    let mut tx = WriteTx::begin(engine)?;
    let head = log::hold_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
    let made = tx.execute(
        "UPDATE hubs SET fold = $1 WHERE hub = $2 AND (fold < $1 OR $3 = 1)",
        &params![FOLD_VERSION, hub, reason == Reason::Asked],
    )?;
    if made == 0 {
        return Ok(Rebuilt { entries: 0, entities: 0 });
    }
    views::clear(&mut tx, hub)?;
    let mut gate = Gate::load(&mut tx, hub)?;
    let mut suspects = held::look_through(&mut tx, hub)?;
    let half = head.seq.unsigned_abs();
    let mut entries = 0;
    let mut after = 0;
    loop {
        let page = tx.query(
            "SELECT seq, line FROM entries WHERE hub = $1 AND seq > $2 AND held = 0 ORDER BY seq LIMIT $3",
            &params![hub, after, PAGE],
        )?;
        for row in &page {
            after = row.int(0)?;
            let entry = match Entry::read(row.text(1)?) {
                Ok(entry) => entry,
                Err(_) if reason == Reason::OlderFold => continue,
                Err(why) => {
                    let detail = format!("entry {after} can't be read: {why}");
                    return Err(StoreError::Damaged { path, detail });
                }
            };
            let stamp = Stamp::from(&entry.envelope);
            for (n, fact) in entry.facts.iter().enumerate() {
                views::place(&mut tx, hub, after, n, fact, &stamp, None)?;
                let is_trusted = gate.powers(&stamp.order.origin).is_trusted(&stamp);
                let decides = if is_trusted { Decides::Texts } else { Decides::Nothing };
                suspects.met(&mut tx, hub, fact, decides)?;
            }
            entries += 1;
        }
        progress(entries, half * 2);
        if page.len() < PAGE as usize {
            break;
        }
    }
    let entities = fold_all(&mut tx, hub, &mut gate, (half, progress))?;
    drop_purged_texts(&mut tx, hub)?;
    suspects.finish(&mut tx, hub)?;
    tx.commit()?;
    Ok(Rebuilt { entries, entities })
}

fn fold_all(
    tx: &mut WriteTx<'_>,
    hub: i64,
    gate: &mut Gate,
    (half, progress): (u64, &mut dyn FnMut(u64, u64)),
) -> Result<u64, StoreError> {
    let total = tx
        .query_first("SELECT COUNT(DISTINCT entity) FROM entity_log WHERE hub = $1", &params![hub])?
        .map_or(Ok(0), |row| row.int(0))?
        .unsigned_abs();
    let mut folded = 0;
    let mut after = String::new();
    loop {
        let page = views::entities_after(tx, hub, &after, PAGE)?;
        for entity in &page {
            #[cfg(feature = "sabotage")]
            if crate::sabotage::is(crate::sabotage::Sabotage::SloppyRebuild) && entity.starts_with("lease-") {
                continue;
            }
            views::refold(tx, hub, gate, &EntityRef::read(entity))?;
            folded += 1;
        }
        progress(half + half * folded / total.max(1), half * 2);
        match page.into_iter().last() {
            Some(last) => after = last,
            None => return Ok(folded),
        }
    }
}

/// A text that was purged and is here all the same (put back by hand, or salvaged) goes again.
fn drop_purged_texts(tx: &mut WriteTx<'_>, hub: i64) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM blobs WHERE hub = $1 AND hash IN
         (SELECT substr(entity, 6) FROM entity_log WHERE hub = $1 AND entity > 'text:' AND entity < 'text;' AND void IS NULL)",
        "DELETE FROM suspects WHERE hub = $1 AND hash IN
         (SELECT substr(entity, 6) FROM entity_log WHERE hub = $1 AND entity > 'text:' AND entity < 'text;' AND void IS NULL)",
    ] {
        tx.execute(statement, &params![hub])?;
    }
    Ok(())
}
