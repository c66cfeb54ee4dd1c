//! Controlling an agent's own session.

use clap::Args;
use interagent_core::vocabulary::ControlVerb;
use interagent_wire::request::{ControlList, ControlSend};

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::input::Body;
use crate::session::Session;

/// Has an agent's session cleared, changed to another model, stopped or resumed.
///
/// The supervisor carries it out once the agent is idle. What its client can't do is refused at once; `--list` shows what waits to
/// be carried out.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent control claude clear -m 'Begin with task-7k3m.'\n  interagent control claude model opus\n  interagent control --list"
)]
pub(crate) struct Control {
    /// Whose session: a name or id.
    #[arg(required_unless_present = "list")]
    agent: Option<String>,
    /// clear, model, stop or resume.
    #[arg(required_unless_present = "list")]
    verb: Option<ControlVerb>,
    /// The model it changes to.
    #[arg(value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    body: Body,
    /// List what waits to be carried out.
    #[arg(long, conflicts_with_all = ["verb", "model", "message", "file"])]
    list: bool,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Control {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let (Some(agent), Some(verb)) = (&self.agent, self.verb) else {
            return session.ask(ControlList { agent: self.agent });
        };
        let body = self.body.read()?;
        session.ask(ControlSend {
            agent: agent.clone(),
            verb: Some(verb),
            model: self.model,
            body,
            key: self.key,
        })
    }
}
