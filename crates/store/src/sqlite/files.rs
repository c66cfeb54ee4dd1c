//! The files of a store: where they lie, how they are made, and what is refused in their place.
//!
//! Owns names, modes and the judgement of file systems. Never opens the database file: closing such a
//! descriptor would drop SQLite's locks of the whole process.

use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::error::StoreError;
use crate::side::{self, Access};

/// Names of the files below the state directory.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) state_dir: PathBuf,
    pub(crate) database: PathBuf,
}

/// What identifies a file while it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    pub(crate) inode: u64,
}

/// What lies at the place of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Database(FileIdentity),
    Nothing,
}

impl Layout {
    /// Absolute paths, so that a later change of the working directory cannot move the store.
    pub(crate) fn new(state_dir: &Path) -> Result<Self, StoreError> {
        let state_dir =
            std::path::absolute(state_dir).map_err(|e| StoreError::io("resolve", state_dir, e))?;
        let database = state_dir.join("hub.db");
        Ok(Self { state_dir, database })
    }

    pub(crate) fn wal(&self) -> PathBuf {
        self.state_dir.join("hub.db-wal")
    }

    pub(crate) fn shared_memory(&self) -> PathBuf {
        self.state_dir.join("hub.db-shm")
    }

    /// The database while it is being made: renamed into place when it is whole.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.state_dir.join("hub.db.new")
    }

    pub(crate) fn gate(&self) -> PathBuf {
        self.state_dir.join("gate")
    }

    /// Where writers stand in line for the gate.
    pub(crate) fn line(&self) -> PathBuf {
        self.state_dir.join("line")
    }

    pub(crate) fn signal_dir(&self) -> PathBuf {
        self.state_dir.join("signal")
    }

    pub(crate) fn signal(&self) -> PathBuf {
        self.state_dir.join("signal").join("wake")
    }

    /// Says that a database was made here once, so that a missing one is never taken for a new store.
    pub(crate) fn marker(&self) -> PathBuf {
        self.state_dir.join("created")
    }

    /// Holds the id of the store.
    pub(crate) fn store_id(&self) -> PathBuf {
        self.state_dir.join("store-id")
    }

    /// Holds the private key of the replica.
    pub(crate) fn key(&self) -> PathBuf {
        self.state_dir.join("key")
    }

    /// Refuses anything but a real directory. False when there is nothing.
    pub(crate) fn has_state_dir(&self) -> Result<bool, StoreError> {
        match look(&self.state_dir)? {
            None => Ok(false),
            Some(meta) if meta.is_dir() => Ok(true),
            Some(meta) => Err(not_ours(&self.state_dir, "directory", &meta)),
        }
    }

    /// Makes the state directory and the signal directory for the owner alone.
    pub(crate) fn make_dirs(&self) -> Result<(), StoreError> {
        for dir in [self.state_dir.clone(), self.signal_dir()] {
            match look(&dir)? {
                None => make_private_dir(&dir)?,
                Some(meta) if !meta.is_dir() => return Err(not_ours(&dir, "directory", &meta)),
                Some(meta) if meta.mode() & 0o077 != 0 => {
                    std::fs::set_permissions(&dir, Permissions::from_mode(0o700))
                        .map_err(|e| StoreError::io("restrict", dir, e))?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Looks at the place of the database without opening it.
    pub(crate) fn find_database(&self) -> Result<Found, StoreError> {
        let Some(meta) = look(&self.database)? else {
            return if exists(&self.marker())? || exists(&self.wal())? {
                Err(StoreError::Gone { path: self.database.clone() })
            } else {
                Ok(Found::Nothing)
            };
        };
        if !meta.is_file() {
            return Err(not_ours(&self.database, "database", &meta));
        }
        if meta.len() == 0 {
            return Err(StoreError::Emptied { path: self.database.clone() });
        }
        Ok(Found::Database(identity(&meta)))
    }

    /// Fails when the database is no longer the file that was opened.
    pub(crate) fn still_there(&self, opened: FileIdentity) -> Result<(), StoreError> {
        match look(&self.database)? {
            Some(meta) if identity(&meta) == opened => Ok(()),
            _ => Err(StoreError::Replaced { path: self.database.clone() }),
        }
    }
}

/// Makes a directory for the owner alone; one that another process just made is as good.
pub(crate) fn make_private_dir(dir: &Path) -> Result<(), StoreError> {
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(StoreError::io("create", dir, e)),
        _ => Ok(()),
    }
}

fn identity(meta: &Metadata) -> FileIdentity {
    FileIdentity { device: meta.dev(), inode: meta.ino() }
}

/// Metadata without following a symbolic link; none when there is nothing.
pub(crate) fn look(path: &Path) -> Result<Option<Metadata>, StoreError> {
    match std::fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::io("look at", path, e)),
    }
}

pub(crate) fn exists(path: &Path) -> Result<bool, StoreError> {
    Ok(look(path)?.is_some())
}

