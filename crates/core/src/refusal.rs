//! Why an operation was not carried out: the only error a surface ever shows.

use serde::{Deserialize, Serialize};

use crate::words;

words! {
    /// What kind of refusal it is; decides the exit code and the HTTP status.
    pub enum RefusalKind as "the kind of refusal" {
        /// A rule says no.
        Refused = "refused",
        /// The request itself is wrong.
        Usage = "usage",
        /// What it names is not there.
        NotFound = "not_found",
        /// Somebody else was first, or the key belongs to another request.
        Conflict = "conflict",
        /// The store can't be used.
        Unavailable = "unavailable",
    }
}

/// A refusal: what is wrong and why, and what helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{sentence}")]
pub struct Refusal {
    /// What kind.
    pub kind: RefusalKind,
    /// The rule or reason as a word that programs can match, such as `chain_of_command`.
    pub code: String,
    /// What is wrong and why, for people.
    pub sentence: String,
    /// What helps: a command or a name that would work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Refusal {
    /// A rule says no.
    pub fn rule(code: &str, sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::Refused, code, sentence)
    }

    /// The request is wrong.
    pub fn usage(code: &str, sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::Usage, code, sentence)
    }

    /// What it names is not there.
    pub fn not_found(code: &str, sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::NotFound, code, sentence)
    }

    /// Somebody else was first.
    pub fn conflict(code: &str, sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::Conflict, code, sentence)
    }

    /// The store can't be used.
    pub fn unavailable(code: &str, sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::Unavailable, code, sentence)
    }

    fn new(kind: RefusalKind, code: &str, sentence: impl Into<String>) -> Self {
        Self { kind, code: code.to_owned(), sentence: sentence.into(), hint: None }
    }

    /// Adds what helps.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<crate::text::BadText> for Refusal {
    fn from(bad: crate::text::BadText) -> Self {
        Self::usage("bad_text", bad.to_string())
    }
}

impl From<crate::ids::BadId> for Refusal {
    fn from(bad: crate::ids::BadId) -> Self {
        Self::usage("bad_id", bad.to_string())
    }
}

impl From<crate::words::UnknownWord> for Refusal {
    fn from(bad: crate::words::UnknownWord) -> Self {
        Self::usage("unknown_word", bad.to_string())
    }
}
