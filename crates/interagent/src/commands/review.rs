//! Reviews of changes.

use clap::{Args, Subcommand};
use interagent_core::vocabulary::{Disposition, Side, Verdict};
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::change::{self, is_source};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::git::{self, Change, WORKING_TREE};
use crate::input::{Body, Text};
use crate::session::Session;

/// Reviews: a change, threads at its lines, a verdict.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent review open main..HEAD --to role:reviewer\n  interagent review comment rev-7k3m -m 'Off by one?' --path src/a.rs --line 12\n  interagent review update rev-7k3m\n  interagent review verdict rev-7k3m approved"
)]
pub(crate) enum Review {
    /// Open a review of a change and ask the reviewers
    ///
    /// SOURCE is a range such as main..HEAD, a branch (compared with where it left main), or a task.
    #[command(
        after_help = "Examples:\n  interagent review open main..HEAD --to claude\n  interagent review open --staged --to claude\n  git diff main | interagent review open --title Parser --diff - --to claude"
    )]
    Open {
        /// Range, branch or task to review
        #[arg(value_name = "SOURCE")]
        source: Option<String>,
        #[command(flatten)]
        text: Text,
        /// Title [default: from the commit, task or file names]
        #[arg(long)]
        title: Option<String>,
        #[command(flatten)]
        change: Given,
        /// The task it belongs to.
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        /// Who looks: names, ids or `role:reviewer`.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "NAME")]
        to: Vec<String>,
        /// Alias to use in place of the id (repeatable)
        #[arg(long = "alias", value_name = "WORD")]
        aliases: Vec<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Add a round to a review
    ///
    /// Open threads move with their lines. Reviewers must give a new verdict.
    #[command(
        after_help = "Examples:\n  interagent review update rev-7k3m -m 'The loop ends at the last token now'\n  interagent review update rev-7k3m main..HEAD"
    )]
    Update {
        /// The review.
        review: String,
        /// Range, branch or task [default: the last round's source]
        #[arg(value_name = "SOURCE", conflicts_with_all = ["staged", "diff"])]
        source: Option<String>,
        #[command(flatten)]
        body: Body,
        #[command(flatten)]
        change: Given,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Comments on a review, at a line or in a thread.
    #[command(
        after_help = "Example:\n  interagent review comment rev-7k3m -m 'Off by one?' --path src/a.rs --line 12"
    )]
    Comment {
        /// The review.
        review: String,
        #[command(flatten)]
        text: Text,
        /// approve, concern, question, note, accepted_risk or wont_fix.
        #[arg(long)]
        disposition: Option<Disposition>,
        /// The thread it answers; a new one when left out.
        #[arg(long, value_name = "ID")]
        thread: Option<String>,
        /// The file it is about, as the diff names it.
        #[arg(long)]
        path: Option<String>,
        /// The line, as the diff numbers it.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        line: Option<u32>,
        /// Side of the diff: old or new [default: new, then old]
        #[arg(long)]
        side: Option<Side>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Closes a thread of a review.
    #[command(after_help = "Example:\n  interagent review resolve rev-7k3m note-2c8v")]
    Resolve {
        /// The review.
        review: String,
        /// The thread.
        thread: String,
    },
    /// Give a verdict on the newest round
    #[command(after_help = "Example:\n  interagent review verdict rev-7k3m approved -m 'Well done'")]
    Verdict {
        /// The review.
        review: String,
        /// approved, revision_needed or rejected.
        verdict: Verdict,
        /// Why
        #[arg(short = 'm', long, visible_alias = "message")]
        note: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Lists reviews, newest first.
    #[command(after_help = "Example:\n  interagent review list --open")]
    List {
        /// Only those without a verdict.
        #[arg(long)]
        open: bool,
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Show a review with its diff and threads
    #[command(after_help = "Example:\n  interagent review show rev-7k3m")]
    Show {
        /// Its id.
        review: String,
        /// Show an earlier round [default: the newest].
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        round: Option<u32>,
    },
}

// No doc comment here: clap would show it as the help of the commands.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// Review what is staged.
    #[arg(long, conflicts_with = "diff")]
    staged: bool,
    /// Review a FILE with a diff, or `-` for standard input. Without a value, review what differs from the last commit.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    diff: Option<Option<String>>,
}

/// A change that options name.
enum Named {
    Source(String),
    Text(String),
}

impl Given {
    /// The option that selects a change, if any.
    fn option(&self) -> Option<&'static str> {
        match (self.staged, &self.diff) {
            (true, _) => Some("--staged"),
            (false, Some(_)) => Some("--diff"),
            (false, None) => None,
        }
    }

    fn read(self, session: &Session) -> Result<Option<Named>, CliError> {
        if self.staged {
            return Ok(Some(Named::Source(git::STAGED.to_owned())));
        }
        let Some(given) = self.diff else { return Ok(None) };
        let directory = session.env.cwd.as_deref();
        Ok(Some(match Change::of(given, directory)? {
            Change::WorkingTree => Named::Source(WORKING_TREE.to_owned()),
            Change::Range(range) => Named::Source(range),
            file => Named::Text(git::diff(directory, &file)?.text.unwrap_or_default()),
        }))
    }
}

