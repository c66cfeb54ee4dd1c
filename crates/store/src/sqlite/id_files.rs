//! The small files that identify a store: its id and its private key beside the database, and the id of the user's state
//! directory.
//!
//! Each is written once, whole, for their owner alone. A file that can't be read is reported as such: the caller must
//! not take it for a missing one.

use std::fs::{DirBuilder, File};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use interagent_core::draft::Fresh;
use interagent_core::ids::{StoreId, UserStateId};
use interagent_core::signature::SecretKey;
use interagent_core::store_identity::IdFile;
use rustix::fs::{Mode, OFlags};

use super::files;
use crate::append::seed;
use crate::engine::KeyFile;
use crate::error::StoreError;
use crate::side::Access;

/// The user's file in the directory that is given for it.
const USER_FILE: &str = "user-id";
/// Longest file that is taken for one of ours.
const ID_BYTES: u64 = 128;

/// Reads the id of a store.
pub(super) fn read_store_id(path: &Path) -> IdFile {
    match read(path) {
        Ok(text) => text.and_then(|text| StoreId::parse(&text).ok()).map_or(IdFile::Missing, IdFile::Holds),
        Err(error) => IdFile::Unreadable(error.to_string()),
    }
}

/// Writes the id of a store and makes it durable. The caller holds the gate, or is alone with the directory.
pub(super) fn write_store_id(path: &Path, id: &StoreId) -> Result<(), StoreError> {
    write_whole(path, id.as_str())
}

/// Reads the private key of a replica. A file that holds something else is an error, never a missing one.
pub(super) fn read_key(path: &Path) -> KeyFile {
    match read(path) {
        Ok(None) => KeyFile::Missing,
        Ok(Some(text)) => match SecretKey::parse(&text) {
            Ok(key) => KeyFile::Holds(Box::new(key)),
            Err(why) => KeyFile::Unreadable(why.to_string()),
        },
        Err(error) => KeyFile::Unreadable(error.to_string()),
    }
}

/// Writes a new file of one line where its owner wants it; one that exists is left alone.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), StoreError> {
    files::make_new_file(path)?;
    let mut file = File::options().write(true).open(path).map_err(|e| StoreError::io("open", path, e))?;
    writeln!(file, "{text}").and_then(|()| file.sync_all()).map_err(|e| StoreError::io("write", path, e))
}

/// Writes a file of one line, whole or not at all, and makes it durable.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), StoreError> {
    let unfinished = path.with_extension("new");
    match std::fs::remove_file(&unfinished) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(StoreError::io("remove", unfinished, e));
        }
        _ => {}
    }
    fill(&unfinished, text)?;
    std::fs::rename(&unfinished, path).map_err(|e| StoreError::io("name", path, e))?;
    path.parent().map_or(Ok(()), files::flush_dir)
}

/// The id of the user's state directory, where it is there and can be read.
pub(crate) fn find_user_id(dir: Option<&Path>) -> Option<UserStateId> {
    let text = read(&dir?.join(USER_FILE)).ok()??;
    UserStateId::parse(&text).ok()
}

/// The same, written where it is missing. It only describes a doubt, so a directory that refuses it is no error.
pub(crate) fn ensure_user_id(dir: Option<&Path>) -> Option<UserStateId> {
    let known = find_user_id(dir);
    if known.is_some() {
        return known;
    }
    let dir = dir?;
    DirBuilder::new().recursive(true).mode(0o700).create(dir).ok()?;
    let id = UserStateId::from_bits(Fresh::new(seed().ok()?).bits());
    let unfinished = dir.join(format!("{USER_FILE}.{id}"));
    // A link fails where another process was first, so both end with one id.
    let made = fill(&unfinished, id.as_str()).map(|()| std::fs::hard_link(&unfinished, dir.join(USER_FILE)));
    let _ = std::fs::remove_file(&unfinished);
    made.ok()?.ok();
    find_user_id(Some(dir))
}

fn fill(path: &Path, text: &str) -> Result<(), StoreError> {
    let mut file = files::open_side_file(path, Access::New)?;
    writeln!(file, "{text}").and_then(|()| file.sync_all()).map_err(|e| StoreError::io("write", path, e))
}

/// The text of a file of ours; none where there is no file. Opened by its path, not by `side`: the user's directory may be
/// reached through a link, and faults are injected by the path.
fn read(path: &Path) -> Result<Option<String>, StoreError> {
    // NONBLOCK: a FIFO in its place must not hang the open.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => {
            return Err(match files::look(path)? {
                Some(meta) if !meta.is_file() => files::not_ours(path, "file", &meta),
                _ => StoreError::io("open", path, error.into()),
            });
        }
    };
    let meta = file.metadata().map_err(|e| StoreError::io("look at", path, e))?;
    if !meta.is_file() {
        return Err(files::not_ours(path, "file", &meta));
    }
    let mut bytes = Vec::new();
    file.take(ID_BYTES).read_to_end(&mut bytes).map_err(|e| StoreError::io("read", path, e))?;
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn store_id_is_read_back_and_never_guessed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store-id");
        assert_eq!(read_store_id(&path), IdFile::Missing);
        for bits in [1, 2] {
            write_store_id(&path, &StoreId::from_bits(bits)).unwrap();
            assert_eq!(read_store_id(&path), IdFile::Holds(StoreId::from_bits(bits)));
        }
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode, std::fs::read_dir(dir.path()).unwrap().count()), (0o600, 1));
        for damaged in ["", "store-1", "\u{0}", "store-7k2m9q4x1c8v and more"] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(read_store_id(&path), IdFile::Missing, "{damaged:?}");
        }
        let elsewhere = dir.path().join("elsewhere");
        std::fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert!(matches!(read_store_id(&path), IdFile::Unreadable(why) if why.contains("a symbolic link")));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(read_store_id(&path), IdFile::Unreadable(why) if why.contains("a directory")));
    }

    #[test]
    fn user_id_is_written_once() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("state/interagent");
        assert_eq!((find_user_id(Some(&dir)), find_user_id(None), ensure_user_id(None)), (None, None, None));
        let id = ensure_user_id(Some(&dir)).unwrap();
        assert_eq!((ensure_user_id(Some(&dir)), find_user_id(Some(&dir))), (Some(id.clone()), Some(id)));
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(ensure_user_id(Some(&file)), None, "no directory can be made there");
    }
}
