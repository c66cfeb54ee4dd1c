//! Reporting on a task.

use clap::Args;
use interagent_core::vocabulary::ReportStatus;
use interagent_wire::Request;
use interagent_wire::request::{SkillParam, TaskReport};

/// Reports on a task: done completes it, failed closes it, blocked says so.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  interagent task report task-7k3m done --summary 'the last token is kept' --files src/parser.rs --no-skill"
)]
pub(crate) struct Report {
    /// Its id.
    task: String,
    /// done, failed or blocked.
    status: ReportStatus,
    /// In short.
    #[arg(long)]
    summary: Option<String>,
    /// Which files were changed.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "PATH")]
    files: Vec<String>,
    /// Anything else.
    #[arg(long)]
    notes: Option<String>,
    /// Nothing was learned that others could reuse.
    #[arg(long, conflicts_with_all = ["skill", "skill_description", "skill_reason"])]
    no_skill: bool,
    /// The name of what was learned that others could reuse.
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,
    /// What that does.
    #[arg(long, value_name = "TEXT", requires = "skill")]
    skill_description: Option<String>,
    /// Why it is worth keeping.
    #[arg(long, value_name = "TEXT", requires = "skill")]
    skill_reason: Option<String>,
    /// Where the result misses the purpose.
    #[arg(long, value_name = "TEXT")]
    purpose_gap: Option<String>,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Report {
    pub(super) fn request(self) -> Request {
        let skill_candidate = match (self.skill, self.no_skill) {
            (Some(name), _) => Some(SkillParam {
                found: true,
                name: Some(name),
                description: self.skill_description,
                reason: self.skill_reason,
            }),
            (None, true) => Some(SkillParam::default()),
            (None, false) => None,
        };
        TaskReport {
            task: self.task,
            status: Some(self.status),
            summary: self.summary,
            files_modified: self.files,
            notes: self.notes,
            skill_candidate,
            purpose_gap: self.purpose_gap,
            key: self.key,
        }
        .into()
    }
}
