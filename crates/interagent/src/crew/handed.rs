//! Hands variables of the calling shell to a client in a tmux pane: keys, endpoints, proxies, locale.
//!
//! A pane gets the environment of the tmux server, which may have been started from another shell. Arguments and the
//! server's own environment are visible to other programs, so the values travel in a file that only its owner can read
//! and that the pane deletes before the client runs.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use interagent_agents::{Launch, Profiles};
use interagent_core::shell::quoted;
use interagent_store::side::{self, Access};

use crate::config::variables;
use crate::error::{CliError, ErrorKind};

/// Below the hub's state.
const DIRECTORY: &str = "state/environment";
/// A file this old belongs to a start that was interrupted.
const LEFT_BEHIND: Duration = Duration::from_secs(600);

/// The variables of this process that a client needs, without those that tell clients apart.
pub(crate) fn chosen(launch: &Launch, foreign: &[String]) -> Vec<(String, String)> {
    variables::all().filter(|(name, _)| launch.takes_variable(name) && !foreign.contains(name)).collect()
}

/// The variables that no tmux server may keep: what any client needs may be a key.
pub(crate) fn withheld(profiles: &Profiles) -> Vec<String> {
    let launches: Vec<Launch> =
        profiles.names().into_iter().filter_map(|name| Some(profiles.get(name)?.launch)).collect();
    let is_own = |name: &str| launches.iter().any(|launch| launch.needs_variable(name));
    variables::all().map(|(name, _)| name).filter(|name| is_own(name)).collect()
}

/// Writes the variables for one start, and returns where. Nothing is written where there are none.
pub(crate) fn write(
    hub_dir: &Path,
    agent: &str,
    chosen: &[(String, String)],
) -> Result<Option<PathBuf>, CliError> {
    let directory = hub_dir.join(DIRECTORY);
    let failed = |path: &Path, why: std::io::Error| {
        CliError::new(ErrorKind::Unavailable, format!("cannot write {}: {why}", path.display()))
    };
    side::must_be_folder(&directory).map_err(|why| failed(&directory, why))?;
    forget_left_behind(&directory);
    if chosen.is_empty() {
        return Ok(None);
    }
    let path = directory.join(format!("{agent}-{}.env", std::process::id()));
    let text: String =
        chosen.iter().map(|(name, value)| format!("export {name}={}\n", quoted(value))).collect();
    let written = || {
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        side::remove(&path)?;
        side::open(&path, Access::New)?.write_all(text.as_bytes())
    };
    written().map_err(|why| failed(&path, why))?;
    Ok(Some(path))
}

/// Removes what interrupted starts left. A file that can't be removed is tried again at the next start.
fn forget_left_behind(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let written = entry.metadata().and_then(|found| found.modified());
        let age = written.ok().and_then(|written| now.duration_since(written).ok());
        if age.is_some_and(|age| age > LEFT_BEHIND) {
            let _ = side::remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_link_gets_no_variables() {
        let hub = tempfile::tempdir().unwrap();
        let outside = hub.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::create_dir(hub.path().join("state")).unwrap();
        let chosen = [("KEY".to_owned(), "secret".to_owned())];
        let first = write(hub.path(), "kimi", &chosen).unwrap().unwrap();
        std::fs::remove_file(&first).unwrap();
        std::os::unix::fs::symlink(outside.join("new"), &first).unwrap();
        let second = write(hub.path(), "kimi", &chosen).unwrap().unwrap();
        assert!(second == first && std::fs::symlink_metadata(&second).unwrap().is_file());
        std::fs::remove_dir_all(hub.path().join(DIRECTORY)).unwrap();
        std::os::unix::fs::symlink(&outside, hub.path().join(DIRECTORY)).unwrap();
        assert!(write(hub.path(), "kimi", &chosen).is_err());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    }
}
