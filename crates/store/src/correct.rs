//! Repairing a log that was written with a clock that ran ahead.
//!
//! Other clones defer such entries, and everything that followed them, because each entry comes after the one before. The
//! repair writes one entry that overrules them and then each of them again, with the same content and author, in the same
//! order. The chain of the replica goes on; nothing that others counted changes.

use std::path::PathBuf;

use interagent_core::authority::Proof;
use interagent_core::clock;
use interagent_core::draft::{Context, Draft, Fresh};
use interagent_core::entity::{Entity, Origin};
use interagent_core::entry::{Entry, Envelope};
use interagent_core::event::{Event, Micros, OriginCorrected};
use interagent_core::ids::{EntityRef, OriginId};
use interagent_core::limits::FUTURE_HELD_US;
use interagent_core::vocabulary::Auth;

use crate::append::{NewEntry, entry_id, seed, write_entry};
use crate::engine::{Queryable, WriteTx};
use crate::error::StoreError;
use crate::log::{self, Stored};
use crate::params;
use crate::reader::Reader;
use crate::sqlite::make_place_aside;
use crate::store::Store;
use crate::views;

/// What the log says of a clock that ran ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAhead {
    /// How far the newest entry is ahead of the clock, in microseconds.
    pub by: Micros,
    /// The time of the newest entry: other clones defer it until then.
    pub until: Micros,
    /// Entries of this replica that other clones defer.
    pub entries: i64,
}

/// How a log was repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// Entries that were written again.
    pub entries: u64,
    /// Entries of other replicas that are from the future too and wait from now on.
    pub others: u64,
    /// The directory with the store as it was.
    pub kept_in: PathBuf,
}

impl Reader<'_> {
    /// Whether this replica wrote with a clock that ran ahead of what it says now.
    pub fn clock_ahead(&mut self) -> Result<Option<ClockAhead>, StoreError> {
        ahead(self)
    }
}

fn ahead(reader: &mut Reader<'_>) -> Result<Option<ClockAhead>, StoreError> {
    let (head, now) = (reader.head()?, reader.now());
    if clock::ahead(head.last_at, now).is_none() {
        return Ok(None);
    }
    let rows = reader.rows(
        "SELECT COUNT(*), COALESCE(MAX(at), 0) FROM entries WHERE hub = $1 AND origin = $2 AND held = 0 AND at > $3",
        &params![reader.hub, head.origin.as_str(), now.saturating_add(FUTURE_HELD_US)],
    )?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (entries, until) = (row.int(0)?, row.int(1)?);
    Ok(clock::ahead(until, now).map(|by| ClockAhead { by, until, entries }))
}

impl Store {
    /// Whether this replica wrote with a clock that ran ahead of what it says now.
    pub fn clock_ahead(&mut self) -> Result<Option<ClockAhead>, StoreError> {
        self.read(ahead)
    }

    /// Repairs the log after the clock was set right; nothing where it needs no repair. Whether the clock is right now is for
    /// the caller to know. The store as it was is kept.
    pub fn correct_clock(&mut self) -> Result<Option<Corrected>, StoreError> {
        self.must_be_decided()?;
        let Some(ahead) = self.clock_ahead()? else { return Ok(None) };
        let database = self.facts()?.path;
        let wall_us = self.clock().wall_us();
        let state_dir = database.parent().unwrap_or(&database);
        let kept_in = make_place_aside(state_dir, wall_us)?;
        self.backup_to(&kept_in.join("hub.db"), &mut |_| {})?;
        let (engine, hub, clock) = self.parts();
        let now = clock.wall_us();
        let mut tx = WriteTx::begin(engine)?;
        let origin = log::hold_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?.origin;
        // What other clocks wrote ahead waits like anything from the future. It keeps its place.
        let others = tx.execute(
            "UPDATE entries SET held = 1 WHERE hub = $1 AND origin <> $2 AND held = 0 AND at > $3",
            &params![hub, origin.as_str(), now.saturating_add(FUTURE_HELD_US)],
        )?;
        let corrected = correction_at(&mut tx, hub, now)?;
        let wrong = overrule(&mut tx, hub, &origin, i64::MAX, corrected)?;
        if wrong.is_empty() {
            return Ok(None);
        }
        let operator = match views::load(&mut tx, hub, &EntityRef::Origin(origin.clone()))? {
            Some(Entity::Origin(origin)) => origin.operator,
            _ => return Err(StoreError::no_hub()),
        };
        let head = log::advance_head(&mut tx, hub)?.ok_or_else(StoreError::no_hub)?;
        let context = Context {
            now,
            origin: origin.clone(),
            member: operator.clone(),
            human: true,
            proof: Proof::Proven,
            fresh: Fresh::new(seed()?),
        };
        let mut draft = Draft::new(&context);
        draft.add(
            EntityRef::Origin(origin),
            OriginCorrected { ahead_until: ahead.until, entries: ahead.entries },
        );
        let new = NewEntry {
            actor: operator,
            behalf: None,
            human: true,
            auth: Auth::Terminal,
            op: "clock.correct",
            key: None,
        };
        write_entry(&mut tx, hub, &head, new, now, draft)?;
        let entries = wrong.len() as u64;
        for line in wrong {
            write_again(&mut tx, hub, Entry::read(&line).map_err(log::bad)?, now)?;
        }
        // No fold: whoever opens the store after an interruption makes the views again.
        tx.execute("UPDATE hubs SET fold = 0 WHERE hub = $1", &params![hub])?;
        tx.commit()?;
        self.fold_again()?;
        Ok(Some(Corrected { entries, others, kept_in }))
    }
}

