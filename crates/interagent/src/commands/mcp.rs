//! The MCP server: what a coding agent's client starts.

use clap::Args;
use interagent_mcp::{Facts, Resident, serve_stdio};

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::Session;
use crate::ui::look::Role;

/// Serves an agent's MCP client on standard input and output.
///
/// Clients start this by themselves once it stands in their configuration. Standard output belongs to the protocol; it
/// ends when the client closes standard input.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  claude mcp add interagent -- interagent mcp")]
pub(crate) struct Mcp {}

impl Mcp {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let cwd = session.env.cwd.as_deref().and_then(|cwd| cwd.to_str()).map(ToOwned::to_owned);
        let facts = Facts { caller: session.caller().clone(), cwd };
        if session.env.terminals.stdin {
            let note =
                "this speaks MCP with the client of an agent, which starts it by itself; end it with Ctrl-D";
            session.printer.note(Role::Quiet, note);
        }
        let open = session.door();
        let door = move || match open() {
            Ok(hub) => Ok(Box::new(hub) as Box<dyn Resident>),
            Err(error) => Err(error.into()),
        };
        serve_stdio(door, facts).map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "the MCP server could not be started").with_source(source)
        })?;
        Ok(ExitCode::Done)
    }
}
