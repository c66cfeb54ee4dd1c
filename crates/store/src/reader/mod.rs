//! Questions to one consistent state of a hub. One file per noun; every answer is bounded.

mod agents;
mod lists;
mod messages;
mod mirror;
#[cfg(test)]
mod plans;
mod reports;
mod tasks;
mod work;

pub use lists::{MessageFilter, PageStart, TaskFilter};
pub use messages::{Due, MailRow};
pub use reports::Reported;
pub use tasks::DependentTask;

use interagent_core::entity::{Entity, Origin};
use interagent_core::ids::{AgentId, BadId, EntityRef, ID_CHARS, OriginId};
use interagent_core::text::TextHash;

use crate::clock::Clock;
use crate::engine::{Queryable, Row, Value};
use crate::error::StoreError;
use crate::log::{self, Head, Placed, Stored, TextState};
use crate::{params, views};

/// A transaction one can ask.
pub struct Reader<'t> {
    q: &'t mut dyn Queryable,
    pub(crate) hub: i64,
    clock: &'t dyn Clock,
    /// This replica, once it was asked for: it can't change inside a transaction.
    here: Option<OriginId>,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("hub", &self.hub).finish_non_exhaustive()
    }
}

/// What an id, a prefix of one, or an alias turned out to name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Exactly one entity.
    One(EntityRef),
    /// Several; some of them.
    Several(Vec<String>),
    /// None.
    Nothing,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(q: &'t mut dyn Queryable, hub: i64, clock: &'t dyn Clock) -> Self {
        Self { q, hub, clock, here: None }
    }

    pub(crate) fn rows(&mut self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.q.query(sql, params)
    }

    /// The wall clock.
    pub fn now(&self) -> i64 {
        self.clock.wall_us()
    }

    /// The store's clock.
    pub fn clock(&self) -> &'t dyn Clock {
        self.clock
    }

    /// Where the log stands.
    pub fn head(&mut self) -> Result<Head, StoreError> {
        log::head(self.q, self.hub)?.ok_or_else(StoreError::no_hub)
    }

    /// An entity's state.
    pub fn entity(&mut self, entity: &EntityRef) -> Result<Option<Entity>, StoreError> {
        views::load(self.q, self.hub, entity)
    }

    /// A text by its hash; `None` if it was purged or is not here. One that is damaged is an error: for whoever can't go
    /// on without it.
    pub fn text(&mut self, hash: &TextHash) -> Result<Option<String>, StoreError> {
        match self.text_state(hash)? {
            TextState::Damaged(_) => Err(StoreError::DamagedText { hash: hash.as_str().to_owned() }),
            other => Ok(other.whole()),
        }
    }

    /// What became of a text: for whoever shows many of them, or can do without.
    pub fn text_state(&mut self, hash: &TextHash) -> Result<TextState, StoreError> {
        log::text(self.q, self.hub, hash)
    }

    /// One entry by its place.
    pub fn entry(&mut self, seq: i64) -> Result<Option<Stored>, StoreError> {
        log::entry(self.q, self.hub, seq)
    }

    /// Entries after a place, oldest first.
    pub fn entries_after(&mut self, seq: i64, limit: u32) -> Result<Vec<Stored>, StoreError> {
        log::after(self.q, self.hub, seq, limit)
    }

    /// Entries before a place, newest first.
    pub fn entries_before(&mut self, seq: i64, limit: u32) -> Result<Vec<Stored>, StoreError> {
        log::before(self.q, self.hub, seq, limit)
    }

    /// Whether the event at this place of an entry counts for nothing, because others came before it.
    pub fn is_void(&mut self, stored: &Stored, place: usize) -> Result<bool, StoreError> {
        Ok(self.void(stored, place)?.is_some())
    }

    /// Why the event at this place of an entry counts for nothing, if it does.
    pub fn void(&mut self, stored: &Stored, place: usize) -> Result<Option<String>, StoreError> {
        let Some(fact) = stored.entry.facts.get(place) else { return Ok(None) };
        let n = i64::try_from(place).unwrap_or(i64::MAX);
        log::void(self.q, self.hub, &fact.entity, (stored.entry.envelope.at, stored.seq, n))
    }

    /// Events of other things than messages that count for nothing, because others came before them; at most so many.
    pub fn voids(&mut self, limit: u32) -> Result<Vec<Placed>, StoreError> {
        log::read_voids(self.q, self.hub, limit)
    }

    /// An entity's whole history, in order.
    pub fn history(&mut self, entity: &EntityRef) -> Result<Vec<Placed>, StoreError> {
        log::read_facts(self.q, self.hub, entity)
    }

    /// Resolves a whole id, a unique prefix of one, or an alias.
    ///
    /// `nouns` are the prefixes that are accepted; an alias counts when it names one of those. Ids of other systems may look
    /// like the beginning of one of ours: a whole alias comes before the beginning of an id.
    pub fn resolve(&mut self, given: &str, nouns: &[Noun]) -> Result<Named, StoreError> {
        let mut found: Vec<String> = Vec::new();
        let mut is_whole = false;
        for noun in nouns {
            let Some(prefix) = noun.fold_prefix(given) else { continue };
            // The alphabet ends with `z`, so `{` bounds every id that begins with the prefix.
            let rows =
                self.rows(noun.prefix_statement(), &params![self.hub, &prefix, format!("{prefix}{{")])?;
            for row in rows {
                is_whole |= row.text(0)? == prefix;
                found.push(row.text(0)?.to_owned());
            }
        }
        if !is_whole {
            let aliased = self.aliased(given, nouns)?;
            if !aliased.is_empty() {
                found = aliased.iter().map(ToString::to_string).collect();
            }
        }
        found.dedup();
        Ok(match found.as_slice() {
            [] => Named::Nothing,
            [one] => Named::One(EntityRef::read(one)),
            _ => Named::Several(found),
        })
    }

    /// What has this alias, as far as it is one of these; some of them where there are many.
    pub fn aliased(&mut self, alias: &str, nouns: &[Noun]) -> Result<Vec<EntityRef>, StoreError> {
        let rows = self.rows(
            "SELECT entity FROM aliases WHERE hub = $1 AND alias = $2 ORDER BY entity LIMIT 8",
            &params![self.hub, alias],
        )?;
        let mut found = Vec::new();
        for row in rows {
            let entity = row.text(0)?;
            if nouns.iter().any(|noun| noun.fold_prefix(entity).is_some()) {
                found.push(EntityRef::read(entity));
            }
        }
        Ok(found)
    }

    /// Whether an actor used an idempotency key before.
    pub fn is_key_used(&mut self, actor: &AgentId, key: &str) -> Result<bool, StoreError> {
        let rows = self.rows(
            "SELECT 1 FROM entries WHERE hub = $1 AND actor = $2 AND key = $3 LIMIT 1",
            &params![self.hub, actor.as_str(), key],
        )?;
        Ok(!rows.is_empty())
    }

    /// This replica.
    pub fn here(&mut self) -> Result<OriginId, StoreError> {
        if let Some(here) = &self.here {
            return Ok(here.clone());
        }
        let here = self.head()?.origin;
        self.here = Some(here.clone());
        Ok(here)
    }

    /// Whether an origin is this replica or one whose agents it took over.
    pub fn is_home(&mut self, origin: &OriginId) -> Result<bool, StoreError> {
        Ok(self.here()? == *origin || self.homes()?.contains(origin))
    }

    /// This replica, and those whose agents it took over.
    pub(crate) fn homes(&mut self) -> Result<Vec<OriginId>, StoreError> {
        let mut homes = vec![self.here()?];
        // A chain of takeovers is as long as the number of disasters; the bound only guards against a damaged row.
        while let Some(last) = homes.last().filter(|_| homes.len() < 64) {
            match self.entity(&EntityRef::Origin(last.clone()))? {
                Some(Entity::Origin(Origin { continues: Some(before), .. })) => homes.push(before),
                _ => break,
            }
        }
        Ok(homes)
    }
}

