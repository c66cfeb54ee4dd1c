//! Small typed texts of the team file: capabilities and the language.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;

use super::limits;
use crate::name::quoted;

/// Why a text is not what its place asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartProblem {
    pub sentence: String,
    pub hint: Option<String>,
}

impl fmt::Display for PartProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for PartProblem {}

/// Something an agent is good at; `Code Review`, `code-review` and `code_review` are the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability(String);

impl Capability {
    /// Letters and digits of any language; everything between two words becomes one `_`.
    pub fn parse(raw: &str) -> Result<Self, PartProblem> {
        let mut word = String::new();
        for c in raw.nfkc().flat_map(char::to_lowercase).nfkc() {
            match c {
                ' ' | '_' | '-' if word.ends_with('_') => {}
                ' ' | '_' | '-' => word.push('_'),
                c if c.is_alphanumeric() || is_mark(c) || matches!(c, '+' | '#' | '.' | '/') => word.push(c),
                c => {
                    let wrong = quoted(c.encode_utf8(&mut [0; 4]));
                    return Err(PartProblem {
                        sentence: format!("{} holds {wrong}, which is no part of a word.", quoted(raw)),
                        hint: Some("A capability is a few words, such as `code review`.".to_owned()),
                    });
                }
            }
        }
        let word = word.trim_matches('_');
        if word.is_empty() {
            return Err(PartProblem { sentence: "A capability can't be empty.".to_owned(), hint: None });
        }
        if word.chars().count() > limits::CAPABILITY_MAX_CHARS {
            let max = limits::CAPABILITY_MAX_CHARS;
            let sentence = format!("{} is longer than {max} characters.", quoted(raw));
            return Err(PartProblem { sentence, hint: None });
        }
        Ok(Self(word.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// The language in which the team reports to people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Ja,
    En,
    /// Japanese, followed by the same in a second language (its two or three letter code).
    JaAnd(String),
}

impl Language {
    pub fn parse(raw: &str) -> Result<Self, PartProblem> {
        let word = raw.trim().to_ascii_lowercase();
        let is_code =
            |code: &str| matches!(code.len(), 2 | 3) && code.bytes().all(|b| b.is_ascii_lowercase());
        match (word.as_str(), word.strip_prefix("ja+")) {
            ("ja", _) => Ok(Self::Ja),
            ("en", _) => Ok(Self::En),
            (_, Some(code)) if is_code(code) && code != "ja" => Ok(Self::JaAnd(code.to_owned())),
            _ => Err(PartProblem {
                sentence: format!("{} is not a language the team can report in.", quoted(raw)),
                hint: Some("Write `ja`, `en`, or `ja+` and a language code, such as `ja+en`.".to_owned()),
            }),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ja => f.pad("ja"),
            Self::En => f.pad("en"),
            Self::JaAnd(code) => f.pad(&format!("ja+{code}")),
        }
    }
}

macro_rules! stored_as_string {
    ($name:ident) => {
        impl FromStr for $name {
            type Err = PartProblem;

            fn from_str(raw: &str) -> Result<Self, PartProblem> {
                Self::parse(raw)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    };
}

stored_as_string!(Capability);
stored_as_string!(Language);
