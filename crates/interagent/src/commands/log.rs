//! The log: the newest entries, what comes next, what became of one thing, and whether all of it is whole.

mod verify;

use clap::{Args, Subcommand};
use interagent_wire::answer::{EntryView, Page};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Reply};

use super::follow::{self, FOLLOW_PAGE};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::printer::Form;
use crate::values::Moment;

/// Entries that `--follow` shows before those that come, where no number is given.
const FOLLOW_BEFORE: u32 = 10;

/// Lists entries of the log, the newest first; with --after or --follow in their order.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  interagent log --limit 20\n  interagent log --follow --json --kind task --by kimi\n  interagent log show task-7k3m"
)]
pub(crate) struct Log {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Those after this place, oldest first.
    #[arg(long, value_name = "SEQ", conflicts_with = "before")]
    after: Option<i64>,
    /// Those before this place, newest first.
    #[arg(long, value_name = "SEQ", conflicts_with = "follow")]
    before: Option<i64>,
    /// Only with events of this kind: `task`, `task.moved`, or an operation.
    #[arg(long)]
    kind: Option<String>,
    /// Only by this member, or in its name.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Only about this: an id, name or alias; `team` and `spec:NAME` too.
    #[arg(long, value_name = "ID")]
    entity: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Go on with what comes; with --json one document on each line.
    #[arg(long, short = 'f')]
    follow: bool,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Tells one thing's history: who did what when, how the program knew them, why, and what of it did not count.
    #[command(
        after_help = "Examples:\n  interagent log show task-7k3m\n  interagent log show task-7k3m --at 2h"
    )]
    Show {
        /// Its id, name or alias; `team` and `spec:NAME` too.
        #[arg(id = "shown", value_name = "ID")]
        entity: String,
        /// Instead, the thing as it was at a moment: a length (2h ago) or a time.
        #[arg(long, value_name = "WHEN")]
        at: Option<Moment>,
    },
    /// Shows the local trace: refused sends, offers that lapsed, wake attempts.
    #[command(after_help = "Example:\n  interagent log trace --limit 20")]
    Trace {
        /// At most so many, newest first.
        #[arg(long = "limit", id = "trace-limit", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Checks every line, every chain and every text of the log, and that what is shown follows from it.
    #[command(after_help = "Example:\n  interagent log verify")]
    Verify {},
}

impl Log {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { verb, after, before, kind, by, entity, limit, follow } = self;
        match verb {
            Some(Verb::Show { entity, at: None }) => session.ask(ask::LogHistory { entity }),
            Some(Verb::Show { entity, at: Some(at) }) => {
                session.ask(ask::LogState { entity, at: Some(at.ago()) })
            }
            Some(Verb::Trace { limit }) => session.ask(ask::LogTrace { limit }),
            Some(Verb::Verify {}) => verify::verify(session),
            None => {
                let wanted = ask::LogList { after, before, kind, by, entity, limit };
                if follow { self::follow(session, wanted) } else { list(session, wanted) }
            }
        }
    }
}

fn list(session: &mut Session, request: ask::LogList) -> Result<ExitCode, CliError> {
    // Which way a page goes on can't be seen from a page of one entry.
    let shown_as = if request.after.is_some() { "log.list" } else { "log.list backwards" };
    let reply = session.call(request)?;
    session.show(shown_as, &reply)?;
    session.conclude(Done::Looked)
}

/// Shows the last entries, then every new one as it comes, until the reader leaves.
fn follow(session: &mut Session, wanted: ask::LogList) -> Result<ExitCode, CliError> {
    follow::must_be_allowed(session)?;
    let after = match wanted.after {
        Some(after) => after,
        None => {
            let limit = Some(wanted.limit.unwrap_or(FOLLOW_BEFORE));
            let mut reply = session.call(ask::LogList { limit, ..wanted.clone() })?;
            entries(&mut reply)?.items.reverse();
            show_each(session, &reply)?;
            reply.seq
        }
    };
    follow::follow(session, after, |session, seen| {
        let page = ask::LogList { after: Some(seen), limit: Some(FOLLOW_PAGE), ..wanted.clone() };
        let mut reply = session.call(page)?;
        let next = entries(&mut reply)?.next.as_deref().and_then(|place| place.parse().ok());
        show_each(session, &reply)?;
        // Everything up to here was looked at, wanted or not.
        Ok(next.unwrap_or(reply.seq.max(seen)))
    })
}

fn entries(reply: &mut Reply) -> Result<&mut Page<EntryView>, CliError> {
    match &mut reply.answer {
        Answer::Entries(page) => Ok(page),
        _ => Err(CliError::new(ErrorKind::Unavailable, "the hub did not answer with entries")),
    }
}

fn show_each(session: &mut Session, reply: &Reply) -> Result<(), CliError> {
    match (session.printer.form(), &reply.answer) {
        (Form::Json, Answer::Entries(page)) => {
            page.items.iter().for_each(|entry| session.document(entry.seq, entry));
        }
        _ => session.show("log.follow", reply)?,
    }
    Ok(())
}
