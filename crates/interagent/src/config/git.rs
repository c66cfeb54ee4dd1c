//! Where git keeps a repository, read from its files; git itself is never started.
//!
//! Owns the layout of `.git`: a directory, or a file that points to one (linked worktree, submodule, separate git
//! directory, bare repository with worktrees). Does not own what a hub is. Runs on every hook, so the common case is
//! two `lstat` calls.
//!
//! A `.git` directory without `HEAD` is not a repository, to git and to us. Codex's sandbox mounts an empty one in every
//! directory that a command may write to, `/tmp` among them, and it is visible to other processes while the command runs.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// Largest `.git` file, `commondir` or `config` we read; real ones are far smaller, and the repository is not ours.
const FILE_LIMIT_BYTES: u64 = 256 * 1024;

/// How the directory that was looked at belongs to a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitTree {
    /// The main worktree; its root is the directory itself.
    Main,
    /// A submodule: a repository of its own inside another one's worktree.
    Submodule,
    /// A linked worktree of a repository whose main worktree is at `main_root`.
    Linked { main_root: PathBuf },
    /// A tree of a repository whose git directory is not the `.git` of a main worktree: bare, or kept separately.
    Detached { common_dir: PathBuf },
}

/// Why a `.git` file could not be followed.
#[derive(Debug)]
pub(crate) enum GitProblem {
    /// It points to a directory that is not there: the repository or the worktree was moved or removed.
    Dangling { git_file: PathBuf, target: PathBuf },
    /// It could not be read, or is not what git writes.
    Unreadable { path: PathBuf, source: io::Error },
}

/// Looks at `directory/.git`; `None` when there is none.
pub(crate) fn tree_at(directory: &Path) -> Result<Option<GitTree>, GitProblem> {
    let git_file = directory.join(".git");
    match fs::symlink_metadata(&git_file) {
        Ok(found) if found.is_dir() => Ok(has_head(&git_file).then_some(GitTree::Main)),
        Ok(found) if found.is_symlink() => match git_file.canonicalize() {
            // A tree that borrows another repository's git directory is a tree of that repository.
            Ok(target) if target.is_dir() => linked_worktree(&git_file, target).map(Some),
            Ok(_) => follow(directory, git_file).map(Some),
            Err(source) => Err(GitProblem::Unreadable { path: git_file, source }),
        },
        Ok(_) => follow(directory, git_file).map(Some),
        Err(error) if is_absent(&error) => Ok(None),
        Err(source) => Err(GitProblem::Unreadable { path: git_file, source }),
    }
}

/// Whether `directory` is itself the git directory of a bare repository.
///
/// git runs the hooks of a bare repository there, so it is a place to be called from.
pub(crate) fn is_bare_repository(directory: &Path) -> bool {
    let is_dir = |name: &str| fs::metadata(directory.join(name)).is_ok_and(|found| found.is_dir());
    is_dir("objects") && is_dir("refs") && has_head(directory)
}

/// `HEAD` may be a symbolic link that leads nowhere yet, so it is not followed.
fn has_head(git_dir: &Path) -> bool {
    fs::symlink_metadata(git_dir.join("HEAD")).is_ok()
}

/// The git directory of the tree whose root this is, and the one that all trees of the repository share.
pub(crate) fn directories_at(root: &Path) -> io::Result<Option<(PathBuf, PathBuf)>> {
    let git_file = root.join(".git");
    let git_dir = match fs::metadata(&git_file) {
        Ok(found) if found.is_dir() && !has_head(&git_file) => return Ok(None),
        Ok(found) if found.is_dir() => git_file,
        Ok(_) => {
            let pointer = read_bounded(&git_file)?;
            let Some(target) = pointer.strip_prefix(b"gitdir:").map(path_of) else { return Ok(None) };
            tidy(&root.join(target))
        }
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let common_dir = match read_bounded(&git_dir.join("commondir")) {
        Ok(common) => tidy(&git_dir.join(path_of(&common))),
        Err(_) => git_dir.clone(),
    };
    Ok(Some((git_dir, common_dir)))
}

/// The tree that a path lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) git_dir: PathBuf,
    pub(crate) common_dir: PathBuf,
}

/// The tree that a path lies in; none where it lies in a git directory, or in no repository.
pub(crate) fn tree_around(path: &Path) -> Option<Tree> {
    path.ancestors().take_while(|directory| !is_bare_repository(directory)).find_map(|root| {
        let (git_dir, common_dir) = directories_at(root).ok().flatten()?;
        Some(Tree { root: root.to_owned(), git_dir, common_dir })
    })
}

