//! Tasks: from creation to verdict.

mod create;
pub(crate) mod report;
mod template;

use clap::Subcommand;
use interagent_core::vocabulary::{Priority, SplitAnswer, TaskStatus, Verdict};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Request, report as report_file};

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Tasks: create, claim, note, split, report, judge.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent task create 'Rewrite the parser' --to kimi\n  interagent task list --open\n  interagent task update task-7k3m --status completed --note 'all tests pass'"
)]
pub(crate) enum Task {
    /// Creates a task and, with an assignee, gives it to them.
    Create(Box<create::Create>),
    /// Lists tasks, newest first.
    #[command(after_help = "Example:\n  interagent task list --open --assignee kimi")]
    List {
        /// Of this assignee.
        #[arg(long, value_name = "NAME")]
        assignee: Option<String>,
        /// In this status.
        #[arg(long)]
        status: Option<TaskStatus>,
        /// Part of this one.
        #[arg(long, value_name = "ID")]
        parent: Option<String>,
        /// Only open ones.
        #[arg(long, visible_alias = "active-only")]
        open: bool,
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Shows one task with everything said of it.
    #[command(
        after_help = "Examples:\n  interagent task show task-7k3m\n  interagent task show task-7k3m --yaml"
    )]
    Show {
        /// Its id, a prefix of it, or an alias.
        task: String,
        /// Only its reports, as the YAML documents that `task report --file` reads.
        #[arg(long)]
        yaml: bool,
    },
    /// Moves a task, notes something, or changes what it says; all in one step.
    #[command(
        after_help = "Example:\n  interagent task update task-7k3m --status completed --note 'all tests pass'"
    )]
    Update {
        /// Its id.
        task: String,
        /// The status to move to; skipped steps are recorded too.
        #[arg(long)]
        status: Option<TaskStatus>,
        /// Why it moves, or just a note.
        #[arg(long)]
        note: Option<String>,
        /// New title.
        #[arg(long)]
        title: Option<String>,
        /// New description.
        #[arg(long)]
        description: Option<String>,
        /// New priority.
        #[arg(long)]
        priority: Option<Priority>,
        /// New branch.
        #[arg(long)]
        branch: Option<String>,
        /// Complete or approve it with open parts
        #[arg(long)]
        with_open_parts: bool,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Takes a task that is nobody's.
    #[command(after_help = "Example:\n  interagent task claim task-7k3m")]
    Claim {
        /// Its id.
        task: String,
    },
    /// Finds the most urgent task that is ready for you, and takes it.
    #[command(after_help = "Example:\n  interagent task next --peek")]
    Next {
        /// Only look.
        #[arg(long)]
        peek: bool,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Adds a time-stamped note to a task.
    #[command(after_help = "Example:\n  interagent task note task-7k3m 'half of it works'")]
    Note {
        /// Its id.
        task: String,
        /// The words.
        note: String,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Makes a task wait for another, or no longer.
    #[command(after_help = "Example:\n  interagent task depend task-7k3m task-9zyx")]
    Depend {
        /// The task that waits.
        task: String,
        /// For which.
        on: String,
        /// Take the dependency away.
        #[arg(long)]
        remove: bool,
    },
    /// Reports on a task: done completes it, failed closes it, blocked says so.
    Report(Box<report::Report>),
    /// Passes judgement on completed work.
    #[command(after_help = "Example:\n  interagent task verdict task-7k3m approved --note 'well done'")]
    Verdict {
        /// Its id.
        task: String,
        /// approved, revision_needed or rejected.
        verdict: Verdict,
        /// Why.
        #[arg(long)]
        note: Option<String>,
        /// Complete or approve it although parts of it are not done.
        #[arg(long)]
        with_open_parts: bool,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Closes a task and opens a linked one for somebody else.
    #[command(
        after_help = "Example:\n  interagent task reassign task-7k3m --to kimi --reason 'claude is busy'"
    )]
    Reassign {
        /// Its id.
        task: String,
        /// Who goes on: a name or id.
        #[arg(long, value_name = "NAME")]
        to: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Proposes to divide a task that is larger than it looked, or answers such a proposal.
    ///
    /// Its worker proposes parts, and the task waits. Who gave it is asked; when they accept, each part becomes a task of its
    /// own, and the divided one goes on when all of them are finished.
    #[command(
        after_help = "Examples:\n  interagent task split task-7k3m --into Lexer --into Parser --reason big\n  interagent task split task-7k3m --accept --to kimi,claude\n  interagent task split task-7k3m --decline --reason 'one change is enough'"
    )]
    Split {
        /// Its id.
        task: String,
        /// A part, in one line. Once for each.
        #[arg(long, value_name = "PART")]
        into: Vec<String>,
        /// Why, or why not.
        #[arg(long)]
        reason: Option<String>,
        /// Make tasks of the parts that were proposed.
        #[arg(long, conflicts_with_all = ["into", "decline"])]
        accept: bool,
        /// Leave the task as it is.
        #[arg(long, conflicts_with = "into")]
        decline: bool,
        /// Who does the parts, in their order; who proposed them when left out.
        #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "accept")]
        to: Vec<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Makes a new task that does a finished one again.
    #[command(after_help = "Example:\n  interagent task redo task-7k3m --reason 'it missed the point'")]
    Redo {
        /// The finished one.
        task: String,
        /// Who does it; the same as before when left out.
        #[arg(long, value_name = "NAME")]
        assignee: Option<String>,
        /// What was wrong.
        #[arg(long)]
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
}

impl Task {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let request: Request = match self {
            Self::Show { task, yaml: true } => return reports(session, task),
            Self::List { assignee, status, parent, open, after, limit } => {
                let wanted = ask::TaskList { assignee, status, parent, open, after, limit };
                let all = ask::TaskList { limit, ..ask::TaskList::default() };
                return if wanted == all { session.ask(all) } else { session.ask_for_part(wanted) };
            }
            Self::Create(create) => create.request()?,
            Self::Show { task, .. } => ask::TaskShow { task }.into(),
            Self::Update {
                task,
                status,
                note,
                title,
                description,
                priority,
                branch,
                with_open_parts,
                key,
            } => ask::TaskUpdate {
                task,
                status,
                note,
                title,
                description,
                priority,
                branch,
                with_open_parts,
                key,
            }
            .into(),
            Self::Claim { task } => ask::TaskClaim { task }.into(),
            Self::Next { peek, key } => ask::TaskNext { peek, key }.into(),
            Self::Note { task, note, key } => ask::TaskNote { task, note, key }.into(),
            Self::Depend { task, on, remove } => ask::TaskDepend { task, on, remove }.into(),
            Self::Report(report) => return report.run(session),
            Self::Verdict { task, verdict, note, with_open_parts, key } => {
                ask::TaskVerdict { task, verdict: Some(verdict), note, with_open_parts, key }.into()
            }
            Self::Reassign { task, to, reason, key } => ask::TaskReassign { task, to, reason, key }.into(),
            Self::Split { task, into, reason, accept, decline, to, key } => {
                let answer = match (accept, decline) {
                    (true, _) => Some(SplitAnswer::Accept),
                    (_, true) => Some(SplitAnswer::Decline),
                    _ => None,
                };
                let to = (!to.is_empty()).then(|| to.join(","));
                ask::TaskSplit { task, into, reason, answer, to, key }.into()
            }
            Self::Redo { task, assignee, reason, key } => {
                ask::TaskRedo { task, assignee, reason, key }.into()
            }
        };
        session.ask(request)
    }
}

/// A task's reports, as a program reads them: each line as it is, whatever the width.
fn reports(session: &mut Session, task: String) -> Result<ExitCode, CliError> {
    // Said here and not by clap: a global option that stands before the command conflicts with nothing for it.
    if !session.is_for_people() {
        return Err(CliError::new(
            ErrorKind::Usage,
            "--yaml and --json exclude each other: one answer has one form",
        )
        .with_hint(format!("interagent task show {task} --json has the reports too")));
    }
    let reply = session.call(ask::TaskShow { task })?;
    match &reply.answer {
        Answer::Task(task) if !task.reports.is_empty() => {
            report_file::write(task).lines().for_each(|line| session.printer.exact(&[(Role::Plain, line)]));
        }
        Answer::Task(task) => {
            let sentence = format!("nobody has reported on {}", task.id);
            return Err(CliError::new(ErrorKind::NotFound, sentence).with_code("no_report"));
        }
        _ => return Err(CliError::new(ErrorKind::Unavailable, "the hub did not answer with a task")),
    }
    session.conclude(Done::Looked)
}
