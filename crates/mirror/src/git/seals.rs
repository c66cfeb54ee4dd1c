//! Seals in the history: a replica's signature on its log, in a file beside its segments.
//!
//! ```text
//! log/<origin>/<entry, 12 digits>-<key, 8 digits>.seal
//! ```
//! The newest seal of a key says all that older ones said. Seals of two keys are both kept, so that every clone can show it.

use std::collections::BTreeMap;

use interagent_core::ids::OriginId;
use interagent_core::signature::{Coverage, PublicKey, Seal};
use interagent_store::Store;

use super::batch::Batch;
use super::error::GitError;
use super::layout::LOG;
use super::segment;

/// Digits of a key in a name.
const KEY_DIGITS: usize = 8;
/// No seal is larger.
const MOST_BYTES: usize = 2_048;

/// A seal with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SealFile {
    pub(super) path: String,
    pub(super) object: String,
    pub(super) seal: Seal,
}

/// The path of a seal below the root of the history. `ending` keeps it apart from the same one of another branch.
pub(super) fn path(seal: &Seal, ending: &str) -> String {
    let key = seal.key.to_string();
    let key = key.get(..KEY_DIGITS).unwrap_or_default();
    format!("{LOG}/{}/{:012}-{key}{ending}.seal", seal.origin, seal.oseq)
}

/// The replica whose seal a path names.
pub(super) fn origin_at(path: &str) -> Option<OriginId> {
    let (origin, file) = path.strip_prefix(LOG)?.strip_prefix('/')?.split_once('/')?;
    let is_ours = file.ends_with(".seal") && !file.contains('/');
    OriginId::parse(origin).ok().filter(|_| is_ours)
}

/// The content of a seal's file.
pub(super) fn file(seal: &Seal) -> Vec<u8> {
    // Its fields can always be written.
    let mut bytes = serde_json::to_vec(seal).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// A seal from its file. `None` where it is no seal of the replica that its path names, or its signature is wrong.
pub(super) fn read(origin: &OriginId, bytes: &[u8]) -> Option<Seal> {
    let seal: Seal = serde_json::from_slice(bytes.get(..MOST_BYTES.min(bytes.len()))?).ok()?;
    (seal.origin == *origin && seal.is_valid()).then_some(seal)
}

/// The seals among the files of a commit.
pub(super) fn among(batch: &mut Batch, files: &[(String, String)]) -> Result<Vec<SealFile>, GitError> {
    let named: Vec<(OriginId, &String, &String)> =
        files.iter().filter_map(|(path, object)| Some((origin_at(path)?, path, object))).collect();
    let objects: Vec<&String> = named.iter().map(|(_, _, object)| *object).collect();
    let mut found = Vec::new();
    batch.read_each(&objects, |index, bytes| {
        let (origin, path, object) = &named[index];
        if let Some(seal) = bytes.and_then(|bytes| read(origin, &bytes)) {
            found.push(SealFile { path: (*path).clone(), object: (*object).clone(), seal });
        }
        Ok(())
    })?;
    Ok(found)
}

/// The seals of a commit.
pub(super) fn at(batch: &mut Batch, commit: &str) -> Result<Vec<SealFile>, GitError> {
    let files = batch.files(commit, LOG)?;
    among(batch, &files)
}

/// How far each key signed.
pub(super) fn reaches<'s>(seals: impl IntoIterator<Item = &'s Seal>) -> BTreeMap<(OriginId, PublicKey), i64> {
    let mut reaches = BTreeMap::new();
    for seal in seals {
        let reach = reaches.entry((seal.origin.clone(), seal.key)).or_insert(0);
        *reach = seal.oseq.max(*reach);
    }
    reaches
}

/// What seals cover of segments. Only those of replicas that have a seal are read.
pub(super) fn coverage<'s>(
    batch: &mut Batch,
    seals: impl IntoIterator<Item = &'s SealFile>,
    segments: impl IntoIterator<Item = (&'s OriginId, &'s str)>,
) -> Result<Coverage, GitError> {
    let mut coverage = Coverage::of(seals.into_iter().map(|file| file.seal.clone()));
    for (origin, object) in segments {
        if coverage.has_seals_of(origin) {
            follow(&mut coverage, &batch.read(object)?.unwrap_or_default());
        }
    }
    coverage.prove();
    Ok(coverage)
}

/// Adds the lines of a segment to what seals are followed through.
pub(super) fn follow(coverage: &mut Coverage, bytes: &[u8]) {
    for (_, text) in segment::lines(bytes) {
        if let Some((line, place)) = segment::place(&text) {
            coverage.add(&place.origin, place.oseq, &line.hash, &place.prev);
        }
    }
}

/// The seals that this replica knows, its own made now.
pub(super) fn known(store: &mut Store) -> Result<Vec<Seal>, GitError> {
    Ok(store.replicas()?.into_iter().filter_map(|replica| replica.seal).collect())
}

#[cfg(test)]
mod tests {
    use interagent_core::ids::HubId;
    use interagent_core::signature::SecretKey;

    use super::*;

    #[test]
    fn seal_is_read_from_where_it_was_written() {
        let key = SecretKey::from_seed([1; 32]).unwrap();
        let origin = OriginId::from_bits(1);
        let seal = key.seal(HubId::from_bits(2), origin.clone(), 31, "ab".repeat(32));
        let path = path(&seal, "");
        assert_eq!(path, format!("log/{origin}/000000000031-{}.seal", &key.public().to_string()[..8]));
        assert_eq!(origin_at(&path), Some(origin.clone()));
        assert_eq!(read(&origin, &file(&seal)), Some(seal.clone()));
        assert_eq!(read(&OriginId::from_bits(3), &file(&seal)), None);
        let changed = String::from_utf8(file(&seal)).unwrap().replace("\"oseq\":31", "\"oseq\":32");
        assert_eq!(read(&origin, changed.as_bytes()), None);
        assert_eq!(origin_at("log/org-1/deep/1.seal").or_else(|| origin_at("texts/ab/1.seal")), None);
    }
}
