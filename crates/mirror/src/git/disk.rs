//! Files on disk: replaced whole, read up to a bound, and never through a link.
//!
//! `store::side` changes files where they are; the history and its notes must never be seen half-written.

use std::fs::{self, OpenOptions};
use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::error::GitError;
use super::layout::MOST_BYTES;

/// Reads a file whole. A link, a pipe or what is larger than anything of ours is not read.
pub(super) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let too_large = || {
        let words = format!("it has more than {} MiB, and no file of ours has", MOST_BYTES / (1024 * 1024));
        Error::new(ErrorKind::FileTooLarge, words)
    };
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file"));
    }
    if found.len() > MOST_BYTES {
        return Err(too_large());
    }
    // It may grow while it is read.
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// Replaces a file whole. A link in its place is replaced, never followed.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let failed = |source| GitError::Write { path: path.to_owned(), source };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    // A left-over of a process that had our number, or a link that somebody put there.
    let _ = fs::remove_file(&temporary);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}
