//! Reports in their details, the purpose they are compared with, skills that were proposed, and control messages.

use interagent_core::vocabulary::{BuildResult, ControlOutcome, ControlVerb, FileAction};

use super::Who;
use crate::{Time, shapes};

shapes! {
    /// A file that was changed.
    struct ChangedFileView {
        /// Which.
        path: String,
        /// How.
        action: FileAction,
    }
    /// How the result was tried.
    struct VerificationView {
        /// How the build ended.
        build_result: BuildResult,
        /// By which command.
        build_command: Option<String>,
        /// What stood on the console.
        error_console: Option<String>,
    }
    /// What is left to do in the files.
    struct TodoScanView {
        /// How many marks of it there are.
        count: u32,
        /// The new ones.
        new_todos: Vec<String>,
    }
    /// Where the result is in git.
    struct CommitInfoView {
        /// On which branch.
        branch: Option<String>,
        /// The newest commit.
        commit_hash: Option<String>,
    }
    /// What the work is for: said by the task itself, or by the nearest one above it.
    struct ServesView {
        /// The task that says it.
        order: String,
        /// Why it exists.
        purpose: String,
        /// How one sees that it is done.
        acceptance_criteria: Vec<String>,
    }
    /// One report that proposed a skill.
    struct ProposalView {
        /// The name as it was written.
        name: String,
        /// What it does.
        description: Option<String>,
        /// Why it is worth keeping.
        reason: Option<String>,
        /// Who proposed it.
        worker: Who,
        /// In the report on which task.
        task: String,
        /// When.
        at: Time,
    }
    /// A skill that members proposed, and what the operator made of it.
    struct SkillSummary {
        /// By what it is known here.
        key: String,
        /// `candidate`, `promoted` or `rejected`.
        state: String,
        /// What it is for.
        description: String,
        /// How often it was proposed.
        times: u32,
        /// By whom, each once.
        workers: Vec<Who>,
        /// Its folder, once it was promoted.
        name: Option<String>,
        /// The files it was written to.
        places: Vec<String>,
        /// Why it was rejected.
        reason: Option<String>,
        /// When that was decided.
        decided: Option<Time>,
    }
    /// A skill with everything said of it.
    struct SkillDetail {
        /// In short.
        skill: SkillSummary,
        /// What members wrote, oldest first.
        proposals: Vec<ProposalView>,
        /// What its SKILL.md says; absent where its name fits no folder.
        file: Option<String>,
    }
    /// A message for an agent's session itself.
    struct ControlView {
        /// Its id.
        message: String,
        /// Whose session.
        agent: Who,
        /// Who asked for it.
        from: Who,
        /// What.
        verb: ControlVerb,
        /// The model it changes to.
        model: Option<String>,
        /// Whether it carries words for after a clear.
        has_words: bool,
        /// Since when it waits.
        sent: Time,
        /// What became of it.
        outcome: Option<ControlOutcome>,
        /// What will happen, in a sentence.
        promise: String,
    }
}
