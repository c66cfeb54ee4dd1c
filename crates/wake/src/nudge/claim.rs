//! The right to type into a pane: one at a time, and with a note of what is typed, so that a line whose writer was killed
//! before Enter is known for what it is.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::Duration;

use rustix::fs::OFlags;

use super::{Reason, Target};
use crate::process::Registered;

/// Longest note that is read: a line is shorter.
const BYTES: u64 = 256;

/// A line that may stand in a composer, or come to stand there.
pub(super) struct Left {
    pub(super) line: String,
    /// How long ago it was typed.
    pub(super) age: Duration,
}

fn owner(process: &Registered) -> String {
    format!("{} {} {}", process.pid, process.started, process.boot)
}

/// The lock of one pane, free again when the process ends. It lies beside the socket of its server, where everybody finds it
/// who could type there, whichever hub sends them.
pub(super) struct Claim {
    file: File,
}

impl Claim {
    pub(super) fn take(target: Target<'_>) -> Result<Self, Reason> {
        let mut path = target.server.true_socket().into_os_string();
        path.push(format!(".interagent-pane-{}", target.pane.as_str().trim_start_matches('%')));
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        // The socket may lie where others write too: a link of theirs is not followed.
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let file = options.open(path).map_err(|_| Reason::NoLock)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(Reason::Locked),
            Err(TryLockError::Error(_)) => Err(Reason::NoLock),
        }
    }

    /// What somebody typed to a process who did not come to an end with it. What another process was typed is not in this one's
    /// composer, also where it stands in the same pane.
    pub(super) fn left(&mut self, process: &Registered) -> Option<Left> {
        self.file.rewind().ok()?;
        let mut text = String::new();
        Read::take(&mut self.file, BYTES).read_to_string(&mut text).ok()?;
        let (whose, line) = text.split_once('\n')?;
        // A clock that was set back makes it new.
        let age = self.file.metadata().ok()?.modified().ok()?.elapsed().unwrap_or_default();
        (whose == owner(process)).then(|| Left { line: line.to_owned(), age })
    }

    /// To be called before a line is typed. Where it can't be noted, a kill in the next second leaves a line to the person.
    pub(super) fn note(&mut self, process: &Registered, line: &str) {
        let _ = self.file.set_len(0).and_then(|()| self.file.rewind());
        let _ = self.file.write_all(format!("{}\n{line}", owner(process)).as_bytes());
    }

    /// It came to an end, one way or another.
    pub(super) fn clear(&mut self) {
        let _ = self.file.set_len(0);
    }
}
