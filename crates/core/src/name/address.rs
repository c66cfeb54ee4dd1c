//! What a member may write as a recipient.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Name, NameProblem, check_word, quoted};
use crate::team::Role;
use crate::words::Word;

/// A short word for something that is nobody: an origin (`laptop` in `kimi@laptop`), a profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(String);

impl Label {
    /// The character rule of names applies, but no word is reserved.
    pub fn parse(raw: &str) -> Result<Self, NameProblem> {
        check_word(raw).map(Self).map_err(|code| NameProblem::new(code, raw))
    }

    /// A label the program makes itself.
    pub(crate) fn made(label: &str) -> Self {
        debug_assert_eq!(check_word(label).as_deref(), Ok(label));
        Self(label.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A recipient as written, before it is resolved to members.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// One agent; with an alias, the one of that name at another origin. `operator@alias` is the human there.
    Agent {
        name: Name,
        origin_alias: Option<Label>,
    },
    Role(Role),
    All,
    Operator,
}

impl Address {
    /// Reads `name`, `name@alias`, `role:reviewer`, `all`, or `operator` (also `human` and `user`).
    pub fn parse(raw: &str) -> Result<Self, AddressProblem> {
        if let Some(role) = strip_prefix_ignoring_case(raw, "role:") {
            return Role::from_word(role).map(Self::Role).ok_or_else(|| AddressProblem {
                sentence: format!("{} is not a role.", quoted(role)),
                hint: Some(format!("The roles are {}.", Role::list())),
            });
        }
        match raw.split_once('@') {
            None if is_operator(raw) => Ok(Self::Operator),
            None if raw.eq_ignore_ascii_case("all") => Ok(Self::All),
            None => Ok(Self::Agent { name: Name::parse(raw)?, origin_alias: None }),
            Some((name, alias)) => {
                let name = if is_operator(name) { Name::operator() } else { Name::parse(name)? };
                let origin_alias = Some(Label::parse(alias)?);
                Ok(Self::Agent { name, origin_alias })
            }
        }
    }
}

fn is_operator(word: &str) -> bool {
    ["operator", "human", "user"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// A text that names no possible recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressProblem {
    pub sentence: String,
    pub hint: Option<String>,
}

impl From<NameProblem> for AddressProblem {
    fn from(problem: NameProblem) -> Self {
        Self { hint: problem.hint(), sentence: problem.sentence }
    }
}

impl fmt::Display for AddressProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        match &self.hint {
            Some(hint) => write!(f, " {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for AddressProblem {}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent { name, origin_alias: None } => f.pad(name.as_str()),
            Self::Agent { name, origin_alias: Some(alias) } => f.pad(&format!("{name}@{alias}")),
            Self::Role(role) => f.pad(&format!("role:{role}")),
            Self::All => f.pad("all"),
            Self::Operator => f.pad("operator"),
        }
    }
}

impl FromStr for Label {
    type Err = NameProblem;

    fn from_str(raw: &str) -> Result<Self, NameProblem> {
        Self::parse(raw)
    }
}

impl FromStr for Address {
    type Err = AddressProblem;

    fn from_str(raw: &str) -> Result<Self, AddressProblem> {
        Self::parse(raw)
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
