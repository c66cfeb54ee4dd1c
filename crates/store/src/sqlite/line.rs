//! The line before the writer gate: who came first goes first.
//!
//! A freed file lock wakes everybody who waits for it, and whoever runs first gets it: with 32 writers every commit
//! woke 31 processes, and some were passed again and again. So a waiter holds a slot file of its own and waits for
//! the slot before it; only the first in line waits for the gate itself. The line only orders: mutual exclusion is the
//! gate's alone, so a killed waiter, a damaged number or a line that is too long costs order and nothing else.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::files::{make_private_dir, open_side_file};
use crate::error::StoreError;
use crate::side::Access;

/// So many wait in order; who comes then waits at the gate without a place. Each slot is an empty file, made when needed.
const SLOTS: u32 = 64;
/// Bytes of the last slot's number, padded, so that a shorter one overwrites a longer one.
const NUMBER_BYTES: usize = 4;

/// The line of one store.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    dir: PathBuf,
}

/// A place in the line, given up when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _own: File,
    before: Option<File>,
}

impl Line {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Whether nobody waits, as far as one look can tell.
    pub(crate) fn is_empty(&self) -> Result<bool, StoreError> {
        let tail = self.tail()?;
        Ok(is_free(&tail) && is_free(&self.slot(last_slot(&tail))?))
    }

    /// Takes the place behind the last one. None when the line is too long. Blocks while others join.
    pub(crate) fn join(&self) -> Result<Option<Place>, StoreError> {
        let tail = self.tail()?;
        lock(&tail).map_err(|e| StoreError::io("lock", &self.dir, e))?;
        let last = last_slot(&tail);
        let before = Some(self.slot(last)?).filter(|slot| !is_free(slot));
        // Behind nobody a new line begins at the first slot, so that a quiet store keeps few files.
        let mine = if before.is_some() { (last + 1) % SLOTS } else { 0 };
        let own = self.slot(mine)?;
        // A waiter holds its slot and waits for the one before it. With the slot behind mine free, mine is nobody's
        // slot before, so a full circle of waiters can't come to be.
        if own.try_lock().is_err() || !is_free(&self.slot((mine + 1) % SLOTS)?) {
            return Ok(None);
        }
        let number = format!("{mine:<width$}\n", width = NUMBER_BYTES - 1);
        tail.write_at(number.as_bytes(), 0).map_err(|e| StoreError::io("write", &self.dir, e))?;
        Ok(Some(Place { _own: own, before }))
    }

    fn tail(&self) -> Result<File, StoreError> {
        self.open(&self.dir.join("last"))
    }

    fn slot(&self, number: u32) -> Result<File, StoreError> {
        self.open(&self.dir.join(number.to_string()))
    }

    fn open(&self, path: &Path) -> Result<File, StoreError> {
        match open_side_file(path, Access::Update) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                make_private_dir(&self.dir)?;
                open_side_file(path, Access::Update)
            }
            opened => opened,
        }
    }
}

impl Place {
    /// Blocks until the place before is given up, by going on or by dying.
    pub(crate) fn wait(&self) -> io::Result<()> {
        let Some(before) = &self.before else { return Ok(()) };
        lock(before)?;
        before.unlock()
    }
}

/// Locks, however often a signal interrupts.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Whether nobody holds it. Lookers don't hinder each other; their lock ends with the file. Where locks fail, the gate
/// itself says so.
fn is_free(file: &File) -> bool {
    file.try_lock_shared().is_ok()
}

/// The slot of who came last. What is no number stands for the first slot: it costs order only.
fn last_slot(tail: &File) -> u32 {
    let mut number = [0; NUMBER_BYTES];
    let read = tail.read_at(&mut number, 0).unwrap_or(0);
    let text = number.get(..read).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    text.trim().parse().map_or(0, |slot: u32| slot % SLOTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    fn line() -> (tempfile::TempDir, Line) {
        let dir = tempfile::tempdir().unwrap();
        let line = Line::new(dir.path().join("line"));
        (dir, line)
    }

    #[test]
    fn places_are_passed_in_the_order_they_were_taken() {
        let (_dir, line) = line();
        assert!(line.is_empty().unwrap());
        let (passed, order) = channel();
        let first = line.join().unwrap().unwrap();
        assert!(!line.is_empty().unwrap());
        let threads: Vec<_> = (1..10)
            .map(|number| {
                let place = line.join().unwrap().unwrap();
                let passed = passed.clone();
                std::thread::spawn(move || {
                    place.wait().unwrap();
                    passed.send(number).unwrap();
                })
            })
            .collect();
        assert!(order.recv_timeout(Duration::from_millis(50)).is_err(), "nobody passes the first");
        first.wait().unwrap();
        drop(first);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(order.try_iter().collect::<Vec<_>>(), (1..10).collect::<Vec<_>>());
        assert!(line.is_empty().unwrap());
    }

    #[test]
    fn a_quiet_line_begins_again_at_the_first_slot() {
        let (dir, line) = line();
        for _ in 0..10 {
            drop(line.join().unwrap().unwrap());
        }
        assert!(std::fs::read_dir(dir.path().join("line")).unwrap().count() <= 4);
    }

    #[test]
    fn a_full_line_gives_no_place_and_never_closes_the_circle() {
        let (_dir, line) = line();
        let mut places: Vec<_> = std::iter::from_fn(|| line.join().unwrap()).collect();
        assert_eq!(places.len() as u32, SLOTS - 1);
        places.remove(0);
        let newest = line.join().unwrap();
        assert!(newest.is_some());
        // The second has not run yet and still waits for the first slot: it must not be given to who comes last.
        assert!(line.join().unwrap().is_none());
        places.remove(0);
        assert!(line.join().unwrap().is_some());
    }

    #[test]
    fn a_damaged_number_costs_order_only() {
        let (dir, line) = line();
        let place = line.join().unwrap().unwrap();
        std::fs::write(dir.path().join("line/last"), "what?").unwrap();
        let behind = line.join().unwrap().unwrap();
        drop(place);
        behind.wait().unwrap();
    }
}
