//! What happens to tasks.

use serde::{Deserialize, Serialize};

use super::is_false;
use crate::ids::{AgentId, ReviewId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{BuildResult, FileAction, Priority, ReportStatus, TaskStatus, Verdict};

data! {
    /// A task or order was created.
    struct TaskCreated {
        /// One line.
        title: TextHash,
        /// Markdown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// Who wants it.
        assigner: AgentId,
        /// How urgent.
        priority: Priority,
        /// What it needs somebody to be good at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capability: Option<String>,
        /// Why it exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        purpose: Option<TextHash>,
        /// What must be.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        requirements: Vec<TextHash>,
        /// How one sees that it is done.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        acceptance_criteria: Vec<TextHash>,
        /// The order or task it is part of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<TaskId>,
        /// What must be finished first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        depends_on: Vec<TaskId>,
        /// The branch to work on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// The files it is about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
        /// Where the result goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_path: Option<String>,
        /// The cheerful line at its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        echo_message: Option<TextHash>,
        /// The task this one does again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        redo_of: Option<TaskId>,
        /// The task this one takes over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reassigned_from: Option<TaskId>,
        /// Ids of the same task in other systems.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
    }
    /// Title, description or other facts were changed; absent fields stay.
    struct TaskEdited {
        /// New title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<TextHash>,
        /// New description.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// New priority.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<Priority>,
        /// New branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    }
    /// The task was given to, or taken by, an agent. Void if it has another assignee by then.
    struct TaskAssigned {
        /// To whom.
        assignee: AgentId,
        /// The assignee it had when this was decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<AgentId>,
        /// Taken by the assignee itself.
        #[serde(default, skip_serializing_if = "is_false")]
        claimed: bool,
    }
    /// The task moved one step. Void if it is elsewhere by then.
    struct TaskMoved {
        /// From where.
        from: TaskStatus,
        /// To where.
        to: TaskStatus,
        /// Whose the task was when this was decided: what somebody else did with it does not count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignee: Option<AgentId>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
        /// For `reassigned`: the task that goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        successor: Option<TaskId>,
        /// For a verdict: the change it judges. It has no effect once another one was submitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judges: Option<TaskSubmitted>,
    }
    /// A round of a review was submitted for the task.
    struct TaskSubmitted {
        /// The review.
        review: ReviewId,
        /// The round.
        round: u32,
    }
    /// A time-stamped note.
    struct TaskNoted {
        /// The words.
        note: TextHash,
    }
    /// The task waits for another, or no longer does.
    struct TaskDependency {
        /// For which.
        on: TaskId,
        /// Whether it is taken away.
        #[serde(default, skip_serializing_if = "is_false")]
        removed: bool,
    }
    /// The worker proposed to divide the task. Void if it is closed, or if a proposal waits already.
    struct TaskSplitProposed {
        /// One line each.
        parts: Vec<TextHash>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// Who leads the task answered the proposal. Void if none waits.
    struct TaskSplitDecided {
        /// The tasks that the parts became; none where it was declined.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tasks: Vec<TaskId>,
        /// Why not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// What was learned that others could reuse.
    struct SkillCandidate {
        /// Whether there is one.
        found: bool,
        /// Its name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<TextHash>,
        /// What it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// Why it is worth keeping.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// A file a worker changed, and how.
    struct ChangedFile {
        /// Which.
        path: String,
        /// How.
        action: FileAction,
    }
    /// How the worker saw that the result works.
    struct Verification {
        /// How the build ended.
        build_result: BuildResult,
        /// By which command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        build_command: Option<TextHash>,
        /// What stood on the console, where something was wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_console: Option<TextHash>,
    }
    /// What was left to do in the files.
    struct TodoScan {
        /// How many such marks there are.
        count: u32,
        /// Those that are new.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        new_todos: Vec<TextHash>,
    }
    /// Where the result is in git.
    struct CommitInfo {
        /// On which branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// The newest commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit_hash: Option<String>,
    }
    /// The worker's report.
    struct TaskReported {
        /// Who worked.
        worker: AgentId,
        /// How it ended.
        status: ReportStatus,
        /// In short.
        summary: TextHash,
        /// Which files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files_modified: Vec<String>,
        /// Anything else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<TextHash>,
        /// What could be reused.
        skill_candidate: SkillCandidate,
        /// Where the result misses the purpose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        purpose_gap: Option<TextHash>,
        /// The worker compared the result with the purpose and found no gap.
        #[serde(default, skip_serializing_if = "is_false")]
        purpose_met: bool,
        /// Which files, and how each was changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed_files: Vec<ChangedFile>,
        /// How it was tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verification: Option<Verification>,
        /// What is left to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        todo_scan: Option<TodoScan>,
        /// Where it is in git.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit_info: Option<CommitInfo>,
    }
    /// A verdict on a task.
    struct TaskJudged {
        /// What.
        verdict: Verdict,
        /// By whom.
        by: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
        /// The review it came from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        review: Option<ReviewId>,
        /// The operator decided where the rules gave the word to somebody else.
        #[serde(default, skip_serializing_if = "is_false")]
        overruled: bool,
        /// The change it judges. It has no effect once another one was submitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judges: Option<TaskSubmitted>,
    }
}
