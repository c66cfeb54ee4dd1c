//! What a client runs of ours, read from its own files: what really is there, not what should be.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::document::{Document, at, keys};
use super::parts::parts;
use super::{Disk, Level, Setup, What, hooks};
use crate::hooks::Hooks;
use crate::plugin;
use crate::profile::Mcp;

/// What is run, in the way the client does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A line that goes to a shell.
    Line(String),
}

/// Our MCP server in a client's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// The client starts it.
    Starts {
        /// Program and arguments.
        words: Vec<String>,
        /// Variables it gets.
        env: BTreeMap<String, String>,
    },
    /// The client connects to it.
    Remote,
}

/// A hook of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// What the client calls the event.
    pub event: String,
    /// It sleeps until there is something to say.
    pub wait: bool,
    /// What is run.
    pub runs: Runs,
}

/// What a client has of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// In its list of MCP servers, and in which file.
    pub server: Option<(Server, PathBuf)>,
    /// Its hooks.
    pub hooks: Vec<Configured>,
    /// The files with the hooks.
    pub hook_files: Vec<PathBuf>,
}

impl Configuration {
    /// Whether nothing of ours is there.
    pub fn is_empty(&self) -> bool {
        self.server.is_none() && self.hooks.is_empty()
    }
}

/// Reads what a client has of ours, in the project's files and in the user's. A file that can't be read has nothing.
pub fn configured(setup: &Setup<'_>, disk: &dyn Disk) -> Configuration {
    let mut found = Configuration::default();
    let mut looked_at = Vec::new();
    for level in [Level::Project, Level::User] {
        for part in parts(&Setup { level, ..*setup }, disk) {
            let is_new = !looked_at.contains(&(part.what, part.named.clone()));
            if !is_new || !matches!(part.what, What::Mcp | What::Hooks) {
                continue;
            }
            looked_at.push((part.what, part.named.clone()));
            let Ok(Some(text)) = disk.read(&part.named) else { continue };
            match (part.what, &setup.profile.mcp, &setup.profile.hooks) {
                (What::Mcp, Some(mcp), _) if found.server.is_none() => {
                    found.server = server(mcp, &text).map(|server| (server, part.named));
                }
                (What::Hooks, _, Some(theirs)) => {
                    let ours = of_hooks(setup, theirs, &text);
                    if !ours.is_empty() {
                        found.hook_files.push(part.named);
                    }
                    found.hooks.extend(ours);
                }
                _ => {}
            }
        }
    }
    found
}

fn server(mcp: &Mcp, text: &str) -> Option<Server> {
    let value = Document::parse(mcp.format, text).ok()?.value();
    let entry = at(&value, &keys(&mcp.at))?;
    if ["url", "httpUrl", "uri"].iter().any(|field| entry.get(field).is_some()) {
        return Some(Server::Remote);
    }
    let words = match runs(entry)? {
        Runs::Words(words) => words,
        // A server is started without a shell.
        Runs::Line(program) => vec![program],
    };
    let variables = entry.get("env").or_else(|| entry.get("environment")).and_then(Value::as_object);
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    Some(Server::Starts { words, env: variables.into_iter().flatten().filter_map(text).collect() })
}

fn of_hooks(setup: &Setup<'_>, theirs: &Hooks, text: &str) -> Vec<Configured> {
    let profile = &setup.profile.name;
    if theirs.file.is_some() {
        let Some(binary) = plugin::binary_of(text) else { return Vec::new() };
        let agent = plugin::agent_of(text);
        let of = |event: &crate::hooks::Event| {
            let mut words = vec![binary.clone(), "hook".to_owned(), profile.clone(), event.name.clone()];
            words.extend(agent.iter().flat_map(|agent| ["--agent".to_owned(), agent.clone()]));
            let wait = event.means.is_wait();
            Configured { event: event.name.clone(), wait, runs: Runs::Words(words) }
        };
        return theirs.events.iter().map(of).collect();
    }
    let Ok(document) = Document::parse(theirs.format, text) else { return Vec::new() };
    let value = document.value();
    let found = hooks::ours(&value, theirs, profile, setup.binary);
    let found = found
        .into_iter()
        .filter_map(|(event, wait, element)| Some(Configured { event, wait, runs: runs(element)? }));
    found.collect()
}

/// What an element has its client run.
fn runs(element: &Value) -> Option<Runs> {
    let command = element.get("command").or_else(|| element.get("bash"))?;
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    match (command, element.get("args").and_then(Value::as_array)) {
        (Value::Array(words), _) => words.iter().map(text).collect::<Option<_>>().map(Runs::Words),
        (Value::String(program), Some(arguments)) => {
            let words = std::iter::once(Some(program.clone())).chain(arguments.iter().map(text));
            words.collect::<Option<_>>().map(Runs::Words)
        }
        (Value::String(line), None) => Some(Runs::Line(line.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Profiles;
    use crate::setup::Pin;
    use crate::setup::{RealDisk, plan};

    /// Sets a client up in a directory and reads it back.
    fn read_back(name: &str) -> (Configuration, usize) {
        let home = tempfile::tempdir().unwrap();
        let profile = Profiles::shipped().get(name).unwrap();
        let setup = Setup {
            profile: &profile,
            level: Level::User,
            binary: Path::new("/opt/a b/interagent"),
            agent: Pin::Agent("bob"),
            project: &home.path().join("project"),
            home: Some(home.path()),
        };
        assert!(configured(&setup, &RealDisk).is_empty());
        for change in plan(&[setup], &RealDisk).changes {
            std::fs::create_dir_all(change.path.parent().unwrap()).unwrap();
            std::fs::write(change.path, change.after).unwrap();
        }
        (configured(&setup, &RealDisk), profile.hooks.unwrap().events.len())
    }

    #[test]
    fn what_setup_wrote_is_read_back_for_every_client() {
        for name in ["claude", "kimi", "kimi-cli", "codex", "gemini", "opencode", "qwen", "copilot"] {
            let (found, events) = read_back(name);
            let Some((Server::Starts { words, env }, _)) = &found.server else { panic!("{name}: {found:?}") };
            assert_eq!(words, &["/opt/a b/interagent", "mcp"], "{name}");
            // The hooks say which agent it is; the server is known by the session.
            assert!(env.is_empty(), "{name}: {env:?}");
            assert_eq!(found.hooks.len(), events, "{name}: {found:?}");
        }
        let start = |name| {
            let found = read_back(name).0.hooks.into_iter();
            found.into_iter().find(|hook| hook.event == "SessionStart" && !hook.wait).unwrap()
        };
        let claude = start("claude");
        let words = ["/opt/a b/interagent", "hook", "claude", "SessionStart", "--agent", "bob"];
        assert_eq!(claude.runs, Runs::Words(words.map(str::to_owned).to_vec()));
        let kimi = start("kimi");
        let line = "'/opt/a b/interagent' hook kimi SessionStart --agent bob";
        assert_eq!(kimi.runs, Runs::Line(line.to_owned()));
    }
}
