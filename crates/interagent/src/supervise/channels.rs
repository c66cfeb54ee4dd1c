//! What the supervisor can do on this machine: how agents are reached, and how their sessions are controlled.

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::Arc;

use interagent_agents::{Profile, Profiles};
use interagent_core::ladder::waking::Channel;
use interagent_operations::ladder::{Abilities, Act, End, Outcome, Target};
use interagent_operations::{Hub, LocalHub};
use interagent_wake::nudge;
use interagent_wire::Caller;
use interagent_wire::request::SessionWake;
use serde_json::Value;

use crate::commands::wake::wake_sessions;
use crate::config::surroundings;
use crate::crew::terminal::Terminal;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::Session;

/// This machine, the hands of the supervisor: clients are told by their own ways, by a line in their terminal, or run without
/// a person. Only what it says it can do is asked of it.
pub(super) struct Machine {
    /// What clients look like now: a supervisor runs for days, and their files change.
    pub(super) profiles: Box<dyn Fn() -> Result<Arc<Profiles>, CliError> + Send + Sync>,
    hub_dir: PathBuf,
    pub(super) door: Door,
}

/// Opens the hub once more, for a thread of its own.
pub(super) type Door = Box<dyn Fn() -> Result<LocalHub, CliError> + Send + Sync>;

impl Machine {
    pub(super) fn of(session: &mut Session) -> Result<Self, CliError> {
        let state_dir = session.hub()?.state_dir();
        let hub_dir = state_dir.parent().unwrap_or(state_dir).to_owned();
        Ok(Self { profiles: Box::new(session.profiles_of_now()), hub_dir, door: Box::new(session.door()) })
    }

    fn reach(&self, target: &Target, channel: Channel) -> Result<End, CliError> {
        match channel {
            Channel::Native => {
                let mut hub = (self.door)()?;
                let mut call = |request: SessionWake| Ok(hub.call(&Caller::default(), request.into())?);
                match wake_sessions(&*(self.profiles)()?, &target.name, &mut call)?.has_failed {
                    true => Err(refused("its client could not be told")),
                    false => Ok(End::Done),
                }
            }
            Channel::Nudge => self.terminal(target)?.nudge().map(end),
            Channel::Run => self.run(target).map(|()| End::Done),
            other => Err(refused(&format!("nobody here can do that ({other})"))),
        }
    }

    fn terminal(&self, target: &Target) -> Result<Terminal, CliError> {
        let agent = (&target.agent, target.name.as_str());
        let (session, pane) = (target.session.as_deref(), target.pane.as_deref());
        Terminal::find(&mut (self.door)()?, &*(self.profiles)()?, agent, session, pane)
    }

    /// One bounded run: the command that a person would type, which keeps its own time.
    fn run(&self, target: &Target) -> Result<(), CliError> {
        // What its client leaves behind may keep a pipe open for ever: nothing is read.
        let mut command = self.command(&["run", &target.name])?;
        let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status().map_err(not_started)?;
        judged("run", ended, None)
    }

    /// Goes on with an agent's earlier conversation, and says why not.
    pub(super) fn resume(&self, name: &str) -> Result<(), CliError> {
        let ended = self.command(&["restart", "--resume", "--", name])?.output().map_err(not_started)?;
        judged("restart", ended.status, why_not(&ended))
    }

    /// A command of ours, as the operator would give it.
    fn command(&self, words: &[&str]) -> Result<Command, CliError> {
        let program =
            surroundings::program().ok_or_else(|| refused("this program's own file is not known"))?;
        let mut command = Command::new(program);
        command.arg("--hub").arg(&self.hub_dir).arg("--json").args(words);
        // It is started by nobody's agent.
        command.env_remove("INTERAGENT_AGENT").env_remove("INTERAGENT_SESSION");
        command.stdin(Stdio::null());
        Ok(command)
    }

    /// What it can do.
    pub(super) fn abilities(&self) -> Result<Abilities, CliError> {
        let profiles = (self.profiles)()?;
        let those = |can: &dyn Fn(&Profile) -> bool| {
            let names = profiles.names().into_iter();
            names
                .filter(|name| profiles.get(name).is_some_and(|profile| can(&profile)))
                .map(str::to_owned)
                .collect()
        };
        Ok(Abilities {
            channels: [Channel::Native, Channel::Nudge, Channel::Run].into(),
            resets: those(&|profile| profile.control.clear.is_some()),
            runs: those(&|profile| profile.headless.is_some()),
        })
    }

    /// Does it, however long that takes, and records what became of it.
    pub(super) fn carry_out(&self, act: &Act) -> Option<(Target, Outcome)> {
        let Act::Reach { target, channel, oldest, .. } = act else { return None };
        let done = self.reach(target, *channel);
        let end = done.unwrap_or_else(|error| End::Failed(error.lines().join(" ")));
        let outcome = Outcome { channel: *channel, oldest: oldest.clone(), end };
        // What can't be recorded is tried again at the next sweep.
        if let Ok(mut hub) = (self.door)() {
            let _ = hub.has_reached(&target.agent, &outcome);
        }
        Some((target.clone(), outcome))
    }
}

fn not_started(source: std::io::Error) -> CliError {
    refused("our own program could not be started").with_source(source)
}

/// What the end of a command of ours means.
fn judged(verb: &str, ended: ExitStatus, why: Option<String>) -> Result<(), CliError> {
    match ended.code() {
        Some(0) => Ok(()),
        // Somebody else was at it: it may go the next time.
        Some(code) if code == i32::from(ExitCode::Conflict as u8) => {
            Err(CliError::new(ErrorKind::Conflict, format!("`interagent {verb}` found somebody else at it")))
        }
        _ => Err(refused(&why.unwrap_or_else(|| format!("`interagent {verb}` ended with {ended}")))),
    }
}

/// Why a command of ours failed, in its own words: of the whole, or of the one agent it was about.
fn why_not(ended: &Output) -> Option<String> {
    let said = [&ended.stdout, &ended.stderr].map(|said| String::from_utf8_lossy(said));
    said.iter().flat_map(|said| said.lines()).find_map(|line| {
        let document: Value = serde_json::from_str(line).ok()?;
        let places = ["/error/sentence", "/answer/agents/0/error/sentence"];
        let sentence = places.iter().find_map(|place| document.pointer(place))?;
        sentence.as_str().map(str::to_owned)
    })
}

/// What typing came to.
pub(super) fn end(typed: nudge::Outcome) -> End {
    match typed {
        nudge::Outcome::Submitted => End::Done,
        nudge::Outcome::NotSafe(reason) => End::PutOff(reason.to_string()),
        nudge::Outcome::Stranded(_) | nudge::Outcome::Removed => End::Failed(typed.to_string()),
    }
}

fn refused(sentence: &str) -> CliError {
    CliError::new(ErrorKind::Refused, sentence)
}
