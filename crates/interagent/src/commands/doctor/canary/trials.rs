//! The paths of one client: which there are, which there should be, and what came out of each.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use interagent_agents::setup::{Configuration, Configured, Runs, Server, Setup, Trouble, What};
use interagent_agents::{Event, Fields, Means, Say, Says};
use interagent_core::hook::WAKE_LINE;
use interagent_core::vocabulary::SessionState;
use interagent_store::live;
use serde_json::{Value, json};

use super::process::{Around, Said, command, run};
use super::{exchange, milliseconds};
use crate::config::programs;
use crate::error::CliError;

/// The path of tools and their answers.
const SERVER: &str = "MCP server";
/// A server gets this long.
const SERVER_LIMIT: Duration = Duration::from_secs(5);
/// A hook answers within 1.5 s or not at all.
const HOOK_LIMIT: Duration = Duration::from_secs(3);
/// A waiter has to find its session and its message.
const WAITER_LIMIT: Duration = Duration::from_secs(10);
/// Variables that would say who the caller is.
const OWN_VARIABLES: [&str; 3] = ["INTERAGENT_AGENT", "INTERAGENT_SESSION", "TMUX_PANE"];

/// How a path fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Arrived,
    Lost,
    /// It is there and says nothing by itself.
    NotTried,
}

/// One path and what came out of it.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) client: String,
    pub(super) path: String,
    pub(super) outcome: Outcome,
    pub(super) took: Option<Duration>,
    /// What arrived, or why nothing did.
    pub(super) what: String,
    /// What helps where nothing arrived.
    pub(super) helps: String,
}

impl Trial {
    pub(super) fn document(&self) -> Value {
        let state = match self.outcome {
            Outcome::Arrived => "arrived",
            Outcome::Lost => "lost",
            Outcome::NotTried => "not_tried",
        };
        json!({
            "client": self.client,
            "path": self.path,
            "state": state,
            "milliseconds": self.took.map(milliseconds),
            "what": self.what,
            "helps": (self.outcome == Outcome::Lost).then_some(&self.helps),
        })
    }
}

/// The paths of one client.
pub(super) struct Trials<'a> {
    pub(super) setup: &'a Setup<'a>,
    /// What people call the client, and whose it is where it is one agent's.
    pub(super) title: &'a str,
    pub(super) configuration: &'a Configuration,
    /// The command that sets the client up.
    pub(super) helps: String,
    /// What that command leaves alone.
    pub(super) troubles: Vec<Trouble>,
    /// Where the hub keeps its state.
    pub(super) state_dir: &'a Path,
    pub(super) session: &'a str,
    pub(super) agent: &'a str,
    /// Variables of clients, which would say that the hook is another's.
    pub(super) foreign: Vec<&'a str>,
}

/// Sends a message.
type Send<'s> = dyn FnMut(&str) -> Result<(), CliError> + 's;

