//! After another replica's log was taken in: who was too late hears of it, and what no longer fits together is repaired.
//!
//! Owns the one step that follows a take-in. It takes no input but the state, and what it does once it does not do
//! again: it may be run at any time, by every replica, in any order. Only the home of a member writes to that member.

mod losses;
mod repairs;

use std::path::Path;

use interagent_core::draft::Draft;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Auth;
use interagent_store::reader::Reader;
use interagent_store::{NewEntry, Store};
use interagent_wire::LocalEffect;
use interagent_wire::answer::Who;

use crate::{identity, reach, signals};

pub use losses::Conflict;

/// Void events looked at; a merge of replicas that worked apart for months has a few hundred.
const VOIDS: u32 = 10_000;

/// What a merge meant for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AfterTakeIn {
    /// Decisions that did not count because others came first, told for the first time. Of all replicas, not only ours.
    pub conflicts: Vec<Conflict>,
    /// What was repaired here, each in a sentence.
    pub repairs: Vec<String>,
    /// Members here who were written to.
    pub told: Vec<Who>,
    /// Entries from the future that count from now on.
    pub released: u64,
    /// Entries from the future that still wait.
    pub waiting: u32,
    /// What is to be done on this machine now, as after any other write.
    pub effects: Vec<LocalEffect>,
}

/// What follows from what was taken in. `before` is where the log stood then: conflicts and repairs are judged by the
/// whole state, but conflicts between others are named once, when they arrive.
pub(crate) fn after_take_in(
    store: &mut Store,
    state_dir: &Path,
    before: i64,
) -> Result<AfterTakeIn, Refusal> {
    let mut after = AfterTakeIn { released: store.release_due()?, ..AfterTakeIn::default() };
    let operator = store.read(identity::operator)?;
    let new = NewEntry {
        actor: operator.id.clone(),
        behalf: None,
        human: true,
        auth: Auth::Claimed,
        op: "merge.settle",
        key: None,
    };
    let (conflicts, repairs, told) = (&mut after.conflicts, &mut after.repairs, &mut after.told);
    store.append(
        new,
        |writer, context| {
            let mut draft = Draft::new(context);
            let mut look = writer.look();
            repairs::repair(&mut look, &operator, &mut draft, repairs, told)?;
            *conflicts = losses::tell(&mut look, &operator, before, &mut draft, told)?;
            Ok::<_, Refusal>(draft)
        },
        |_, _| Ok::<_, Refusal>(()),
    )?;
    let released = after.released;
    let (waiting, effects) = store.read(|reader: &mut Reader<'_>| {
        // What was taken in, and what was written about it just now.
        let mut effects = signals::arrived(reader, before)?;
        if released > 0 || reader.head()?.seq > before {
            effects.extend(reach::waiting(reader, state_dir)?);
        }
        Ok::<_, Refusal>((reader.waiting_entries_count(limits::COUNTED)?, effects))
    })?;
    Ok(AfterTakeIn { waiting, effects, ..after })
}
