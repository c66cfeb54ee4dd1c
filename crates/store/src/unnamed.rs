//! Sessions of agents' clients that have no name in the team: one small file for each, beside the signs of life.
//!
//! Losing such a file loses nothing: the session's next prompt writes it again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::live;
use crate::observe::Process;
use crate::side;

/// Extension that tells these files from a session's others.
const EXTENSION: &str = "unnamed";
/// Longest file that is read.
const FILE_BYTES: u64 = 16 * 1024;
/// Files that are looked at for one list.
const LOOKED_AT: usize = 1000;
/// A session whose process is not known counts for this long after its last prompt.
const HEARD_WITHIN: Duration = Duration::from_secs(3600);

/// A session without a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnnamedSession {
    /// The client's id for it.
    pub id: String,
    /// Which kind of client.
    pub profile: String,
    /// What people call the client.
    pub client: String,
    /// Its process.
    pub process: Option<Process>,
    /// Where it works.
    pub cwd: Option<String>,
}

fn file_of(state_dir: &Path, session: &str) -> PathBuf {
    live::file_of(state_dir, session).with_extension(EXTENSION)
}

/// Notes that a session has no name.
pub fn note(state_dir: &Path, session: &UnnamedSession) -> io::Result<()> {
    let path = file_of(state_dir, &session.id);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    side::write(&path, &serde_json::to_vec(session)?)
}

/// What was noted of a session without a name.
pub fn find(state_dir: &Path, session: &str) -> Option<UnnamedSession> {
    read(&file_of(state_dir, session)).map(|(session, _)| session)
}

/// The session without a name that a process began last: clearing a conversation begins another one.
pub fn of_process(state_dir: &Path, process: &Process) -> Option<UnnamedSession> {
    let of_it = files(state_dir).filter(|(session, _)| session.process.as_ref() == Some(process));
    of_it.max_by_key(|(_, about)| about.modified().ok()).map(|(session, _)| session)
}

/// The session has a name now, or has ended.
pub fn forget(state_dir: &Path, session: &str) {
    // A file that stays does not count once the session is bound or its process is gone.
    let _ = side::remove(&file_of(state_dir, session));
}

/// The sessions without a name that may still run, in the order of their ids.
pub fn list(state_dir: &Path, clock: &dyn Clock) -> Vec<UnnamedSession> {
    let running = |(session, about): (UnnamedSession, fs::Metadata)| {
        may_run(&session, &about, clock).then_some(session)
    };
    let mut found: Vec<UnnamedSession> = files(state_dir).filter_map(running).collect();
    found.sort_by(|one, other| one.id.cmp(&other.id));
    found
}

/// The noted sessions, each with its file's facts.
fn files(state_dir: &Path) -> impl Iterator<Item = (UnnamedSession, fs::Metadata)> {
    let files = fs::read_dir(live::directory(state_dir)).into_iter().flatten();
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|found| found == EXTENSION);
    let paths = files.take(LOOKED_AT).flatten().map(|file| file.path()).filter(is_ours);
    paths.filter_map(|path| read(&path))
}

fn read(path: &Path) -> Option<(UnnamedSession, fs::Metadata)> {
    let about =
        fs::symlink_metadata(path).ok().filter(|about| about.is_file() && about.len() <= FILE_BYTES)?;
    Some((serde_json::from_slice(&side::read(path, FILE_BYTES).ok()?).ok()?, about))
}

fn may_run(session: &UnnamedSession, about: &fs::Metadata, clock: &dyn Clock) -> bool {
    let Some(process) = &session.process else {
        let age = about.modified().ok().and_then(|modified| modified.elapsed().ok());
        return age.is_some_and(|age| age <= HEARD_WITHIN);
    };
    let (then, now) = (process.boot.as_str(), clock.boot_id());
    let is_of_this_run = then.is_empty() || now.is_empty() || then == now;
    is_of_this_run && clock.is_running(process.pid, process.started)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    #[test]
    fn only_running_sessions_are_listed() {
        let state = tempfile::tempdir().unwrap();
        let clock = SystemClock::new();
        let pid = i64::from(std::process::id());
        let this =
            Process { pid, started: crate::clock::started(pid).unwrap(), boot: clock.boot_id().to_owned() };
        let gone = Process { started: this.started + 1, ..this.clone() };
        let earlier = Process { boot: "another".to_owned(), ..this.clone() };
        for (id, process) in [("a", Some(this.clone())), ("b", Some(gone)), ("c", Some(earlier)), ("d", None)]
        {
            let session = UnnamedSession {
                id: id.to_owned(),
                profile: "claude".to_owned(),
                client: "Claude Code".to_owned(),
                process,
                cwd: None,
            };
            note(state.path(), &session).unwrap();
        }
        let ids = || list(state.path(), &clock).into_iter().map(|session| session.id).collect::<Vec<_>>();
        assert_eq!(ids(), ["a", "d"]);
        let of = |process: &Process| of_process(state.path(), process).map(|session| session.id);
        assert_eq!((of(&this), of(&Process { pid: pid + 1, ..this.clone() })), (Some("a".to_owned()), None));
        forget(state.path(), "a");
        assert_eq!(ids(), ["d"]);
        assert_eq!(of(&this), None);
        assert_eq!(list(&state.path().join("nowhere"), &clock), []);
    }
}