/// The nouns that have ids people type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// `agt-`
    Agent,
    /// `msg-`
    Message,
    /// `task-`
    Task,
    /// `rev-`
    Review,
    /// `dec-`
    Decision,
    /// `lease-`
    Lease,
}

impl Noun {
    /// All of them.
    pub const ALL: &'static [Self] =
        &[Self::Agent, Self::Message, Self::Task, Self::Review, Self::Decision, Self::Lease];

    /// Whether a word could be an id of this noun, or the beginning of one.
    pub fn claims(self, word: &str) -> bool {
        self.fold_prefix(word).is_some()
    }

    /// Whether a word could be a whole id of this noun.
    pub fn is_whole(self, word: &str) -> bool {
        let tail = |folded: &String| folded.rsplit('-').next().map(str::len);
        self.fold_prefix(word).as_ref().and_then(tail) == Some(ID_CHARS)
    }

    fn fold_prefix(self, given: &str) -> Option<String> {
        use interagent_core::ids::{AgentId, DecisionId, LeaseId, MessageId, ReviewId, TaskId};
        match self {
            Self::Agent => AgentId::fold_prefix(given),
            Self::Message => MessageId::fold_prefix(given),
            Self::Task => TaskId::fold_prefix(given),
            Self::Review => ReviewId::fold_prefix(given),
            Self::Decision => DecisionId::fold_prefix(given),
            Self::Lease => LeaseId::fold_prefix(given),
        }
    }

    fn prefix_statement(self) -> &'static str {
        match self {
            Self::Agent => {
                "SELECT id FROM agents WHERE hub = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 8"
            }
            Self::Message => {
                "SELECT id FROM messages WHERE hub = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 8"
            }
            Self::Task => "SELECT id FROM tasks WHERE hub = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 8",
            Self::Review => {
                "SELECT id FROM reviews WHERE hub = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 8"
            }
            Self::Decision => {
                "SELECT id FROM decisions WHERE hub = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 8"
            }
            Self::Lease => {
                "SELECT id FROM leases WHERE hub = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 8"
            }
        }
    }
}

/// The one number that a counting statement answers with.
pub(crate) fn count(rows: &[Row]) -> Result<u32, StoreError> {
    let counted = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
    u32::try_from(counted).map_err(log::bad)
}

/// Reads a typed id out of a row we wrote.
fn id<T>(parsed: Result<T, BadId>) -> Result<T, StoreError> {
    parsed.map_err(log::bad)
}
