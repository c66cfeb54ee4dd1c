//! Saving what is left of a damaged database: every entry and text that still proves itself goes into a new one.
//!
//! Owns the explicit recovery that `doctor --recover` runs; nothing calls it by itself. The damaged files are kept in
//! `state/damaged-<seconds>/`. The new database is a new replica of the same hub that takes over the old one's agents:
//! others may have seen entries that are lost here, so the old count is never continued. A damaged copy becomes a replica
//! that takes over none, because its original may go on. Observations (sessions,
//! offers, lease clocks, tokens, traces) are dropped: sessions bind again, and what was only offered is offered again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use interagent_core::entry::{Entry, GENESIS, Line};
use interagent_core::ids::{HubId, OriginId};
use interagent_core::store_identity::{CopyDoubt, StoreIdentity, identify};
use interagent_core::text::{StoredText, TextHash};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::correct;
use crate::engine::{Engine, Queryable, ReadTx, WriteTx};
use crate::error::StoreError;
use crate::log::{self, Stored};
use crate::params;
use crate::sqlite::{Left, OldHead, OldText, PutAside, Salvage, SqliteEngine, Workshop};
use crate::store::{EMBEDDED_HUB, Founding, Store, random_hub_id, random_origin};
use crate::takein::{horizon, insert_foreign, next_waiting_place, unsound};
use crate::verify::missing_texts;

/// Rows written in one transaction.
const BATCH: usize = 1000;

/// Entries of one origin that are gone, with others after them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostEntries {
    /// Of which replica.
    pub origin: OriginId,
    /// The first that is gone.
    pub first: i64,
    /// The last that is gone.
    pub last: i64,
}

/// What a recovery saved and what it could not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovered {
    /// The hub, the same as before where it could be read.
    pub hub_id: String,
    /// The replica that was, where it could be read and the store was its own.
    pub continues: Option<OriginId>,
    /// The store was a copy, or may have been: the new replica continues none.
    #[serde(default)]
    pub is_copy: bool,
    /// Entries in the new database, without the one that opens the new replica.
    pub entries_kept: u64,
    /// Entries that are known to be lost: by holes in the chains and by the old count.
    pub entries_lost: u64,
    /// Where the holes are. A replica that still has these entries brings them back with the next sync.
    pub holes: Vec<LostEntries>,
    /// Kept entries that stand after a hole, so that their chain can't be proven to its beginning.
    pub kept_after_holes: u64,
    /// Lines that could be read but do not match their hash; they were left out.
    pub lines_refused: u64,
    /// Texts in the new database.
    pub texts_kept: u64,
    /// Texts that kept entries point to and that are gone.
    pub texts_lost: u64,
    /// Rows of either kind that could not be read at all.
    pub rows_unreadable: u64,
    /// Where the damaged files are now.
    pub moved_to: PathBuf,
    /// What else a person should know, in sentences.
    pub notes: Vec<String>,
}

/// The directories in `state_dir` that earlier recoveries and restorations put files into. They still hold whatever was
/// written before, also texts that were purged since.
pub fn put_aside(state_dir: &Path) -> Vec<PathBuf> {
    crate::sqlite::put_aside(state_dir)
}

