//! Which lines of a log a seal proves, and which of them a store may take in.

use std::collections::{BTreeMap, BTreeSet};

use super::{PublicKey, Seal};
use crate::ids::OriginId;

/// What is known of a replica's key before lines that claim to be its own are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The lines say that this replica wrote them. Its key, where it has one.
    Own(Option<PublicKey>),
    /// A replica whose key was pinned.
    Pinned(PublicKey),
    /// A replica that signed nothing yet, as far as is known here.
    Unsigned,
}

/// Why a line is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// It says that this replica wrote it, and this replica's key did not sign it.
    NotOurs,
    /// No signature of the replica's key covers it.
    Unsigned,
}

/// One line's place in a chain.
#[derive(Clone, Debug)]
struct Link {
    hash: String,
    prev: String,
}

/// What one replica's seals are worth, given some of its lines.
#[derive(Clone, Debug, Default)]
struct Sealed {
    seals: Vec<Seal>,
    links: BTreeMap<i64, Vec<Link>>,
}

/// Seals, and the lines that they cover. A line is covered where following `prev` from a seal's entry leads to it.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    sealed: BTreeMap<OriginId, Sealed>,
    /// The entries that each key proves: number and hash. A store that was put back and went on signed two for one number.
    proven: BTreeMap<(OriginId, PublicKey), BTreeSet<(i64, String)>>,
}

impl Coverage {
    /// Starts from seals. One with a wrong signature is worth nothing and is dropped.
    pub fn of(seals: impl IntoIterator<Item = Seal>) -> Self {
        let mut coverage = Self::default();
        let valid: BTreeSet<Seal> = seals.into_iter().filter(Seal::is_valid).collect();
        for seal in valid {
            coverage.sealed.entry(seal.origin.clone()).or_default().seals.push(seal);
        }
        coverage
    }

    /// Whether a replica has a seal here: only then its lines need to be added.
    pub fn has_seals_of(&self, origin: &OriginId) -> bool {
        self.sealed.contains_key(origin)
    }

    /// The seals with a right signature.
    pub fn seals(&self) -> impl Iterator<Item = &Seal> {
        self.sealed.values().flat_map(|sealed| &sealed.seals)
    }

    /// Adds a line whose hash was verified.
    pub fn add(&mut self, origin: &OriginId, oseq: i64, hash: &str, prev: &str) {
        let Some(sealed) = self.sealed.get_mut(origin) else { return };
        let links = sealed.links.entry(oseq).or_default();
        if links.iter().all(|link| link.hash != hash) {
            links.push(Link { hash: hash.to_owned(), prev: prev.to_owned() });
        }
    }

    /// Follows every seal back through the lines that were added.
    pub fn prove(&mut self) {
        self.proven.clear();
        for (origin, sealed) in &self.sealed {
            // The longest first: most often it proves what the others would.
            for seal in sealed.seals.iter().rev() {
                let proven = self.proven.entry((origin.clone(), seal.key)).or_default();
                let (mut oseq, mut hash) = (seal.oseq, seal.hash.as_str());
                while let Some(link) =
                    sealed.links.get(&oseq).and_then(|links| links.iter().find(|link| link.hash == hash))
                {
                    if !proven.insert((oseq, hash.to_owned())) {
                        break;
                    }
                    (oseq, hash) = (oseq - 1, &link.prev);
                }
            }
        }
    }

    /// Whether a key's signature covers a line.
    pub fn covers(&self, origin: &OriginId, key: &PublicKey, oseq: i64, hash: &str) -> bool {
        let proven = self.proven.get(&(origin.clone(), *key));
        proven.is_some_and(|proven| proven.contains(&(oseq, hash.to_owned())))
    }

    /// The key to pin for a replica that had none: the one that proves the most, of several the lowest.
    pub fn first_key(&self, origin: &OriginId) -> Option<PublicKey> {
        let of = |((whose, key), lines): (&(OriginId, PublicKey), &BTreeSet<(i64, String)>)| {
            let (last, _) = lines.last().filter(|_| whose == origin)?;
            Some((*last, std::cmp::Reverse(*key)))
        };
        self.proven.iter().filter_map(of).max().map(|(_, key)| key.0)
    }
}

/// Whether a line may be taken in.
pub fn admit(
    claim: Claim,
    coverage: &Coverage,
    origin: &OriginId,
    oseq: i64,
    hash: &str,
) -> Result<(), Unproven> {
    let covered = |key: &PublicKey| coverage.covers(origin, key, oseq, hash);
    match claim {
        Claim::Own(key) if key.as_ref().is_some_and(covered) => Ok(()),
        Claim::Own(_) => Err(Unproven::NotOurs),
        Claim::Pinned(key) if covered(&key) => Ok(()),
        Claim::Pinned(_) => Err(Unproven::Unsigned),
        Claim::Unsigned => match coverage.first_key(origin) {
            Some(key) if !covered(&key) => Err(Unproven::Unsigned),
            _ => Ok(()),
        },
    }
}
