//! Files that commands write into a hub: whole or not at all, and never through a symbolic link.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Everybody may read the files of a project; the store's own directory is for its owner alone.
const FILE_MODE: u32 = 0o644;

/// Replaces `directory/name` by a file with this text.
///
/// A link in its place is refused instead of replaced: whoever put it there expects something else of us.
pub(crate) fn write(directory: &Path, name: &str, text: &str) -> io::Result<()> {
    write_with_mode(directory, name, text, FILE_MODE)
}

/// The same for a file that not everybody may read.
pub(crate) fn write_with_mode(directory: &Path, name: &str, text: &str, mode: u32) -> io::Result<()> {
    let target = directory.join(name);
    match fs::symlink_metadata(&target) {
        Ok(found) if !found.is_file() => {
            let sentence = format!("`{}` is not a regular file", target.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, sentence));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let temporary = directory.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = write_new(&temporary, text, mode).and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // What is left of a failed attempt is of no use to anybody.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    // A left-over of a process that had our number and died here.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Makes a directory with this mode, unless it is there.
pub(crate) fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    match fs::DirBuilder::new().recursive(false).mode(mode).create(path) {
        // A link in its place would lead what is written into it elsewhere.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            match fs::symlink_metadata(path)?.is_dir() {
                true => Ok(()),
                false => Err(error),
            }
        }
        made => made,
    }
}

/// Makes a directory and those above it, unless they are there.
pub(crate) fn make_directories(path: &Path, mode: u32) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(mode).create(path)
}

/// Makes a new directory for its owner alone; fails when there is one.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(false).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_file_is_replaced_whole_and_leaves_nothing_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), "team.toml", "one").unwrap();
        write(directory.path(), "team.toml", "two").unwrap();
        let names: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["team.toml"]);
        let path = directory.path().join("team.toml");
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, FILE_MODE);
    }

    #[test]
    fn links_are_neither_followed_nor_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let victim = directory.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        symlink(&victim, directory.path().join("team.toml")).unwrap();
        assert!(write(directory.path(), "team.toml", "theirs").is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        let temporary = directory.path().join(format!(".other.{}.tmp", std::process::id()));
        symlink(&victim, &temporary).unwrap();
        write(directory.path(), "other", "new").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    }
}
