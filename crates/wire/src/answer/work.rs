//! Tasks, reviews, specs, decisions and leases, as shown.

use interagent_core::vocabulary::{LeaseMode, Priority, ReportStatus, TaskStatus, Verdict};

use super::{ChangedFileView, CommitInfoView, ReviewRow, ServesView, TodoScanView, VerificationView, Who};
use crate::{Time, shapes};

shapes! {
    /// A task in a list.
    struct TaskRow {
        /// Its id.
        id: String,
        /// One line.
        title: String,
        /// Where it stands.
        status: TaskStatus,
        /// How urgent.
        priority: Priority,
        /// Who works on it.
        assignee: Option<Who>,
        /// Who wants it.
        assigner: Who,
        /// The order or task it is part of.
        parent: Option<String>,
        /// Nothing holds it back.
        ready: bool,
        /// When it was created.
        created: Time,
        /// When it last changed.
        updated: Time,
    }
    /// A note.
    struct NoteView {
        /// When.
        at: Time,
        /// By whom.
        by: Who,
        /// The words.
        note: Option<String>,
    }
    /// What could be reused.
    struct SkillView {
        /// Whether there is something.
        found: bool,
        /// Its name.
        name: Option<String>,
        /// What it does.
        description: Option<String>,
        /// Why it is worth keeping.
        reason: Option<String>,
    }
    /// A report.
    struct ReportView {
        /// When.
        timestamp: Time,
        /// Who worked.
        worker: Who,
        /// Who spoke for it, where the operator did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spoken_by: Option<Who>,
        /// How it ended.
        status: ReportStatus,
        /// In short.
        summary: Option<String>,
        /// Which files.
        files_modified: Vec<String>,
        /// Anything else.
        notes: Option<String>,
        /// What could be reused.
        skill_candidate: SkillView,
        /// Where the result misses the purpose.
        purpose_gap: Option<String>,
        /// The worker compared the result with the purpose and found no gap.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        purpose_met: bool,
        /// Which files, and how each was changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed_files: Vec<ChangedFileView>,
        /// How it was tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verification: Option<VerificationView>,
        /// What is left to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        todo_scan: Option<TodoScanView>,
        /// Where it is in git.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit_info: Option<CommitInfoView>,
    }
    /// A verdict.
    struct VerdictView {
        /// When.
        at: Time,
        /// By whom.
        by: Who,
        /// What.
        verdict: Verdict,
        /// Why.
        note: Option<String>,
        /// The review it came from.
        review: Option<String>,
        /// The operator decided over the rules.
        overruled: bool,
    }
    /// A task that another waits for.
    struct DependencyView {
        /// Its id.
        id: String,
        /// One line.
        title: String,
        /// Where it stands.
        status: TaskStatus,
    }
    /// A task with everything said of it.
    struct TaskView {
        /// Its id.
        id: String,
        /// One line.
        title: String,
        /// Markdown.
        description: Option<String>,
        /// Where it stands.
        status: TaskStatus,
        /// How urgent.
        priority: Priority,
        /// Who works on it.
        assignee: Option<Who>,
        /// Who wants it.
        assigner: Who,
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
        /// Whether it is an order.
        order: bool,
        /// What the work is for, where somebody said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        serves: Option<ServesView>,
        /// What must be finished first.
        depends_on: Vec<DependencyView>,
        /// Nothing holds it back.
        ready: bool,
        /// The branch.
        branch: Option<String>,
        /// The files.
        files: Vec<String>,
        /// Where the result goes.
        target_path: Option<String>,
        /// The cheerful line at its end.
        echo_message: Option<String>,
        /// The task it does again.
        redo_of: Option<String>,
        /// The task it takes over.
        reassigned_from: Option<String>,
        /// The task that goes on in its place.
        successor: Option<String>,
        /// What was noted.
        notes: Vec<NoteView>,
        /// What was reported.
        reports: Vec<ReportView>,
        /// What was decided of it.
        verdicts: Vec<VerdictView>,
        /// Its reviews, newest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reviews: Vec<ReviewRow>,
        /// The team's rules require a verdict on it, and nobody gave one yet.
        #[serde(default)]
        awaits_verdict: bool,
        /// The last proposal to divide it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        split: Option<SplitView>,
        /// Ids in other systems.
        aliases: Vec<String>,
        /// When it was created.
        created: Time,
        /// When it last changed.
        updated: Time,
    }
    /// A proposal to divide a task.
    struct SplitView {
        /// When.
        at: Time,
        /// By whom.
        by: Who,
        /// One line each.
        parts: Vec<String>,
        /// Why.
        reason: Option<String>,
        /// Whether it waits for an answer.
        open: bool,
        /// The tasks that the parts became.
        tasks: Vec<String>,
        /// Why not.
        declined: Option<String>,
    }
    /// The next task for somebody.
    struct NextTaskView {
        /// The task; absent when there is none.
        task: Option<TaskView>,
        /// Whether it was taken by this call.
        claimed: bool,
    }
    /// A spec in a list.
    struct SpecRow {
        /// Its name.
        name: String,
        /// The newest version.
        version: u32,
        /// By whom.
        publisher: Who,
        /// When.
        published: Time,
        /// What changed.
        note: Option<String>,
    }
    /// A version of a spec.
    struct SpecView {
        /// Its name.
        name: String,
        /// Which version this is.
        version: u32,
        /// Markdown.
        body: Option<String>,
        /// By whom.
        publisher: Who,
        /// When.
        published: Time,
        /// What changed.
        note: Option<String>,
        /// All versions, oldest first.
        versions: Vec<SpecRow>,
        /// Who hears of new ones.
        subscribers: Vec<Who>,
    }
    /// What changed between two versions of a spec.
    struct SpecChangeView {
        /// The older one.
        from: SpecRow,
        /// The newer one.
        to: SpecRow,
        /// A unified diff; empty when both say the same.
        diff: String,
        /// Lines that came.
        added: u32,
        /// Lines that went.
        removed: u32,
    }
    /// A position.
    struct PositionView {
        /// Who.
        agent: Who,
        /// For what.
        position: Option<String>,
        /// Why.
        reason: Option<String>,
        /// Since when.
        at: Time,
    }
    /// A decision.
    struct DecisionView {
        /// Its id.
        id: String,
        /// The question.
        question: Option<String>,
        /// What could be chosen.
        options: Vec<String>,
        /// Who asked.
        by: Who,
        /// When.
        opened: Time,
        /// Until when positions count.
        deadline: Option<Time>,
        /// Where each stands.
        positions: Vec<PositionView>,
        /// What was decided.
        outcome: Option<String>,
        /// By whom.
        decided_by: Option<Who>,
        /// Why.
        reason: Option<String>,
        /// When.
        decided: Option<Time>,
        /// The earlier decision it replaces.
        supersedes: Option<String>,
        /// The later decision that took its place.
        superseded_by: Option<String>,
        /// It is open, and whoever asks may decide it.
        may_decide: bool,
    }
    /// A lease.
    struct LeaseView {
        /// Its id.
        id: String,
        /// By whom.
        holder: Who,
        /// Which paths.
        paths: Vec<String>,
        /// Alone or not.
        mode: LeaseMode,
        /// The fencing token; a later grant has a larger one.
        token: i64,
        /// For how long without renewal, in seconds.
        ttl_s: i64,
        /// About when it runs out, if it is not renewed; absent once it ended. The machine's own clock decides.
        until: Option<Time>,
        /// For what.
        reason: Option<String>,
        /// The task.
        task: Option<String>,
        /// When it was taken.
        taken: Time,
        /// Whether it holds.
        live: bool,
    }
}
