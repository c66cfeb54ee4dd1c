//! How a replica stands here.

use std::fmt;
use std::str::FromStr;

/// What the people of this clone decided of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is this one.
    Own,
    /// Its operator's words count here.
    Accepted,
    /// Nobody decided yet.
    New,
    /// Nothing it writes counts here.
    Rejected,
}

/// A word that is no standing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no standing of a replica")]
pub struct BadStanding(String);

impl Standing {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Accepted => "accepted",
            Self::New => "new",
            Self::Rejected => "rejected",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Standing {
    type Err = BadStanding;

    fn from_str(word: &str) -> Result<Self, BadStanding> {
        let all = [Self::Own, Self::Accepted, Self::New, Self::Rejected];
        all.into_iter().find(|standing| standing.as_str() == word).ok_or_else(|| BadStanding(word.to_owned()))
    }
}

/// How a replica stands, in the word that people and programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingShown {
    /// It is this one.
    Own,
    /// Its operator's words count here.
    Accepted,
    /// Nobody decided yet.
    New,
    /// Nobody decided yet, and it signs nothing: an earlier version of the program.
    Unverified,
    /// Nothing it writes counts here.
    Rejected,
}

impl StandingShown {
    /// What a standing is with or without a key.
    pub fn of(standing: Standing, key: Option<&super::PublicKey>) -> Self {
        match (standing, key) {
            (Standing::Own, _) => Self::Own,
            (Standing::Accepted, _) => Self::Accepted,
            (Standing::Rejected, _) => Self::Rejected,
            (Standing::New, Some(_)) => Self::New,
            (Standing::New, None) => Self::Unverified,
        }
    }

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "this replica",
            Self::Accepted => "accepted",
            Self::New => "new replica",
            Self::Unverified => "unverified",
            Self::Rejected => "rejected",
        }
    }

    /// What is said where somebody of it is named; nothing where all is as it should be.
    pub fn mark(self) -> Option<&'static str> {
        match self {
            Self::Own | Self::Accepted => None,
            other => Some(other.as_str()),
        }
    }
}