/// Bytes of a file; 0 when it does not exist.
pub(crate) fn length(path: &Path) -> Result<u64, StoreError> {
    Ok(look(path)?.map_or(0, |meta| meta.len()))
}

/// Opens one of our small files for reading and writing, making it for the owner alone, never through a link.
pub(crate) fn open_side_file(path: &Path, access: Access) -> Result<File, StoreError> {
    side::open(path, access).map_err(|error| {
        let folder = path.parent().unwrap_or(path);
        match (look(folder), look(path)) {
            (Ok(Some(meta)), _) if !meta.is_dir() => not_ours(folder, "directory", &meta),
            (_, Ok(Some(meta))) if !meta.is_file() => not_ours(path, "file", &meta),
            _ => StoreError::io("open", path, error),
        }
    })
}

/// Makes a new empty file for the owner alone; fails when the name is taken.
pub(crate) fn make_new_file(path: &Path) -> Result<(), StoreError> {
    // A backup goes where its owner says, also through a link to another folder.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)
        .map(drop)
        .map_err(|error| StoreError::io("open", path, error.into()))
}

/// Makes names in a directory survive a power cut.
pub(crate) fn flush_dir(dir: &Path) -> Result<(), StoreError> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| StoreError::io("flush", dir, e))
}

pub(crate) fn not_ours(path: &Path, expected: &'static str, meta: &Metadata) -> StoreError {
    let kind = meta.file_type();
    let found = if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_file() {
        "a file"
    } else {
        "a device"
    };
    StoreError::NotOurs { path: path.to_owned(), expected, found }
}

/// Name of the file system type that a directory lies on, and whether it may carry a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileSystem {
    pub(crate) name: &'static str,
    pub(crate) safe: bool,
}

impl FileSystem {
    /// Judges the type number of `statfs`. A type we do not know is taken for a local one.
    fn judge(magic: u64) -> Self {
        let (name, safe) = match magic {
            0x6969 => ("NFS", false),
            0x517B => ("SMB", false),
            0xFE53_4D42 => ("SMB2", false),
            0xFF53_4D42 => ("CIFS", false),
            // Also Windows drives (/mnt/c) under WSL 2.
            0x0102_1997 => ("9p (or a Windows drive under WSL)", false),
            // Also virtiofs and sshfs.
            0x6573_5546 => ("FUSE", false),
            0x786F_4256 => ("a VirtualBox shared folder", false),
            0x5346_414F | 0x6B41_4653 => ("AFS", false),
            0x00C3_6400 => ("Ceph", false),
            0x0BD0_0BD0 => ("Lustre", false),
            0xEF53 => ("ext4", true),
            0x5846_5342 => ("XFS", true),
            0x9123_683E => ("btrfs", true),
            0x0102_1994 => ("tmpfs", true),
            0x794C_7630 => ("overlayfs", true),
            0x2FC1_2FC1 => ("ZFS", true),
            0xF2F5_2010 => ("F2FS", true),
            _ => ("unknown", true),
        };
        Self { name, safe }
    }
}

/// The file system of a directory. Outside Linux it is not judged.
#[cfg(target_os = "linux")]
pub(crate) fn file_system(dir: &Path) -> Result<FileSystem, StoreError> {
    let facts = rustix::fs::statfs(dir).map_err(|e| StoreError::io("look at", dir, e.into()))?;
    // The type is 32 bits wide; its field is wider and signed on some machines.
    Ok(FileSystem::judge(u64::from(facts.f_type as u32)))
}

/// The file system of a directory. Outside Linux it is not judged.
#[cfg(not(target_os = "linux"))]
pub(crate) fn file_system(_dir: &Path) -> Result<FileSystem, StoreError> {
    Ok(FileSystem { name: "unknown", safe: true })
}

/// Refuses a directory whose file system cannot keep the promise.
pub(crate) fn refuse_unsafe_file_system(dir: &Path) -> Result<(), StoreError> {
    refuse(dir, file_system(dir)?)
}

fn refuse(dir: &Path, fs: FileSystem) -> Result<(), StoreError> {
    if fs.safe { Ok(()) } else { Err(StoreError::FileSystem { path: dir.to_owned(), file_system: fs.name }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn network_and_user_space_file_systems_are_refused_by_name() {
        for (magic, name) in [
            (0x6969, "NFS"),
            (0x517B, "SMB"),
            (0xFE53_4D42, "SMB2"),
            (0xFF53_4D42, "CIFS"),
            (0x0102_1997, "9p"),
            (0x6573_5546, "FUSE"),
        ] {
            let error = refuse(Path::new("/hub/state"), FileSystem::judge(magic)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileSystem);
            assert!(error.to_string().contains(name), "{error}");
        }
        for magic in [0xEF53, 0x5846_5342, 0x0102_1994, 0x1234_5678] {
            refuse(Path::new("/hub/state"), FileSystem::judge(magic)).unwrap();
        }
    }

    #[test]
    fn the_temporary_directory_has_a_judged_file_system() {
        let dir = tempfile::tempdir().unwrap();
        assert!(file_system(dir.path()).unwrap().safe);
    }
}
