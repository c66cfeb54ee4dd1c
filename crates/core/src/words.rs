//! The closed vocabularies: enums whose members are words people type and programs store.
//!
//! A word is accepted in any case and with `-` for `_`; it is stored and shown in one spelling only.

/// An argument that is not one of the allowed words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} can't be `{given}`; {}it is one of {allowed}", self.suggestion())]
pub struct UnknownWord {
    /// What the word was to be, for people: "intent", "priority".
    pub what: &'static str,
    /// What was given instead.
    pub given: String,
    /// All allowed words, comma separated.
    pub allowed: String,
}

impl UnknownWord {
    /// The word that was probably meant, as the middle of the sentence.
    fn suggestion(&self) -> String {
        crate::nearest::nearest(&self.given, self.allowed.split(", "))
            .map_or_else(String::new, |meant| format!("did you mean {meant}? "))
    }
}

/// Folds a typed word, so that case and separators do not matter.
fn fold(given: &str) -> String {
    given.trim().to_ascii_lowercase().replace(['-', ' '], "_")
}

/// A closed set of words.
pub trait Word: Copy + Sized + 'static {
    /// What the word is, in a sentence: "the intent".
    const WHAT: &'static str;
    /// Every word of the set, in the order in which it is listed to people.
    const ALL: &'static [Self];

    /// The stored spelling.
    fn as_str(self) -> &'static str;

    /// Other words people use for it.
    fn synonyms(self) -> &'static [&'static str];

    /// Reads a word in any case and with any separator.
    fn from_word(given: &str) -> Option<Self> {
        let wanted = fold(given);
        Self::ALL
            .iter()
            .copied()
            .find(|word| fold(word.as_str()) == wanted || word.synonyms().contains(&wanted.as_str()))
    }

    /// All words, as they stand in a sentence.
    fn list() -> String {
        let words: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
        words.join(", ")
    }
}

/// Defines an enum of words with one spelling each, plus accepted synonyms.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident as $what:literal {
        $($(#[$vmeta:meta])* $variant:ident = $word:literal $(| $synonym:literal)*),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every word, in the order people read them.
            pub const ALL: &'static [Self] = <Self as $crate::words::Word>::ALL;

            /// The one stored spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl $crate::words::Word for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn as_str(self) -> &'static str {
                self.as_str()
            }

            fn synonyms(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($synonym),*]),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                use $crate::words::Word;
                Self::from_word(given).ok_or_else(|| $crate::words::UnknownWord {
                    what: $what,
                    given: given.chars().take(64).collect(),
                    allowed: Self::list(),
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let given = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                given.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool { true }
            fn schema_name() -> std::borrow::Cow<'static, str> { stringify!($name).into() }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    };
}
