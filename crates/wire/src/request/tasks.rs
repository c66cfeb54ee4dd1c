//! Tasks.

use interagent_core::vocabulary::{
    BuildResult, FileAction, Priority, ReportStatus, SplitAnswer, TaskStatus, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::params;

/// What was learned that others could reuse.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SkillParam {
    /// Whether there is something.
    pub found: bool,
    /// Its name.
    pub name: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// Why it is worth keeping.
    pub reason: Option<String>,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedFileParam {
    /// Which.
    pub path: String,
    /// created, modified or deleted.
    pub action: FileAction,
}

/// How the result was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationParam {
    /// pass or fail.
    pub build_result: BuildResult,
    /// By which command.
    #[serde(default)]
    pub build_command: Option<String>,
    /// What stood on the console.
    #[serde(default)]
    pub error_console: Option<String>,
}

/// What is left to do in the files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TodoScanParam {
    /// How many marks of it there are.
    pub count: u32,
    /// The new ones.
    pub new_todos: Vec<String>,
}

/// Where the result is in git.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommitInfoParam {
    /// On which branch.
    pub branch: Option<String>,
    /// The newest commit.
    pub commit_hash: Option<String>,
}

params! {
    /// Creates a task and, with an assignee, gives it to them.
    struct TaskCreate {
        /// One line.
        title: String,
        /// Markdown.
        description: Option<String>,
        /// Who does it: a name or id.
        assignee: Option<String>,
        /// Without an assignee: give it to whom it fits best, by path ownership, capability, load and liveness.
        route: bool,
        /// low, medium, high or critical.
        priority: Option<Priority>,
        /// What it needs somebody to be good at.
        capability: Option<String>,
        /// Why it exists.
        purpose: Option<String>,
        /// What must be.
        requirements: Vec<String>,
        /// How one sees that it is done.
        acceptance_criteria: Vec<String>,
        /// The order or task it is part of.
        parent: Option<String>,
        /// What must be finished first.
        depends_on: Vec<String>,
        /// The branch to work on.
        branch: Option<String>,
        /// The files it is about.
        files: Vec<String>,
        /// Where the result goes.
        target_path: Option<String>,
        /// The cheerful line at its end.
        echo_message: Option<String>,
        /// Ids of the same task in other systems.
        aliases: Vec<String>,
        /// Sends the assignee no message.
        quiet: bool,
        /// Accepted and not needed: the assignee is notified by default.
        announce: bool,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Says who would get a task that names nobody, and why; creates nothing.
    struct TaskRoute {
        /// One line.
        title: String,
        /// Markdown.
        description: Option<String>,
        /// What it needs somebody to be good at; guessed from the words when left out.
        capability: Option<String>,
        /// The files it is about; guessed from the words when left out.
        files: Vec<String>,
    }
    /// Lists tasks, newest first.
    struct TaskList {
        /// Of this assignee.
        assignee: Option<String>,
        /// In this status.
        status: Option<TaskStatus>,
        /// Part of this one.
        parent: Option<String>,
        /// Only open ones.
        open: bool,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Shows one task with everything said of it.
    struct TaskShow {
        /// Its id, a prefix of it, or an alias. Empty: the caller's one open task.
        task: String,
    }
    /// Moves a task, notes something, or changes what it says; all in one step.
    struct TaskUpdate {
        /// Its id.
        task: String,
        /// The status to move to; skipped steps are recorded too.
        status: Option<TaskStatus>,
        /// Why it moves, or just a note.
        note: Option<String>,
        /// New title.
        title: Option<String>,
        /// New description.
        description: Option<String>,
        /// New priority.
        priority: Option<Priority>,
        /// New branch.
        branch: Option<String>,
        /// Completes or approves it although parts of it are not done; the task notes which.
        with_open_parts: bool,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Takes a task that is nobody's.
    struct TaskClaim {
        /// Its id.
        task: String,
    }
    /// Finds the most urgent task that is ready for the caller, and takes it.
    struct TaskNext {
        /// Only look.
        peek: bool,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Adds a time-stamped note to a task.
    struct TaskNote {
        /// Its id.
        task: String,
        /// The words.
        note: String,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Makes a task wait for another, or no longer.
    struct TaskDepend {
        /// The task that waits.
        task: String,
        /// For which.
        on: String,
        /// Take the dependency away.
        remove: bool,
    }
    /// Reports on a task: done completes it, failed closes it, blocked says so.
    struct TaskReport {
        /// Its id; the caller's one open task when left out.
        task: String,
        /// done, failed or blocked.
        status: Option<ReportStatus>,
        /// In short.
        summary: Option<String>,
        /// Which files.
        files_modified: Vec<String>,
        /// Anything else.
        notes: Option<String>,
        /// What could be reused; say `found: false` when nothing could.
        skill_candidate: Option<SkillParam>,
        /// Where the result misses the purpose.
        purpose_gap: Option<String>,
        /// The result was compared with the purpose, and there is no gap.
        purpose_met: bool,
        /// Which files, and how each was changed.
        changed_files: Vec<ChangedFileParam>,
        /// How it was tried.
        verification: Option<VerificationParam>,
        /// What is left to do.
        todo_scan: Option<TodoScanParam>,
        /// Where it is in git.
        commit_info: Option<CommitInfoParam>,
        /// The whole report as a YAML document, instead of the fields: worker_id, task_id, parent_cmd, timestamp, status,
        /// result {summary, files_modified, notes}, skill_candidate {found, name, description, reason}, purpose_gap,
        /// changed_files, verification, todo_scan, commit_info.
        yaml: Option<String>,
        /// Completes or approves it although parts of it are not done; the task notes which.
        with_open_parts: bool,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Passes judgement on completed work.
    struct TaskVerdict {
        /// Its id.
        task: String,
        /// approved, revision_needed or rejected.
        verdict: Option<Verdict>,
        /// Why.
        note: Option<String>,
        /// Completes or approves it although parts of it are not done; the task notes which.
        with_open_parts: bool,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Closes a task and opens a linked one for somebody else.
    struct TaskReassign {
        /// Its id.
        task: String,
        /// Who goes on: a name or id.
        to: String,
        /// Why.
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Proposes to divide a task that is larger than it looked, or answers such a proposal: the parts become tasks.
    struct TaskSplit {
        /// Its id.
        task: String,
        /// The parts that are proposed, one line each.
        into: Vec<String>,
        /// Why, or why not.
        reason: Option<String>,
        /// The answer to a proposal: accept or decline.
        answer: Option<SplitAnswer>,
        /// Who does the parts when they are accepted: names with commas, in their order; who proposed them when left out.
        to: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Makes a new task that does a finished one again.
    struct TaskRedo {
        /// The finished one.
        task: String,
        /// Who does it; the same as before when left out.
        assignee: Option<String>,
        /// What was wrong.
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
}
