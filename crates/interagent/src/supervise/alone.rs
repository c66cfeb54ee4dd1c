//! One supervisor for each hub: whoever holds the lock of a file is it, and the file says which process that is.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_store::side::{self, Access};
use interagent_store::{Clock, SystemClock, live};

use crate::config::processes;

/// The file below the store's directory.
const FILE: &str = live::SUPERVISOR;
/// Longest file that is read: two numbers are shorter.
const BYTES: u64 = 64;

/// How long one that was killed may take to be gone.
const LEAVING: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(20);

/// Being the only supervisor, for as long as this lives.
pub(super) struct Alone {
    lock: File,
}

impl Alone {
    /// Takes the place, or says who has it, where that is known.
    pub(super) fn take(state_dir: &Path) -> io::Result<Result<Self, Option<i64>>> {
        let mut file = side::open(&state_dir.join(FILE), Access::Update)?;
        let until = Instant::now() + LEAVING;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) => {}
            }
            file.rewind()?;
            let process = process_in(&mut file);
            let lives = process.is_some_and(|(pid, started)| SystemClock::new().is_running(pid, started));
            // One that was killed a moment ago holds its place until the last of its threads is gone.
            if lives || Instant::now() > until {
                return Ok(Err(process.map(|(pid, _)| pid)));
            }
            std::thread::sleep(LOOK);
        }
        let pid = i64::from(std::process::id());
        let started = processes::started_at(pid).unwrap_or_default();
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{pid} {started}").as_bytes())?;
        Ok(Ok(Self { lock: file }))
    }
}

/// The process that supervises a hub, where one does. The lock is not touched: whoever took it for a look would be in the way
/// of a supervisor that comes.
pub(crate) fn holder(state_dir: &Path) -> Option<i64> {
    let (pid, started) = process_in(&mut side::open(&state_dir.join(FILE), Access::Read).ok()?)?;
    SystemClock::new().is_running(pid, started).then_some(pid)
}

impl Drop for Alone {
    fn drop(&mut self) {
        // What stays is a number without a lock.
        let _ = self.lock.set_len(0);
    }
}

/// A process and when it started: numbers are used again.
fn process_in(file: &mut File) -> Option<(i64, i64)> {
    let mut text = String::new();
    Read::take(file, BYTES).read_to_string(&mut text).ok()?;
    let (pid, started) = text.trim().split_once(' ')?;
    Some((pid.parse().ok()?, started.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let first = Alone::take(dir.path()).unwrap().ok().unwrap();
        let pid = i64::from(std::process::id());
        assert_eq!(Alone::take(dir.path()).unwrap().err(), Some(Some(pid)));
        assert_eq!(holder(dir.path()), Some(pid));
        drop(first);
        assert_eq!(holder(dir.path()), None);
        assert!(Alone::take(dir.path()).unwrap().is_ok());
    }

    #[test]
    fn looking_who_it_is_keeps_nobody_from_becoming_it() {
        let dir = tempfile::tempdir().unwrap();
        drop(Alone::take(dir.path()).unwrap().ok().unwrap());
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                    holder(dir.path());
                }
            });
            let takes = (0..2000).filter(|_| Alone::take(dir.path()).unwrap().is_ok()).count();
            is_over.store(true, std::sync::atomic::Ordering::SeqCst);
            assert_eq!(takes, 2000);
        });
    }

    #[test]
    fn one_that_was_killed_supervises_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let pid = i64::from(std::process::id());
        let started = processes::started_at(pid).unwrap();
        for left in [format!("{pid} {}", started + 1), pid.to_string(), String::new()] {
            std::fs::write(dir.path().join(FILE), left).unwrap();
            assert_eq!(holder(dir.path()), None);
        }
    }
}
