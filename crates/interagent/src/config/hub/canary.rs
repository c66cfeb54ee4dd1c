//! The hub that a canary sets aside.
//!
//! `interagent doctor --canary --client` runs a real client whose hooks and tools must not touch the team: no mail is handed over,
//! no session is bound, no seat is taken. Processes below that command therefore use a hub of their own, which lies in the
//! state of the team's hub. Their ancestors tell, because clients start servers without the variables they were started with.

use std::path::{Path, PathBuf};

use crate::config::env::Env;
use crate::config::facts::{Facts, Process};

/// Below the state of a hub: one directory for each command that runs a canary, named by its process.
pub(crate) const CANARIES: &str = "state/canary";
/// Says when that process started: its number alone may be another's by now.
pub(crate) const STARTED: &str = "started";

/// The hub that was set aside for this process, where an ancestor of it runs a canary. A command without one pays one look.
pub(super) fn set_aside(env: &Env, hub_dir: &Path) -> Option<PathBuf> {
    let canaries = hub_dir.join(CANARIES);
    if !canaries.is_dir() {
        return None;
    }
    below(&canaries, Facts::gather(env).process_chain())
}

/// The nearest ancestor that runs a canary; the process itself is none.
fn below(canaries: &Path, chain: &[Process]) -> Option<PathBuf> {
    let set_aside = |process: &Process| {
        let directory = canaries.join(process.pid.to_string());
        let started = std::fs::read_to_string(directory.join(STARTED)).ok()?;
        (started == process.started.to_string()).then_some(directory)
    };
    chain.iter().skip(1).find_map(set_aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32) -> Process {
        Process {
            pid,
            parent_pid: pid - 1,
            started: u64::from(pid) * 10,
            executable: "x".to_owned(),
            script: None,
            arguments: None,
        }
    }

    #[test]
    fn only_descendants_use_hub_set_aside() {
        let canaries = tempfile::tempdir().unwrap();
        let directory = canaries.path().join("7");
        std::fs::create_dir(&directory).unwrap();
        let chain = |pids: &[u32]| pids.iter().copied().map(process).collect::<Vec<_>>();
        std::fs::write(directory.join(STARTED), "70").unwrap();
        assert_eq!(below(canaries.path(), &chain(&[9, 8, 7, 6])), Some(directory.clone()));
        // The command itself looks at the team's hub, and so do all others.
        assert_eq!(below(canaries.path(), &chain(&[7, 6])), None);
        assert_eq!(below(canaries.path(), &chain(&[9, 8, 6])), None);
        // The number is another process's by now.
        std::fs::write(directory.join(STARTED), "71").unwrap();
        assert_eq!(below(canaries.path(), &chain(&[9, 8, 7, 6])), None);
    }
}
