//! The promises of the program, tried on the built program itself: killed, stopped, starved and given broken files.
//!
//! Every checker is a function that answers with a verdict. The good build must pass it; `sabotage` shows that a build
//! with the fault it looks for does not. Counts are modest; `INTERAGENT_SOAK=1` makes them large.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

use std::path::Path;

#[path = "proof/damage.rs"]
mod damage;
#[path = "proof/disk.rs"]
mod disk;
#[path = "proof/faults.rs"]
mod faults;
#[path = "proof/handover.rs"]
mod handover;
#[path = "proof/idle.rs"]
mod idle;
#[path = "proof/kill.rs"]
mod kill;
#[path = "proof/parallel.rs"]
mod parallel;
#[path = "proof/rebuild.rs"]
mod rebuild;
#[path = "proof/sabotage.rs"]
mod sabotage;
#[path = "proof/stopped.rs"]
mod stopped;

/// The program as this test was built with it.
fn good() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_interagent"))
}

/// A checker's verdict must be good.
#[track_caller]
fn holds(verdict: interagent_testkit::crash::Verdict) {
    if let Err(why) = verdict {
        panic!("{why}");
    }
}
