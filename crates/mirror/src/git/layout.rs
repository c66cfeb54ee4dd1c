//! Where things are in the history: the names of segments and texts, in a tree of git and in the worktree alike.
//!
//! ```text
//! log/<origin>/<first entry, 12 digits>.jsonl     lines of the log, byte for byte
//! texts/<first two of hash>/<hash>.json           {"salt": …, "text": …}
//! README.md
//! ```
//! In the worktree names have an ending of their own (`…-7k3m.jsonl`, `…-7k3m.json`), because two branches begin segments at
//! the same entry and hold the same texts, and git does not put one file over another that it does not know, not even over
//! an equal one.

use interagent_core::ids::OriginId;
use interagent_core::text::{StoredText, TextHash};
use serde::{Deserialize, Serialize};

/// The name of the branch, here and at remotes.
pub const BRANCH: &str = "interagent";
/// Its reference.
pub const BRANCH_REF: &str = "refs/heads/interagent";
/// Where a commit is made before the branch moves to it.
pub(super) const NEXT_REF: &str = "refs/interagent-next";
/// The segments.
pub(super) const LOG: &str = "log";
/// The texts.
pub(super) const TEXTS: &str = "texts";
/// What people find who look at the branch.
pub(super) const README: &str = "README.md";
/// A segment has no more lines.
pub(super) const SEGMENT_LINES: usize = 1_000;
/// Nor many more bytes: a segment that grows is stored again by every sync.
pub(super) const SEGMENT_BYTES: usize = 256 * 1024;
/// No file of ours is larger, also after merges; what is, is not read into memory.
pub(super) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What the branch says of itself.
pub(super) const README_TEXT: &str = "\
# The team's history

This branch is written by `interagent sync` and by nothing else: every message, task, review, spec and decision of the
team of this repository, as one log for each replica (`log/`) and the texts beside it (`texts/`).

There is nothing to check out or to merge here. `interagent sync` in a clone takes the history in and sends what is new;
a clone without a hub joins the team by it.
";

/// Where a remote's branch is kept after fetching.
pub(super) fn fetched_ref(remote: &str) -> String {
    format!("refs/interagent/{remote}")
}

/// A segment of one replica's log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentName {
    pub(super) origin: OriginId,
    pub(super) first: i64,
    /// What keeps two segments of one beginning apart.
    pub(super) ending: String,
}

impl SegmentName {
    pub(super) fn new(origin: &OriginId, first: i64) -> Self {
        Self { origin: origin.clone(), first, ending: String::new() }
    }

    /// Its path below the root of the history.
    pub(super) fn path(&self) -> String {
        let dash = if self.ending.is_empty() { "" } else { "-" };
        format!("{LOG}/{}/{:012}{dash}{}.jsonl", self.origin, self.first, self.ending)
    }

    /// Reads a path; `None` where it is no segment.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (origin, file) = path.strip_prefix(LOG)?.strip_prefix('/')?.split_once('/')?;
        let stem = file.strip_suffix(".jsonl")?;
        let (number, ending) = stem.split_once('-').unwrap_or((stem, ""));
        let is_number = number.len() == 12 && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_ending = ending.len() <= 32 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_number || !is_ending {
            return None;
        }
        let origin = OriginId::parse(origin).ok()?;
        Some(Self { origin, first: number.parse().ok()?, ending: ending.to_owned() })
    }
}

/// The path of a text.
pub(super) fn text_path(hash: &TextHash) -> String {
    format!("{TEXTS}/{}/{hash}.json", &hash.as_str()[..2])
}

/// The path of a text in a worktree.
pub(super) fn text_path_with(hash: &TextHash, ending: &str) -> String {
    format!("{TEXTS}/{}/{hash}-{ending}.json", &hash.as_str()[..2])
}

/// Reads a path; `None` where it is no text.
pub(super) fn text_at(path: &str) -> Option<TextHash> {
    let (folder, file) = path.strip_prefix(TEXTS)?.strip_prefix('/')?.split_once('/')?;
    let stem = file.strip_suffix(".json")?;
    let hash = TextHash::parse(stem.split_once('-').map_or(stem, |(hash, _)| hash)).ok()?;
    (hash.as_str()[..2] == *folder).then_some(hash)
}

#[derive(Serialize, Deserialize)]
struct TextFile<'t> {
    salt: std::borrow::Cow<'t, str>,
    text: std::borrow::Cow<'t, str>,
}

/// The content of a text's file.
pub(super) fn text_file(text: &StoredText) -> Vec<u8> {
    let file = TextFile { salt: (&text.salt).into(), text: (&text.text).into() };
    // Two strings can always be written.
    let mut bytes = serde_json::to_vec(&file).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// A text from its file. Whether it is what its name says is judged when it is taken in.
pub(super) fn text_from(hash: TextHash, bytes: &[u8]) -> Result<StoredText, String> {
    let file: TextFile<'_> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    Ok(StoredText { hash, salt: file.salt.into_owned(), text: file.text.into_owned() })
}

/// Whether a text is what its name says.
pub(super) fn is_whole(text: &StoredText) -> bool {
    TextHash::of(&text.salt, &text.text) == text.hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for path in [
            "log/org-7k2m9q4x1c8v/000000000001.jsonl",
            "log/org-7k2m9q4x1c8v/000000001001.jsonl",
            "log/org-7k2m9q4x1c8v/000000000031-7k3m.jsonl",
        ] {
            assert_eq!(SegmentName::of(path).unwrap().path(), path);
        }
        for wrong in [
            "log/org-7k2m9q4x1c8v/1.jsonl",
            "log/org-7k2m9q4x1c8v/000000000001.json",
            "log/../000000000001.jsonl",
            "log/org-7k2m9q4x1c8v/deep/000000000001.jsonl",
            "logs/org-7k2m9q4x1c8v/000000000001.jsonl",
            "log/org-7k2m9q4x1c8v/000000000001-a_b.jsonl",
        ] {
            assert_eq!(SegmentName::of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_text_lies_under_its_hash_and_nowhere_else() {
        let hash = TextHash::of("salt", "words");
        let path = text_path(&hash);
        assert_eq!(text_at(&path), Some(hash.clone()));
        assert_eq!(text_at(&text_path_with(&hash, "7k3m")), Some(hash.clone()));
        assert_eq!(text_at(&path.replacen(&hash.as_str()[..2], "zz", 1)), None);
        let text = StoredText { hash: hash.clone(), salt: "salt".into(), text: "two\nlines \u{1b}".into() };
        let file = text_file(&text);
        assert_eq!(file.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert_eq!(text_from(hash, &file).unwrap(), text);
    }
}
