//! The closed vocabularies: enums whose members are words people type and programs store.
//!
//! A word is accepted in any case and with `-` for `_`; it is stored and shown in one spelling only.

/// An argument that is not one of the allowed words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} can't be `{given}`; it is one of {allowed}")]
pub struct UnknownWord {
    /// What the word was to be, for people: "intent", "priority".
    pub what: &'static str,
    /// What was given instead.
    pub given: String,
    /// All allowed words, comma separated.
    pub allowed: String,
}

/// Folds a typed word to its stored spelling.
pub fn fold_word(given: &str) -> String {
    given.trim().to_lowercase().replace('-', "_")
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
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one stored spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                match $crate::words::fold_word(given).as_str() {
                    $($word $(| $synonym)* => Ok(Self::$variant),)+
                    _ => Err($crate::words::UnknownWord {
                        what: $what,
                        given: given.chars().take(64).collect(),
                        allowed: [$($word),+].join(", "),
                    }),
                }
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
