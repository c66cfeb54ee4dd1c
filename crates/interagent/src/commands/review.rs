//! Reviews of changes.

use std::path::PathBuf;

use clap::Subcommand;
use interagent_core::vocabulary::{Disposition, Side, Verdict};
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::error::CliError;
use crate::input::{self, Text};

/// Reviews: a change, threads at its lines, a verdict.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent review open 'The parser' --diff parser.diff --to role:reviewer\n  interagent review comment rev-7k3m -m 'Off by one?' --path src/a.rs --line 12\n  interagent review verdict rev-7k3m approved"
)]
pub(crate) enum Review {
    /// Opens a review of a change and asks the reviewers.
    #[command(
        after_help = "Example:\n  git diff main | interagent review open 'The parser' --diff - --to claude"
    )]
    Open {
        /// One line.
        title: String,
        #[command(flatten)]
        text: Text,
        /// A file with the change as a diff; `-` reads standard input.
        #[arg(long, value_name = "FILE")]
        diff: Option<PathBuf>,
        /// The task it belongs to.
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        /// Who looks: names, ids or `role:reviewer`.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "NAME")]
        to: Vec<String>,
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
        /// The file it is about.
        #[arg(long)]
        path: Option<String>,
        /// The line, from 1.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        line: Option<u32>,
        /// old or new.
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
    /// Ends a review with a verdict; a review of a task decides the task.
    #[command(after_help = "Example:\n  interagent review verdict rev-7k3m approved --note 'good'")]
    Verdict {
        /// The review.
        review: String,
        /// approved, revision_needed or rejected.
        verdict: Verdict,
        /// Why.
        #[arg(long)]
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
    /// Shows one review with its threads.
    #[command(after_help = "Example:\n  interagent review show rev-7k3m")]
    Show {
        /// Its id.
        review: String,
    },
}

impl Review {
    pub(crate) fn request(self) -> Result<Request, CliError> {
        Ok(match self {
            Self::Open { title, text, diff, task, to, key } => {
                let diff = diff.as_deref().map(input::from_file).transpose()?;
                ask::ReviewOpen { title, body: text.read()?, diff, task, to, key }.into()
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
            Self::Show { review } => ask::ReviewShow { review }.into(),
        })
    }
}
