//! The team in short, for an agent that starts and for a person who looks in.

use clap::Args;
use interagent_wire::Request;
use interagent_wire::request as ask;

/// Says who an agent is, what its role obliges to, and what is open.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent briefing --agent kimi")]
pub(crate) struct Briefing {
    /// Whose: a name or id; your own when left out.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

impl Briefing {
    pub(crate) fn request(self) -> Request {
        ask::Briefing { agent: self.agent, role: false }.into()
    }
}

/// Sums the team up: tasks, mail, what needs doing by whom.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent summary")]
pub(crate) struct Summary {}
