//! The entry: one operation, one line, one link of the hash chain.
//!
//! A line is `{"hash":"<64 hex>",` followed by the rest of the object. The hash is sha256 over `{` and that rest, so
//! a line proves itself and `prev` proves its place; verifying slices bytes and never serialises again.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::event::{Event, Fact, Micros};
use crate::ids::{AgentId, EntityRef, OriginId};
use crate::limits;
use crate::text::hex;
use crate::vocabulary::Auth;

/// What the first entry of an origin has as `prev`.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const HASH_OPEN: &str = "{\"hash\":\"";
const HASH_CLOSE: &str = "\",";
const BODY_START: usize = HASH_OPEN.len() + 64 + HASH_CLOSE.len();

/// Where an entry stands in the order that every replica agrees on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderKey {
    /// The order clock.
    pub at: Micros,
    /// Ties are broken by origin.
    pub origin: OriginId,
    /// And by the origin's own count.
    pub oseq: i64,
}

/// Everything about an entry but its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// A UUIDv7.
    pub id: String,
    /// Which replica wrote it.
    pub origin: OriginId,
    /// The origin's own count from 1, without gaps.
    pub oseq: i64,
    /// The hash of the origin's entry before.
    pub prev: String,
    /// Order: above every `at` that the origin knew.
    pub at: Micros,
    /// What the wall clock said, for people; of what moved over from elsewhere, when it happened there. Never after `at`.
    pub wall: Micros,
    /// Who acted.
    pub actor: AgentId,
    /// On whose behalf, where the operator spoke for an agent.
    pub behalf: Option<AgentId>,
    /// How the program knew.
    pub auth: Auth,
    /// The operation, such as `message.send`.
    pub op: String,
    /// The idempotency key, and the fingerprint of the request it belongs to.
    pub key: Option<RequestKey>,
}

impl Envelope {
    /// Where this entry stands.
    pub fn order(&self) -> OrderKey {
        OrderKey { at: self.at, origin: self.origin.clone(), oseq: self.oseq }
    }

    /// The member this counts for: the one spoken for, else the actor.
    pub fn member(&self) -> &AgentId {
        self.behalf.as_ref().unwrap_or(&self.actor)
    }
}

/// An idempotency key. Its scope is the hub and the actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestKey {
    /// What the caller chose.
    pub key: String,
    /// sha256 of the request: the same key with another request is a conflict.
    pub request: String,
}

/// A whole entry, read or about to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Everything but the events.
    pub envelope: Envelope,
    /// What was decided, at least one.
    pub facts: Vec<Fact>,
}

/// An entry in its permanent form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bytes, without a line end.
    pub text: String,
    /// Its own hash, also inside the text.
    pub hash: String,
}

#[derive(Serialize, Deserialize)]
struct Body {
    id: String,
    origin: OriginId,
    oseq: i64,
    prev: String,
    at: Micros,
    wall: Micros,
    actor: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    behalf: Option<AgentId>,
    /// A word, so that one of a newer program is kept like everything else in the line.
    auth: String,
    op: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<RequestKey>,
    events: Vec<EventBody>,
}

/// Where a line says it stands in its origin's chain.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ChainPlace {
    /// Which replica.
    pub origin: OriginId,
    /// Its count.
    pub oseq: i64,
    /// The hash of the line before.
    pub prev: String,
}

#[derive(Serialize, Deserialize)]
struct EventBody {
    entity: EntityRef,
    kind: String,
    v: u32,
    data: Box<RawValue>,
}

/// Why a line is not an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// It does not begin with its hash.
    #[error("the line does not begin with its hash")]
    NoHash,
    /// The bytes are not those that were hashed.
    #[error("the line was changed: its bytes do not match its hash")]
    HashMismatch,
    /// Hashed rightly, but not an entry.
    #[error("the line is not an entry: {0}")]
    NotAnEntry(String),
    /// Larger than any entry may be.
    #[error("the line has {0} bytes; at most {limit} are allowed", limit = limits::LINE_BYTES)]
    TooLong(usize),
    /// An entry decides something.
    #[error("the entry has no events")]
    NoEvents,
}

