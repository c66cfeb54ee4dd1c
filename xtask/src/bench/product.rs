//! How the benchmark talks to interagent: every command line, variable and name of it is in this file.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::repo::{Repo, stdout_of};
use crate::{Result, dist};

/// Exit codes of a wait: with mail, and without when the time is over.
pub(crate) const WAIT_CODES: &[i32] = &[0, 1, 3];

/// The log's table and its key, for the baseline's indexed question and for counting.
pub(crate) const LOG_TABLE: &str = "entries";
pub(crate) const LOG_KEY: &str = "seq";

const HUB_VARIABLE: &str = "INTERAGENT_HUB";
const AGENT_VARIABLE: &str = "INTERAGENT_AGENT";
const TMUX_VARIABLE: &str = "INTERAGENT_TMUX_SOCKET";
const ANCESTORS_END_VARIABLE: &str = "INTERAGENT_ANCESTORS_END";

/// Which build is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Plain,
    Static,
}

#[derive(Debug)]
pub(crate) struct Product {
    binary: PathBuf,
    seed: PathBuf,
    /// Stands in for the user's home, so that no setting of theirs is measured.
    home: PathBuf,
}

/// Copies a program as an installation would. What a linker wrote lies in the page cache in small pieces and starts half a
/// millisecond later; nobody runs it from there, and the peers measured beside it were installed as well.
pub(crate) fn install(program: &Path, folder: &Path) -> Result<PathBuf> {
    let name = program.file_name().ok_or_else(|| format!("{} is no program", program.display()))?;
    let installed = folder.join(name);
    std::fs::copy(program, &installed)
        .map_err(|why| format!("cannot install {}: {why}", program.display()))?;
    Ok(installed)
}

impl Product {
    pub(crate) fn build(repo: &Repo, build: Build, home: &Path, programs: &Path) -> Result<Self> {
        let release = repo.target.join("release");
        let compile = |arguments: &[&str]| {
            let mut all = vec!["build", "--quiet", "--release", "--locked"];
            all.extend_from_slice(arguments);
            stdout_of(&mut repo.cargo(&all))
        };
        let binary = match build {
            Build::Plain => {
                compile(&["--package", "interagent"])?;
                release.join("interagent")
            }
            Build::Static => dist::build(repo)?,
        };
        let seed = if compile(&["--package", "interagent-testkit", "--example", "seed"]).is_ok() {
            release.join("examples").join("seed")
        } else {
            compile(&["--package", "interagent-testkit", "--bin", "seed"])?;
            release.join("seed")
        };
        Ok(Self { binary: install(&binary, programs)?, seed, home: home.to_owned() })
    }

    /// Makes a hub with so many entries in its log.
    pub(crate) fn seed(&self, hub: &Path, entries: u64) -> Result<()> {
        stdout_of(Command::new(&self.seed).arg(hub).arg(entries.to_string())).map(|_| ())
    }

    /// Makes a hub where so many entries of mail and tasks wait, as [`super::framework`] does it for its peer.
    pub(crate) fn seed_backlog(&self, hub: &Path, entries: u64) -> Result<()> {
        stdout_of(Command::new(&self.seed).arg(hub).arg(entries.to_string()).arg("backlog")).map(|_| ())
    }

    /// A command as the person of the hub types it.
    pub(crate) fn person(&self, hub: &Path, arguments: &[&str]) -> Command {
        self.operator(hub, arguments)
    }

    pub(crate) fn init(&self, hub: &Path) -> Command {
        self.operator(hub, &["init"])
    }

    /// Takes another system's folder over.
    pub(crate) fn import(&self, hub: &Path, from: &str) -> Command {
        self.operator(hub, &["import", from, "--from", "interagent", "--json"])
    }

    pub(crate) fn register(&self, hub: &Path, name: &str) -> Command {
        self.operator(hub, &["agent", "register", name])
    }

    pub(crate) fn send(&self, hub: &Path, from: &str, to: &str, text: &str) -> Command {
        self.agent(hub, from, &["send", "--to", to, "-m", text, "--json"])
    }

    /// A send of the person: no loop guard holds it, however often it is repeated.
    pub(crate) fn send_as_operator(&self, hub: &Path, to: &str, text: &str) -> Command {
        self.operator(hub, &["send", "--to", to, "-m", text, "--json"])
    }

    pub(crate) fn inbox(&self, hub: &Path, agent: &str) -> Command {
        self.agent(hub, agent, &["inbox", "--json"])
    }

    pub(crate) fn wait(&self, hub: &Path, agent: &str, seconds: u64) -> Command {
        self.agent(hub, agent, &["wait", "--timeout", &seconds.to_string()])
    }

