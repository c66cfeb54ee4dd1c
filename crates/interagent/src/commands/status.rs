//! What everybody is doing.

use clap::{Args, Subcommand};
use interagent_core::vocabulary::AgentState;
use interagent_mirror::files::Effort;
use interagent_store::StoreError;
use interagent_wire::Request;
use interagent_wire::request as ask;

use super::{replica, sync};
use crate::config::hub::Discovery;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session, clone, team_text};
use crate::team_file::{Pending, TeamFile};

/// Shows what everybody is doing, what they owe and what waits for them; or says what you are doing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent status\n  interagent status set working 'the parser'")]
pub(crate) struct Status {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Says what you are doing.
    #[command(after_help = "Example:\n  interagent status set blocked 'waiting for the schema' --context 40")]
    Set {
        /// In one word: working, idle, waiting, blocked or offline.
        state: AgentState,
        /// In your own words.
        text: Option<String>,
        /// How much of your context is left, in percent.
        #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
        context: Option<u8>,
    },
}

impl Status {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self.verb {
            None => board(session),
            Some(Verb::Set { state, text, context }) => {
                session.ask(ask::StatusSet { state: Some(state), text, context_left: context })
            }
        }
    }
}

/// The board, with what a person should know of the hub's files.
fn board(session: &mut Session) -> Result<ExitCode, CliError> {
    if let Discovery::Found(found) = session.discover()?
        && clone::is_unjoined(&found)
    {
        clone::show(session, &found.hub_dir);
        return session.conclude(Done::Looked);
    }
    let request: Request = ask::StatusBoard {}.into();
    let op = request.name();
    session.look_at_screens();
    let mut reply = session.call(request)?;
    // A board without notes is better than none.
    if let Ok(findings) = session.look_at_files(Effort::Brief) {
        reply.notes.extend(sync::notes(&findings));
    }
    reply.notes.extend(unapplied(session));
    reply.notes.extend(sync::way_to_git(session)?);
    reply.notes.extend(replica::waiting_note(session));
    session.show(op, &reply)?;
    session.conclude(Done::Looked)
}

/// Reports pending edits of the team file. `doctor` reports a file that can't be read.
fn unapplied(session: &mut Session) -> Option<String> {
    let Ok(Discovery::Found(found)) = session.discover() else { return None };
    let text = team_text(&found.hub_dir).ok()?;
    let store = session.hub().ok()?.store();
    let applied = store.read(|reader| Ok::<_, StoreError>(reader.team()?.map(|team| team.config))).ok()?;
    let Pending { sentence, command } = TeamFile::of(text.as_deref(), applied.as_ref()).pending()?;
    Some(format!("{sentence}; run `{command}`"))
}
