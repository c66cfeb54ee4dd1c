//! The right to type into a pane: one at a time, and with a note of what is typed, so that a line whose writer was killed
//! before Enter is known for what it is.

use std::fs::File;
use std::io::{Read, Seek, Write};

use super::Target;

/// Longest note that is read: a line is shorter.
const BYTES: u64 = 256;

/// The lock of one pane of one server, free again when the process ends.
pub(super) struct Claim {
    file: File,
}

impl Claim {
    pub(super) fn take(target: Target<'_>) -> Option<Self> {
        let plain = |symbol: char| if symbol.is_ascii_alphanumeric() { symbol } else { '-' };
        let server: String = target.server.socket().to_string_lossy().chars().map(plain).collect();
        let name = format!("pane{server}-{}", target.pane.as_str().trim_start_matches('%'));
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).open(target.locks.join(name));
        let file = file.ok()?;
        file.try_lock().ok()?;
        Some(Self { file })
    }

    /// What somebody typed who did not come to an end with it.
    pub(super) fn left(&mut self) -> Option<String> {
        self.file.rewind().ok()?;
        let mut text = String::new();
        Read::take(&mut self.file, BYTES).read_to_string(&mut text).ok()?;
        (!text.is_empty()).then_some(text)
    }

    /// To be called before a line is typed. Where it can't be noted, a kill in the next second leaves a line to the person.
    pub(super) fn note(&mut self, line: &str) {
        let _ = self.file.set_len(0).and_then(|()| self.file.rewind());
        let _ = self.file.write_all(line.as_bytes());
    }

    /// It came to an end, one way or another.
    pub(super) fn clear(&mut self) {
        let _ = self.file.set_len(0);
    }
}
