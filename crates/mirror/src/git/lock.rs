//! One sync of a hub at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::GitError;

/// Longer than a sync without trouble takes; one that waits for a password is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// Held until it is dropped, also by a process that is killed.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(state_dir: &Path, name: &str) -> Result<Self, GitError> {
        Self::take_within(state_dir, name, PATIENCE)
    }

    pub(super) fn take_within(state_dir: &Path, name: &str, patience: Duration) -> Result<Self, GitError> {
        let path = state_dir.join(name);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(|source| GitError::Write { path: path.clone(), source })?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(LOOK_AGAIN.min(patience / 4));
                }
                Err(TryLockError::WouldBlock) => return Err(GitError::Busy { seconds: patience.as_secs() }),
                Err(TryLockError::Error(source)) => return Err(GitError::Write { path, source }),
            }
        }
    }
}
