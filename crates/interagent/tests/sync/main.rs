//! The history in git, with the built program and plain git: clones, worktrees, branches, interruptions.
//!
//! `INTERAGENT_SOAK=1` makes the counts large; `INTERAGENT_SEED` repeats a run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod branch;
mod clocks;
mod interrupted;
mod joining;
mod meaning;
mod random;
mod replicas;
mod shared;
mod trouble;
mod worktree;
mod world;
