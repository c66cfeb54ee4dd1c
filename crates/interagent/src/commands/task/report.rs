//! Reporting on a task.

use std::path::PathBuf;

use clap::Args;
use interagent_core::vocabulary::ReportStatus;
use interagent_wire::Request;
use interagent_wire::request::{SkillParam, TaskReport};

use crate::error::CliError;
use crate::input;

/// What a report says, when it is no file.
const FIELDS: [&str; 9] = [
    "status",
    "summary",
    "files",
    "notes",
    "no_skill",
    "skill",
    "skill_description",
    "skill_reason",
    "purpose_gap",
];

/// Reports on a task: done completes it, failed closes it, blocked says so.
///
/// As options, or as one YAML document with worker_id, task_id, parent_cmd, timestamp, status,
/// result {summary, files_modified, notes}, skill_candidate {found, name, description, reason} and purpose_gap.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent task report task-7k3m done --summary 'it is kept' --no-skill\n  interagent task report --file report.yaml"
)]
pub(crate) struct Report {
    /// Its id; with --file the document says it too.
    #[arg(required_unless_present = "file")]
    task: Option<String>,
    /// done, failed or blocked.
    #[arg(required_unless_present = "file")]
    status: Option<ReportStatus>,
    /// The whole report as YAML, from a file; `-` reads standard input.
    #[arg(long, value_name = "FILE", visible_alias = "yaml", conflicts_with_all = FIELDS)]
    file: Option<PathBuf>,
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
    pub(super) fn request(self) -> Result<Request, CliError> {
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
        let report = TaskReport {
            task: self.task.unwrap_or_default(),
            status: self.status,
            summary: self.summary,
            files_modified: self.files,
            notes: self.notes,
            skill_candidate,
            purpose_gap: self.purpose_gap,
            yaml: self.file.as_deref().map(input::from_file).transpose()?,
            key: self.key,
        };
        Ok(report.into())
    }
}