/// Where the correction comes in the order of all: after everything that it does not overrule.
fn correction_at(tx: &mut WriteTx<'_>, hub: i64, now: Micros) -> Result<Micros, StoreError> {
    let mut at = now;
    loop {
        let newest = tx.query_first(
            "SELECT COALESCE(MAX(at), 0) FROM entries WHERE hub = $1 AND held = 0 AND at <= $2",
            &params![hub, at.saturating_add(FUTURE_HELD_US)],
        )?;
        let next = newest.map_or(Ok(0), |row| row.int(0))? + 1;
        if next <= at {
            return Ok(at);
        }
        at = next;
    }
}

/// Whether an entry corrects the clock of its own replica.
fn corrects(entry: &Entry) -> bool {
    let own = EntityRef::Origin(entry.envelope.origin.clone());
    entry.facts.iter().any(|fact| fact.entity == own && matches!(fact.event, Event::OriginCorrected(_)))
}

/// Stops counting the entries of an origin before `oseq` that a correction at `corrected` overrules; answers with their lines, in
/// order. They stay in the log, where the chain needs them.
fn overrule(
    tx: &mut WriteTx<'_>,
    hub: i64,
    origin: &OriginId,
    oseq: i64,
    corrected: Micros,
) -> Result<Vec<String>, StoreError> {
    let latest = corrected.saturating_add(FUTURE_HELD_US);
    let counted = tx.query(
        "SELECT line FROM entries WHERE hub = $1 AND origin = $2 AND oseq < $3 AND at > $4 AND held = 0 ORDER BY oseq",
        &params![hub, origin.as_str(), oseq, latest],
    )?;
    // Whoever repeats a call finds the entry that is written again.
    tx.execute(
        "UPDATE entries SET held = 2, key = NULL, request = NULL
         WHERE hub = $1 AND origin = $2 AND oseq < $3 AND at > $4 AND held <> 2",
        &params![hub, origin.as_str(), oseq, latest],
    )?;
    tx.execute(
        "UPDATE hubs SET last_at = (SELECT COALESCE(MAX(at), 0) FROM entries WHERE hub = $1 AND held = 0) WHERE hub = $1",
        &params![hub],
    )?;
    counted.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}

/// What an entry of another replica overrules here, if it is a correction. Where anything of that counted, the views are wrong
/// from now on; answers with the highest `at` that counts then.
pub(crate) fn overruled_by(
    tx: &mut WriteTx<'_>,
    hub: i64,
    entry: &Entry,
) -> Result<Option<Micros>, StoreError> {
    if !corrects(entry) {
        return Ok(None);
    }
    let Envelope { origin, oseq, at, .. } = &entry.envelope;
    if overrule(tx, hub, origin, *oseq, *at)?.is_empty() {
        return Ok(None);
    }
    // No fold: whoever opens the store after an interruption makes the views again.
    tx.execute("UPDATE hubs SET fold = 0 WHERE hub = $1", &params![hub])?;
    let head = log::head(tx, hub)?.ok_or_else(StoreError::no_hub)?;
    Ok(Some(head.last_at))
}

/// Whether an entry was corrected since: one that fills a gap comes after its correction.
pub(crate) fn is_overruled(tx: &mut WriteTx<'_>, hub: i64, entry: &Envelope) -> Result<bool, StoreError> {
    let known = views::load(tx, hub, &EntityRef::Origin(entry.origin.clone()))?;
    let Some(Entity::Origin(Origin { corrected: Some(corrected), .. })) = known else { return Ok(false) };
    Ok(entry.oseq < corrected.oseq && clock::is_overruled(entry.at, corrected.at))
}

/// Marks one stored entry as overruled.
pub(crate) fn overrule_at(tx: &mut WriteTx<'_>, hub: i64, seq: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE entries SET held = 2, key = NULL, request = NULL WHERE hub = $1 AND seq = $2",
        &params![hub, seq],
    )?;
    Ok(())
}

/// Writes what an entry says as the next one of this replica. Its time is not believed where it is to come.
fn write_again(tx: &mut WriteTx<'_>, hub: i64, entry: Entry, now: Micros) -> Result<(), StoreError> {
    let head = log::advance_head(tx, hub)?.ok_or_else(StoreError::no_hub)?;
    let envelope = Envelope {
        id: entry_id(now)?,
        oseq: head.oseq + 1,
        prev: head.prev,
        at: now.max(head.last_at + 1),
        wall: entry.envelope.wall.min(now),
        ..entry.envelope
    };
    let stored = Stored { seq: head.seq + 1, entry: Entry { envelope, facts: entry.facts }, held: false };
    let line = stored.entry.seal().map_err(log::bad)?;
    log::insert(tx, hub, &stored, &line)?;
    tx.execute(
        "UPDATE hubs SET last_at = $1, prev = $2 WHERE hub = $3",
        &params![stored.entry.envelope.at, line.hash, hub],
    )?;
    Ok(())
}
