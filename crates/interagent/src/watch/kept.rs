//! Versions of watched files from before tool calls, and what is kept of a change so that it can be put back.
//!
//! Below `state/`, for its owner alone. A version is copied once; what is kept for a change stays until a person removes it.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interagent_core::guard::watch::{Change, Snapshot, Stamp, Why};
use interagent_core::limits::{KEPT_BYTES, KEPT_FILE_BYTES};
use interagent_store::side::{self, Access};
use serde::{Deserialize, Serialize};

use crate::files::make_directory;
use crate::git;

/// Where versions of watched files are.
const COPIES: &str = "versions";
/// Where what is kept of changes is.
const KEPT: &str = "kept";
/// What a kept change is described by.
const MANIFEST: &str = "manifest.json";
/// Versions that nobody asked for in this time are of no use: a look is at most an hour old.
const COPIED_FOR: Duration = Duration::from_secs(24 * 3600);
/// Versions that are looked at when a new one is made.
const SWEPT: usize = 4_000;

/// A change, and what is kept of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The tool call.
    pub(crate) command: String,
    pub(crate) changes: Vec<KeptChange>,
}

/// One thing that changed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptChange {
    pub(crate) change: Change,
    /// The file with what was there before; none where nothing was, or it could not be kept.
    pub(crate) before: Option<String>,
    /// Whether there was something before.
    pub(crate) was_there: bool,
    /// The tree whose branches or settings it is about.
    pub(crate) tree: Option<PathBuf>,
}

/// Copies the watched files whose version has no copy yet.
pub(super) fn copy_all(state_dir: &Path, snapshot: &Snapshot) {
    let directory = state_dir.join(COPIES);
    let mut left = KEPT_BYTES;
    let mut is_new = false;
    for (path, (_, stamp)) in &snapshot.files {
        let Some(stamp) = stamp.filter(|stamp| stamp.bytes <= KEPT_FILE_BYTES.min(left)) else { continue };
        let copy = directory.join(name_of(path, &stamp));
        if fs::symlink_metadata(&copy).is_ok() {
            continue;
        }
        // A version that can't be copied can't be put back, and git may still have it.
        let _ = make_directory(&directory, 0o700).and_then(|()| copy_file(Path::new(path), &copy));
        left = left.saturating_sub(stamp.bytes);
        is_new = true;
    }
    if is_new {
        sweep(&directory);
    }
}

fn name_of(path: &str, stamp: &Stamp) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("{:016x}-{:x}-{:x}", hasher.finish(), stamp.modified_ns, stamp.bytes)
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    side::open(from, Access::Read)?.take(KEPT_FILE_BYTES).read_to_end(&mut bytes)?;
    side::open(to, Access::Replace)?.write_all(&bytes)
}

fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten().take(SWEPT) {
        let age = entry.metadata().and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > COPIED_FOR) {
            // One that stays is looked at again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Keeps what was there before some changes. Answers with the name under which it is kept.
pub(super) fn keep(
    state_dir: &Path,
    command: &str,
    before: &Snapshot,
    changes: &[Change],
    trees: &[PathBuf],
) -> io::Result<String> {
    make_directory(&state_dir.join(KEPT), 0o700)?;
    let (id, directory) = new_directory(state_dir)?;
    let mut kept = Kept { command: command.to_owned(), changes: Vec::new() };
    for (place, change) in changes.iter().enumerate() {
        let mut one = KeptChange {
            change: change.clone(),
            before: None,
            was_there: true,
            tree: trees.first().cloned(),
        };
        match change {
            Change::File { path, why } => {
                let stamp = before.files.get(path).and_then(|(_, stamp)| *stamp);
                let is_tracked = matches!(why, Why::OnBranch { .. });
                one.was_there = stamp.is_some() || (is_tracked && !before.files.contains_key(path));
                one.tree = trees.iter().find(|tree| Path::new(path).starts_with(tree)).cloned();
                let name = format!("{place}.before");
                let copy = stamp.map(|stamp| state_dir.join(COPIES).join(name_of(path, &stamp)));
                let copied = copy.is_some_and(|copy| copy_file(&copy, &directory.join(&name)).is_ok());
                // What git has is what was there, where nobody had changed it.
                let of_git =
                    || one.tree.as_ref().is_some_and(|tree| of_index(tree, path, &directory.join(&name)));
                one.before = (copied || (one.was_there && of_git())).then_some(name);
            }
            Change::Branch { old, .. } => {
                one.was_there = !old.is_empty();
                if let Some(tree) = one.tree.as_ref().filter(|_| one.was_there) {
                    // Git collects commits that nothing leads to.
                    git::keep_commit(tree, &format!("refs/interagent/kept/{id}"), old);
                }
            }
            Change::HooksPath { old, .. } => one.was_there = !old.is_empty(),
        }
        kept.changes.push(one);
    }
    let file = side::open(&directory.join(MANIFEST), Access::Replace)?;
    serde_json::to_writer_pretty(io::BufWriter::new(file), &kept)?;
    Ok(id)
}

fn of_index(tree: &Path, path: &str, to: &Path) -> bool {
    let inside = Path::new(path).strip_prefix(tree).ok().and_then(Path::to_str);
    let Some(bytes) = inside.and_then(|inside| git::in_index(tree, inside)) else { return false };
    side::open(to, Access::Replace).and_then(|mut file| file.write_all(&bytes)).is_ok()
}

fn new_directory(state_dir: &Path) -> io::Result<(String, PathBuf)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    for more in 0..100 {
        let id = format!("{:08x}", (now + more) & 0xffff_ffff);
        let directory = state_dir.join(KEPT).join(&id);
        if fs::symlink_metadata(&directory).is_err() {
            make_directory(&directory, 0o700)?;
            return Ok((id, directory));
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name"))
}

/// What is kept under a name, and where.
pub(crate) fn find(state_dir: &Path, id: &str) -> io::Result<(Kept, PathBuf)> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no such name"));
    }
    let directory = state_dir.join(KEPT).join(id);
    let file: File = side::open(&directory.join(MANIFEST), Access::Read)?;
    Ok((serde_json::from_reader(io::BufReader::new(file))?, directory))
}

/// Puts a file aside before another version is written over it. Answers with where it is.
pub(crate) fn put_aside(directory: &Path, place: usize, path: &Path) -> io::Result<Option<PathBuf>> {
    for more in 0..100 {
        let aside = directory.join(format!("{place}.aside{more}"));
        if fs::symlink_metadata(&aside).is_ok() {
            continue;
        }
        return match fs::read(path) {
            Ok(bytes) => side::open(&aside, Access::Replace)?.write_all(&bytes).map(|()| Some(aside)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name"))
}
