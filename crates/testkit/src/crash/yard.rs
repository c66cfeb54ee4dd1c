//! A place of its own for the program: home, project, environment. Nothing of the machine's own hubs is touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::process::{Ran, run};

/// A project with a hub, and the program that works in it.
#[derive(Debug)]
pub struct Sandbox {
    root: PathBuf,
    exe: PathBuf,
    sabotage: Option<&'static str>,
    /// Removed at the end; none where the place belongs to somebody else.
    _dir: Option<tempfile::TempDir>,
}

impl Sandbox {
    /// A project without a hub.
    pub fn bare(exe: &Path) -> Self {
        let dir = tempfile::Builder::new().prefix("interagent-proof-").tempdir().unwrap();
        let sandbox = Self::at(exe, dir.path());
        Self { _dir: Some(dir), ..sandbox }
    }

    /// A project without a hub in a directory that somebody else made and removes.
    pub fn at(exe: &Path, root: &Path) -> Self {
        for dir in ["home", "project"] {
            std::fs::create_dir_all(root.join(dir)).unwrap();
        }
        Self { root: root.to_owned(), exe: exe.to_owned(), sabotage: None, _dir: None }
    }

    /// A project whose hub has these agents, all equals.
    pub fn with_agents(exe: &Path, agents: &[&str]) -> Self {
        let sandbox = Self::bare(exe);
        sandbox.init(agents);
        sandbox
    }

    /// Makes the hub.
    pub fn init(&self, agents: &[&str]) {
        let agents: Vec<String> = agents.iter().map(|name| format!("{name}:claude")).collect();
        let made = self.run("operator", &["init", "--formation", "peers", "--agents", &agents.join(",")]);
        assert_eq!(made.code, Some(0), "{made}");
    }

    /// From here on the program runs with a deliberate fault. Only a sabotaged build knows it.
    pub fn sabotage(&mut self, fault: &'static str) {
        self.sabotage = Some(fault);
    }

    /// The program, as this member calls it: the operator, an agent, or an agent's session (`agent/session`).
    pub fn command(&self, who: &str) -> Command {
        let mut command = Command::new(&self.exe);
        self.dress(&mut command, who);
        command
    }

    /// Gives a command (the program itself, or what runs it) the surroundings of this sandbox.
    pub fn dress(&self, command: &mut Command, who: &str) {
        command.env_clear().current_dir(self.project());
        command.env("HOME", self.root.join("home")).env("NO_COLOR", "1").env("COLUMNS", "200");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        if let Some(fault) = self.sabotage {
            command.env("INTERAGENT_SABOTAGE", fault);
        }
        match who.split_once('/') {
            Some((agent, session)) => {
                command.env("INTERAGENT_AGENT", agent).env("INTERAGENT_SESSION", session);
            }
            None if who != "operator" => {
                command.env("INTERAGENT_AGENT", who);
            }
            None => {}
        }
    }

    /// Runs a command to its end.
    pub fn run(&self, who: &str, args: &[&str]) -> Ran {
        run(self.command(who).args(args))
    }

    /// Calls an operation; a failure is an error with everything the program said.
    pub fn call(&self, who: &str, operation: &str, params: &Value) -> Result<Value, String> {
        let ran = self.try_call(who, operation, params);
        ran.answer().map_err(|why| format!("{who}: {operation} {params} {why}"))
    }

    /// Calls an operation and answers with the run.
    pub fn try_call(&self, who: &str, operation: &str, params: &Value) -> Ran {
        self.run(who, &["call", operation, &params.to_string(), "--json"])
    }

    /// The built program.
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Where commands run.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The hub's directory.
    pub fn hub(&self) -> PathBuf {
        self.project().join(".interagent")
    }

    /// The store's directory.
    pub fn state(&self) -> PathBuf {
        self.hub().join("state")
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.state().join("hub.db")
    }

    /// A path beside the project.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The doctor finds nothing.
    pub fn is_healthy(&self) -> super::Verdict {
        let ran = self.run("operator", &["doctor", "--json"]);
        let checks = ran.document()?["answer"]["checks"].clone();
        let bad: Vec<&Value> =
            checks.as_array().into_iter().flatten().filter(|check| check["state"] != "ok").collect();
        super::ensure(ran.code == Some(0) && bad.is_empty(), || format!("the doctor says {bad:?}: {ran}"))
    }
}
