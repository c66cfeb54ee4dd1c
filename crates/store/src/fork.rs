//! Leaving a log that was forked: others have entries of this replica that are not the ones here.
//!
//! That happens when the database was put back to an older state and went on from there. Others keep what they saw, so
//! this database becomes a new replica that continues the old one: what it wrote apart from what they have is written
//! once more, as entries of the new replica, and the way is free for theirs. Nothing is lost: entries keep their content,
//! author and time, and the store as it was is put aside.

use std::path::PathBuf;

use interagent_core::draft::Fresh;
use interagent_core::entry::{Entry, Envelope, GENESIS};
use interagent_core::ids::OriginId;

use crate::append::seed;
use crate::engine::{Queryable, WriteTx};
use crate::error::StoreError;
use crate::log::{self, Head};
use crate::params;
use crate::replicas;
use crate::signing::{NewKey, begin_replica};
use crate::sqlite::make_place_aside;
use crate::store::{Store, open_origin};

/// How a forked log was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftFork {
    /// Entries that the new replica wrote again.
    pub entries: u64,
    /// The directory with the store as it was.
    pub kept_in: PathBuf,
}

impl Store {
    /// Becomes a new replica. `first` is the first entry of the old one that others have otherwise, or that is not here.
    pub fn leave_fork(&mut self, first: i64) -> Result<LeftFork, StoreError> {
        self.must_be_decided()?;
        let database = self.facts()?.path;
        let wall_us = self.clock().wall_us();
        let state_dir = database.parent().unwrap_or(&database);
        let kept_in = make_place_aside(state_dir, wall_us)?;
        self.backup_to(&kept_in.join("hub.db"), &mut |_| {})?;
        let (engine, hub, clock) = self.parts();
        let mut tx = WriteTx::begin(engine)?;
        let head = log::hold_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let apart = tx.query(
            "SELECT seq, line FROM entries WHERE hub = $1 AND origin = $2 AND oseq >= $3 ORDER BY oseq",
            &params![hub, head.origin.as_str(), first],
        )?;
        let mut fresh = Fresh::new(seed()?);
        let own = OriginId::from_bits(fresh.bits());
        begin_replica(&mut tx, hub, &head.origin, &own, NewKey::Inherit)?;
        // It may be of what was written apart. Theirs comes with their lines.
        replicas::forget_seal(&mut tx, hub, &head.origin)?;
        // No fold: whoever opens the store after an interruption makes the views again.
        tx.execute(
            "UPDATE hubs SET origin = $1, oseq = 0, prev = $2, fold = 0 WHERE hub = $3",
            &params![own.as_str(), GENESIS, hub],
        )?;
        open_origin(&mut tx, hub, clock.wall_us(), &mut fresh, Some(head.origin))?;
        let mut head = log::hold_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        for row in &apart {
            let entry = Entry::read(row.text(1)?).map_err(log::bad)?;
            write_again(&mut tx, hub, row.int(0)?, entry, &mut head)?;
        }
        tx.commit()?;
        self.fold_again()?;
        Ok(LeftFork { entries: apart.len() as u64, kept_in })
    }
}

/// Writes what an entry says as the next one of this replica, at the place that it has here: whoever follows the log has
/// met it. Its texts are here, and the views are made afterwards.
fn write_again(
    tx: &mut WriteTx<'_>,
    hub: i64,
    seq: i64,
    entry: Entry,
    head: &mut Head,
) -> Result<(), StoreError> {
    head.oseq += 1;
    head.last_at = entry.envelope.at.max(head.last_at + 1);
    let envelope = Envelope {
        origin: head.origin.clone(),
        oseq: head.oseq,
        prev: std::mem::take(&mut head.prev),
        at: head.last_at,
        ..entry.envelope
    };
    let line = Entry { envelope, facts: entry.facts }.seal().map_err(log::bad)?;
    tx.execute(
        "UPDATE entries SET origin = $1, oseq = $2, at = $3, line = $4 WHERE hub = $5 AND seq = $6",
        &params![head.origin.as_str(), head.oseq, head.last_at, line.text.as_str(), hub, seq],
    )?;
    tx.execute(
        "UPDATE hubs SET oseq = $1, last_at = $2, prev = $3 WHERE hub = $4",
        &params![head.oseq, head.last_at, line.hash.as_str(), hub],
    )?;
    head.prev = line.hash;
    Ok(())
}