fn digest(body: &str) -> String {
    hex(&Sha256::digest(body.as_bytes()))
}

impl Entry {
    /// Writes the permanent form. Called once in an entry's life.
    pub fn seal(&self) -> Result<Line, BadLine> {
        if self.facts.is_empty() {
            return Err(BadLine::NoEvents);
        }
        let unreadable = |error: serde_json::Error| BadLine::NotAnEntry(error.to_string());
        let envelope = &self.envelope;
        let mut events = Vec::with_capacity(self.facts.len());
        for Fact { entity, event } in &self.facts {
            events.push(EventBody {
                entity: entity.clone(),
                kind: event.kind().to_owned(),
                v: event.version(),
                data: event.data().map_err(unreadable)?,
            });
        }
        let body = serde_json::to_string(&Body {
            id: envelope.id.clone(),
            origin: envelope.origin.clone(),
            oseq: envelope.oseq,
            prev: envelope.prev.clone(),
            at: envelope.at,
            wall: envelope.wall,
            actor: envelope.actor.clone(),
            behalf: envelope.behalf.clone(),
            auth: envelope.auth.to_string(),
            op: envelope.op.clone(),
            key: envelope.key.clone(),
            events,
        })
        .map_err(unreadable)?;
        let hash = digest(&body);
        let text = format!("{HASH_OPEN}{hash}{HASH_CLOSE}{}", &body[1..]);
        if text.len() > limits::LINE_BYTES {
            return Err(BadLine::TooLong(text.len()));
        }
        Ok(Line { text, hash })
    }

    /// Reads a stored line without verifying its hash: for lines that were verified when they were taken in.
    pub fn read(text: &str) -> Result<Self, BadLine> {
        let body: Body = serde_json::from_str(text).map_err(|e| BadLine::NotAnEntry(e.to_string()))?;
        if body.events.is_empty() {
            return Err(BadLine::NoEvents);
        }
        let facts = body
            .events
            .iter()
            .map(|e| Fact { entity: e.entity.clone(), event: Event::read(&e.kind, e.v, &e.data) })
            .collect();
        let envelope = Envelope {
            id: body.id,
            origin: body.origin,
            oseq: body.oseq,
            prev: body.prev,
            at: body.at,
            wall: body.wall,
            actor: body.actor,
            behalf: body.behalf,
            // A way of knowing that this program does not know proves nothing to it.
            auth: body.auth.parse().unwrap_or(Auth::Claimed),
            op: body.op,
            key: body.key,
        };
        Ok(Self { envelope, facts })
    }
}

impl Line {
    /// Verifies a line's own hash over its bytes as they are.
    pub fn verify(text: &str) -> Result<Self, BadLine> {
        if text.len() > limits::LINE_BYTES {
            return Err(BadLine::TooLong(text.len()));
        }
        let hash = text
            .strip_prefix(HASH_OPEN)
            .and_then(|rest| rest.get(..64))
            .filter(|_| text.get(HASH_OPEN.len() + 64..BODY_START) == Some(HASH_CLOSE))
            .ok_or(BadLine::NoHash)?;
        let rest = text.get(BODY_START..).ok_or(BadLine::NoHash)?;
        if digest(&format!("{{{rest}")) != hash {
            return Err(BadLine::HashMismatch);
        }
        Ok(Self { text: text.to_owned(), hash: hash.to_owned() })
    }

    /// Where it says it stands, without reading its events.
    pub fn place(&self) -> Result<ChainPlace, BadLine> {
        serde_json::from_str(&self.text).map_err(|error| BadLine::NotAnEntry(error.to_string()))
    }

    /// The entry in this line.
    pub fn entry(&self) -> Result<Entry, BadLine> {
        Entry::read(&self.text)
    }
}
