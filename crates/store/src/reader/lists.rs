//! Filters and pages: what a list may ask for.

use interagent_core::ids::{AgentId, MessageId, TaskId};
use interagent_core::vocabulary::{Intent, TaskStatus};

/// Where a page begins: after this row of the page before. Rows are ordered by (`at`, id), newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageStart {
    /// The last row's order clock.
    pub at: i64,
    /// The last row's id.
    pub id: String,
}

impl Default for PageStart {
    fn default() -> Self {
        Self { at: i64::MAX, id: String::new() }
    }
}

/// Which messages.
#[derive(Clone, Debug, Default)]
pub struct MessageFilter {
    /// From this agent.
    pub from: Option<AgentId>,
    /// To this agent.
    pub to: Option<AgentId>,
    /// In this thread.
    pub thread: Option<MessageId>,
    /// About this task.
    pub task: Option<TaskId>,
    /// With this intent.
    pub intent: Option<Intent>,
    /// Sent at this time or later, by the wall clock of who sent it.
    pub since: Option<i64>,
    /// Only those that wait for a release. With the intent `control`: only those that wait to be carried out.
    pub held: bool,
}

/// Which tasks.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// Of this assignee.
    pub assignee: Option<AgentId>,
    /// In this status.
    pub status: Option<TaskStatus>,
    /// Part of this one.
    pub parent: Option<TaskId>,
    /// Only open ones.
    pub open: bool,
}
