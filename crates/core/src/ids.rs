//! Identifiers that can only be built valid, and references to entities.
//!
//! An id is a prefix and 12 Crockford base32 characters (60 random bits). Parsing folds what people mistype
//! (`I`, `L` for `1`, `O` for `0`, upper case). Randomness comes from outside, through [`crate::draft::Fresh`].

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits;
use crate::refusal::Refusal;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Random characters of a whole id.
pub const ID_CHARS: usize = 12;
/// Characters after the dash that a prefix must have at least.
pub const PREFIX_CHARS: usize = 4;

/// A text that is not an identifier of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {what}")]
pub struct BadId {
    /// What was given, cut to a printable length.
    pub given: String,
    /// What it should have been, with an example.
    pub what: &'static str,
}

impl BadId {
    fn new(given: &str, what: &'static str) -> Self {
        Self { given: given.chars().take(64).collect(), what }
    }
}

/// Spells 60 bits as the 12 characters of an id.
pub fn spell(bits: u64) -> String {
    (0..ID_CHARS).rev().map(|i| char::from(ALPHABET[(bits >> (i * 5)) as usize & 31])).collect()
}

/// Folds one typed character to the alphabet.
fn fold_char(c: char) -> Option<char> {
    match c.to_ascii_lowercase() {
        'i' | 'l' => Some('1'),
        'o' => Some('0'),
        'u' => None,
        other => other.is_ascii_alphanumeric().then_some(other),
    }
}

/// Folds the part after the dash; `None` if a character can't belong to an id.
fn fold_tail(tail: &str) -> Option<String> {
    tail.chars().map(fold_char).collect()
}

/// Splits `prefix-tail` when it can be a whole id or a long enough prefix of one of the given kind.
fn typed_tail(given: &str, prefix: &str, least: usize) -> Option<String> {
    let lower = given.trim();
    let (head, tail) = lower.split_once('-')?;
    if !head.eq_ignore_ascii_case(prefix) {
        return None;
    }
    let tail = fold_tail(tail)?;
    (least..=ID_CHARS).contains(&tail.len()).then_some(tail)
}

/// Whether this is a whole id exactly as it is spelled: what stands in the log and in rows always is.
fn is_spelled_out(given: &str, prefix: &str) -> bool {
    let tail = given.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-'));
    tail.is_some_and(|tail| tail.len() == ID_CHARS && tail.chars().all(|c| fold_char(c) == Some(c)))
}

macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal, $what:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// What stands before the dash.
            pub const PREFIX: &'static str = $prefix;

            /// Builds the id from 60 random bits.
            pub fn from_bits(bits: u64) -> Self {
                Self(format!(concat!($prefix, "-{}"), spell(bits)))
            }

            /// Parses a whole id.
            pub fn parse(given: &str) -> Result<Self, BadId> {
                if is_spelled_out(given, $prefix) {
                    return Ok(Self(given.to_owned()));
                }
                match typed_tail(given, $prefix, ID_CHARS) {
                    Some(tail) => Ok(Self(format!(concat!($prefix, "-{}"), tail))),
                    None => Err(BadId::new(given, $what)),
                }
            }

            /// Folds a whole id or a prefix of at least four characters, for a look-up.
            pub fn fold_prefix(given: &str) -> Option<String> {
                typed_tail(given, $prefix, PREFIX_CHARS).map(|tail| format!(concat!($prefix, "-{}"), tail))
            }

            /// Whether it begins with what was typed. One character after the dash is enough, for whoever chooses among few.
            pub fn begins_with(&self, typed: &str) -> bool {
                let tail = typed_tail(typed, $prefix, 1);
                tail.is_some_and(|tail| self.0.starts_with(&format!(concat!($prefix, "-{}"), tail)))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let given = String::deserialize(deserializer)?;
                Self::parse(&given).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool { true }
            fn schema_name() -> std::borrow::Cow<'static, str> { stringify!($name).into() }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string" })
            }
        }
    };
}

id!(/// A participant. Its name may change, this never does.
    AgentId, "agt", "an agent id such as agt-7k2m9q4x1c8v");

