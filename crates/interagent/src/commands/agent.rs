//! The agents of the team, and who the caller is.

use clap::{Args, Subcommand};
use interagent_wire::Request;
use interagent_wire::request as ask;
use serde_json::json;

use crate::config::hub::{Discovery, Found, HubKind};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session, TEAM_FILE};
use crate::ui::look::Role;

/// The agents: register, list, show, rename, retire, token.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent agent list\n  interagent agent register kimi --profile kimi\n  interagent agent show kimi"
)]
pub(crate) enum Agent {
    /// Registers an agent, or brings what is known of it up to date.
    #[command(
        after_help = "Example:\n  interagent agent register kimi --profile kimi --description 'the parser'"
    )]
    Register {
        /// Its name.
        name: String,
        /// Which kind of CLI it is (claude, kimi, codex, gemini, ...).
        #[arg(long)]
        profile: Option<String>,
        /// What it works on.
        #[arg(long)]
        description: Option<String>,
        /// The directory it works in.
        #[arg(long, value_name = "DIR")]
        workspace: Option<String>,
    },
    /// Lists the agents with role, state and unread mail.
    #[command(after_help = "Example:\n  interagent agent list")]
    List {
        /// Also those who take part no longer.
        #[arg(long)]
        retired: bool,
    },
    /// Shows one agent.
    #[command(after_help = "Example:\n  interagent agent show kimi")]
    Show {
        /// Its name or id; the caller when left out.
        name: Option<String>,
    },
    /// Gives an agent another name; its id and history stay.
    #[command(after_help = "Example:\n  interagent agent rename kimi kimi-parser")]
    Rename {
        /// Its name or id.
        agent: String,
        /// The new name.
        name: String,
    },
    /// Ends an agent's part in the team; its history stays.
    #[command(after_help = "Example:\n  interagent agent retire kimi --reason 'the work is done'")]
    Retire {
        /// Its name or id.
        agent: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Shows the token with which an agent's client connects over HTTP; the first time it is made.
    ///
    /// Whoever has the token is that agent. It also lies in a file that only you can read.
    #[command(after_help = "Examples:\n  interagent agent token kimi\n  interagent agent token kimi --new")]
    Token {
        /// Its name or id; the caller when left out.
        agent: Option<String>,
        /// Make another one; the one before works no longer.
        #[arg(long)]
        new: bool,
        /// Take it away: it works no longer.
        #[arg(long, conflicts_with = "new")]
        revoke: bool,
    },
}

impl Agent {
    pub(crate) fn request(self) -> Request {
        match self {
            Self::Register { name, profile, description, workspace } => {
                ask::AgentRegister { name, profile, description, workspace }.into()
            }
            Self::List { retired } => ask::AgentList { retired }.into(),
            Self::Show { name } => ask::AgentShow { agent: name }.into(),
            Self::Rename { agent, name } => ask::AgentRename { agent, name }.into(),
            Self::Retire { agent, reason } => ask::AgentRetire { agent, reason }.into(),
            Self::Token { agent, revoke: true, .. } => ask::AgentRevoke { agent }.into(),
            Self::Token { agent, new, revoke: false } => ask::AgentToken { agent, new }.into(),
        }
    }
}

/// Says who you are here, how that was decided, and which hub this is.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent whoami")]
pub(crate) struct Whoami {}

impl Whoami {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let reply = session.call(ask::Whoami {})?;
        // Asked afterwards: the first call makes a personal hub where there is none.
        let place = match session.discover()? {
            Discovery::Found(found) => Some(found),
            Discovery::NotThere(_) => None,
        };
        match session.is_for_people() {
            true => {
                session.show("whoami", &reply)?;
                place.iter().for_each(|found| show_place(session, found));
            }
            false => {
                let mut answer = reply.answer.value().map_err(|source| {
                    CliError::new(ErrorKind::Unavailable, "the answer can't be written as JSON")
                        .with_source(source)
                })?;
                answer["place"] = place.as_ref().map_or(serde_json::Value::Null, place_document);
                session.document(reply.seq, &answer);
            }
        }
        session.conclude(Done::Looked)
    }
}

fn team_file(found: &Found) -> (String, bool) {
    let path = found.hub_dir.join(TEAM_FILE);
    (path.display().to_string(), path.is_file())
}

fn show_place(session: &mut Session, found: &Found) {
    let (team, is_there) = team_file(found);
    let absent = if is_there { "" } else { " (not there)" };
    for (label, value) in [
        ("directory: ", found.hub_dir.display().to_string()),
        ("team file: ", format!("{team}{absent}")),
        ("how found: ", found.how.clone()),
    ] {
        session.printer.line(&[(Role::Quiet, label), (Role::Plain, &value)]);
    }
}

fn place_document(found: &Found) -> serde_json::Value {
    let (team, is_there) = team_file(found);
    let kind = match found.kind {
        HubKind::Project => "project",
        HubKind::Personal => "personal",
        HubKind::Named => "named",
    };
    json!({
        "directory": found.hub_dir.display().to_string(),
        "team_file": is_there.then_some(team),
        "kind": kind,
        "how": found.how,
        "project": found.project_root.as_ref().map(|root| root.display().to_string()),
        "worktree": found.worktree_root.as_ref().map(|root| root.display().to_string()),
    })
}
