//! The supervisor beside a team: started with it, ended with the last of it.
//!
//! Owns which process `up` started: one that a person started is theirs to end.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use interagent_store::side::{self, Access};
use interagent_store::{Clock, SystemClock};

use crate::config::{processes, programs};
use crate::error::{CliError, ErrorKind};
use crate::supervise::alone;

/// Its command.
const COMMAND: &str = "supervise";
/// Which process was started here: its number, and when that began.
const FILE: &str = "supervisor.pid";
/// Longer ones are not ours.
const FILE_BYTES: u64 = 64;
/// What it says.
const LOG: &str = "supervisor.log";
/// How long it may take to end: what it types and sends comes to its end first.
const PATIENCE: Duration = Duration::from_secs(15);

/// What came of starting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// It was started now.
    Started(i64),
    /// It runs already.
    Runs(i64),
    /// Nobody runs whom it could watch over.
    None,
}

/// Starts the supervisor of a hub, unless it runs.
pub(crate) fn start(hub_dir: &Path) -> Result<Watch, CliError> {
    if let Some(pid) = running(hub_dir) {
        return Ok(Watch::Runs(pid));
    }
    let failed = |source: std::io::Error| {
        CliError::new(ErrorKind::Unavailable, "the supervisor can't be started")
            .with_source(source)
            .with_hint("run it yourself: interagent supervise")
    };
    let log = log_file(hub_dir).map_err(failed)?;
    let mut command = Command::new(programs::own().map_err(failed)?);
    command.arg("--hub").arg(hub_dir).args([COMMAND, "--quiet"]);
    command.env_remove("INTERAGENT_AGENT").env_remove("INTERAGENT_SESSION");
    command.stdin(Stdio::null()).stdout(log.try_clone().map_err(failed)?).stderr(log).process_group(0);
    let child = command.spawn().map_err(failed)?;
    let pid = i64::from(child.id());
    let started = processes::started_at(pid).unwrap_or_default();
    note(hub_dir, pid, started).map_err(failed)?;
    Ok(Watch::Started(pid))
}

/// Notes the process that was started here.
fn note(hub_dir: &Path, pid: i64, started: i64) -> std::io::Result<()> {
    side::write(&file(hub_dir), format!("{pid} {started}\n").as_bytes())
}

/// Ends the supervisor that was started here. Whether there was one.
pub(crate) fn stop(hub_dir: &Path) -> bool {
    let Some((pid, started)) = ours(hub_dir) else { return false };
    super::end::end_leader(pid, started, PATIENCE);
    let _ = side::remove(&file(hub_dir));
    true
}

/// The process that supervises a hub, whoever started it.
pub(crate) fn running(hub_dir: &Path) -> Option<i64> {
    // One that was started a moment ago may not have taken its place yet.
    alone::holder(&hub_dir.join("state")).or_else(|| ours(hub_dir).map(|(pid, _)| pid))
}

/// The process that was started here, if that very one still runs.
fn ours(hub_dir: &Path) -> Option<(i64, i64)> {
    let text = side::read_text(&file(hub_dir), FILE_BYTES).ok()?;
    let (pid, started) = text.trim().split_once(' ')?;
    let (pid, started) = (pid.parse().ok().filter(|pid| *pid > 1)?, started.parse().ok()?);
    SystemClock::new().is_running(pid, started).then_some((pid, started))
}

fn file(hub_dir: &Path) -> PathBuf {
    hub_dir.join("state").join(FILE)
}

fn log_file(hub_dir: &Path) -> std::io::Result<File> {
    side::open(&hub_dir.join("state").join(LOG), Access::Append)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_link_gets_no_pid() {
        let hub = tempfile::tempdir().unwrap();
        let outside = hub.path().join("outside");
        std::fs::write(&outside, "mine").unwrap();
        std::fs::create_dir(hub.path().join("state")).unwrap();
        std::os::unix::fs::symlink(&outside, file(hub.path())).unwrap();
        assert!(note(hub.path(), 7, 8).is_err());
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "mine");
    }
}
