//! Reporting on a task: as options, as a document, or in the person's editor.

use std::path::PathBuf;

use clap::Args;
use interagent_core::cheer::cheer;
use interagent_core::ids::TaskId;
use interagent_core::team::DisplayMode;
use interagent_core::vocabulary::{BuildResult, ReportStatus};
use interagent_wire::Answer;
use interagent_wire::answer::TaskView;
use interagent_wire::request::{
    CommitInfoParam, SkillParam, TaskReport, TaskShow, TodoScanParam, VerificationParam, Whoami,
};

use super::template;
use crate::editor;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::input;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::values::now_us;

/// What a report says, when it is no file.
const FIELDS: [&str; 15] = [
    "status",
    "summary",
    "files",
    "notes",
    "no_skill",
    "skill",
    "skill_description",
    "skill_reason",
    "purpose_gap",
    "purpose_met",
    "build",
    "build_command",
    "branch",
    "commit",
    "todos",
];

/// Reports on a task: done completes it, failed closes it, blocked says so.
///
/// As options, or as one YAML document with worker_id, task_id, parent_cmd, timestamp, status,
/// result {summary, files_modified, notes}, skill_candidate {found, name, description, reason}, purpose_gap, and, where there
/// is something to say, changed_files, verification, todo_scan and commit_info. Without either, standard input is read; on a
/// terminal VISUAL or EDITOR opens with a document to fill in.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent report done --summary 'it is kept' --no-skill --purpose-met\n  interagent report - < report.yaml\n  interagent task report task-7k3m blocked --summary 'no key' --no-skill\n  interagent task report --file report.yaml"
)]
pub(crate) struct Report {
    /// Its id; your one open task when left out. `-` reads a document from standard input.
    task: Option<String>,
    /// done, failed or blocked.
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
    #[arg(long, value_name = "TEXT", conflicts_with = "purpose_met")]
    purpose_gap: Option<String>,
    /// You compared the result with the purpose, and there is no gap.
    #[arg(long)]
    purpose_met: bool,
    /// How the build ended: pass or fail.
    #[arg(long, value_name = "RESULT")]
    build: Option<BuildResult>,
    /// By which command.
    #[arg(long, value_name = "TEXT", requires = "build")]
    build_command: Option<String>,
    /// The branch the result is on.
    #[arg(long)]
    branch: Option<String>,
    /// The newest commit of the result.
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// How many marks of work to do are left in the files.
    #[arg(long, value_name = "N")]
    todos: Option<u32>,
    /// Report it done with open parts
    #[arg(long)]
    with_open_parts: bool,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Report {
    pub(crate) fn run(mut self, session: &mut Session) -> Result<ExitCode, CliError> {
        // `report done` names no task: the one that is open is meant.
        if self.status.is_none()
            && let Some(status) = self.task.as_ref().and_then(|word| word.parse().ok())
        {
            self.status = Some(status);
            self.task = None;
        }
        if self.task.as_deref() == Some("-") && self.file.is_none() {
            self.task = None;
            self.file = Some(PathBuf::from("-"));
        }
        if self.says_nothing() && editor::is_possible(session) {
            return self.compose(session);
        }
        if self.says_nothing() && !session.env.terminals.stdin {
            let document = input::from_file(&PathBuf::from("-"))?;
            if !document.trim().is_empty() {
                return told(session, self.document(document));
            }
        }
        match self.file.take() {
            Some(file) => {
                let document = input::from_file(&file)?;
                told(session, self.document(document))
            }
            None => told(session, self.fields()),
        }
    }

    fn says_nothing(&self) -> bool {
        let Self { task: _, key: _, status, file, summary, files, notes, skill, purpose_gap, .. } = self;
        let texts = [summary, notes, skill, purpose_gap, &self.branch, &self.commit];
        status.is_none()
            && file.is_none()
            && files.is_empty()
            && texts.iter().all(|text| text.is_none())
            && !self.no_skill
            && !self.purpose_met
            && self.build.is_none()
            && self.todos.is_none()
    }

    fn document(self, yaml: String) -> TaskReport {
        let task = self.task.unwrap_or_default();
        TaskReport {
            task,
            yaml: Some(yaml),
            with_open_parts: self.with_open_parts,
            key: self.key,
            ..TaskReport::default()
        }
    }

    fn fields(self) -> TaskReport {
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
        let build_command = self.build_command;
        let is_in_git = self.branch.is_some() || self.commit.is_some();
        TaskReport {
            task: self.task.unwrap_or_default(),
            status: self.status,
            summary: self.summary,
            files_modified: self.files,
            notes: self.notes,
            skill_candidate,
            purpose_gap: self.purpose_gap,
            purpose_met: self.purpose_met,
            changed_files: Vec::new(),
            verification: self.build.map(|build_result| VerificationParam {
                build_result,
                build_command,
                error_console: None,
            }),
            todo_scan: self.todos.map(|count| TodoScanParam { count, new_todos: Vec::new() }),
            commit_info: is_in_git
                .then_some(CommitInfoParam { branch: self.branch, commit_hash: self.commit }),
            yaml: None,
            with_open_parts: self.with_open_parts,
            key: self.key,
        }
    }

    /// Lets a person fill the document in.
    fn compose(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let worker = match session.call(Whoami {})?.answer {
            Answer::Identity(identity) => identity.member.map(|member| member.name),
            _ => None,
        };
        // Without an id that is the one open task; where there is none or several, that is said before the editor opens.
        let named = TaskShow { task: self.task.clone().unwrap_or_default() };
        let task = match session.call(named)?.answer {
            Answer::Task(task) => Some(task),
            _ => None,
        };
        let now = now_us();
        let draft = editor::fill_in(session, &template::document(worker.as_deref(), task.as_ref(), now))?;
        let report = self.document(draft.text.clone());
        let outcome = told(session, report);
        draft.settle(outcome)
    }
}

/// Reports, shows what came of it, and ends with a cheer where the team wants one.
fn told(session: &mut Session, report: TaskReport) -> Result<ExitCode, CliError> {
    let reply = session.call(report)?;
    session.show("task.report", &reply)?;
    if session.is_for_people()
        && reply.unchanged.is_none()
        && let Answer::Task(task) = &reply.answer
        && let Some(line) = cheer_for(session, task)
    {
        session.printer.line(&[(Role::Good, &line)]);
    }
    session.conclude(Done::Committed)
}

/// The cheerful line for work that was just called done. That it is missing is no trouble of anybody.
fn cheer_for(session: &mut Session, task: &TaskView) -> Option<String> {
    if task.reports.last()?.status != ReportStatus::Done {
        return None;
    }
    let config = session.team().ok()??;
    let id = TaskId::parse(&task.id).ok()?;
    (config.display == DisplayMode::Shout)
        .then(|| cheer(&config.language, &id, &task.title, task.echo_message.as_deref()))
}
