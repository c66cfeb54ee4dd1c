//! Tokens: what a client over the network shows to be an agent, and the hash that the hub keeps of it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text::hex;

/// Begins every token, so that a scanner for secrets knows one when it sees it.
const PREFIX: &str = "iat_";

/// A token in the clear. It shows itself to nobody but whoever asks for its text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Token(String);

impl Token {
    /// The token made of 256 random bits.
    pub fn from_bits(bits: [u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", hex(&bits)))
    }

    /// Something that was shown as a token.
    pub fn shown(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What the hub keeps of it. No salt: 256 random bits can't be guessed, with or without one.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// The hash of a token.
#[derive(Clone, Debug)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// As it is stored: 64 lower-case hexadecimal characters.
    pub fn text(&self) -> String {
        hex(&self.0)
    }

    /// Whether a stored hash is this one. It takes the same time wherever they differ.
    pub fn is(&self, stored: &str) -> bool {
        let own = self.text();
        let differing = own.bytes().zip(stored.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
        own.len() == stored.len() && std::hint::black_box(differing) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_hash_and_shown_by_nothing_else() {
        let token = Token::from_bits([0xab; 32]);
        assert_eq!(token.reveal(), format!("iat_{}", "ab".repeat(32)));
        let stored = token.hash().text();
        assert!(token.hash().is(&stored));
        for other in ["", &stored[1..], &stored.replace('a', "b"), &format!("{stored}0"), token.reveal()] {
            assert!(other != stored && !token.hash().is(other), "{other}");
        }
        assert!(!Token::from_bits([0xac; 32]).hash().is(&stored));
        assert!(!format!("{token:?}").contains("ab"), "{token:?}");
        assert!(!stored.contains(&"ab".repeat(8)));
    }
}
