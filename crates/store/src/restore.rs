//! Putting a backup in the place of a hub's store.
//!
//! Owns the explicit restoring that `interagent restore` runs. The backup is copied, checked whole and folded again
//! beside the store, and takes its place only then; the store of before is kept. Like after a recovery the result is a
//! new replica that takes over the agents of the one that was backed up: others may have seen entries that came after
//! the backup, so the old count is never continued.

use std::path::Path;
use std::sync::Arc;

use interagent_core::ids::OriginId;

use crate::clock::Clock;
use crate::error::StoreError;
use crate::log;
use crate::recover::Recovered;
use crate::sqlite::{Left, PutAside, Workshop};
use crate::store::Store;
use crate::verify::Severity;

/// Puts a copy of `backup` into `state_dir`.
///
/// No store of this process may be open there. What an interrupted recovery or restoring had ready is put in its place
/// first, and then kept like any store that was there: it may be of another file than this one.
pub fn restore(
    state_dir: &Path,
    backup: &Path,
    clock: &Arc<dyn Clock>,
    report: &mut dyn FnMut(&str),
) -> Result<Recovered, StoreError> {
    let workshop = Workshop::enter(state_dir)?;
    if let Left::Finished(note) = workshop.left()? {
        report("finishing what was interrupted");
        let interrupted: Recovered = serde_json::from_str(&note).map_err(log::bad)?;
        workshop.swap(&interrupted.moved_to)?;
    }
    let mut recovered = Recovered::empty(workshop.away(PutAside::Before, clock.wall_us()));
    let prepared = prepare(&workshop, backup, clock, &mut recovered, report);
    if prepared.is_err() {
        // The error that brought us here is the one to report.
        let _ = workshop.give_up();
    }
    prepared?;
    report("putting it in place");
    workshop.finish(&serde_json::to_string(&recovered).map_err(log::bad)?)?;
    workshop.swap(&recovered.moved_to)?;
    // Where nothing was, nothing is kept.
    let _ = std::fs::remove_dir(&recovered.moved_to);
    Ok(recovered)
}

/// Makes the new store beside the old one, whole and closed.
fn prepare(
    workshop: &Workshop,
    backup: &Path,
    clock: &Arc<dyn Clock>,
    recovered: &mut Recovered,
    report: &mut dyn FnMut(&str),
) -> Result<(), StoreError> {
    report("copying the backup");
    let engine = workshop.copy_of(backup)?;
    workshop.bring_key(Some(backup))?;
    let mut store = Store::open_to_look(Box::new(engine), Arc::clone(clock))?;
    report("checking it");
    must_be_whole(&mut store, backup)?;
    let head = store.head()?;
    // One that was taken away since would be good again.
    store.observe(|writer| {
        if writer.drop_tokens()? > 0 {
            let note = "tokens were not carried over: `interagent agent token NAME` makes a new one";
            recovered.notes.push(note.to_owned());
        }
        Ok::<_, StoreError>(())
    })?;
    report("making the views again");
    let rebuilt = store.rebuild(&mut |_, _| {})?;
    let old: OriginId = head.origin;
    store.new_origin(&head.alias, Some(old.clone()))?;
    recovered.hub_id = head.hub_id;
    recovered.continues = Some(old);
    recovered.entries_kept = rebuilt.entries;
    if store.scrub()? { Ok(()) } else { Err(StoreError::internal("the new database is in use by somebody")) }
}

fn must_be_whole(store: &mut Store, backup: &Path) -> Result<(), StoreError> {
    let pages = store.integrity()?.into_iter().next();
    let damage = match pages {
        Some(page) => Some(page),
        None => store
            .verify(&mut |_, _| {})?
            .into_iter()
            .find(|finding| finding.severity == Severity::Damage)
            .map(|finding| finding.sentence),
    };
    match damage {
        Some(detail) => Err(StoreError::Damaged { path: backup.to_owned(), detail }),
        None => Ok(()),
    }
}
