//! The agents of the team, and who the caller is.

use clap::{Args, Subcommand};
use interagent_wire::Request;
use interagent_wire::request as ask;

/// The agents: register, list, show, rename, retire.
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
        }
    }
}

/// Says who you are here, and how that was decided.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent whoami")]
pub(crate) struct Whoami {}
