//! Texts that look like secrets: seen, let out, or deleted.

use clap::Subcommand;
use interagent_wire::request as ask;

use super::purge::Purge;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::Session;

/// Texts that look like secrets: list, show, release, purge.
///
/// They are delivered, but kept out of git and files until you release them. A message that is held from delivery is something else: interagent msg list --held.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent hold list\n  interagent hold show msg-7k3m\n  interagent hold release msg-7k3m --reason 'a test key'"
)]
pub(crate) enum Hold {
    /// Lists the texts that are held back, and what they look like.
    #[command(after_help = "Example:\n  interagent hold list")]
    List {
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Shows what in the texts of one thing looks like a secret: the line, the first characters, the length.
    #[command(after_help = "Example:\n  interagent hold show msg-7k3m")]
    Show {
        /// What the text belongs to: an id, name or alias; `spec:NAME` and `text:HASH` too.
        entity: String,
    },
    /// Lets the held texts of one thing go to git and into files. Only the operator may; git does not forget.
    #[command(after_help = "Example:\n  interagent hold release msg-7k3m --reason 'a test key'")]
    Release {
        /// What the text belongs to: an id, name or alias; `spec:NAME` and `text:HASH` too.
        entity: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Deletes the held texts of one thing everywhere; `interagent purge` deletes any.
    #[command(after_help = "Example:\n  interagent hold purge msg-7k3m --reason 'a real key'")]
    Purge {
        /// What the text belongs to: an id, name or alias; `spec:NAME` too.
        entity: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Hold {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self::List { after, limit } => session.ask(ask::TextHeld { entity: None, after, limit }),
            Self::Show { entity } => {
                session.ask_for_part(ask::TextHeld { entity: Some(entity), after: None, limit: None })
            }
            Self::Release { entity, reason } => session.ask(ask::TextRelease { entity, reason }),
            Self::Purge { entity, reason } => Purge::held(entity, reason).run(session),
        }
    }
}
