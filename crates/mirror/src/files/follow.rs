//! The follower: lets the files follow the log, in turn with other processes that do.
//!
//! The cursor moves behind an entry only when all its files stand; whoever is killed in between is repeated by the next one.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use interagent_store::{Store, StoreError};

use super::cursor::{self, Cursor, Due, Record, Turn};
use super::pass::{Pass, Progress};
use super::tree::{Extent, Tree, Trouble};

/// How long a short command writes files after its answer.
pub(super) const BRIEF: Duration = Duration::from_millis(5);
/// How long whoever compares all files waits for others that write them, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// How much is done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// What a command may cost after its answer: some entries, a few milliseconds.
    Brief,
    /// Everything that changed.
    Resident,
    /// Everything that changed; then every file is compared with what it should say, as far as somebody touched it.
    Whole,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Another process writes the files, and will look again before it ends.
    pub busy: bool,
    /// Files that were written.
    pub written: u64,
    /// Files that were taken away because their matter stands elsewhere now.
    pub removed: u64,
    /// Changes by hand that were found and are kept under these names.
    pub kept: Vec<String>,
    /// Files in which text that somebody wrote above the line was moved below it.
    pub moved: Vec<String>,
    /// What was not written, and why.
    pub troubles: Vec<String>,
}

/// Why files could not be followed at all.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The log could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cursor could not be read or written.
    #[error("the cursor of the readable files: {0}")]
    Cursor(#[from] io::Error),
}

/// What ends a pass early.
#[derive(Debug)]
pub(super) enum Stop {
    Store(StoreError),
    Disk(Trouble),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Writes the files of what changed.
pub fn follow(store: &mut Store, hub_dir: &Path, bound: Bound) -> Result<Followed, FilesError> {
    let state_dir = state_dir(hub_dir);
    let began = Instant::now();
    let mut followed = Followed::default();
    let Turn::Ours(mut cursor, mut record) = turn(&state_dir, bound, began)? else {
        return Ok(Followed { busy: true, ..followed });
    };
    loop {
        record = one_turn(store, hub_dir, &state_dir, record, (bound, began), &mut followed)?;
        cursor.write(&record)?;
        match cursor.give_back()? {
            // What is left is for the next one.
            Some(_) if bound == Bound::Brief && began.elapsed() > BRIEF => return Ok(followed),
            Some(again) => cursor = again,
            None => return Ok(followed),
        }
        record = cursor.read()?;
    }
}

/// Takes the turn. A change is written by whoever has it; what is compared has to be seen by oneself.
fn turn(state_dir: &Path, bound: Bound, began: Instant) -> io::Result<Turn> {
    loop {
        let turn = Cursor::take(state_dir)?;
        let is_theirs = matches!(turn, Turn::Theirs);
        if !is_theirs || bound != Bound::Whole || began.elapsed() > PATIENCE {
            return Ok(turn);
        }
        thread::sleep(LOOK_AGAIN);
    }
}

fn one_turn(
    store: &mut Store,
    hub_dir: &Path,
    state_dir: &Path,
    mut record: Record,
    (bound, began): (Bound, Instant),
    followed: &mut Followed,
) -> Result<Record, FilesError> {
    let mut told = record.due.has(Due::OBSTACLE) || record.due.has(Due::BLOCKED);
    match Tree::open(hub_dir) {
        Ok(tree) => {
            let mut pass = Pass::new(tree, record, (bound, began));
            // Each step has a snapshot of its own: a long one would keep the store from tidying up.
            let ended = loop {
                match store.read(|reader| pass.run(reader)) {
                    Ok(Progress::More) => {}
                    Ok(Progress::There) => break Ok(()),
                    Err(stop) => break Err(stop),
                }
            };
            record = pass.end(bound, followed);
            match ended {
                Ok(()) => {
                    record.due.take(Due::BLOCKED);
                }
                Err(Stop::Store(error)) => return Err(error.into()),
                Err(Stop::Disk(trouble)) => blocked(&mut record, &trouble, followed),
            }
        }
        Err(trouble) => blocked(&mut record, &trouble, followed),
    }
    if !followed.troubles.is_empty() {
        cursor::tell(state_dir, &followed.troubles);
        told = false;
    }
    // Who compared every file knows better than what was noted.
    told |= bound == Bound::Whole && followed.troubles.is_empty();
    if told && !record.due.has(Due::OBSTACLE) && !record.due.has(Due::BLOCKED) {
        cursor::untell(state_dir);
    }
    Ok(record)
}

fn blocked(record: &mut Record, trouble: &Trouble, followed: &mut Followed) {
    if trouble.extent == Extent::Now {
        return;
    }
    record.due.add(Due::BLOCKED);
    followed.troubles.push(sentence(trouble));
}

pub(super) fn sentence(trouble: &Trouble) -> String {
    format!("{} was not written: {}", trouble.path, trouble.why)
}

/// The store's directory of a hub.
pub(super) fn state_dir(hub_dir: &Path) -> PathBuf {
    hub_dir.join("state")
}