impl AgentId {
    /// The sender of what the program writes on its own: about a silent agent, about one that stopped. No agent has it.
    pub fn program() -> Self {
        Self::from_bits(0)
    }

    /// Whether this is the program itself.
    pub fn is_program(&self) -> bool {
        *self == Self::program()
    }
}

id!(/// A message; the first message of a thread also names the thread.
    MessageId, "msg", "a message id such as msg-7k2m9q4x1c8v");
id!(/// A task or order.
    TaskId, "task", "a task id such as task-7k2m9q4x1c8v");
id!(/// A review of a task or a diff.
    ReviewId, "rev", "a review id such as rev-7k2m9q4x1c8v");
id!(/// A decision.
    DecisionId, "dec", "a decision id such as dec-7k2m9q4x1c8v");
id!(/// A lease on paths.
    LeaseId, "lease", "a lease id such as lease-7k2m9q4x1c8v");
id!(/// One replica of a hub.
    OriginId, "org", "an origin id such as org-7k2m9q4x1c8v");
id!(/// One team's shared state, the same in all its replicas.
    HubId, "hub", "a hub id such as hub-7k2m9q4x1c8v");
id!(/// One physical store of a replica, named by the file beside its database. It enters no log.
    StoreId, "store", "a store id such as store-7k2m9q4x1c8v");
id!(/// The state directory of one user on one machine. It enters no log.
    UserStateId, "user", "a user state id such as user-7k2m9q4x1c8v");
id!(/// One comment of a review; the first of a thread names the thread.
    CommentId, "note", "a comment id such as note-7k2m9q4x1c8v");

/// The name of a spec: a lower-case slug that is also a safe file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SpecName(String);

impl SpecName {
    /// Parses a name of 1 to 100 characters from `a-z 0-9 . _ -`, folded to lower case.
    pub fn parse(given: &str) -> Result<Self, BadId> {
        let folded = given.trim().to_ascii_lowercase();
        let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = (1..=100).contains(&folded.len())
            && folded.chars().all(|c| edge(c) || matches!(c, '.' | '_' | '-'))
            && folded.starts_with(edge)
            && folded.ends_with(edge)
            && !folded.contains("..");
        if fits {
            Ok(Self(folded))
        } else {
            Err(BadId::new(given, "a spec name such as user-api (letters, digits, dot, dash, underscore)"))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SpecName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for SpecName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = String::deserialize(deserializer)?;
        Self::parse(&given).map_err(serde::de::Error::custom)
    }
}

/// Which entity an event belongs to. Every event belongs to exactly one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityRef {
    /// The team and its rules; one per hub.
    Team,
    /// A replica of the hub.
    Origin(OriginId),
    /// A participant.
    Agent(AgentId),
    /// A message and its deliveries.
    Message(MessageId),
    /// A task with its notes, reports and verdicts.
    Task(TaskId),
    /// A review with its threads.
    Review(ReviewId),
    /// A decision with its positions.
    Decision(DecisionId),
    /// A lease.
    Lease(LeaseId),
    /// A spec with its versions and subscribers.
    Spec(SpecName),
    /// A skill that workers proposed.
    Skill(crate::skill::SkillKey),
    /// A text outside the hash, by its hash.
    Text(crate::text::TextHash),
    /// An entity of a newer version; kept and passed on untouched.
    Unknown(String),
}

impl EntityRef {
    /// Reads the stored form. Never fails: what is not known is kept as it is.
    pub fn read(stored: &str) -> Self {
        let known = match stored.split_once(['-', ':']) {
            None => (stored == "team").then_some(Self::Team),
            Some(("org", _)) => OriginId::parse(stored).ok().map(Self::Origin),
            Some(("agt", _)) => AgentId::parse(stored).ok().map(Self::Agent),
            Some(("msg", _)) => MessageId::parse(stored).ok().map(Self::Message),
            Some(("task", _)) => TaskId::parse(stored).ok().map(Self::Task),
            Some(("rev", _)) => ReviewId::parse(stored).ok().map(Self::Review),
            Some(("dec", _)) => DecisionId::parse(stored).ok().map(Self::Decision),
            Some(("lease", _)) => LeaseId::parse(stored).ok().map(Self::Lease),
            Some(("spec", name)) => SpecName::parse(name).ok().map(Self::Spec),
            Some(("skill", key)) => crate::skill::SkillKey::read(key).map(Self::Skill),
            Some(("text", hash)) => crate::text::TextHash::parse(hash).ok().map(Self::Text),
            Some(_) => None,
        };
        known.unwrap_or_else(|| Self::Unknown(stored.to_owned()))
    }