/// Builds a new database from what is left of the one in `state_dir` and puts it in its place.
///
/// No store of this process may be open there. `founding` gives the hub's id where the damaged file no longer tells
/// it, and the name of the replica. An interrupted recovery is finished by calling this again.
pub fn recover(
    state_dir: &Path,
    founding: &Founding,
    clock: Arc<dyn Clock>,
    report: &mut dyn FnMut(&str),
) -> Result<Recovered, StoreError> {
    let workshop = Workshop::enter(state_dir)?;
    if let Left::Finished(note) = workshop.left()? {
        report("finishing an interrupted recovery");
        let recovered: Recovered = serde_json::from_str(&note).map_err(log::bad)?;
        workshop.swap(&recovered.moved_to)?;
        return Ok(recovered);
    }
    report("copying the damaged database");
    let salvage = workshop.salvage()?;
    let mut recovered = Recovered::empty(workshop.away(PutAside::Damaged, clock.wall_us()));
    if let Some(doubt) = doubt(&workshop, salvage.as_ref())? {
        recovered.is_copy = true;
        recovered.notes.push(format!(
            "this hub may be a copy ({doubt}), so it is a replica of its own now: `interagent doctor --moved` continues its \
             agents here if the original is gone"
        ));
    }
    let mut new = New::begin(&workshop, salvage.as_ref(), founding, &*clock, &mut recovered)?;
    match &salvage {
        Some(salvage) => {
            report("reading entries");
            new.entries(salvage, &mut recovered)?;
            report("reading texts");
            new.texts(salvage, &mut recovered)?;
            new.replicas(salvage, &mut recovered)?;
        }
        None => recovered.notes.push("nothing in the damaged file could be read".to_owned()),
    }
    report("making the views again");
    new.finish(founding, clock, &mut recovered)?;
    drop(salvage);
    recovered.notes.push(
        "sessions, offers, running leases, tokens and traces of this machine were not carried over: agents bind again \
         with their next hook, and take their leases again; `interagent agent token NAME` makes a new token"
            .to_owned(),
    );
    report("putting the new database in place");
    workshop.finish(&serde_json::to_string(&recovered).map_err(log::bad)?)?;
    workshop.swap(&recovered.moved_to)?;
    Ok(recovered)
}

/// Whether the damaged store may be a copy. A row that can't be read decides nothing.
fn doubt(workshop: &Workshop, salvage: Option<&Salvage>) -> Result<Option<CopyDoubt>, StoreError> {
    let recorded = salvage.and_then(Salvage::recorded);
    let (Some(recorded), Some(observed)) = (recorded, workshop.observed()?) else { return Ok(None) };
    match identify(&recorded, &observed) {
        StoreIdentity::Same => Ok(None),
        StoreIdentity::Undecided(doubt) => Ok(Some(doubt)),
        StoreIdentity::Unreadable(detail) => Err(StoreError::Unidentified { detail }),
    }
}

impl Recovered {
    pub(crate) fn empty(moved_to: PathBuf) -> Self {
        Self {
            hub_id: String::new(),
            continues: None,
            is_copy: false,
            entries_kept: 0,
            entries_lost: 0,
            holes: Vec::new(),
            kept_after_holes: 0,
            lines_refused: 0,
            texts_kept: 0,
            texts_lost: 0,
            rows_unreadable: 0,
            moved_to,
            notes: Vec::new(),
        }
    }
}

/// The new database while it is being filled.
struct New {
    engine: SqliteEngine,
    head: Option<OldHead>,
    horizon: i64,
    seq: i64,
}

impl New {
    fn begin(
        workshop: &Workshop,
        salvage: Option<&Salvage>,
        founding: &Founding,
        clock: &dyn Clock,
        recovered: &mut Recovered,
    ) -> Result<Self, StoreError> {
        // An id that does not parse is damage, too.
        let head = salvage
            .and_then(Salvage::head)
            .filter(|head| HubId::parse(&head.hub_id).is_ok() && OriginId::parse(&head.origin).is_ok());
        recovered.hub_id = match (&head, &founding.hub_id) {
            (Some(head), _) => head.hub_id.clone(),
            (None, Some(known)) => known.to_string(),
            (None, None) => {
                recovered.notes.push(
                    "the id of the hub could not be read, so it has a new one: other replicas will not know it"
                        .to_owned(),
                );
                random_hub_id()?.to_string()
            }
        };
        let mut engine = workshop.new_engine()?;
        workshop.bring_key(None)?;
        let mut tx = WriteTx::begin(&mut engine)?;
        // No place and no count yet: the new replica gets both when it opens.
        tx.execute(
            "INSERT INTO hubs (hub, id, origin, alias, machine, inode, seq, oseq, last_at, prev)
             VALUES ($1, $2, $3, $4, '', 0, 0, 0, 0, $5)",
            &params![EMBEDDED_HUB, &recovered.hub_id, random_origin()?.as_str(), &founding.alias, GENESIS],
        )?;
        tx.commit()?;
        Ok(Self { engine, head, horizon: horizon(clock.wall_us()), seq: 0 })
    }

