//! The MCP server: what a coding agent's client starts, or connects to.

pub(super) mod resident;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use interagent_core::refusal::Refusal;
use interagent_mcp::{Facts, HttpAddress, HttpServer, Resident, serve_stdio};
use interagent_operations::{Hub, LocalHub, WaitFor, Waited, Waiting};
use interagent_wire::{Caller, Reply, Request};

use crate::change;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::Session;
use crate::tools;
use crate::ui::look::Role;

/// Serves agents' MCP clients, on standard input and output or over HTTP.
///
/// Clients start this by themselves once it stands in their configuration. Standard output belongs to the protocol; it
/// ends when the client closes standard input. With --http it serves many clients of this machine until it is ended; each
/// shows the token of its agent.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  claude mcp add interagent -- interagent mcp\n  interagent mcp --http 127.0.0.1:7717"
)]
pub(crate) struct Mcp {
    /// Serve over HTTP at this address of this machine, such as 127.0.0.1:7717; port 0 takes one that is free.
    #[arg(long, value_name = "ADDR")]
    http: Option<HttpAddress>,
}

impl Mcp {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let cwd = session.env.cwd.as_deref().and_then(|cwd| cwd.to_str()).map(ToOwned::to_owned);
        let caller = session.caller().clone();
        let profile = caller.profile.as_deref().and_then(|name| session.profiles().ok()?.get(name));
        let session_keys = profile.and_then(|profile| profile.mcp).map(|mcp| mcp.session).unwrap_or_default();
        let hooked = self.http.is_none() && tools::is_hooked(&session.env, &caller);
        let facts = Facts { caller, cwd, session_keys, hooked };
        match self.http {
            Some(address) => over_http(session, address, facts),
            None => on_stdio(session, facts),
        }
    }
}

fn on_stdio(session: &mut Session, facts: Facts) -> Result<ExitCode, CliError> {
    if session.env.terminals.stdin {
        let note =
            "this speaks MCP with the client of an agent, which starts it by itself; end it with Ctrl-D";
        session.printer.note(Role::Quiet, note);
    }
    // Its client's texts name our tools from now on.
    tools::note_server(&session.env, session.caller());
    let open = door(session);
    let directory = session.env.cwd.clone();
    let beside = move || {
        let hub = open()?;
        Ok(Box::new(WithGit { hub, directory: directory.clone() }) as Box<dyn Resident>)
    };
    serve_stdio(beside, facts).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "the MCP server could not be started").with_source(source)
    })?;
    Ok(ExitCode::Done)
}

fn over_http(session: &mut Session, address: HttpAddress, facts: Facts) -> Result<ExitCode, CliError> {
    let failed = |source| {
        CliError::new(ErrorKind::Unavailable, "the MCP server could not be started over HTTP")
            .with_source(source)
    };
    let server = HttpServer::bind(address).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, format!("nothing can listen at {address}"))
            .with_code("address_taken")
            .with_hint("end what listens there, or take a port that is free: --http 127.0.0.1:0")
            .with_source(source)
    })?;
    session.printer.note(Role::Plain, &format!("serving MCP at {}", server.url()));
    session.printer.note(Role::Quiet, "hint: interagent agent token NAME shows what an agent's client needs");
    let open = door(session);
    server.serve(move || Ok(Box::new(open()?) as Box<dyn Resident>), facts).map_err(failed)?;
    Ok(ExitCode::Done)
}

/// A hub that reads changes from git, in the directory where its caller started this process.
pub(super) struct WithGit {
    pub(super) hub: LocalHub,
    pub(super) directory: Option<PathBuf>,
}

impl Hub for WithGit {
    fn call(&mut self, caller: &Caller, request: Request) -> Result<Reply, Refusal> {
        let directory = self.directory.clone();
        let mut ask = |request| Ok(self.hub.call(caller, request)?);
        Ok(change::call(request, directory.as_deref(), &mut ask)?)
    }

    fn wait(&mut self, caller: &Caller, wanted: &WaitFor, timeout: Duration) -> Result<Waited, Refusal> {
        self.hub.wait(caller, wanted, timeout)
    }
}

impl Resident for WithGit {
    fn upkeep(&mut self) {
        self.hub.upkeep();
    }

    fn waits(&self, session: &str, longest: Duration) -> Option<Waiting> {
        self.hub.waits(session, longest)
    }

    fn collect(&mut self, caller: &Caller, limit: Duration) -> Result<(), Refusal> {
        self.hub.collect(caller, limit)
    }
}

fn door(session: &Session) -> impl Fn() -> Result<LocalHub, Refusal> + Send + Sync + use<> {
    let open = session.door();
    move || {
        let hub = open()?;
        if let Some(hub_dir) = hub.state_dir().parent() {
            resident::keep_up(hub_dir.to_owned());
        }
        Ok(hub)
    }
}
