//! Signs of life: one small file for each session, whose time says when it was last heard of and whose word says what it
//! does. Hooks run at every tool call of every agent; this is all that one of them writes when there is nothing to say.
//!
//! Losing such a file loses nothing: what it says is then unknown.

mod connections;

use std::fmt;
use std::fs::{self, File, FileTimes};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interagent_core::event::Micros;
use interagent_core::text::hex;
use interagent_core::vocabulary::SessionState;
use sha2::{Digest, Sha256};

use crate::clock::{self, Clock, SystemClock};
use crate::engine;
use crate::error::StoreError;
use crate::side::{self, Access};
use crate::sqlite;

use connections::forget_waiting;
pub use connections::{SUPERVISOR, Waiting, has_server, host_key, is_supervised, is_waiting, note_server};

/// The directory below the store's.
const DIRECTORY: &str = "live";
/// Longest file that is read; a word is shorter.
const WORD_BYTES: u64 = 64;
/// Longest file of stamps: some hundred of them.
const PRINTED_BYTES: u64 = 4096;
/// A session of which nothing was heard for so long is over, whether or not it said so.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Files that are looked at when a new one is made.
const SWEPT: usize = 1000;

/// What a sign of life says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// What the session does.
    pub state: SessionState,
    /// When it was last heard of, by the wall clock.
    pub seen: Micros,
}

/// Where the files are, for whoever watches them.
pub fn directory(state_dir: &Path) -> PathBuf {
    state_dir.join(DIRECTORY)
}

/// Watches what sessions do: wakes when one begins to do something else, not for each sign of life.
pub fn watch(state_dir: &Path) -> Result<Box<dyn engine::Waiter>, StoreError> {
    let directory = directory(state_dir);
    fs::create_dir_all(&directory)
        .map_err(|error| StoreError::Watch { path: directory.clone(), detail: error.to_string() })?;
    sqlite::watch(directory)
}

/// The file of a session. An id of a client is no file name, so it is hashed.
pub(crate) fn file_of(state_dir: &Path, session: &str) -> PathBuf {
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
    let mut before = side::open(&path, Access::Change);
    let is_new = before.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if let Ok(file) = &mut before
        && word_of(file).as_deref() == Some(state.as_str())
    {
        // Both times: setting one alone counts as a change of what it says, to whoever watches.
        let now = SystemTime::now();
        return file.set_times(FileTimes::new().set_accessed(now).set_modified(now));
    }
    let create = || side::open(&path, Access::Replace);
    let mut file = match create() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(state_dir.join(DIRECTORY))?;
            create()?
        }
        made => made?,
    };
    file.write_all(state.as_str().as_bytes())?;
    if is_new {
        sweep(&state_dir.join(DIRECTORY));
    }
    Ok(())
}

/// Removes what sessions left that ended without a word. A file that names a running process stays, however old it is.
fn sweep(directory: &Path) {
    let Ok(files) = fs::read_dir(directory) else { return };
    for file in files.take(SWEPT).flatten() {
        let age = file.metadata().and_then(|found| found.modified()).map(|seen| seen.elapsed());
        if matches!(age, Ok(Ok(age)) if age > KEPT) && connections::noted(&file.path()).is_none() {
            // One that stays is looked at again.
            let _ = fs::remove_file(file.path());
        }
    }
}

/// What is known of a session's life.
pub fn sign_of(state_dir: &Path, session: &str) -> Option<Sign> {
    let mut file = side::open(&file_of(state_dir, session), Access::Read).ok()?;
    let state = word_of(&mut file)?.parse().ok()?;
    let modified = file.metadata().ok()?.modified().ok()?;
    let seen = modified.duration_since(UNIX_EPOCH).ok()?;
    Some(Sign { state, seen: Micros::try_from(seen.as_micros()).ok()? })
}

/// A process that sleeps beside a session, as it wrote itself into its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Its process.
    pub pid: i64,
    /// When that started: numbers are used again.
    pub started: i64,
    /// How long it stays, by the wall clock.
    pub until: Micros,
}

impl Waiter {
    /// This process.
    pub fn this(until: Micros) -> Self {
        let pid = i64::from(std::process::id());
        Self { pid, started: clock::started(pid).unwrap_or_default(), until }
    }

    /// What a file says.
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<i64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let [pid, started, until] = numbers[..] else { return None };
        (1..=i64::from(i32::MAX)).contains(&pid).then_some(Self { pid, started, until })
    }
}

impl fmt::Display for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.pid, self.started, self.until)
    }
}

/// The waiter beside a session, if that very process still runs. The lock is not touched: whoever took it for a look would
/// be in the way of a waiter that comes.
pub fn waiter(state_dir: &Path, session: &str) -> Option<Waiter> {
    let mut file = side::open(&waiter_file(state_dir, session), Access::Read).ok()?;
    let waiter = Waiter::parse(&word_of(&mut file)?)?;
    SystemClock::new().is_running(waiter.pid, waiter.started).then_some(waiter)
}

/// Until when a waiter sleeps beside a session, by the wall clock.
pub fn waiter_until(state_dir: &Path, session: &str) -> Option<Micros> {
    let until = waiter(state_dir, session)?.until;
    (until > SystemClock::new().wall_us()).then_some(until)
}