    fn entries(&mut self, salvage: &Salvage, recovered: &mut Recovered) -> Result<(), StoreError> {
        let mut batch: Vec<(Entry, Line)> = Vec::with_capacity(BATCH);
        let mut refused = 0;
        recovered.rows_unreadable += salvage.lines(&mut |text| {
            match Line::verify(&text).and_then(|line| Ok((line.entry()?, line))) {
                Ok(sound) => batch.push(sound),
                Err(_) => refused += 1,
            }
            if batch.len() == BATCH { self.write_entries(&mut batch) } else { Ok(()) }
        })?;
        recovered.lines_refused = refused;
        self.write_entries(&mut batch)
    }

    fn write_entries(&mut self, batch: &mut Vec<(Entry, Line)>) -> Result<(), StoreError> {
        let mut tx = WriteTx::begin(&mut self.engine)?;
        for (entry, line) in batch.drain(..) {
            let known = tx.query_first(
                "SELECT 1 FROM entries WHERE hub = $1 AND origin = $2 AND oseq = $3",
                &params![EMBEDDED_HUB, entry.envelope.origin.as_str(), entry.envelope.oseq],
            )?;
            // Damaged pages can show a row twice.
            if known.is_some() {
                continue;
            }
            let held = entry.envelope.at > self.horizon;
            let seq = if held {
                next_waiting_place(&mut tx, EMBEDDED_HUB)?
            } else {
                self.seq += 1;
                self.seq
            };
            let stored = insert_foreign(&mut tx, EMBEDDED_HUB, Stored { seq, entry, held }, &line)?;
            correct::overruled_by(&mut tx, EMBEDDED_HUB, &stored.entry)?;
        }
        tx.execute(
            "UPDATE hubs SET seq = $1, last_at = (SELECT COALESCE(MAX(at), 0) FROM entries WHERE hub = $2 AND held = 0)
             WHERE hub = $2",
            &params![self.seq, EMBEDDED_HUB],
        )?;
        tx.commit()
    }

    fn texts(&mut self, salvage: &Salvage, recovered: &mut Recovered) -> Result<(), StoreError> {
        let mut batch: Vec<StoredText> = Vec::with_capacity(BATCH);
        let mut unsound_rows = 0;
        let unreadable = salvage.texts(&mut |OldText { hash, salt, text }| {
            let sound = TextHash::parse(&hash)
                .ok()
                .map(|hash| StoredText { hash, salt, text })
                .filter(|text| unsound(text).is_none());
            match sound {
                Some(text) => batch.push(text),
                None => unsound_rows += 1,
            }
            if batch.len() == BATCH { self.write_texts(&mut batch) } else { Ok(()) }
        })?;
        recovered.rows_unreadable += unreadable + unsound_rows;
        self.write_texts(&mut batch)
    }

    /// What was known of replicas. Where that is lost, what is here goes on counting: it counted before.
    fn replicas(&mut self, salvage: &Salvage, recovered: &mut Recovered) -> Result<(), StoreError> {
        let rows = salvage.replicas();
        let mut tx = WriteTx::begin(&mut self.engine)?;
        for row in &rows {
            // The one that was here goes on as another one.
            let standing = if row.standing == "own" { "accepted" } else { &row.standing };
            tx.execute(
                "INSERT INTO replicas (hub, origin, standing, key, seal, sealed, first_sealed, rival, counted, succeeds)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (hub, origin) DO NOTHING",
                &params![
                    EMBEDDED_HUB, &row.origin, standing, &row.key, &row.seal, row.sealed, row.first_sealed, &row.rival,
                    row.counted, &row.succeeds
                ],
            )?;
        }
        let unknown = tx.execute(
            "INSERT INTO replicas (hub, origin, standing, counted)
             SELECT hub, origin, 'new', CASE WHEN $1 = 0 THEN MAX(oseq) ELSE 0 END FROM entries WHERE hub = $2
             GROUP BY hub, origin ON CONFLICT (hub, origin) DO NOTHING",
            &params![i64::try_from(rows.len()).unwrap_or(i64::MAX), EMBEDDED_HUB],
        )?;
        if rows.is_empty() && unknown > 1 {
            let note = "what was known of other replicas is lost: interagent replica list shows whom to accept again";
            recovered.notes.push(note.to_owned());
        }
        tx.commit()
    }