impl Trials<'_> {
    /// Tries every path, with a message of its own for each.
    pub(super) fn fly(&self, send: &mut Send<'_>) -> Result<Vec<Trial>, CliError> {
        let mut flown = Vec::new();
        if self.setup.profile.mcp.is_some() {
            flown.push(self.server(send)?);
        }
        let events = self.setup.profile.hooks.iter().flat_map(|hooks| &hooks.events);
        for event in events {
            let is_it = |hook: &&Configured| hook.event == event.name && hook.wait == event.means.is_wait();
            let found: Vec<&Configured> = self.configuration.hooks.iter().filter(is_it).collect();
            // Each of them is run by the client, so each must be ours.
            let strange = found.iter().find_map(|hook| self.arguments(&hook.runs).err());
            flown.push(match (found.first(), strange) {
                (_, Some(why)) => self.lost(path_of(event), why),
                (None, None) => self.lost(path_of(event), "its hook is not in the client's file".to_owned()),
                (Some(hook), None) => {
                    self.hook(event, &self.arguments(&hook.runs).unwrap_or_default(), send)?
                }
            });
        }
        let known = |hook: &&Configured| {
            self.setup
                .profile
                .hooks
                .as_ref()
                .is_some_and(|hooks| hooks.event(&hook.event, hook.wait).is_some())
        };
        for hook in self.configuration.hooks.iter().filter(|hook| !known(hook)) {
            if let Err(why) = self.arguments(&hook.runs) {
                flown.push(self.lost(format!("hook {}", hook.event), why));
            }
        }
        Ok(flown)
    }

    fn trial(&self, path: String, outcome: Outcome, took: Option<Duration>, what: String) -> Trial {
        let client = self.title.to_owned();
        let helps = self.helps(if path == SERVER { What::Mcp } else { What::Hooks });
        Trial { client, path, outcome, took, what, helps }
    }

    /// What repairs a path: the setup, unless that leaves the file alone until a person has repaired it.
    fn helps(&self, what: What) -> String {
        let trouble = self.troubles.iter().find(|trouble| trouble.what == what);
        trouble.map_or_else(
            || self.helps.clone(),
            |Trouble { sentence, hint, .. }| format!("{sentence}; {hint}"),
        )
    }

    fn lost(&self, path: String, what: String) -> Trial {
        self.trial(path, Outcome::Lost, None, what)
    }

    /// The arguments for our own program, where the client's file names that and nothing else.
    fn arguments(&self, runs: &Runs) -> Result<Vec<String>, String> {
        match (programs::resolved(&runs.program), &runs.arguments) {
            (None, _) => Err(format!("`{}` is not there", runs.program)),
            (Some(program), _) if program != self.setup.binary => {
                Err(format!("it runs another program: `{}`", runs.shown))
            }
            (Some(_), None) => Err(format!("it runs something else than setup writes: `{}`", runs.shown)),
            (Some(_), Some(arguments)) => Ok(arguments.clone()),
        }
    }

    fn server(&self, send: &mut Send<'_>) -> Result<Trial, CliError> {
        let path = SERVER.to_owned();
        let (arguments, env) = match &self.configuration.server {
            None => return Ok(self.lost(path, "it is not in the client's list of servers".to_owned())),
            Some((Server::Remote, _)) => {
                let what = "the client connects to a server that runs elsewhere".to_owned();
                return Ok(self.trial(path, Outcome::NotTried, None, what));
            }
            Some((Server::Starts { runs, env }, _)) => match self.arguments(runs) {
                Ok(arguments) => (arguments, env),
                Err(why) => return Ok(self.lost(path, why)),
            },
        };
        let text = self.text("mcp");
        send(&text)?;
        let mut variables = env.clone();
        variables.insert("INTERAGENT_AGENT".to_owned(), self.agent.to_owned());
        variables.insert("INTERAGENT_SESSION".to_owned(), self.session.to_owned());
        let command = command(self.setup.binary, &arguments, &self.around(variables));
        Ok(match exchange::inbox(command, SERVER_LIMIT) {
            Ok((answer, took)) if answer.contains(&text) => {
                let what = "the message, from check_inbox".to_owned();
                self.trial(path, Outcome::Arrived, Some(took), what)
            }
            Ok((_, took)) => {
                let what = "check_inbox answered without the message".to_owned();
                self.trial(path, Outcome::Lost, Some(took), what)
            }
            Err(why) => self.lost(path, why),
        })
    }

    fn hook(&self, event: &Event, arguments: &[String], send: &mut Send<'_>) -> Result<Trial, CliError> {
        let path = path_of(event);
        let brings = match event.means {
            Means::BeforeTool => Brings::Verdict,
            _ if event.say == Say::Nothing => Brings::Nothing,
            Means::Start => Brings::Briefing,
            Means::Wait if self.waiter_says() == Says::Line => Brings::Line,
            Means::Prompt | Means::AfterTool | Means::TurnEnd | Means::Wait => Brings::Message,
            Means::Notice | Means::Answered | Means::Compact | Means::End => Brings::Nothing,
        };
        let (wanted, what) = match brings {
            Brings::Nothing => {
                let what = "it is there; nothing is said by it".to_owned();
                return Ok(self.trial(path, Outcome::NotTried, None, what));
            }
            Brings::Verdict => (String::new(), "a verdict"),
            Brings::Briefing => (self.agent.to_owned(), "the briefing"),
            Brings::Line => (WAKE_LINE.to_owned(), "the line that wakes it"),
            Brings::Message => (self.text(&path), "the message"),
        };
        match brings {
            Brings::Message => send(&wanted)?,
            // A waiter that prints a line needs a message to wake for.
            Brings::Line => send(&self.text(&path))?,
            _ => {}
        }
        let mut limit = HOOK_LIMIT;
        if event.means.is_wait() {
            // In a turn a waiter says nothing.
            let _ = live::heard(self.state_dir, self.session, SessionState::Idle);
            limit = WAITER_LIMIT;
        }
        let command = command(self.setup.binary, arguments, &self.around(BTreeMap::new()));
        Ok(match run(command, &self.payload(event).to_string(), limit) {
            Ok(said) if brings == Brings::Verdict && is_valid(event.say, &said) => {
                let what = "a verdict on a harmless tool".to_owned();
                self.trial(path, Outcome::Arrived, Some(said.took), what)
            }
            Ok(said) if brings != Brings::Verdict && says(event.say, &said, &wanted) => {
                self.trial(path, Outcome::Arrived, Some(said.took), what.to_owned())
            }
            Ok(said) => {
                let words = said.stderr.lines().next().unwrap_or_default();
                let code = said.code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
                let what = format!("{what} is not in what it says ({code}) {words}").trim_end().to_owned();
                self.trial(path, Outcome::Lost, Some(said.took), what)
            }
            Err(why) => self.lost(path, why),
        })
    }

    fn waiter_says(&self) -> Says {
        self.setup.profile.wake.as_ref().map(|wake| wake.says).unwrap_or_default()
    }

    /// A text that nobody else writes.
    fn text(&self, path: &str) -> String {
        format!("{} by {} {path}", self.agent, self.setup.profile.name)
    }

    /// Nothing of this process that would tell who calls.
    fn around(&self, variables: BTreeMap<String, String>) -> Around<'_> {
        let without = OWN_VARIABLES.into_iter().chain(self.foreign.iter().copied()).collect();
        Around { directory: self.setup.project, without, variables }
    }

    /// What the client would say at this event.
    fn payload(&self, event: &Event) -> Value {
        let default = Fields::default();
        let fields = self.setup.profile.hooks.as_ref().map_or(&default, |hooks| &hooks.fields);
        let mut payload = json!({ "hook_event_name": event.name, "prompt": "canary" });
        payload[&fields.session] = self.session.into();
        payload[&fields.cwd] = self.setup.project.to_string_lossy().into();
        payload[&fields.looping] = false.into();
        match event.means {
            Means::Start => payload[&fields.source] = "startup".into(),
            Means::BeforeTool | Means::AfterTool => {
                payload[&fields.tool] = "Read".into();
                payload[&fields.input] = json!({ "file_path": "README.md" });
            }
            _ => {}
        }
        payload
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brings {
    /// What the guard thinks of a tool.
    Verdict,
    Briefing,
    Message,
    /// That messages wait, and not the messages.
    Line,
    Nothing,
}

fn path_of(event: &Event) -> String {
    match event.means.is_wait() {
        true => format!("hook {} (waits)", event.name),
        false => format!("hook {}", event.name),
    }
}

/// Whether the client would understand this as an answer to a tool it is about to use.
fn is_valid(say: Say, said: &Said) -> bool {
    let stdout = said.stdout.trim();
    match say {
        Say::Nothing | Say::Stdout => said.code == Some(0),
        Say::Json => {
            said.code == Some(0) && (stdout.is_empty() || serde_json::from_str::<Value>(stdout).is_ok())
        }
        Say::Exit2 => matches!(said.code, Some(0 | 2)),
    }
}

/// Whether the client would hear this.
fn says(say: Say, said: &Said, wanted: &str) -> bool {
    match say {
        Say::Nothing => false,
        Say::Stdout => said.code == Some(0) && said.stdout.contains(wanted),
        Say::Json => {
            let is_document = serde_json::from_str::<Value>(&said.stdout).is_ok();
            said.code == Some(0) && is_document && said.stdout.contains(wanted)
        }
        Say::Exit2 => said.code == Some(2) && said.stderr.contains(wanted),
    }
}