    /// Binds a session of its own to an agent, whose hook is measured.
    pub(crate) fn bind(&self, hub: &Path, agent: &str) -> Result<()> {
        let input = hub.join(format!("{agent}.json"));
        let told = format!(
            r#"{{"session_id":"{agent}","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"true"}},"tool_response":{{}},"cwd":"/","transcript_path":""}}"#
        );
        std::fs::write(&input, told).map_err(|why| format!("cannot write {}: {why}", input.display()))?;
        stdout_of(&mut self.operator(hub, &["session", "bind", agent, "--agent", agent]))?;
        // Whoever asked for its briefing has it, as every session has after its first prompt.
        stdout_of(self.agent(hub, agent, &["briefing"]).env("INTERAGENT_SESSION", agent)).map(|_| ())
    }

    /// The hook that a client runs after a tool call.
    pub(crate) fn hook(&self, hub: &Path, agent: &str) -> Result<Command> {
        let mut command = self.operator(hub, &["hook", "claude", "PostToolUse"]);
        let path = hub.join(format!("{agent}.json"));
        let input =
            std::fs::File::open(&path).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
        command.stdin(input);
        Ok(command)
    }

    pub(crate) fn briefing(&self, hub: &Path, agent: &str) -> Command {
        self.operator(hub, &["briefing", "--agent", agent])
    }

    /// The server that an agent's client starts.
    pub(crate) fn mcp(&self, hub: &Path, agent: &str) -> Command {
        self.agent(hub, agent, &["mcp"])
    }

    /// One server for all agents, at whatever port is free.
    pub(crate) fn mcp_over_http(&self, hub: &Path) -> Command {
        self.operator(hub, &["mcp", "--http", "127.0.0.1:0"])
    }

    pub(crate) fn token(&self, hub: &Path, agent: &str) -> Command {
        // An agent may have its own; those of others need a person at a terminal.
        let mut command = self.operator(hub, &["agent", "token", agent, "--json"]);
        command.env("INTERAGENT_AGENT", agent);
        command
    }

    /// A command of the person of a team in tmux, whose clients lie in a directory of their own and find our program there.
    pub(crate) fn team(&self, home: &Path, clients: &Path, arguments: &[&str]) -> Command {
        let mut command = self.operator(home, arguments);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", clients.display()));
        command.env_remove(HUB_VARIABLE).env("HOME", home).env("TERM", "xterm");
        command.env(TMUX_VARIABLE, home.join("tmux")).env_remove("TMUX").current_dir(home.join("project"));
        command
    }

    /// Puts our program where the clients of a team are.
    pub(crate) fn link(&self, clients: &Path) -> Result<()> {
        std::os::unix::fs::symlink(&self.binary, clients.join("interagent"))
            .map_err(|why| format!("cannot link our program: {why}"))
    }

    /// A sync in a clone that has no hub yet.
    pub(crate) fn join(&self, clone: &Path) -> Command {
        let mut command = self.operator(clone, &["sync"]);
        command.env_remove(HUB_VARIABLE).current_dir(clone);
        command
    }

    /// A Python program of the person, which finds the program that is measured.
    pub(crate) fn python(&self, hub: &Path, package: &Path, script: &Path) -> Command {
        let mut command = Command::new("python3");
        command.arg(script).env("PYTHONPATH", package).env("INTERAGENT_PROGRAM", &self.binary);
        command.env(HUB_VARIABLE, hub).env_remove(AGENT_VARIABLE).env("HOME", &self.home);
        command.env(ANCESTORS_END_VARIABLE, std::process::id().to_string());
        command
    }

    fn operator(&self, hub: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).env(HUB_VARIABLE, hub).env_remove(AGENT_VARIABLE).env("HOME", &self.home);
        // An agent may have started the measurement; it is not the one who is measured.
        command.env(ANCESTORS_END_VARIABLE, std::process::id().to_string());
        command.stdin(Stdio::null());
        command
    }

    fn agent(&self, hub: &Path, name: &str, arguments: &[&str]) -> Command {
        let mut command = self.operator(hub, arguments);
        command.env(AGENT_VARIABLE, name);
        command
    }
}

/// The hub's database: the one file below it that says it is one.
pub(crate) fn database(hub: &Path) -> Result<PathBuf> {
    let mut folders = vec![hub.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|why| format!("cannot list {}: {why}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_database(&path) {
                return Ok(path);
            }
        }
    }
    Err(format!("there is no database below {}", hub.display()))
}

fn is_database(path: &Path) -> bool {
    let mut start = [0u8; 16];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && &start == b"SQLite format 3\0"
}
