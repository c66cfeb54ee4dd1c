//! Texts members write: validated words, and their salted hashes in the log.
//!
//! Everything a member writes freely (bodies, titles, notes, reasons) is stored once, outside the hash chain; events
//! hold `sha256(salt || text)`. Deleting text and salt therefore removes a leaked secret and leaves the log valid.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::limits;

/// The salted hash under which a text is stored: 64 lower-case hexadecimal characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash(String);

impl TextHash {
    /// Hashes a text with its salt.
    pub fn of(salt: &str, text: &str) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(salt.as_bytes());
        hasher.update(text.as_bytes());
        Self(hex(&hasher.finalize()))
    }

    /// Parses the stored form.
    pub fn parse(stored: &str) -> Result<Self, BadText> {
        let fits =
            stored.len() == 64 && stored.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if fits { Ok(Self(stored.to_owned())) } else { Err(BadText::NotAHash) }
    }

    /// The hash as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for TextHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TextHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]])
        .map(char::from)
        .collect()
}

/// A text with the salt that its hash needs; what the store keeps beside the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    /// `sha256(salt || text)`.
    pub hash: TextHash,
    /// 32 hexadecimal characters, new for every text.
    pub salt: String,
    /// The text as it was written.
    pub text: String,
}

/// Why a text was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// Nothing but white space where something is needed.
    #[error("{what} is empty")]
    Empty {
        /// Which argument.
        what: &'static str,
    },
    /// Longer than its limit.
    #[error("{what} has {length} {unit}; at most {limit} are allowed")]
    TooLong {
        /// Which argument.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The most it may have.
        limit: usize,
        /// What was counted.
        unit: &'static str,
    },
    /// NUL can't be stored by every engine and means nothing in a text.
    #[error("{what} contains a NUL character")]
    Nul {
        /// Which argument.
        what: &'static str,
    },
    /// A line break where one line is expected.
    #[error("{what} must be one line")]
    Lines {
        /// Which argument.
        what: &'static str,
    },
    /// Not the spelling of a hash.
    #[error("not a text hash")]
    NotAHash,
}

/// A validated text. Stored exactly as given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Words(String);

impl Words {
    /// One line of at most 200 characters: subjects, titles, options.
    pub fn line(what: &'static str, given: &str) -> Result<Self, BadText> {
        let given = given.trim();
        let length = given.chars().count();
        if length > limits::SUBJECT_CHARS {
            return Err(BadText::TooLong { what, length, limit: limits::SUBJECT_CHARS, unit: "characters" });
        }
        if given.contains(['\n', '\r']) {
            return Err(BadText::Lines { what });
        }
        Self::sized(what, given, limits::WORD_BYTES)
    }

    /// A paragraph: notes, reasons, list items.
    pub fn note(what: &'static str, given: &str) -> Result<Self, BadText> {
        Self::sized(what, given, limits::NOTE_BYTES)
    }

    /// A document: bodies, descriptions, specs, diffs.
    pub fn document(what: &'static str, given: &str) -> Result<Self, BadText> {
        Self::sized(what, given, limits::BODY_BYTES)
    }

    fn sized(what: &'static str, given: &str, limit: usize) -> Result<Self, BadText> {
        if given.trim().is_empty() {
            return Err(BadText::Empty { what });
        }
        if given.len() > limit {
            return Err(BadText::TooLong { what, length: given.len(), limit, unit: "bytes" });
        }
        if given.contains('\0') {
            return Err(BadText::Nul { what });
        }
        Ok(Self(given.to_owned()))
    }

    /// The text as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The subject a message gets when its sender gave none: the first line of the body, cut.
pub fn subject_of(body: &str) -> String {
    let first = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let printable: String = first.chars().filter(|c| !c.is_control()).collect();
    if printable.chars().count() <= 80 {
        return printable;
    }
    let mut cut: String = printable.chars().take(79).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_covers_salt_and_text() {
        assert_eq!(
            TextHash::of("", "abc").as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_ne!(TextHash::of("a", "bc"), TextHash::of("b", "bc"));
    }

    #[test]
    fn limits_are_exact() {
        assert!(Words::document("the body", &"x".repeat(limits::BODY_BYTES)).is_ok());
        let over = Words::document("the body", &"x".repeat(limits::BODY_BYTES + 1));
        assert_eq!(over.unwrap_err().to_string(), "the body has 1048577 bytes; at most 1048576 are allowed");
        assert!(Words::line("the subject", &"é".repeat(200)).is_ok());
        assert!(Words::line("the subject", &"é".repeat(201)).is_err());
        assert_eq!(Words::note("the note", " \n").unwrap_err(), BadText::Empty { what: "the note" });
        assert_eq!(Words::note("the note", "a\0b").unwrap_err(), BadText::Nul { what: "the note" });
    }

    #[test]
    fn a_missing_subject_is_the_first_line() {
        assert_eq!(subject_of("\n  Hello\nworld"), "Hello");
        assert_eq!(subject_of(&"x".repeat(100)).chars().count(), 80);
        assert_eq!(subject_of("\u{1b}[31mred"), "[31mred");
    }
}
