//! A report as people and other systems write it: one YAML document with fixed fields.
//!
//! Owns the names of the fields and both directions. What a report means is decided by the hub.

mod details;
mod read;
mod tree;
mod write;

use interagent_core::vocabulary::ReportStatus;

use crate::request::{ChangedFileParam, CommitInfoParam, SkillParam, TodoScanParam, VerificationParam};

pub use write::write;

/// A report that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Who worked.
    pub worker_id: String,
    /// On what.
    pub task_id: String,
    /// The order it belongs to; `null` where there is none.
    pub parent_cmd: Option<String>,
    /// How it ended.
    pub status: ReportStatus,
    /// In short.
    pub summary: String,
    /// Which files.
    pub files_modified: Vec<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// What could be reused.
    pub skill_candidate: SkillParam,
    /// Where the result misses the purpose.
    pub purpose_gap: Option<String>,
    /// `purpose_gap` is there and empty: the worker looked, and found none.
    pub purpose_met: bool,
    /// Which files, and how each was changed.
    pub changed_files: Vec<ChangedFileParam>,
    /// How it was tried.
    pub verification: Option<VerificationParam>,
    /// What is left to do.
    pub todo_scan: Option<TodoScanParam>,
    /// Where it is in git.
    pub commit_info: Option<CommitInfoParam>,
}

impl std::str::FromStr for ReportFile {
    type Err = BadReport;

    fn from_str(text: &str) -> Result<Self, BadReport> {
        read::read(text)
    }
}

/// Why a text is no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadReport {
    /// What is wrong, without the line.
    pub sentence: String,
    /// Where, counted from 1.
    pub line: Option<usize>,
}

impl std::fmt::Display for BadReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.sentence),
            None => f.write_str(&self.sentence),
        }
    }
}

impl std::error::Error for BadReport {}

#[cfg(test)]
mod tests;
