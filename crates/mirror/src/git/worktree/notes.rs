//! What is known of the files: which were read, what they hold, which one goes on, and where git's index stood.
//!
//! A file in the state directory. Losing it costs reading everything again. It counts only beside the log that it was made
//! of: a store that was put back, restored or recovered lacks what the notes say was read, and the files have it.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use interagent_core::ids::OriginId;
use interagent_core::text::TextHash;
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::git::disk::{read_file, write_file};
use crate::git::error::GitError;

const NAME: &str = "worktree-files";

/// What tells a file from itself after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileMark {
    size: u64,
    mtime_s: i64,
    mtime_ns: i64,
    inode: u64,
}

impl FileMark {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Self {
            size: found.len(),
            mtime_s: found.mtime(),
            mtime_ns: found.mtime_nsec(),
            inode: found.ino(),
        })
    }
}

/// Where git's index stood: every add, commit, checkout, merge and pull writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IndexMark(Option<FileMark>);

impl IndexMark {
    pub(super) fn of(git_dir: &Path) -> Self {
        Self(FileMark::of(&git_dir.join("index")))
    }
}

/// A segment that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) mark: FileMark,
    pub(super) origin: OriginId,
    /// The entries in it, as first and last of each unbroken part.
    pub(super) parts: Vec<(i64, i64)>,
    /// The texts that its lines want and that were not there.
    #[serde(default)]
    pub(super) lacks: BTreeSet<TextHash>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Notes {
    pub(super) index: IndexMark,
    /// By path.
    pub(super) files: BTreeMap<PathBuf, Known>,
    /// The segment of each replica that goes on, below the hub's directory.
    pub(super) open: BTreeMap<OriginId, String>,
    /// The seal of each replica that can still be replaced, below the hub's directory.
    #[serde(default)]
    pub(super) seals: BTreeMap<OriginId, String>,
    /// Everything up to this place of the log is in files.
    pub(super) seq: i64,
    /// Where the log ended when this was noted.
    #[serde(default)]
    end: LogEnd,
}

/// The last entry of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LogEnd {
    seq: i64,
    /// Its id: another log may be as long.
    entry: String,
}

impl LogEnd {
    fn of(store: &mut Store) -> Result<Self, StoreError> {
        let seq = store.head()?.seq;
        Ok(Self { seq, entry: entry_id(store, seq)?.unwrap_or_default() })
    }

    /// Whether a log has come past here.
    fn is_in(&self, store: &mut Store) -> Result<bool, StoreError> {
        Ok(entry_id(store, self.seq)?.is_some_and(|id| id == self.entry))
    }
}

fn entry_id(store: &mut Store, seq: i64) -> Result<Option<String>, StoreError> {
    let stored = store.read(|reader: &mut Reader<'_>| reader.entry(seq))?;
    Ok(stored.map(|stored| stored.entry.envelope.id))
}

impl Notes {
    fn path(state_dir: &Path) -> PathBuf {
        state_dir.join(NAME)
    }

    /// What can't be read, or is about another log, is as if nothing was known.
    pub(super) fn read(state_dir: &Path, store: &mut Store) -> Result<Self, GitError> {
        let bytes = read_file(&Self::path(state_dir)).unwrap_or_default();
        let notes: Self = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(if notes.end.is_in(store)? { notes } else { Self::default() })
    }

    /// Notes all of it as what is known beside the log as it is now.
    pub(super) fn write(&mut self, state_dir: &Path, store: &mut Store) -> Result<(), GitError> {
        self.end = LogEnd::of(store)?;
        let path = Self::path(state_dir);
        let bytes = serde_json::to_vec(self)
            .map_err(|error| GitError::Write { path: path.clone(), source: error.into() })?;
        write_file(&path, &bytes)
    }

    /// The parts of each replica's log that the files below a directory hold, sorted and joined.
    pub(super) fn covered(&self, below: &Path) -> BTreeMap<OriginId, Vec<(i64, i64)>> {
        let mut all: BTreeMap<OriginId, Vec<(i64, i64)>> = BTreeMap::new();
        for known in self.files.iter().filter(|(path, _)| path.starts_with(below)).map(|(_, known)| known) {
            all.entry(known.origin.clone()).or_default().extend(&known.parts);
        }
        all.into_iter().map(|(origin, parts)| (origin, joined(parts))).collect()
    }
}

/// Sorted, with what touches made one.
pub(super) fn joined(mut parts: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    parts.sort_unstable();
    let mut result: Vec<(i64, i64)> = Vec::new();
    for (first, last) in parts {
        match result.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = (*end).max(last),
            _ => result.push((first, last)),
        }
    }
    result
}

/// What is not in these parts, up to an end.
pub(super) fn missing(parts: &[(i64, i64)], end: i64) -> Vec<(i64, i64)> {
    let mut next = 1;
    let mut result = Vec::new();
    for (first, last) in parts {
        if *first > next {
            result.push((next, (*first - 1).min(end)));
        }
        next = next.max(last + 1);
    }
    if next <= end {
        result.push((next, end));
    }
    result.retain(|(first, last)| first <= last);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_and_what_lacks_is_found() {
        let parts = joined(vec![(31, 60), (1, 30), (40, 70), (90, 95)]);
        assert_eq!(parts, [(1, 70), (90, 95)]);
        assert_eq!(missing(&parts, 100), [(71, 89), (96, 100)]);
        assert_eq!(missing(&parts, 80), [(71, 80)]);
        assert_eq!(missing(&[], 2), [(1, 2)]);
        assert_eq!(missing(&parts, 70), []);
    }
}
