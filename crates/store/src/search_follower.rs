//! The follower that feeds the search index from the log.
//!
//! Owns turning entries into changes of the index; the index owns everything about finding. An entity's documents are
//! made from its state as it is now, so void events are never found and a late entry of another replica corrects what
//! was indexed before. The cursor is the local order of arrival, so late entries are met like all others.

mod docs;

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::entry::Entry;
use interagent_core::event::{Event, Fact};
use interagent_core::ids::EntityRef;
use interagent_core::text::TextHash;

use crate::error::StoreError;
use crate::reader::Reader;
use crate::search::{Applied, Batch, Change, SearchError, SearchIndex};
use crate::store::Store;
use crate::texts::texts_of;

/// Entries turned into one batch: small enough that even the longest texts fit into memory.
const BATCH_ENTRIES: u32 = 64;
/// How often the index may turn out damaged, or be moved by another process, before this gives up for now.
const MAX_RESTARTS: u32 = 8;

/// How far the search index got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries that were taken in.
    pub taken: u64,
    /// The last entry that is in the index.
    pub cursor: i64,
    /// Entries that are not in the index yet.
    pub behind: i64,
    /// Bytes of purged texts may still be in the index, because another process was reading it.
    pub unscrubbed: bool,
}

/// Trouble on either side.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each side documents its own")]
pub enum FollowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Store {
    /// Brings the search index up to date with the log, by at most `most` entries.
    pub fn catch_up_search(&mut self, index: &mut SearchIndex, most: usize) -> Result<Progress, FollowError> {
        let mut progress = Progress::default();
        let mut restarts = 0;
        loop {
            let left = most.saturating_sub(usize::try_from(progress.taken).unwrap_or(usize::MAX));
            let limit = u32::try_from(left).unwrap_or(u32::MAX).min(BATCH_ENTRIES);
            match self.one_batch(index, limit, &mut progress) {
                Ok(true) => return Ok(progress),
                Ok(false) => {}
                // Emptied: begin again with the empty one.
                Err(FollowError::Search(SearchError::Rebuilt { .. })) if restarts < MAX_RESTARTS => {
                    restarts += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes in one batch; answers whether there is nothing left to do.
    fn one_batch(
        &mut self,
        index: &mut SearchIndex,
        limit: u32,
        progress: &mut Progress,
    ) -> Result<bool, FollowError> {
        let after = index.cursor()?;
        let (head, taken, upto, changes) = self.read(|reader| read_batch(reader, after, limit))?;
        if after > head {
            // The index is of another life of this database.
            index.empty()?;
            return Ok(false);
        }
        if taken > 0 {
            match index.apply(Batch { after, upto, changes: &changes })? {
                Applied::Done => progress.unscrubbed = false,
                Applied::DoneUnscrubbed => progress.unscrubbed = true,
                // Another process is at it, too: go on from where it is.
                Applied::Moved { .. } => return Ok(false),
            }
            progress.taken += taken;
        }
        progress.cursor = upto;
        progress.behind = head - upto;
        Ok(taken == 0 || progress.behind == 0)
    }
}

type Read = (i64, u64, i64, Vec<Change>);

fn read_batch(reader: &mut Reader<'_>, after: i64, limit: u32) -> Result<Read, StoreError> {
    let head = reader.head()?;
    let entries = reader.entries_after(after, limit)?;
    let upto = entries.last().map_or(after, |stored| stored.seq);
    let mut touched = Touched::default();
    for stored in &entries {
        let late = stored.entry.envelope.origin != head.origin;
        touched.entry(reader, &stored.entry, late)?;
    }
    let changes = touched.changes(reader)?;
    Ok((head.seq, entries.len() as u64, upto, changes))
}

/// How much of an entity has to be indexed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What was written at this `at` or later: an entry of our own comes after all others.
    Since(i64),
    /// All of it, because what was indexed may be void now.
    Whole,
}

/// What a batch is about.
#[derive(Debug, Default)]
struct Touched {
    purged: BTreeSet<String>,
    entities: BTreeMap<EntityRef, Extent>,
}

impl Touched {
    fn entry(&mut self, reader: &mut Reader<'_>, entry: &Entry, late: bool) -> Result<(), StoreError> {
        for Fact { entity, event } in &entry.facts {
            if let (EntityRef::Text(hash), Event::TextPurged(_)) = (entity, event) {
                self.purged.insert(hash.to_string());
                self.pointing_to(reader, hash)?;
            } else if matters(entity, event, late) {
                let extent = if late { Extent::Whole } else { Extent::Since(entry.envelope.at) };
                self.entities
                    .entry(entity.clone())
                    .and_modify(|known| *known = known.or(extent))
                    .or_insert(extent);
            }
        }
        Ok(())
    }

    /// A document may be made of several texts: the rest of it stays.
    fn pointing_to(&mut self, reader: &mut Reader<'_>, hash: &TextHash) -> Result<(), StoreError> {
        for entity in reader.pointing_to(hash)? {
            self.entities.insert(entity, Extent::Whole);
        }
        Ok(())
    }

    /// Forgetting comes first, so that what is left of a document can be put again.
    fn changes(self, reader: &mut Reader<'_>) -> Result<Vec<Change>, StoreError> {
        let mut changes: Vec<Change> =
            self.purged.into_iter().map(|text_ref| Change::Forget { text_ref }).collect();
        for (entity, extent) in self.entities {
            let since = match extent {
                Extent::Since(at) => at,
                Extent::Whole => {
                    changes.push(Change::ForgetEntity { entity: entity.to_string() });
                    i64::MIN
                }
            };
            let Some(state) = reader.entity(&entity)? else { continue };
            for part in docs::parts(&state).into_iter().filter(|part| part.changed >= since) {
                if let Some(doc) = part.doc(reader, &entity, &state)? {
                    changes.push(Change::Put(Box::new(doc)));
                }
            }
        }
        Ok(changes)
    }
}

impl Extent {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Since(one), Self::Since(two)) => Self::Since(one.min(two)),
            _ => Self::Whole,
        }
    }
}

/// Whether an event can change what is found of its entity. Of a message only its sending: deliveries are many.
fn matters(entity: &EntityRef, event: &Event, late: bool) -> bool {
    match entity {
        EntityRef::Message(_) => matches!(event, Event::MessageSent(_)),
        EntityRef::Agent(_) => {
            matches!(event, Event::AgentRegistered(_) | Event::AgentRenamed(_) | Event::AgentDescribed(_))
        }
        EntityRef::Task(_) | EntityRef::Review(_) | EntityRef::Decision(_) | EntityRef::Spec(_) => {
            late || !texts_of(event).is_empty()
        }
        EntityRef::Team
        | EntityRef::Origin(_)
        | EntityRef::Lease(_)
        | EntityRef::Skill(_)
        | EntityRef::Text(_)
        | EntityRef::Unknown(_) => false,
    }
}
