//! The original of an InterAgent project: moved aside once everything of it is in the log.
//!
//! A project moves over in its own folder. The new hub grows in `importing/`, where nobody finds it, so that the folder stays
//! InterAgent's until all is durable; then the old files go to `imported/<date>/`, and the new state takes their place. Killed at
//! any point, the same command finishes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the new hub grows.
const STAGING: &str = "importing";
/// Where old files go.
const KEPT: &str = "imported";
const STATE: &str = "state";
/// What marks the folder as InterAgent's; it goes last, so that a folder that is half moved is still known.
const MARK: &str = "session.json";
/// What is theirs to edit in the new hub too, and what is not InterAgent's.
const STAYS: [&str; 7] = [STAGING, KEPT, STATE, "shared", "team.toml", ".gitignore", "inbox"];

/// A folder that is moving over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    hub_dir: PathBuf,
}

/// What could not be moved.
#[derive(Debug, thiserror::Error)]
#[error("cannot move `{}`", path.display())]
pub struct OriginalProblem {
    path: PathBuf,
    source: io::Error,
}

fn problem(path: &Path) -> impl FnOnce(io::Error) -> OriginalProblem {
    let path = path.to_owned();
    |source| OriginalProblem { path, source }
}

impl Original {
    /// Of the project's own folder.
    pub fn new(hub_dir: &Path) -> Self {
        Self { hub_dir: hub_dir.to_owned() }
    }

    /// The folder in which the new hub grows.
    pub fn staging(&self) -> PathBuf {
        self.hub_dir.join(STAGING)
    }

    /// Whether a move was begun and not finished.
    pub fn is_unfinished(&self) -> bool {
        self.staging().is_dir()
    }

    /// Moves the old files aside and puts the new state in their place. Answers with where the old ones are.
    pub fn finish(&self, date: &str) -> Result<PathBuf, OriginalProblem> {
        let kept = self.hub_dir.join(KEPT).join(date);
        fs::create_dir_all(&kept).map_err(problem(&kept))?;
        let shared = self.hub_dir.join("shared");
        if shared.is_dir() {
            copy_missing(&shared, &kept.join("shared")).map_err(problem(&shared))?;
        }
        let mut names: Vec<std::ffi::OsString> = fs::read_dir(&self.hub_dir)
            .map_err(problem(&self.hub_dir))?
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|name| !STAYS.iter().any(|stays| name == stays) && name != MARK)
            .collect();
        names.sort();
        for name in names {
            aside(&self.hub_dir.join(&name), &kept.join(&name))?;
        }
        let (grown, state) = (self.staging().join(STATE), self.hub_dir.join(STATE));
        if grown.is_dir() {
            fs::rename(&grown, &state).map_err(problem(&grown))?;
        }
        aside(&self.hub_dir.join(MARK), &kept.join(MARK))?;
        Ok(kept)
    }

    /// Says that nothing is left to do.
    pub fn done(&self) -> Result<(), OriginalProblem> {
        let staging = self.staging();
        match fs::remove_dir_all(&staging) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(problem(&staging)(error)),
            _ => Ok(()),
        }
    }
}

/// Moves one thing, over what an earlier attempt brought there.
fn aside(from: &Path, to: &Path) -> Result<(), OriginalProblem> {
    if from.symlink_metadata().is_err() {
        return Ok(());
    }
    let mut free = to.to_owned();
    let mut n = 2;
    let is_file = from.is_file();
    // A file that was copied before is the same; a folder of an earlier import on this day is not.
    while free.symlink_metadata().is_ok() && !(is_file && free.is_file() && same(from, &free)) {
        let mut name = to.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{n}"));
        free = to.with_file_name(name);
        n += 1;
    }
    fs::rename(from, &free).map_err(problem(from))
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// A copy of documents that stay where they are.
fn copy_missing(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)?.flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_file() && target.symlink_metadata().is_err() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
