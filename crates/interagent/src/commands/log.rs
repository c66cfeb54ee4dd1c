//! The log: the newest entries, what comes next, and what became of one thing.

use clap::{Args, Subcommand};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Reply};

use super::follow::{self, FOLLOW_PAGE};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::printer::Form;
use crate::values::Moment;

/// Lists entries of the log, the newest first; with --after or --follow in their order.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  interagent log --limit 20\n  interagent log --follow --json\n  interagent log show task-7k3m"
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
    /// At most so many.
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Go on with what comes; with --json one document on each line.
    #[arg(long, short = 'f')]
    follow: bool,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Tells one entity's history: who did what when, and what of it did not count and why.
    #[command(after_help = "Example:\n  interagent log show task-7k3m")]
    Show {
        /// Its id, name or alias; `team` and `spec:NAME` too.
        entity: String,
    },
    /// Shows an entity as it was at a moment.
    #[command(after_help = "Example:\n  interagent log state task-7k3m --at 2h")]
    State {
        /// Its id, name or alias.
        entity: String,
        /// The moment: a length (2h ago) or a time; now when left out.
        #[arg(long, value_name = "WHEN")]
        at: Option<Moment>,
    },
    /// Shows the local trace: refused sends, offers that lapsed, wake attempts.
    #[command(after_help = "Example:\n  interagent log trace --limit 20")]
    Trace {
        /// At most so many, newest first.
        #[arg(long = "limit", id = "trace-limit", value_name = "N")]
        limit: Option<u32>,
    },
}

impl Log {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self { verb: Some(Verb::Show { entity }), .. } => session.ask(ask::LogHistory { entity }),
            Self { verb: Some(Verb::State { entity, at }), .. } => {
                session.ask(ask::LogState { entity, at: at.map(Moment::ago) })
            }
            Self { verb: Some(Verb::Trace { limit }), .. } => session.ask(ask::LogTrace { limit }),
            Self { follow: true, after, limit, .. } => follow(session, after, limit),
            Self { after, before, limit, .. } => list(session, ask::LogList { after, before, limit }),
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
fn follow(session: &mut Session, after: Option<i64>, limit: Option<u32>) -> Result<ExitCode, CliError> {
    let after = match after {
        Some(after) => after,
        None => session.hub()?.store().head()?.seq.saturating_sub(i64::from(limit.unwrap_or(10))).max(0),
    };
    follow::follow(session, after, |session, seen| {
        let reply =
            session.call(ask::LogList { after: Some(seen), before: None, limit: Some(FOLLOW_PAGE) })?;
        let Answer::Entries(page) = &reply.answer else {
            return Err(CliError::new(ErrorKind::Unavailable, "the hub did not answer with entries"));
        };
        let Some(last) = page.items.last().map(|entry| entry.seq) else { return Ok(seen) };
        show_each(session, &reply)?;
        Ok(last)
    })
}

fn show_each(session: &mut Session, reply: &Reply) -> Result<(), CliError> {
    match (session.printer.form(), &reply.answer) {
        (Form::Json, Answer::Entries(page)) => {
            page.items.iter().for_each(|entry| session.document(entry.seq, entry));
            Ok(())
        }
        _ => session.show("log.follow", reply),
    }
}
