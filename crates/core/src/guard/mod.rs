//! The guard: what an agent's tool is about to do, and what the team's rules say of it.
//!
//! `action` turns a client's tool call into words of ours, `shell` reads command lines, `touches` says what is written,
//! committed, pushed or waited for, `judge` compares that with the rules. Pure: which branch a directory is on, who
//! holds which lease and who owns which task are facts that whoever calls brings along.

pub mod action;
pub mod edits;
mod harmless;
pub mod judge;
pub mod links;
pub mod own;
pub mod path;
mod served;
pub mod shell;
pub mod touches;
pub mod watch;

#[cfg(test)]
mod tests;

pub use action::{Action, Subagents};
pub use harmless::may_change;
pub use judge::{
    Bound, Denial, Facts, Judgement, Member, Rule, Tree, Work, WorkMessage, branch_fits, judge, rules_of,
};
pub use links::{Link, resolved};
pub use touches::{Looked, Touch, What, look, touches, with_files};
