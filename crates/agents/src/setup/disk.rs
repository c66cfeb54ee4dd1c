//! Looking at files: what planning needs of the disk.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Longest file that is read; settings that grew for years have a few MiB.
const FILE_BYTES: u64 = 32 * 1024 * 1024;

/// What planning needs of the disk.
pub trait Disk {
    /// The text of a file; none where there is no such file.
    fn read(&self, path: &Path) -> io::Result<Option<String>>;

    /// The file that a path leads to, all links followed, also where the file itself is not there yet.
    fn target(&self, path: &Path) -> io::Result<PathBuf>;
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Option<String>> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
            Ok(found) if !found.is_file() => return Err(io::Error::other("it is not a regular file")),
            Ok(found) if found.len() > FILE_BYTES => {
                return Err(io::Error::other("it is larger than 32 MiB"));
            }
            Ok(_) => {}
        }
        let mut text = Vec::new();
        std::fs::File::open(path)?.take(FILE_BYTES).read_to_end(&mut text)?;
        let not_text = |_| io::Error::other("it is not UTF-8 text");
        String::from_utf8(text).map(Some).map_err(not_text)
    }

    fn target(&self, path: &Path) -> io::Result<PathBuf> {
        match std::fs::canonicalize(path) {
            Ok(target) => return Ok(target),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Err(_) if path.is_symlink() => return Err(io::Error::other("it is a link that leads nowhere")),
            Err(_) => {}
        }
        match (path.parent(), path.file_name()) {
            (Some(above), Some(name)) => Ok(self.target(above)?.join(name)),
            _ => Ok(path.to_owned()),
        }
    }
}
