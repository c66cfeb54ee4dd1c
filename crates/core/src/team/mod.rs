//! The team: who is in it, in which formation, under which rules.
//!
//! Owns: the meaning of `team.toml`, from its text to the normalised [`TeamConfig`] that goes into the
//! log, and back to a commented file. Does not own: reading or writing the file, deciding by the rules,
//! or knowing which profiles exist.

mod branch;
mod chain;
mod change;
mod check;
mod config;
mod cursor;
mod difference;
mod file;
mod formation;
pub mod limits;
mod parts;
mod powers;
mod read;
mod render;
mod values;
mod words;
pub mod worktree;

pub use chain::{ChainChange, Quota};
pub use change::Change;
pub use check::Fault;
pub use config::{Ladder, Notifications, Rules, Seat, TeamConfig};
pub use difference::differences;
pub use file::{Problem, parse};
pub use formation::{Contingent, Recruit};
pub use parts::{Capability, Language, PartProblem};
pub use powers::{Marked, Power, marked, widened};
pub use render::render;
pub use values::check_ntfy_topic;
pub use words::{
    CommitGuard, DisplayMode, ForeignOperators, Formation, Guard, Mode, OperatorDefault, Role, Track,
};

#[cfg(test)]
mod tests;