/// The directory that all trees of the repository around a path share. The path itself may be inside of it.
pub(crate) fn common_dir_around(path: &Path) -> io::Result<Option<PathBuf>> {
    for directory in path.ancestors() {
        if let Some((_, common_dir)) = directories_at(directory)? {
            return Ok(Some(common_dir));
        }
        if is_bare_repository(directory) {
            return Ok(Some(directory.to_owned()));
        }
    }
    Ok(None)
}

fn follow(directory: &Path, git_file: PathBuf) -> Result<GitTree, GitProblem> {
    let unreadable = |source| GitProblem::Unreadable { path: git_file.clone(), source };
    let pointer = read_bounded(&git_file).map_err(unreadable)?;
    let target = pointer
        .strip_prefix(b"gitdir:")
        .map(path_of)
        .filter(|target| !target.as_os_str().is_empty())
        .ok_or_else(|| {
            unreadable(io::Error::new(ErrorKind::InvalidData, "it does not start with `gitdir:`"))
        })?;
    let git_dir = tidy(&directory.join(target));

    match read_bounded(&git_dir.join("commondir")) {
        Ok(common) => linked_worktree(&git_file, tidy(&git_dir.join(path_of(&common)))),
        Err(error) if is_absent(&error) => {
            if !git_dir.is_dir() {
                return Err(GitProblem::Dangling { git_file, target: git_dir });
            }
            // A submodule's git directory names its worktree; one that was only put elsewhere does not.
            Ok(match configured_worktree(&git_dir) {
                Some(_) => GitTree::Submodule,
                None => GitTree::Detached { common_dir: git_dir },
            })
        }
        Err(source) => Err(GitProblem::Unreadable { path: git_dir.join("commondir"), source }),
    }
}

fn linked_worktree(git_file: &Path, common_dir: PathBuf) -> Result<GitTree, GitProblem> {
    if !common_dir.is_dir() {
        return Err(GitProblem::Dangling { git_file: git_file.to_owned(), target: common_dir });
    }
    // git itself takes `<root>/.git` as the sign of a main worktree at `<root>`.
    if let (Some(name), Some(root)) = (common_dir.file_name(), common_dir.parent())
        && name == ".git"
    {
        return Ok(GitTree::Linked { main_root: root.to_owned() });
    }
    Ok(match configured_worktree(&common_dir) {
        Some(main_root) => GitTree::Linked { main_root },
        None => GitTree::Detached { common_dir },
    })
}

/// `core.worktree` of the repository: where a submodule's main worktree is.
fn configured_worktree(git_dir: &Path) -> Option<PathBuf> {
    configured(git_dir, b"worktree", git_dir)
}

/// `core.hooksPath` of the repository, where its own configuration says it. A relative one counts from the root of the tree.
pub(crate) fn configured_hooks(git_dir: &Path, root: &Path) -> Option<PathBuf> {
    configured(git_dir, b"hookspath", root)
}

/// A path in the part `[core]` of the repository's configuration.
fn configured(git_dir: &Path, name: &[u8], from: &Path) -> Option<PathBuf> {
    let config = read_bounded(&git_dir.join("config")).ok()?;
    let mut in_core = false;
    for line in config.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if line.starts_with(b"[") {
            in_core = line.eq_ignore_ascii_case(b"[core]");
        } else if in_core
            && let Some(equals) = line.iter().position(|byte| *byte == b'=')
            && line[..equals].trim_ascii().eq_ignore_ascii_case(name)
        {
            let value = line[equals + 1..].trim_ascii();
            let value = value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value);
            return Some(tidy(&from.join(path_of(value))));
        }
    }
    None
}

/// Takes `.` and `..` out of a path by its text alone.
///
/// git writes its pointers relative to real directories, so asking the file system would only cost system calls.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes.trim_ascii()))
}

/// A path that can't exist below something that is not a directory is as absent as one that does not.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Reads a regular file; a pipe or a device planted in its place neither blocks nor fills memory.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let length = file.metadata().and_then(|found| match found.is_file() {
        true => Ok(found.len()),
        false => Err(io::Error::new(ErrorKind::InvalidData, "it is not a regular file")),
    })?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(FILE_LIMIT_BYTES)).unwrap_or(0) + 1);
    file.take(FILE_LIMIT_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