    /// The noun, for people.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Team => "team",
            Self::Origin(_) => "origin",
            Self::Agent(_) => "agent",
            Self::Message(_) => "message",
            Self::Task(_) => "task",
            Self::Review(_) => "review",
            Self::Decision(_) => "decision",
            Self::Lease(_) => "lease",
            Self::Spec(_) => "spec",
            Self::Skill(_) => "skill",
            Self::Text(_) => "text",
            Self::Unknown(_) => "entity of a newer version",
        }
    }
}

impl fmt::Display for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Team => f.write_str("team"),
            Self::Origin(id) => id.fmt(f),
            Self::Agent(id) => id.fmt(f),
            Self::Message(id) => id.fmt(f),
            Self::Task(id) => id.fmt(f),
            Self::Review(id) => id.fmt(f),
            Self::Decision(id) => id.fmt(f),
            Self::Lease(id) => id.fmt(f),
            Self::Spec(name) => write!(f, "spec:{name}"),
            Self::Skill(key) => write!(f, "skill:{key}"),
            Self::Text(hash) => write!(f, "text:{hash}"),
            Self::Unknown(stored) => f.write_str(stored),
        }
    }
}

impl Serialize for EntityRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntityRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::read(&String::deserialize(deserializer)?))
    }
}

/// Whether something may be an id of another system: a single word of some length.
pub fn must_be_alias(given: &str) -> Result<(), Refusal> {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    if !given.is_empty() && given.len() <= limits::KEY_BYTES && !given.contains(odd) {
        return Ok(());
    }
    let sentence =
        format!("an alias has 1 to {} bytes and no white space or control characters", limits::KEY_BYTES);
    Err(Refusal::usage("bad_alias", sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_prefix_and_twelve_characters() {
        assert_eq!(MessageId::from_bits(0).as_str(), "msg-000000000000");
        assert_eq!(MessageId::from_bits(u64::MAX).as_str(), "msg-zzzzzzzzzzzz");
    }

    #[test]
    fn mistyped_characters_are_folded() {
        assert_eq!(
            TaskId::parse(" TASK-OIL000000000 ").map(|id| id.to_string()),
            Ok("task-011000000000".into())
        );
    }

    #[test]
    fn other_kinds_lengths_and_characters_are_refused() {
        for bad in [
            "",
            "msg-",
            "task-0123456789ab",
            "msg-0123456789abc",
            "msg-u123456789ab",
            "msg-../../etc/pa",
            "ｍsg-0123456789ab",
        ] {
            assert!(MessageId::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(MessageId::fold_prefix("MSG-o12"), None);
        assert_eq!(MessageId::fold_prefix("MSG-o12z").as_deref(), Some("msg-012z"));
    }

    #[test]
    fn entity_references_survive_a_round_trip_and_unknown_ones_are_kept() {
        for stored in [
            "team",
            "agt-0123456789ab",
            "spec:user-api",
            "skill:token-tests",
            "skill:A b",
            "poll-0123456789ab",
            "agt-short",
            "",
        ] {
            assert_eq!(EntityRef::read(stored).to_string(), stored);
        }
        assert!(matches!(EntityRef::read("agt-short"), EntityRef::Unknown(_)));
    }

    #[test]
    fn spec_names_never_leave_their_folder() {
        for bad in ["", "..", "../x", "a/b", ".hidden", "a..b", "x\0", "-x"] {
            assert!(SpecName::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(SpecName::parse("User-API").map(|n| n.to_string()), Ok("user-api".into()));
    }
}
