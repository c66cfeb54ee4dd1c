//! What our MCP servers say of themselves: for which client one runs, and which session waits in `check_inbox`.
//!
//! Both are files that name a process, so that one that was killed leaves nothing that counts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use interagent_core::event::Micros;

use super::{DIRECTORY, Waiter, file_of, word_of};
use crate::clock::{Clock, SystemClock};
use crate::side::{self, Access};

/// The file below the store's directory that names the supervisor's process.
pub const SUPERVISOR: &str = "supervisor";

/// A client's process, told apart from any other that had its number.
pub fn host_key(pid: i64, started: i64) -> String {
    format!("{pid}-{started}")
}

/// The file of the server that a client started. The key comes from another process and is no file name.
pub(super) fn server_file(state_dir: &Path, host: &str) -> PathBuf {
    file_of(state_dir, host).with_extension("server")
}

/// Notes that this process is our MCP server for a client.
pub fn note_server(state_dir: &Path, host: &str) -> io::Result<()> {
    note(state_dir, &server_file(state_dir, host), Micros::MAX)
}

/// Whether our MCP server runs for a client.
pub fn has_server(state_dir: &Path, host: &str) -> bool {
    noted(&server_file(state_dir, host)).is_some()
}

/// Whether a supervisor runs for the hub, as the file says whose lock it holds.
pub fn is_supervised(state_dir: &Path) -> bool {
    let word =
        side::open(&state_dir.join(SUPERVISOR), Access::Read).ok().and_then(|mut file| word_of(&mut file));
    let process = word.as_deref().and_then(|word| word.split_once(' '));
    let process = process.and_then(|(pid, started)| Some((pid.parse().ok()?, started.trim().parse().ok()?)));
    process.is_some_and(|(pid, started): (i64, i64)| pid > 1 && SystemClock::new().is_running(pid, started))
}

/// Notes that a session waits in `check_inbox`, until then by the wall clock.
fn note_waiting(state_dir: &Path, session: &str, until: Micros) -> io::Result<()> {
    note(state_dir, &file_of(state_dir, session).with_extension("inbox"), until)
}

/// A session that waits in `check_inbox`, for as long as this is kept.
#[derive(Debug)]
pub struct Waiting {
    state_dir: PathBuf,
    session: String,
}

impl Waiting {
    /// Notes the wait of a session; nothing where that can't be written, which only makes a statement less exact.
    pub fn note(state_dir: &Path, session: &str, longest: Duration) -> Option<Self> {
        let until = SystemClock::new().wall_us().saturating_add(Micros::try_from(longest.as_micros()).ok()?);
        note_waiting(state_dir, session, until).ok()?;
        Some(Self { state_dir: state_dir.to_owned(), session: session.to_owned() })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        forget_waiting(&self.state_dir, &self.session);
    }
}

/// The session waits no longer.
pub(super) fn forget_waiting(state_dir: &Path, session: &str) {
    // One that is left counts only as long as its process and its time.
    let _ = side::remove(&file_of(state_dir, session).with_extension("inbox"));
}

/// Whether a session waits in `check_inbox`.
pub fn is_waiting(state_dir: &Path, session: &str) -> bool {
    let noted = noted(&file_of(state_dir, session).with_extension("inbox"));
    noted.is_some_and(|noted| noted.until > SystemClock::new().wall_us())
}

fn note(state_dir: &Path, path: &Path, until: Micros) -> io::Result<()> {
    fs::create_dir_all(state_dir.join(DIRECTORY))?;
    side::write(path, Waiter::this(until).to_string().as_bytes())
}

/// What a file says, if that very process still runs.
pub(super) fn noted(path: &Path) -> Option<Waiter> {
    let mut file = side::open(path, Access::Read).ok()?;
    let noted = Waiter::parse(&word_of(&mut file)?)?;
    SystemClock::new().is_running(noted.pid, noted.started).then_some(noted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_counts_while_it_runs() {
        let dir = tempfile::tempdir().unwrap();
        let host = host_key(7, 8);
        assert!(!has_server(dir.path(), &host));
        note_server(dir.path(), &host).unwrap();
        assert!(has_server(dir.path(), &host) && !has_server(dir.path(), &host_key(7, 9)));
        let gone = Waiter { started: 1, ..Waiter::this(Micros::MAX) };
        fs::write(server_file(dir.path(), &host), gone.to_string()).unwrap();
        assert!(!has_server(dir.path(), &host));
    }

    #[test]
    fn session_waits_until_its_time() {
        let dir = tempfile::tempdir().unwrap();
        let waiting = Waiting::note(dir.path(), "s", Duration::from_secs(60));
        assert!(is_waiting(dir.path(), "s") && !is_waiting(dir.path(), "t"));
        drop(waiting);
        assert!(!is_waiting(dir.path(), "s"));
        let _over = Waiting::note(dir.path(), "s", Duration::ZERO);
        assert!(!is_waiting(dir.path(), "s"));
    }
}
