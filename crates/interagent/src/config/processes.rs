//! Processes that this program started: which still run, and how they end.
//!
//! On Linux orphans of ours become our children again, so that also what left its group and session is found. Elsewhere
//! the group is all that is known.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::facts;

/// Between a polite and an impolite end.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// Between two looks at what still runs.
const LOOK: Duration = Duration::from_millis(20);

/// Leaves the terminal and the group of whoever started this process.
pub(crate) fn begin_own_session() {
    // It fails only where this process leads a group already, which is as good.
    let _ = rustix::process::setsid();
}

/// Has orphans of this process become its children, where the system can do that.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// When a process was started, in the way sessions remember it.
pub(crate) fn started_at(pid: i64) -> Option<i64> {
    let process = facts::process(u32::try_from(pid).ok()?)?;
    i64::try_from(process.started).ok()
}

/// Waits until everything that this process started has ended, at most so long.
fn wait_for_descendants(patience: Duration) -> bool {
    let until = Instant::now() + patience;
    loop {
        if facts::descendants(std::process::id()).is_empty() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

/// Ends everything that this process started: politely after `patience`, then not.
pub(crate) fn end_descendants(patience: Duration) {
    if wait_for_descendants(patience) {
        return;
    }
    signal_descendants(Signal::TERM);
    if wait_for_descendants(GRACE) {
        return;
    }
    // What is killed may have started something a moment before.
    let until = Instant::now() + GRACE;
    while Instant::now() < until {
        signal_descendants(Signal::KILL);
        if wait_for_descendants(LOOK) {
            return;
        }
    }
}

fn signal_descendants(signal: Signal) {
    for pid in facts::descendants(std::process::id()) {
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            // It may have ended a moment ago.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Sends a signal to a group that this program made.
pub(crate) fn signal_group(leader: u32, signal: Signal) {
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(leader, signal);
    }
}
