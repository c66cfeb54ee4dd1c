//! Sessions of clients.

use clap::Subcommand;
use interagent_core::vocabulary::SessionState;
use interagent_wire::Request;
use interagent_wire::request as ask;

/// Sessions: which client's conversation is which agent.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "Examples:\n  interagent session list\n  interagent session bind 0b7c --agent kimi")]
pub(crate) enum Session {
    /// Binds a client's session to an agent. What the session does counts for that agent from then on.
    #[command(
        after_help = "Example:\n  interagent session bind 0b7c --agent kimi --pid 4711 --started 90210"
    )]
    Bind {
        /// The client's id for the session.
        session: String,
        /// Whose it is: a name or id; yours when left out.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
        /// Which kind of client.
        #[arg(long)]
        profile: Option<String>,
        /// The client's process; with --started, because numbers are used again.
        #[arg(long)]
        pid: Option<i64>,
        /// When that process started, in ticks since boot.
        #[arg(long, value_name = "TICKS")]
        started: Option<i64>,
        /// Which run of the machine.
        #[arg(long, value_name = "ID")]
        boot: Option<String>,
        /// The tmux pane.
        #[arg(long)]
        pane: Option<String>,
        /// Where it works.
        #[arg(long, value_name = "DIR")]
        cwd: Option<String>,
        /// What its hooks say.
        #[arg(long)]
        state: Option<SessionState>,
        /// Join though another live session has this agent.
        #[arg(long)]
        join: bool,
    },
    /// Ends a session: what was offered to it goes back into the queue.
    #[command(after_help = "Example:\n  interagent session end 0b7c")]
    End {
        /// The client's id for it.
        session: String,
    },
    /// Lists the sessions that did not end.
    #[command(after_help = "Example:\n  interagent session list --agent kimi")]
    List {
        /// Of one agent only.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
}

impl Session {
    pub(crate) fn request(self) -> Request {
        match self {
            Self::Bind { session, agent, profile, pid, started, boot, pane, cwd, state, join } => {
                ask::SessionBind { session, agent, profile, pid, started, boot, pane, cwd, state, join }
                    .into()
            }
            Self::End { session } => ask::SessionEnd { session }.into(),
            Self::List { agent } => ask::SessionList { agent }.into(),
        }
    }
}
