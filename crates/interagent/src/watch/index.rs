//! Which files of a tree differ from what git's index knows of them, by their metadata alone.
//!
//! Owns reading the index, versions 2 to 4 with SHA-1. Any other is left alone: then such files are not watched.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use interagent_core::limits::WATCHED_FILES;

/// The longest index that is read: of a repository with some ten thousand files.
const INDEX_BYTES: u64 = 8 * 1024 * 1024;
/// Where the name of an entry begins.
const FIXED: usize = 62;

/// Files that differ. None where there are more files than are looked at.
pub(super) fn differing(root: &Path, git_dir: &Path) -> Vec<PathBuf> {
    let path = git_dir.join("index");
    if fs::metadata(&path).map_or(u64::MAX, |found| found.len()) > INDEX_BYTES {
        return Vec::new();
    }
    let Ok(bytes) = fs::read(path) else { return Vec::new() };
    entries(&bytes)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.differs(root))
        .map(|e| root.join(e.name))
        .collect()
}

struct Entry {
    name: String,
    modified: (u32, u32),
    bytes: u32,
    /// It is none of the tree: a submodule, or one that is not checked out.
    is_elsewhere: bool,
}

impl Entry {
    fn differs(&self, root: &Path) -> bool {
        if self.is_elsewhere {
            return false;
        }
        let Ok(found) = fs::symlink_metadata(root.join(&self.name)) else { return true };
        let seconds = u32::try_from(found.mtime()).unwrap_or_default();
        let rest = u32::try_from(found.mtime_nsec()).unwrap_or_default();
        // Some programs write whole seconds alone.
        let is_same_time = seconds == self.modified.0 && (self.modified.1 == 0 || rest == self.modified.1);
        !is_same_time || found.len() & u64::from(u32::MAX) != u64::from(self.bytes)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn entries(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (version, count) = (number(bytes, 4)?, usize::try_from(number(bytes, 8)?).ok()?);
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) || count > WATCHED_FILES {
        return None;
    }
    let mut found = Vec::with_capacity(count);
    let (mut at, mut name) = (12, Vec::new());
    for _ in 0..count {
        let begin = at;
        let flags = u16::from_be_bytes(bytes.get(begin + 60..begin + 62)?.try_into().ok()?);
        let is_extended = flags & 0x4000 != 0;
        let more = match is_extended {
            true => u16::from_be_bytes(bytes.get(begin + 62..begin + 64)?.try_into().ok()?),
            false => 0,
        };
        at = begin + FIXED + usize::from(is_extended) * 2;
        if version == 4 {
            let mut cut = 0_usize;
            loop {
                let byte = *bytes.get(at)?;
                at += 1;
                cut = (cut << 7) | usize::from(byte & 0x7f);
                if byte & 0x80 == 0 {
                    break;
                }
                cut += 1;
            }
            name.truncate(name.len().checked_sub(cut)?);
        } else {
            name.clear();
        }
        let end = at + bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(bytes.get(at..end)?);
        at = match version {
            4 => end + 1,
            // Entries begin at multiples of eight, with at least one zero behind the name.
            _ => begin + ((end - begin) / 8 + 1) * 8,
        };
        let mode = number(bytes, begin + 24)?;
        found.push(Entry {
            name: String::from_utf8(name.clone()).ok()?,
            modified: (number(bytes, begin + 8)?, number(bytes, begin + 12)?),
            bytes: number(bytes, begin + 36)?,
            is_elsewhere: mode & 0o170_000 == 0o160_000 || more & 0x4000 != 0,
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn differing_files_are_those_that_git_shows() {
        for version in ["2", "4"] {
            let place = tempfile::tempdir().unwrap();
            let root = place.path();
            let git = |arguments: &[&str]| {
                let done = Command::new("git").args(arguments).current_dir(root).output().unwrap();
                assert!(done.status.success(), "{arguments:?}");
            };
            git(&["init", "-q"]);
            for name in ["a.txt", "deep/er/b.txt", "deep/er/bc.txt", "deep/z", "gone"] {
                fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
                fs::write(root.join(name), name).unwrap();
            }
            git(&["add", "."]);
            git(&["update-index", "--index-version", version]);
            assert!(differing(root, &root.join(".git")).is_empty());
            fs::write(root.join("deep/er/bc.txt"), "longer than it was").unwrap();
            fs::remove_file(root.join("gone")).unwrap();
            let found = differing(root, &root.join(".git"));
            assert_eq!(found, [root.join("deep/er/bc.txt"), root.join("gone")], "{version}");
        }
    }
}
