//! Checking a hub against its own log: every line, every chain, every text, and every view row.
//!
//! Owns the check that `log verify` and `doctor` run. It changes nothing and repairs nothing: a finding names the
//! command that does. It reads in pages, each in a transaction of its own, so that a long check holds nobody up; what
//! is written meanwhile is left to the next check.

mod chains;
mod seals;
mod texts;
mod views;

pub(crate) use self::chains::hash_in;
pub(crate) use self::texts::missing_texts;
use interagent_core::ids::EntityRef;

use crate::engine::{Engine, Queryable, ReadTx};
use crate::error::{ErrorKind, StoreError};
use crate::log;
use crate::params;
use crate::store::Store;

/// Rows read at once.
const PAGE: u32 = 500;
/// Findings that are worth reading; more than that is one big damage.
const MAX_FINDINGS: usize = 100;

const REBUILD: &str = "interagent doctor --rebuild";
const RECOVER: &str = "interagent doctor --recover";
const SYNC: &str = "interagent sync";

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is wrong here; something has not arrived yet.
    Note,
    /// The log is whole, but what is shown does not follow from it.
    Stale,
    /// The log itself was damaged.
    Damage,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad.
    pub severity: Severity,
    /// What, in a sentence.
    pub sentence: String,
    /// The command that helps.
    pub helps: &'static str,
}

/// One replica's part of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLength {
    /// Which replica.
    pub origin: String,
    /// Its name for people; empty where its first entry has not arrived.
    pub alias: String,
    /// How many entries of it are here.
    pub entries: i64,
    /// The last entry that its signature covers; 0 where it signed nothing.
    pub signed: i64,
}

/// What was found so far, and how far the check is.
struct Check<'p> {
    findings: Vec<Finding>,
    left_out: usize,
    done: u64,
    total: u64,
    progress: &'p mut dyn FnMut(u64, u64),
}

impl Check<'_> {
    fn add(&mut self, severity: Severity, helps: &'static str, sentence: String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding { severity, sentence, helps });
        } else {
            self.left_out += 1;
        }
    }

    fn damage(&mut self, sentence: String) {
        self.add(Severity::Damage, RECOVER, sentence);
    }

    fn stale(&mut self, sentence: String) {
        self.add(Severity::Stale, REBUILD, sentence);
    }

    fn advance(&mut self, by: usize) {
        self.done = (self.done + by as u64).min(self.total);
        (self.progress)(self.done, self.total);
    }

    /// Damage that stops one part of the check is what the check was asked to find; other trouble is trouble.
    fn tolerate(&mut self, part: &str, outcome: Result<(), StoreError>) -> Result<(), StoreError> {
        match outcome {
            Err(error) if error.kind() == ErrorKind::Damaged => {
                self.damage(format!("{part} could not be checked to the end: {error}"));
                Ok(())
            }
            other => other,
        }
    }
}

impl Store {
    /// Compares everything with everything. No finding means that the log is whole and the views follow from it.
    pub fn verify(&mut self, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<Finding>, StoreError> {
        let (engine, hub, _) = self.parts();
        let total = work(engine, hub)?;
        let mut check = Check { findings: Vec::new(), left_out: 0, done: 0, total, progress };
        let outcome = head(engine, hub, &mut check);
        check.tolerate("the head of the log", outcome)?;
        let outcome = chains::check(engine, hub, &mut check);
        check.tolerate("the log", outcome)?;
        let outcome = seals::check(engine, hub, &mut check);
        check.tolerate("the signatures", outcome)?;
        let outcome = texts::check(engine, hub, &mut check);
        check.tolerate("the texts", outcome)?;
        let outcome = views::check(engine, hub, &mut check);
        check.tolerate("the views", outcome)?;
        if check.left_out > 0 {
            let sentence = format!("there are {} more findings like these", check.left_out);
            check.findings.push(Finding { severity: Severity::Damage, sentence, helps: RECOVER });
        }
        Ok(check.findings)
    }

    /// The chains that the log consists of: one for each replica, in the order of their ids.
    pub fn chains(&mut self) -> Result<Vec<ChainLength>, StoreError> {
        let (engine, hub, _) = self.parts();
        let mut tx = ReadTx::begin(engine)?;
        let rows = tx.query(
            "SELECT e.origin, COALESCE(o.alias, ''), COUNT(*), COALESCE(MAX(r.sealed), 0) FROM entries e
             LEFT JOIN origins o ON o.hub = e.hub AND o.id = e.origin
             LEFT JOIN replicas r ON r.hub = e.hub AND r.origin = e.origin
             WHERE e.hub = $1 GROUP BY e.origin, o.alias ORDER BY e.origin",
            &params![hub],
        )?;
        let read = |row: &crate::engine::Row| {
            let (origin, alias) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            Ok(ChainLength { origin, alias, entries: row.int(2)?, signed: row.int(3)? })
        };
        rows.iter().map(read).collect()
    }

    /// Lets the engine check its own files. No finding means good.
    pub fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        let (engine, ..) = self.parts();
        engine.integrity()
    }
}

/// How many rows the check looks at, for the progress.
fn work(engine: &mut dyn Engine, hub: i64) -> Result<u64, StoreError> {
    let mut tx = ReadTx::begin(engine)?;
    let row = tx.query_first(
        "SELECT (SELECT COUNT(*) FROM entries WHERE hub = $1) + (SELECT COUNT(*) FROM blobs WHERE hub = $1)
         + (SELECT COUNT(DISTINCT entity) FROM entity_log WHERE hub = $1)",
        &params![hub],
    );
    match row {
        Ok(row) => Ok(row.map_or(Ok(0), |row| row.int(0))?.unsigned_abs()),
        // Where counting meets the damage, the check that follows will name it.
        Err(error) if error.kind() == ErrorKind::Damaged => Ok(0),
        Err(error) => Err(error),
    }
}

/// The head row says what the log says.
fn head(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let mut tx = ReadTx::begin(engine)?;
    let Some(head) = log::head(&mut tx, hub)? else {
        check.damage("the row that says where the log stands is missing".to_owned());
        return Ok(());
    };
    let counted = tx.query_first(
        "SELECT COUNT(*), COALESCE(MAX(seq), 0), COALESCE(MAX(CASE WHEN held = 0 THEN at ELSE 0 END), 0)
         FROM entries WHERE hub = $1 AND seq > 0",
        &params![hub],
    )?;
    let Some(counted) = counted else { return Ok(()) };
    let (count, last, last_at) = (counted.int(0)?, counted.int(1)?, counted.int(2)?);
    if (count, last) != (head.seq, head.seq) {
        check.damage(format!(
            "the log should hold {} entries; it holds {count}, the last of them at place {last}",
            head.seq
        ));
    }
    if last_at != head.last_at {
        check.damage(format!("the order clock stands at {} and the newest entry at {last_at}", head.last_at));
    }
    let own = tx.query_first(
        "SELECT oseq, line FROM entries WHERE hub = $1 AND origin = $2 ORDER BY oseq DESC LIMIT 1",
        &params![hub, head.origin.as_str()],
    )?;
    let fits = match &own {
        None => head.oseq == 0,
        Some(row) => row.int(0)? == head.oseq && chains::hash_in(row.text(1)?) == Some(head.prev.as_str()),
    };
    if !fits {
        check.damage(format!("entry {} of this replica is not the last one in the log", head.oseq));
    }
    Ok(())
}

/// An entity's name for people.
fn called(entity: &EntityRef) -> String {
    match entity {
        EntityRef::Team => "the team".to_owned(),
        other => format!("the {} {other}", other.noun()),
    }
}
