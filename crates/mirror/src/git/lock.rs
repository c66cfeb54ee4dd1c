//! One sync of a hub at a time, and what a git that was killed left locked.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_store::side::{self, Access};

use super::error::GitError;
use super::layout::{BRANCH_REF, NEXT_REF, fetched_ref};
use super::remote::Remote;
use super::run::Git;

/// Longer than a sync without trouble takes; one that waits for a password is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// git holds a reference for milliseconds.
const LEFT_BEHIND: Duration = Duration::from_secs(2);

/// Unlocks our own references. Nobody but the sync of this hub writes them, and there is one at a time: what stays locked
/// was left by a git that was killed.
pub(super) fn unlock_references(git: &Git, remote: Option<&Remote>) {
    let fetched = remote.map(|remote| fetched_ref(&remote.name));
    let until = Instant::now() + LEFT_BEHIND;
    for reference in [Some(BRANCH_REF), Some(NEXT_REF), fetched.as_deref()].into_iter().flatten() {
        let lock = git.common_dir().join(format!("{reference}.lock"));
        while lock.exists() {
            if Instant::now() >= until {
                // Where it can't be removed, git says so by itself.
                let _ = std::fs::remove_file(&lock);
                break;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

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
        let file = side::open(&path, Access::Update)
            .map_err(|source| GitError::Write { path: path.clone(), source })?;
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
