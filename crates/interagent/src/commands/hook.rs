//! `interagent hook` as a command: its help, and the way for whoever calls it by hand.

use clap::Args;

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::hook::{self, HookCall};
use crate::session::Session;

/// Answers a hook of a coding client: takes its JSON on standard input, says what waits for its agent.
///
/// `interagent setup` writes these commands into the settings of the clients; nobody types them. Where there is nothing to
/// say it prints nothing. Trouble never reaches the client: it stands in `hook.log` of the hub's state.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent hook claude UserPromptSubmit\n  interagent hook kimi Stop --agent reviewer"
)]
pub(crate) struct Hook {
    /// Which kind of client: claude, kimi, codex, ...
    profile: String,
    /// The event, as the client calls it.
    event: String,
    /// Whose session it is; found out when left out.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Sleep until there is something to say, to wake an idle session.
    #[arg(long)]
    wait: bool,
}

impl Hook {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        if session.env.terminals.stdin {
            let sentence = "a hook reads the client's JSON from standard input, and this is a terminal";
            return Err(CliError::new(ErrorKind::Usage, sentence)
                .with_hint(format!("echo '{{}}' | interagent hook {} {}", self.profile, self.event)));
        }
        let call = HookCall {
            profile: self.profile,
            event: self.event,
            agent: self.agent,
            wait: self.wait,
            hub: session.named_hub(),
        };
        let output = hook::run(session.env.clone(), call);
        Ok(if output.print(session.env.terminals.stdout_is_null) == std::process::ExitCode::SUCCESS {
            ExitCode::Done
        } else {
            ExitCode::Usage
        })
    }
}