    fn write_texts(&mut self, batch: &mut Vec<StoredText>) -> Result<(), StoreError> {
        let mut tx = WriteTx::begin(&mut self.engine)?;
        for text in batch.drain(..) {
            log::insert_text(&mut tx, EMBEDDED_HUB, &text)?;
        }
        tx.commit()
    }

    /// Counts, makes the views, opens the new replica and leaves everything in one closed file.
    fn finish(
        mut self,
        founding: &Founding,
        clock: Arc<dyn Clock>,
        recovered: &mut Recovered,
    ) -> Result<(), StoreError> {
        self.count(recovered)?;
        let alias = self.head.as_ref().map_or(&founding.alias, |head| &head.alias).clone();
        let mut store = Store::open_to_look(Box::new(self.engine), clock)?;
        store.rebuild(&mut |_, _| {})?;
        store.new_origin(&alias, recovered.continues.clone())?;
        let (engine, hub, _) = store.parts();
        missing_texts(engine, hub, &mut |_, _, _| recovered.texts_lost += 1)?;
        recovered.texts_kept = count(engine, "SELECT COUNT(*) FROM blobs")?;
        if store.scrub()? {
            Ok(())
        } else {
            Err(StoreError::internal("the new database is in use by somebody"))
        }
    }

    fn count(&mut self, recovered: &mut Recovered) -> Result<(), StoreError> {
        recovered.entries_kept = count(&mut self.engine, "SELECT COUNT(*) FROM entries")?;
        let mut tx = ReadTx::begin(&mut self.engine)?;
        let holes = tx.query(
            "SELECT origin, before + 1, oseq - 1 FROM
             (SELECT origin, oseq, LAG(oseq, 1, 0) OVER (PARTITION BY origin ORDER BY oseq) AS before FROM entries)
             AS steps WHERE oseq <> before + 1 ORDER BY origin, oseq",
            &[],
        )?;
        for row in &holes {
            let origin = OriginId::parse(row.text(0)?).map_err(log::bad)?;
            recovered.holes.push(LostEntries { origin, first: row.int(1)?, last: row.int(2)? });
        }
        let behind = tx.query_first(
            "SELECT COUNT(*) FROM entries e JOIN
             (SELECT origin, MIN(oseq) AS hole FROM
              (SELECT origin, oseq, LAG(oseq, 1, 0) OVER (PARTITION BY origin ORDER BY oseq) AS before FROM entries)
              AS steps WHERE oseq <> before + 1 GROUP BY origin) h
             ON h.origin = e.origin AND e.oseq >= h.hole",
            &[],
        )?;
        recovered.kept_after_holes = behind.map_or(Ok(0), |row| row.int(0))?.unsigned_abs();
        let ends = tx.query("SELECT origin, MAX(oseq) FROM entries GROUP BY origin ORDER BY origin", &[])?;
        let mut lost: i64 = recovered.holes.iter().map(|hole| hole.last - hole.first + 1).sum();
        match (&self.head, ends.as_slice()) {
            (Some(head), _) => {
                recovered.continues = OriginId::parse(&head.origin).ok();
                let own = ends.iter().find(|row| row.text(0).is_ok_and(|origin| origin == head.origin));
                let reached = own.map_or(Ok(0), |row| row.int(1))?;
                lost += (head.oseq - reached).max(0);
                let kept = i64::try_from(recovered.entries_kept).unwrap_or(i64::MAX);
                lost = lost.max(head.seq - kept);
            }
            // Only one replica ever wrote here, so it was this one.
            (None, [only]) => recovered.continues = OriginId::parse(only.text(0)?).ok(),
            (None, _) => recovered.notes.push(
                "which replica this was could not be read: its agents have to register again, and entries lost at the \
                 end of the log can't be counted"
                    .to_owned(),
            ),
        }
        recovered.entries_lost = lost.unsigned_abs();
        if recovered.is_copy {
            recovered.continues = None;
        }
        Ok(())
    }
}

fn count(engine: &mut dyn Engine, sql: &'static str) -> Result<u64, StoreError> {
    let row = ReadTx::begin(engine)?.query_first(sql, &[])?;
    Ok(row.map_or(Ok(0), |row| row.int(0))?.unsigned_abs())
}
