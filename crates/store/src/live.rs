//! Signs of life: one small file for each session, whose time says when it was last heard of and whose word says what it
//! does. Hooks run at every tool call of every agent; this is all that one of them writes when there is nothing to say.
//!
//! Losing such a file loses nothing: what it says is then unknown.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use interagent_core::event::Micros;
use interagent_core::text::hex;
use interagent_core::vocabulary::SessionState;
use sha2::{Digest, Sha256};

/// The directory below the store's.
const DIRECTORY: &str = "live";
/// Longest file that is read; a word is shorter.
const WORD_BYTES: u64 = 64;

/// What a sign of life says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// What the session does.
    pub state: SessionState,
    /// When it was last heard of, by the wall clock.
    pub seen: Micros,
}

/// The file of a session. An id of a client is no file name, so it is hashed.
fn file_of(state_dir: &Path, session: &str) -> PathBuf {
    let name = hex(&Sha256::digest(session.as_bytes()));
    state_dir.join(DIRECTORY).join(&name[..32])
}

/// The file whose lock a session's waiter holds.
pub fn waiter_file(state_dir: &Path, session: &str) -> PathBuf {
    file_of(state_dir, session).with_extension("wait")
}

/// Notes that a session was heard of now. Only a state that changed is written.
pub fn heard(state_dir: &Path, session: &str, state: SessionState) -> io::Result<()> {
    let path = file_of(state_dir, session);
    if let Ok(mut file) = OpenOptions::new().read(true).write(true).custom_flags(NO_FOLLOW).open(&path)
        && word_of(&mut file).as_deref() == Some(state.as_str())
    {
        return file.set_times(FileTimes::new().set_modified(SystemTime::now()));
    }
    let create = || {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).custom_flags(NO_FOLLOW).open(&path)
    };
    let mut file = match create() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(state_dir.join(DIRECTORY))?;
            create()?
        }
        made => made?,
    };
    file.write_all(state.as_str().as_bytes())
}

/// What is known of a session's life.
pub fn sign_of(state_dir: &Path, session: &str) -> Option<Sign> {
    let mut file = File::open(file_of(state_dir, session)).ok()?;
    let state = word_of(&mut file)?.parse().ok()?;
    let modified = file.metadata().ok()?.modified().ok()?;
    let seen = modified.duration_since(UNIX_EPOCH).ok()?;
    Some(Sign { state, seen: Micros::try_from(seen.as_micros()).ok()? })
}

/// Until when a waiter sleeps beside a session, by the wall clock. One that is gone holds its lock no longer.
pub fn waiter_until(state_dir: &Path, session: &str) -> Option<Micros> {
    let mut file = File::open(waiter_file(state_dir, session)).ok()?;
    if file.try_lock_shared().is_ok() {
        return None;
    }
    word_of(&mut file)?.split_whitespace().nth(1)?.parse().ok()
}

/// Notes that what was offered to a session up to a stamp was printed for its client.
pub fn note_printed(state_dir: &Path, session: &str, stamp: i64) -> io::Result<()> {
    let path = file_of(state_dir, session).with_extension("printed");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).custom_flags(NO_FOLLOW);
    write!(options.open(path)?, "{stamp}")
}

/// Up to which stamp it was.
pub fn printed(state_dir: &Path, session: &str) -> Option<i64> {
    let mut file = File::open(file_of(state_dir, session).with_extension("printed")).ok()?;
    word_of(&mut file)?.parse().ok()
}

/// The session ended: nothing is known of it any more.
pub fn forget(state_dir: &Path, session: &str) {
    // One that is left says "ended" by its row.
    let _ = fs::remove_file(file_of(state_dir, session));
    let _ = fs::remove_file(waiter_file(state_dir, session));
    let _ = fs::remove_file(file_of(state_dir, session).with_extension("printed"));
}

const NO_FOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();

fn word_of(file: &mut File) -> Option<String> {
    let mut word = String::new();
    Read::take(file, WORD_BYTES).read_to_string(&mut word).ok()?;
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_life_says_what_was_last_heard() {
        let dir = tempfile::tempdir().unwrap();
        let (path, id) = (dir.path(), "../../etc/passwd\0x");
        assert_eq!(sign_of(path, id), None);
        heard(path, id, SessionState::Busy).unwrap();
        let first = sign_of(path, id).unwrap();
        assert_eq!(first.state, SessionState::Busy);
        heard(path, id, SessionState::Busy).unwrap();
        assert!(sign_of(path, id).unwrap().seen >= first.seen);
        heard(path, id, SessionState::Idle).unwrap();
        assert_eq!(sign_of(path, id).unwrap().state, SessionState::Idle);
        assert_eq!(sign_of(path, "another"), None);
        assert_eq!(fs::read_dir(path.join(DIRECTORY)).unwrap().count(), 1);
        forget(path, id);
        assert_eq!(sign_of(path, id), None);
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(DIRECTORY)).unwrap();
        let target = dir.path().join("target");
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, file_of(dir.path(), "s")).unwrap();
        assert!(heard(dir.path(), "s", SessionState::Busy).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    }
}
