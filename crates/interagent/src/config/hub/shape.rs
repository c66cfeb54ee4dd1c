//! What lies at a path where a hub could be.
//!
//! Owns the marks of a hub and of a directory of the Python InterAgent. Looks only at names and kinds, never into a
//! file, and never through a symbolic link.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::HubProblem;

/// What lies at a path where a hub could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Nothing,
    /// A directory with `state/` or `team.toml`.
    Hub,
    /// Written by the Python InterAgent: a `session.json` and none of our marks.
    Python,
    /// A directory with none of the marks, such as one that holds only an agent's signal files.
    OtherDirectory,
}

/// Whose directory is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerRule {
    /// Found by looking around: a stranger could have put it there, as in a shared `/tmp`.
    OursOnly,
    /// Named by the caller.
    Anybody,
}

pub(super) fn shape_of(path: &Path, owner: OwnerRule) -> Result<Shape, HubProblem> {
    let Some(found) = look(path)? else { return Ok(Shape::Nothing) };
    if !found.is_dir() {
        return Err(HubProblem::NotADirectory { path: path.to_owned(), is_link: found.is_symlink() });
    }
    let shape = shape_of_directory(path)?;
    if shape != Shape::OtherDirectory
        && owner == OwnerRule::OursOnly
        && is_foreign(found.uid(), rustix::process::getuid().as_raw())
    {
        return Err(HubProblem::ForeignOwner { directory: path.to_owned(), owner: found.uid() });
    }
    Ok(shape)
}

fn shape_of_directory(path: &Path) -> Result<Shape, HubProblem> {
    let state = path.join("state");
    match look(&state)? {
        Some(found) if found.is_dir() => return Ok(Shape::Hub),
        // A cloned repository could bring a link here that makes us write somewhere else.
        Some(found) => return Err(HubProblem::NotADirectory { path: state, is_link: found.is_symlink() }),
        None => {}
    }
    if look(&path.join("team.toml"))?.is_some() {
        Ok(Shape::Hub)
    } else if look(&path.join("session.json"))?.is_some() {
        Ok(Shape::Python)
    } else {
        Ok(Shape::OtherDirectory)
    }
}

/// Whether `owner` is a stranger to `us`. Root is not kept out: in a container it works on the host user's files.
pub(super) fn is_foreign(owner: u32, us: u32) -> bool {
    us != 0 && owner != us
}

/// Whether two paths lead to one directory.
pub(super) fn same_directory(one: &Path, other: &Path) -> bool {
    let Ok(one) = fs::metadata(one) else { return false };
    fs::metadata(other).is_ok_and(|other| (one.dev(), one.ino()) == (other.dev(), other.ino()))
}

fn look(path: &Path) -> Result<Option<Metadata>, HubProblem> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(source) => Err(unreadable(path, source)),
    }
}

fn unreadable(path: &Path, source: io::Error) -> HubProblem {
    HubProblem::Unreadable { path: PathBuf::from(path), source }
}
