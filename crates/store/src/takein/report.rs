//! What goes into the intake of foreign entries, and its result.

use super::TakeInProblem;

/// A line of another replica's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignLine {
    /// Its bytes, without a line end.
    pub text: String,
    /// Where it was found, for messages: `file:line`.
    pub place: String,
}

/// What became of foreign lines and texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakeIn {
    /// Entries that were added and count.
    pub new: u64,
    /// Entries that were here before.
    pub known: u64,
    /// Entries that were added and wait, because they claim to be from the future.
    pub held: u64,
    /// Entries from earlier calls whose time has come.
    pub released: u64,
    /// Entries left out because an earlier one of their origin was a problem.
    pub skipped: u64,
    /// Texts that were added.
    pub texts: u64,
    /// What was left out, and why.
    pub problems: Vec<TakeInProblem>,
}
