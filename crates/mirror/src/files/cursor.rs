//! How far the files follow the log: one small file in `state/`, which is also the lock of whoever writes them.
//!
//! It is changed in place, by one small write. Losing it, or a part of it, loses nothing: all files are compared again then.
//!
//! Nobody waits for the lock. Who finds it taken leaves a mark behind the record and tries once more; who gives it back looks
//! for a mark and goes on. So an entry that was committed before either of them ended is followed by one of them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use interagent_core::entity::FOLD_VERSION;
use interagent_store::side::{self, Access};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::tree::Touched;

/// The file below the store's directory.
const FILE: &str = "files";
/// What keeps files from being written, in words; only there while something does.
const TROUBLE: &str = "files.trouble";
/// Longest text that is read of it.
const TROUBLE_BYTES: u64 = 64 * 1024;
/// One more whenever the same state gives other files than before.
const VERSION: u32 = 1;
const RECORD: usize = 128;

/// Files of the whole hub that are to be looked at again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Due(u32);

impl Due {
    pub(super) const SESSION: Self = Self(1);
    pub(super) const DASHBOARD: Self = Self(2);
    pub(super) const DECISIONS: Self = Self(4);
    pub(super) const GUIDES: Self = Self(8);
    /// Files of agents that are called otherwise now.
    pub(super) const AGENTS: Self = Self(16);
    /// All files: names changed, or the cursor was of another log.
    pub(super) const WHOLE: Self = Self(32);
    /// Something was in the way of a file.
    pub(super) const OBSTACLE: Self = Self(64);
    /// The disk kept everything from being written.
    pub(super) const BLOCKED: Self = Self(128);
    /// A file says that a text is not here, and the text may come without an entry.
    pub(super) const TEXTS: Self = Self(256);

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn take(&mut self, other: Self) -> bool {
        let had = self.has(other);
        self.0 &= !other.0;
        had
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Up to where files were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// The place of the last entry that was followed.
    pub(super) seq: i64,
    /// Its id: another log may be as long.
    pub(super) entry: String,
    pub(super) due: Due,
    /// When all files were last compared with what they should say.
    pub(super) compared: Touched,
}

impl Record {
    /// Of files that may be anything.
    pub(super) fn unknown() -> Self {
        let mut due = Due::default();
        due.add(Due::WHOLE);
        Self { due, ..Self::default() }
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let mut number = || words.next()?.parse::<i64>().ok();
        let is_ours = number()? == i64::from(VERSION) && number()? == FOLD_VERSION;
        let (seq, due) = (number()?, u32::try_from(number()?).ok()?);
        let compared = number()?;
        let entry = words.next().unwrap_or_default().to_owned();
        (is_ours && seq >= 0 && words.next().is_none()).then_some(Self {
            seq,
            entry,
            due: Due(due),
            compared,
        })
    }

    fn text(&self) -> String {
        let text =
            format!("{VERSION} {FOLD_VERSION} {} {} {} {}", self.seq, self.due.0, self.compared, self.entry);
        format!("{text:<width$}\n", width = RECORD - 1)
    }
}

/// The cursor, held by this process alone.
#[derive(Debug)]
pub(super) struct Cursor {
    file: File,
}

/// Whether this process may write files now.
#[derive(Debug)]
pub(super) enum Turn {
    Ours(Cursor, Record),
    /// Another process writes, and will look again before it ends.
    Theirs,
}

impl Cursor {
    /// Takes the turn, unless another process has it.
    pub(super) fn take(state_dir: &Path) -> io::Result<Turn> {
        let cursor = Self { file: side::open(&state_dir.join(FILE), Access::Update)? };
        if !cursor.lock()? {
            cursor.file.write_at(b"!", RECORD as u64)?;
            if !cursor.lock()? {
                return Ok(Turn::Theirs);
            }
        }
        let record = cursor.read()?;
        Ok(Turn::Ours(cursor, record))
    }

    fn lock(&self) -> io::Result<bool> {
        match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Where the files are. A mark that was left is answered by looking at the log after this.
    pub(super) fn read(&self) -> io::Result<Record> {
        let mut bytes = [0; RECORD + 1];
        let read = self.file.read_at(&mut bytes, 0)?;
        if read > RECORD {
            self.file.set_len(RECORD as u64)?;
        }
        if read == 0 {
            return Ok(Record::default());
        }
        let text = std::str::from_utf8(&bytes[..read.min(RECORD)]).ok();
        Ok(text.and_then(Record::read).unwrap_or_else(Record::unknown))
    }

    /// Notes how far it got.
    pub(super) fn write(&self, record: &Record) -> io::Result<()> {
        self.file.write_all_at(record.text().as_bytes(), 0)
    }

    /// Gives the turn back; takes it again where somebody asked for it meanwhile.
    pub(super) fn give_back(self) -> io::Result<Option<Self>> {
        flock(&self.file, FlockOperation::Unlock)?;
        let asked = self.file.read_at(&mut [0], RECORD as u64)? > 0;
        Ok(if asked && self.lock()? { Some(self) } else { None })
    }
}

/// Where the files are, for whoever only looks.
pub(super) fn peek(state_dir: &Path) -> Option<Record> {
    let text = side::read(&state_dir.join(FILE), RECORD as u64).ok()?;
    let text = std::str::from_utf8(text.get(..RECORD)?).ok()?;
    Record::read(text)
}

/// Says for people what kept files from being written.
pub(super) fn tell(state_dir: &Path, sentences: &[String]) {
    // A full disk takes no note either; that the files are behind shows all the same.
    let _ = side::write(&state_dir.join(TROUBLE), sentences.join("\n").as_bytes());
}

/// What kept files from being written.
pub(super) fn told(state_dir: &Path) -> Vec<String> {
    let text = side::read_text(&state_dir.join(TROUBLE), TROUBLE_BYTES).unwrap_or_default();
    text.lines().map(ToOwned::to_owned).collect()
}

/// Nothing does any more.
pub(super) fn untell(state_dir: &Path) {
    let _ = side::remove(&state_dir.join(TROUBLE));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_always_the_same_length_and_survives() {
        let mut record = Record { seq: i64::MAX, entry: "0".repeat(36), due: Due(511), compared: i64::MAX };
        assert_eq!(record.text().len(), RECORD);
        assert_eq!(Record::read(&record.text()), Some(record.clone()));
        record = Record::default();
        assert_eq!(record.text().len(), RECORD);
        assert_eq!(Record::read(&record.text()), Some(record));
        for bad in ["", "1", "2 2 3 4 5 x", "1 x 3 4", "999999999999 1 1 1 1 x", "1 4 3 0 x"] {
            assert_eq!(Record::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn who_finds_it_taken_is_answered_by_whoever_has_it() {
        let directory = tempfile::tempdir().unwrap();
        let Turn::Ours(first, _) = Cursor::take(directory.path()).unwrap() else { panic!() };
        first.write(&Record { seq: 7, ..Record::default() }).unwrap();
        assert!(matches!(Cursor::take(directory.path()).unwrap(), Turn::Theirs));
        let again = first.give_back().unwrap().expect("somebody asked meanwhile");
        assert_eq!(again.read().unwrap().seq, 7);
        assert!(again.give_back().unwrap().is_none());
        assert!(matches!(Cursor::take(directory.path()).unwrap(), Turn::Ours(_, record) if record.seq == 7));
    }
}
