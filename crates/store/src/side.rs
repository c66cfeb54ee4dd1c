//! Small files beside the store, below its directory.
//!
//! Owns how they are opened: a clone or another process may have planted a link or a FIFO in the place of a file or of
//! its folder. None is followed, none makes us wait, and only regular files are used. The database has its own rules.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading one that is there.
    Read,
    /// Reading and writing one that is there.
    Change,
    /// Reading and writing; a missing one is created.
    Update,
    /// Writing at its end; a missing one is created.
    Append,
    /// Writing from its beginning, without what it held; a missing one is created.
    Replace,
    /// Writing one that is not there yet.
    New,
}

impl Access {
    fn flags(self) -> OFlags {
        match self {
            Self::Read => OFlags::RDONLY,
            Self::Change => OFlags::RDWR,
            Self::Update | Self::Replace => OFlags::RDWR.union(OFlags::CREATE),
            Self::New => OFlags::RDWR.union(OFlags::CREATE).union(OFlags::EXCL),
            Self::Append => OFlags::WRONLY.union(OFlags::APPEND).union(OFlags::CREATE),
        }
    }
}

/// Opens a file; a new one is for its owner alone. Neither the file nor its folder may be a link.
pub fn open(path: &Path, access: Access) -> io::Result<File> {
    let file = open_with(path, access.flags())?;
    if access == Access::Replace {
        file.set_len(0)?;
    }
    Ok(file)
}

fn open_with(path: &Path, flags: OFlags) -> io::Result<File> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(not_a_file(path));
    };
    // NONBLOCK only matters where somebody planted a FIFO or device: the open must not hang.
    let careful = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let opened = openat(CWD, folder, OFlags::DIRECTORY | careful, Mode::empty())
        .and_then(|folder| openat(&folder, name, flags | careful, Mode::RUSR | Mode::WUSR));
    let file = match opened {
        Ok(descriptor) => File::from(descriptor),
        Err(error) => return Err(planted(folder, path).unwrap_or_else(|| error.into())),
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_a_file(path)) }
}

/// What lies in the way of a file; nothing where something else is wrong.
fn planted(folder: &Path, path: &Path) -> Option<Error> {
    if let Err(error) = must_be_folder(folder) {
        return Some(error);
    }
    let found = std::fs::symlink_metadata(path).ok()?;
    (!found.is_file()).then(|| not_a_file(path))
}

fn not_a_file(path: &Path) -> Error {
    Error::new(ErrorKind::InvalidInput, format!("`{}` is not a regular file", path.display()))
}

/// Fails where something else lies in the place of a folder, such as a link to another one.
pub fn must_be_folder(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_dir() => {
            Err(Error::new(ErrorKind::InvalidInput, format!("`{}` is not a directory", path.display())))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reads a file, up to so many bytes of it.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, Access::Read)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same for a text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

/// Writes a small file anew. It may be read half-written: for notes that are only a hint.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open(path, Access::Replace)?.write_all(bytes)
}

/// Removes a file, or a link that lies in its place. One that is not there is as good.
pub fn remove(path: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let removed = openat(CWD, folder, flags, Mode::empty())
        .and_then(|folder| unlinkat(&folder, name, AtFlags::empty()));
    match removed {
        Err(error) if error != rustix::io::Errno::NOENT => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    const ALL: [Access; 6] =
        [Access::Read, Access::Change, Access::Update, Access::Append, Access::Replace, Access::New];

    #[test]
    fn regular_files_are_opened_for_their_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("note");
        assert_eq!(open(&path, Access::Read).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(open(&path, Access::Change).unwrap_err().kind(), ErrorKind::NotFound);
        write(&path, b"one two").unwrap();
        write(&path, b"three").unwrap();
        open(&path, Access::Append).unwrap().write_all(b"!").unwrap();
        assert_eq!(read_text(&path, 64).unwrap(), "three!");
        assert_eq!(read(&path, 2).unwrap(), b"th");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(open(&path, Access::New).unwrap_err().kind(), ErrorKind::AlreadyExists);
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
        assert!(open(&path, Access::New).is_ok());
    }

    #[test]
    fn links_and_pipes_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let (outside, state) = (dir.path().join("outside"), dir.path().join("state"));
        fs::create_dir(&outside).unwrap();
        fs::create_dir(&state).unwrap();
        fs::write(outside.join("mine"), "mine").unwrap();
        symlink(outside.join("mine"), state.join("link")).unwrap();
        symlink(outside.join("new"), state.join("dangling")).unwrap();
        symlink(&outside, state.join("folder")).unwrap();
        let fifo = state.join("fifo");
        rustix::fs::mknodat(CWD, &fifo, rustix::fs::FileType::Fifo, Mode::RWXU, 0).unwrap();
        for name in ["link", "dangling", "folder", "folder/mine", "folder/new", "fifo"] {
            for access in ALL {
                let error = open(&state.join(name), access).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name} {access:?}: {error}");
            }
        }
        assert!(
            must_be_folder(&state.join("folder")).is_err() && must_be_folder(&state.join("none")).is_ok()
        );
        assert!(remove(&state.join("folder/mine")).is_err());
        assert_eq!(fs::read_to_string(outside.join("mine")).unwrap(), "mine");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }
}
