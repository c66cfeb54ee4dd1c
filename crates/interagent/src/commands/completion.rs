//! The script that completes commands, names and ids in a shell.

use clap::Args;
use serde_json::json;

use crate::completion::{self, Shell};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};

/// Prints the script that completes commands, names and ids in a shell.
///
/// Agents, tasks, messages and the rest come from the hub of the directory you are in, at the moment you press the tab
/// key. Nothing is written for it. A directory that the script goes to must be there (`mkdir -p` makes it); that of zsh
/// must be in `$fpath` before `compinit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  echo 'source <(interagent completion bash)' >> ~/.bashrc
  interagent completion zsh > ~/.zfunc/_interagent
  interagent completion fish > ~/.config/fish/completions/interagent.fish
  source <(interagent completion bash)    # only in this shell")]
pub(crate) struct Completion {
    /// Which shell it is for.
    shell: Shell,
}

impl Completion {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let script = completion::script(self.shell)?;
        match session.is_for_people() {
            true => session.printer.raw(&script),
            false => session.document(0, &json!({ "script": String::from_utf8_lossy(&script) })),
        }
        session.conclude(Done::Looked)
    }
}
