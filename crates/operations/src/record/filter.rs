//! Which entries of the log are wanted: by kind, by member, by entity.
//!
//! Owns how far a list walks to find them. What concerns one entity is found by its own history; anything else walks the
//! log, a bounded number of entries for each page.

use std::collections::BTreeSet;

use interagent_core::event::Event;
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_store::Stored;
use interagent_store::reader::Reader;
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::resolve;

/// Entries that one page walks at most; a rare kind in a long log takes several pages, each of them quick.
const WALKED: u32 = 5_000;
/// Entries read at once while looking for some of them.
const STEP: u32 = 500;

/// The wish, with names resolved.
pub(super) struct Filter {
    kind: Option<String>,
    by: Option<AgentId>,
    /// The places of the entries that concern the entity.
    places: Option<BTreeSet<i64>>,
}

/// Which way a list goes, and from where.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// Oldest first, after a place and before another.
    Forward { after: i64, before: i64 },
    /// Newest first, before a place.
    Backward { before: i64 },
}

impl Filter {
    pub(super) fn read(reader: &mut Reader<'_>, params: &ask::LogList) -> Result<Self, Refusal> {
        let kind = params.kind.as_deref().map(known_kind).transpose()?;
        let by = params.by.as_deref().map(|name| resolve::agent(reader, name)).transpose()?;
        let entity = params.entity.as_deref().map(|entity| super::entity(reader, entity)).transpose()?;
        let places = match entity {
            Some(entity) => Some(reader.history(&entity)?.iter().map(|placed| placed.seq).collect()),
            None => None,
        };
        Ok(Self { kind, by: by.map(|agent| agent.id), places })
    }

    fn wants(&self, stored: &Stored) -> bool {
        let envelope = &stored.entry.envelope;
        let is_by = |id: &AgentId| envelope.actor == *id || envelope.behalf.as_ref() == Some(id);
        let is_of = |kind: &String| {
            envelope.op == *kind || stored.entry.facts.iter().any(|fact| is_kind(fact.event.kind(), kind))
        };
        self.by.as_ref().is_none_or(is_by) && self.kind.as_ref().is_none_or(is_of)
    }

    /// At most `limit` entries that are wanted, and the place where the next page begins.
    pub(super) fn page(
        &self,
        reader: &mut Reader<'_>,
        way: Way,
        limit: u32,
    ) -> Result<(Vec<Stored>, Option<i64>), Refusal> {
        let most = limit as usize + 1;
        let mut found = Vec::new();
        let mut way = way;
        let mut walked = 0;
        let mut stopped = None;
        while found.len() < most {
            if walked >= WALKED {
                stopped = Some(way.place());
                break;
            }
            let rows = self.step(reader, way, self.stride(most - found.len()))?;
            let Some(last) = rows.last() else { break };
            way = way.from(last.seq);
            walked = walked.saturating_add(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            found.extend(rows.into_iter().filter(|stored| self.wants(stored)));
        }
        if found.len() < most {
            return Ok((found, stopped));
        }
        found.truncate(limit as usize);
        let next = found.last().map(|stored| stored.seq);
        Ok((found, next))
    }

    /// How many entries to read for those that are missing: where every one is wanted, no more.
    fn stride(&self, missing: usize) -> u32 {
        match (&self.kind, &self.by) {
            (None, None) => u32::try_from(missing).unwrap_or(STEP),
            _ => STEP,
        }
    }

    fn step(&self, reader: &mut Reader<'_>, way: Way, stride: u32) -> Result<Vec<Stored>, Refusal> {
        let Some(places) = &self.places else {
            return Ok(match way {
                Way::Forward { after, before } => {
                    let mut rows = reader.entries_after(after, stride)?;
                    rows.retain(|stored| stored.seq < before);
                    rows
                }
                Way::Backward { before } => reader.entries_before(before, stride)?,
            });
        };
        let wanted: Vec<i64> = match way {
            // No place is counted from both ends: a range that ends before it begins holds nothing.
            Way::Forward { after, before } if before <= after => Vec::new(),
            Way::Forward { after, before } => {
                places.range(after.saturating_add(1)..before).take(stride as usize).copied().collect()
            }
            Way::Backward { before } => places.range(..before).rev().take(stride as usize).copied().collect(),
        };
        let mut rows = Vec::with_capacity(wanted.len());
        for seq in wanted {
            rows.extend(reader.entry(seq)?);
        }
        Ok(rows)
    }
}

impl Way {
    fn place(self) -> i64 {
        match self {
            Self::Forward { after, .. } => after,
            Self::Backward { before } => before,
        }
    }

    fn from(self, place: i64) -> Self {
        match self {
            Self::Forward { before, .. } => Self::Forward { after: place, before },
            Self::Backward { .. } => Self::Backward { before: place },
        }
    }
}

/// `task` means every kind that begins with it.
fn is_kind(kind: &str, wanted: &str) -> bool {
    kind == wanted || kind.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
}

fn known_kind(given: &str) -> Result<String, Refusal> {
    let folded = given.trim().to_ascii_lowercase();
    let is_event = Event::KINDS.iter().any(|(kind, _)| is_kind(kind, &folded));
    let is_operation = Request::ALL.iter().any(|(name, _)| *name == folded);
    if is_event || is_operation {
        return Ok(folded);
    }
    let nouns: BTreeSet<&str> = Event::KINDS.iter().filter_map(|(kind, _)| kind.split('.').next()).collect();
    let nouns: Vec<&str> = nouns.into_iter().collect();
    let shown: String = given.chars().take(64).collect();
    Err(Refusal::usage("unknown_word", format!("there is no kind of event or operation `{shown}`"))
        .hint(format!("it is one of {}, or more exactly such as task.moved", nouns.join(", "))))
}
