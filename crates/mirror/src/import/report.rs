//! What became of an import: taken, taken before, left and why.

use serde::Serialize;

use super::record::Left;

/// How many of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Agents.
    pub agents: usize,
    /// Messages.
    pub messages: usize,
    /// Tasks and orders.
    pub tasks: usize,
    /// Reports.
    pub reports: usize,
    /// Specs.
    pub specs: usize,
}

impl Count {
    /// All of them.
    pub fn total(&self) -> usize {
        self.agents + self.messages + self.tasks + self.reports + self.specs
    }
}

/// A name that is not allowed here, and the one that was taken instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// There.
    pub was: String,
    /// Here.
    pub is: String,
}

/// What became of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// New in the log.
    pub taken: Count,
    /// In the log before.
    pub taken_before: Count,
    /// Taken before and moved on since: read, noted, moved.
    pub brought_up_to_date: usize,
    /// Agents with another name.
    pub renamed: Vec<Renamed>,
    /// What stays behind, and why.
    pub left: Vec<Left>,
    /// What else there is to know.
    pub notes: Vec<String>,
}
