//! The API for local programs, which start it as a child process.

use std::sync::Arc;

use clap::Args;
use interagent_api::{ApiStreams, HubNeed, ServeOutcome, ServedHub, serve};
use interagent_core::refusal::Refusal;
use interagent_wire::Caller;

use super::mcp::WithGit;
use super::mcp::resident;
use crate::config::signals;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Create, Session};
use crate::ui::look::Role;

/// Serve the API for local programs: one JSON document a line, requests on standard input and answers on standard output.
///
/// Every operation of `interagent operations` can be called, and api.wait, api.events and api.cancel beside them. The
/// process ends when its standard input is closed. The Python package starts it by itself.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  echo '{\"id\": 1, \"op\": \"task.list\"}' | interagent api --stdio")]
pub(crate) struct Api {
    /// Use standard input and output.
    #[arg(long, required = true)]
    stdio: bool,
}

impl Api {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { stdio: _ } = self;
        if session.env.terminals.stdin {
            let note = "one request a line, such as {\"id\": 1, \"op\": \"task.list\"}; Ctrl-D ends it";
            session.printer.note(Role::Quiet, note);
        }
        let wishes_to_end = signals::wishes_to_end().map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "the API could not be started").with_source(source)
        })?;
        let streams = ApiStreams {
            input: Box::new(std::io::stdin()),
            output: Box::new(std::io::stdout()),
            wishes_to_end: Some(Box::new(wishes_to_end)),
        };
        // A terminal does not prove that a person typed what a program sends.
        let caller = Caller { terminal: false, ..session.caller().clone() };
        let (open, directory) = (session.door_that_asks(), session.env.cwd.clone());
        let door = move |need: HubNeed| -> Result<Box<dyn ServedHub>, Refusal> {
            let create = match need {
                HubNeed::Read => Create::Never,
                HubNeed::Write => Create::IfMissing,
            };
            let hub = open(create)?;
            if let Some(hub_dir) = hub.state_dir().parent() {
                resident::keep_up(hub_dir.to_owned());
            }
            Ok(Box::new(WithGit { hub, directory: directory.clone() }))
        };
        let outcome = serve(env!("CARGO_PKG_VERSION"), streams, Arc::new(door), caller);
        if outcome == ServeOutcome::Wrote && session.hub_that_is_there().is_some() {
            session.keep_files();
        }
        Ok(ExitCode::Done)
    }
}

impl ServedHub for WithGit {
    fn upkeep(&mut self) {
        self.hub.upkeep();
    }

    fn reached(&mut self) -> i64 {
        self.hub.reached()
    }
}