impl Review {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let request = match self {
            Self::Open { source, text, title, change, task, to, aliases, key } => {
                if let (Some(word), Some(option)) = (&source, change.option()) {
                    return Err(two_changes(word, option));
                }
                let named = change.read(session)?;
                let open =
                    ask::ReviewOpen { body: text.read()?, task, to, aliases, key, ..Default::default() };
                opened(source, title, named, open, session)?
            }
            Self::Update { review, source, body, change, key } => {
                let body = body.read()?;
                let (source, diff) = match change.read(session)? {
                    Some(Named::Source(source)) => (Some(source), None),
                    Some(Named::Text(diff)) => (None, Some(diff)),
                    None => (source, None),
                };
                ask::ReviewUpdate { review, source, body, diff, key, ..Default::default() }.into()
            }
            Self::Comment { review, text, disposition, thread, path, line, side, key } => {
                let body = text.required()?;
                ask::ReviewComment { review, body, disposition, thread, file: path, line, side, key }.into()
            }
            Self::Resolve { review, thread } => ask::ReviewResolve { review, thread }.into(),
            Self::Verdict { review, verdict, note, key } => {
                ask::ReviewVerdict { review, verdict: Some(verdict), note, key }.into()
            }
            Self::List { open, after, limit } => ask::ReviewList { open, after, limit }.into(),
            Self::Show { review, round } => ask::ReviewShow { review, round }.into(),
        };
        let directory = session.env.cwd.clone();
        let op = request.name();
        let reply = change::call(request, directory.as_deref(), &mut |request| session.call(request))?;
        session.show(op, &reply)?;
        session.conclude(crate::session::done_by(op))
    }
}

/// Builds the request to open a review. The positional word is a change, or else the title.
fn opened(
    word: Option<String>,
    title: Option<String>,
    named: Option<Named>,
    open: ask::ReviewOpen,
    session: &mut Session,
) -> Result<Request, CliError> {
    let directory = session.env.cwd.clone();
    let (source, title_word) = match (word, &named) {
        (None, None) if open.task.is_none() => return Err(no_change()),
        (None, _) => (None, None),
        (Some(word), _) => {
            let is_source = is_source(&word, directory.as_deref(), &mut |request| session.call(request));
            let says_more = open.body.is_some() || open.task.is_some();
            let is_title = says_more && (word.contains(char::is_whitespace) || open.task.is_some());
            match is_source || !is_title {
                true => (Some(word), None),
                false => (None, Some(word)),
            }
        }
    };
    let (source, diff) = match named {
        Some(Named::Source(source)) => (Some(source), None),
        Some(Named::Text(diff)) => (None, Some(diff)),
        None => (source, None),
    };
    let title = title.or(title_word).unwrap_or_default();
    Ok(ask::ReviewOpen { source, diff, title, ..open }.into())
}

/// Refuses SOURCE next to an option that already selects the change.
fn two_changes(word: &str, option: &str) -> CliError {
    CliError::new(ErrorKind::Usage, format!("SOURCE `{word}` and {option} cannot be combined"))
        .with_hint("set a title with --title")
}

fn no_change() -> CliError {
    CliError::new(ErrorKind::Usage, "missing change to review")
        .with_hint("interagent review open main..HEAD reviews commits, --staged what is staged, --diff what is not committed")
}
