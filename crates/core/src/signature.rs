//! Signed history: the keys of replicas, the seals they put on their logs, and which entries a seal proves.
//!
//! A replica signs the head of its own hash chain. The chain covers the entries before the head, so one signature proves
//! all of them. Keys and signatures are Ed25519. Randomness and files belong to the caller.

mod chain;
mod powers;
mod standing;
#[cfg(test)]
mod tests;

use std::fmt;

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

pub use chain::{Claim, Coverage, Unproven, admit};
pub use powers::{ActsAs, Powers, counts, may_register, speakers};
pub use standing::{BadStanding, Standing, StandingShown};

use crate::ids::{HubId, OriginId};
use crate::text::hex;

/// Keeps a signature for one purpose from being valid for another.
const DOMAIN: &str = "interagent seal v1";
/// Bytes of a fingerprint: 128 bits, so that nobody finds a second key for it.
const FINGERPRINT_BYTES: usize = 16;

/// A text that is no key or signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not {0}")]
pub struct BadKey(&'static str);

fn bytes_of<const N: usize>(text: &str, what: &'static str) -> Result<[u8; N], BadKey> {
    let digits = text.as_bytes();
    let mut bytes = [0; N];
    if digits.len() != N * 2 {
        return Err(BadKey(what));
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let digit = |at: usize| match pair.get(at) {
            Some(digit @ b'0'..=b'9') => Ok(digit - b'0'),
            Some(digit @ b'a'..=b'f') => Ok(digit - b'a' + 10),
            _ => Err(BadKey(what)),
        };
        *byte = digit(0)? * 16 + digit(1)?;
    }
    Ok(bytes)
}

/// The public key of a replica.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        bytes_of(text, "a public key").map(Self)
    }

    /// What people compare: the beginning of the key's SHA-256 in groups of four digits.
    pub fn fingerprint(&self) -> Fingerprint {
        let digest = hex(&Sha256::digest(self.0)[..FINGERPRINT_BYTES]);
        let groups: Vec<&str> =
            (0..digest.len()).step_by(4).filter_map(|at| digest.get(at..at + 4)).collect();
        Fingerprint(groups.join("-"))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.fingerprint())
    }
}

/// The fingerprint of a public key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A signature over the head of a log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature([u8; 64]);

impl Signature {
    /// Reads 128 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        bytes_of(text, "a signature").map(Self)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature")
    }
}

macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    )+};
}

as_text!(PublicKey, Signature);

/// The private key of a replica. It never leaves its file but to sign.
pub struct SecretKey {
    seed: [u8; 32],
    pair: Ed25519KeyPair,
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({:?})", self.public())
    }
}

impl SecretKey {
    /// Makes a key from 32 random bytes.
    pub fn from_seed(seed: [u8; 32]) -> Result<Self, BadKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| BadKey("a private key"))?;
        Ok(Self { seed, pair })
    }

    /// Reads the text of a key's file.
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        bytes_of(text.trim(), "a private key").and_then(Self::from_seed)
    }

    /// The text for its file.
    pub fn text(&self) -> String {
        hex(&self.seed)
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        // An Ed25519 public key has 32 bytes.
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(bytes)
    }

    /// Signs the head of a log.
    pub fn seal(&self, hub: HubId, origin: OriginId, oseq: i64, hash: String) -> Seal {
        let key = self.public();
        let message = signed_bytes(&hub, &origin, oseq, &hash, &key);
        let mut signature = [0; 64];
        // An Ed25519 signature has 64 bytes.
        signature.copy_from_slice(self.pair.sign(message.as_bytes()).as_ref());
        Seal { v: Version, hub, origin, oseq, hash, key, signature: Signature(signature) }
    }
}

/// The only version of a seal so far; another one is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(1)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1 => Ok(Self),
            other => Err(serde::de::Error::custom(format!("seals of version {other} are not known"))),
        }
    }
}

/// A replica's signature on its log, up to one entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seal {
    /// How it is written.
    pub v: Version,
    /// The hub.
    pub hub: HubId,
    /// The replica.
    pub origin: OriginId,
    /// The last entry that it covers.
    pub oseq: i64,
    /// The hash of that entry.
    pub hash: String,
    /// The key that signed.
    pub key: PublicKey,
    /// The signature.
    pub signature: Signature,
}

/// The bytes that are signed: every field in a line of its own, none of which can hold a line end.
fn signed_bytes(hub: &HubId, origin: &OriginId, oseq: i64, hash: &str, key: &PublicKey) -> String {
    format!("{DOMAIN}\n{hub}\n{origin}\n{oseq}\n{hash}\n{key}\n")
}

impl Seal {
    /// Whether its key signed exactly this.
    pub fn is_valid(&self) -> bool {
        let is_hash = self.hash.len() == 64 && self.hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let message = signed_bytes(&self.hub, &self.origin, self.oseq, &self.hash, &self.key);
        let key = UnparsedPublicKey::new(&ED25519, self.key.0);
        is_hash && self.oseq > 0 && key.verify(message.as_bytes(), &self.signature.0).is_ok()
    }
}