/// Notes that the hand-over with a stamp was printed for a session's client. Hooks of one client may run at once, so each
/// adds its own.
pub fn note_printed(state_dir: &Path, session: &str, stamp: i64) -> io::Result<()> {
    let path = file_of(state_dir, session).with_extension("printed");
    let mut file = side::open(&path, Access::Append)?;
    if file.metadata()?.len() > PRINTED_BYTES / 2 {
        // Begun anew. Who loses a stamp by it at this very moment gets its mail twice.
        file.set_len(0)?;
    }
    file.write_all(format!("{stamp} ").as_bytes())
}

/// The stamps of the hand-overs that were.
pub fn printed(state_dir: &Path, session: &str) -> Vec<i64> {
    let path = file_of(state_dir, session).with_extension("printed");
    let words = side::read_text(&path, PRINTED_BYTES).unwrap_or_default();
    words.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The session ended: nothing is known of it any more.
pub fn forget(state_dir: &Path, session: &str) {
    // One that is left says "ended" by its row.
    let _ = side::remove(&file_of(state_dir, session));
    let _ = side::remove(&waiter_file(state_dir, session));
    let _ = side::remove(&file_of(state_dir, session).with_extension("printed"));
    forget_waiting(state_dir, session);
}

fn word_of(file: &mut File) -> Option<String> {
    let mut word = String::new();
    Read::take(file, WORD_BYTES).read_to_string(&mut word).ok()?;
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Woken;

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
    fn a_waiter_is_the_process_that_wrote_itself_down() {
        let dir = tempfile::tempdir().unwrap();
        let path = waiter_file(dir.path(), "s");
        fs::create_dir(path.parent().unwrap()).unwrap();
        let later = SystemClock::new().wall_us() + 60_000_000;
        let here = Waiter::this(later);
        fs::write(&path, here.to_string()).unwrap();
        assert_eq!(waiter(dir.path(), "s"), Some(here));
        assert_eq!(waiter_until(dir.path(), "s"), Some(later));
        // Looking takes nothing: whoever comes gets the lock.
        assert!(File::open(&path).unwrap().try_lock().is_ok());
        // The number has another owner now.
        fs::write(&path, Waiter { started: here.started + 1, ..here }.to_string()).unwrap();
        assert_eq!((waiter(dir.path(), "s"), waiter_until(dir.path(), "s")), (None, None));
        // Its time is over.
        fs::write(&path, Waiter { until: 5, ..here }.to_string()).unwrap();
        assert_eq!(waiter_until(dir.path(), "s"), None);
        for text in ["", "1", "1 2 3 4", "a b c", "-1 -1 -1", "99999999999999999999 1 1"] {
            fs::write(&path, text).unwrap();
            assert_eq!(waiter_until(dir.path(), "s"), None, "{text}");
        }
    }

    #[test]
    fn the_newest_hand_overs_that_were_printed_are_known() {
        let dir = tempfile::tempdir().unwrap();
        heard(dir.path(), "s", SessionState::Busy).unwrap();
        assert!(printed(dir.path(), "s").is_empty());
        for stamp in i64::MAX - 10..i64::MAX {
            note_printed(dir.path(), "s", stamp).unwrap();
        }
        assert_eq!(printed(dir.path(), "s"), (i64::MAX - 10..i64::MAX).collect::<Vec<_>>());
        for stamp in 0..10_000 {
            note_printed(dir.path(), "s", stamp).unwrap();
            assert_eq!(printed(dir.path(), "s").last(), Some(&stamp));
        }
        forget(dir.path(), "s");
        assert!(printed(dir.path(), "s").is_empty());
    }

    #[test]
    fn what_was_left_long_ago_is_removed_when_a_new_session_comes() {
        let dir = tempfile::tempdir().unwrap();
        for session in ["old", "recent"] {
            heard(dir.path(), session, SessionState::Busy).unwrap();
        }
        let host = connections::host_key(7, 8);
        connections::note_server(dir.path(), &host).unwrap();
        for path in [file_of(dir.path(), "old"), connections::server_file(dir.path(), &host)] {
            let old = File::options().write(true).open(path).unwrap();
            old.set_modified(SystemTime::now() - KEPT - Duration::from_secs(60)).unwrap();
        }
        heard(dir.path(), "recent", SessionState::Idle).unwrap();
        assert!(sign_of(dir.path(), "old").is_some(), "only a new session looks");
        heard(dir.path(), "new", SessionState::Busy).unwrap();
        let known = ["old", "recent", "new"].map(|session| sign_of(dir.path(), session).is_some());
        assert_eq!(known, [false, true, true]);
        assert!(connections::has_server(dir.path(), &host), "its process runs");
    }

    #[test]
    fn whoever_watches_wakes_when_a_session_does_something_else() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = watch(dir.path()).unwrap();
        let mut wakes = |state: SessionState| {
            heard(dir.path(), "s", state).unwrap();
            let woken = watch.wait(Duration::from_millis(500)).unwrap();
            // What else the same change told.
            while watch.wait(Duration::from_millis(300)).unwrap() == Woken::Signal {}
            woken
        };
        assert_eq!(wakes(SessionState::Busy), Woken::Signal);
        assert_eq!(wakes(SessionState::Busy), Woken::Timeout, "only its time changed");
        assert_eq!(wakes(SessionState::Idle), Woken::Signal);
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
