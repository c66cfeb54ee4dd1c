//! Ending what was started here, and nothing else: politely, then not.

use std::time::{Duration, Instant};

use interagent_operations::CrewRow;
use interagent_store::observe::{PaneOrigin, PaneRow};
use interagent_store::{Clock, SystemClock};
use interagent_wake::tmux::Pane;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::life::Panes;
use super::{Scene, no_tmux};
use crate::error::CliError;

/// A client that lost its terminal writes down what it knows, which takes a moment.
const POLITE: Duration = Duration::from_secs(5);
const FIRM: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(20);

/// What may be ended of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing of it was started or joined here.
    NotHere,
    /// It was joined: its pane is somebody's own.
    Adopted,
    /// Something else runs in its pane now.
    Another { command: String },
    /// It was started here and runs.
    Ours,
    /// It was started here and ended; its pane may show its last words.
    Ended,
}

/// What may be ended of an agent, by what is there now.
pub(crate) fn verdict(scene: &Scene, panes: &Panes, row: &CrewRow) -> Verdict {
    let Some(known) = &row.pane else { return Verdict::NotHere };
    let pane = panes.of(scene, row);
    match (known.origin, pane) {
        (PaneOrigin::Adopted, Some(_)) => Verdict::Adopted,
        // Its server or its pane is gone, and who was in it.
        (PaneOrigin::Adopted, None) if row.sessions.is_empty() => Verdict::Ended,
        (PaneOrigin::Adopted, None) => Verdict::Adopted,
        (PaneOrigin::Launched, Some(pane)) if !pane.dead && pane.pid != known.process.pid => {
            Verdict::Another { command: pane.command.clone() }
        }
        (PaneOrigin::Launched, _) if is_running(known) => Verdict::Ours,
        (PaneOrigin::Launched, _) => Verdict::Ended,
    }
}

fn is_running(known: &PaneRow) -> bool {
    !known.is_gone(&SystemClock::new())
}

/// Takes the terminal away from what was started: it is told, and may end by itself.
pub(crate) fn close(known: &PaneRow, pane: Option<&Pane>) -> Result<(), CliError> {
    match pane {
        Some(pane) => Scene::server_of(known).close(&pane.id).map_err(no_tmux),
        None => Ok(()),
    }
}

/// Waits until a process that was started here is gone; ends its group where it does not go by itself.
pub(crate) fn make_sure(known: &PaneRow) -> bool {
    let (pid, started) = (known.process.pid, known.process.started);
    if !is_running(known) || is_gone_within(pid, started, POLITE) {
        return true;
    }
    end_group(pid, started, Signal::TERM, FIRM)
}

/// Ends a group whose leader is this very process: with a signal, and if that is not enough, for good.
pub(crate) fn end_group(pid: i64, started: i64, signal: Signal, patience: Duration) -> bool {
    let leader = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(leader) = leader.filter(|_| SystemClock::new().is_running(pid, started)) else { return true };
    for (signal, patience) in [(signal, patience), (Signal::KILL, FIRM)] {
        // It may have ended a moment ago.
        let _ = kill_process_group(leader, signal);
        if is_gone_within(pid, started, patience) {
            return true;
        }
    }
    false
}

/// Ends a process and then what it left in the group it leads: its helpers are needed while it comes to its end.
pub(crate) fn end_leader(pid: i64, started: i64, patience: Duration) {
    let leader = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(leader) = leader.filter(|_| SystemClock::new().is_running(pid, started)) else { return };
    let _ = kill_process(leader, Signal::TERM);
    if is_gone_within(pid, started, patience) {
        let _ = kill_process_group(leader, Signal::TERM);
    } else {
        end_group(pid, started, Signal::TERM, FIRM);
    }
}

fn is_gone_within(pid: i64, started: i64, patience: Duration) -> bool {
    let (clock, until) = (SystemClock::new(), Instant::now() + patience);
    while clock.is_running(pid, started) {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}
