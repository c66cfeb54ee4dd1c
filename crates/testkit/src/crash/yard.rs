//! A sandbox whose program is killed, traced and sabotaged: several members call it, from several processes at once.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::process::{Ran, run};
use crate::Sandbox;

/// A project with a hub, and a program that works in it.
#[derive(Debug)]
pub struct Yard {
    sandbox: Sandbox,
    sabotage: Option<&'static str>,
}

impl Yard {
    /// A project without a hub.
    pub fn bare(exe: &Path) -> Self {
        Self::below(exe, &std::env::temp_dir())
    }

    /// A project without a hub, below a certain directory.
    pub fn below(exe: &Path, dir: &Path) -> Self {
        Self { sandbox: Sandbox::of(exe, dir), sabotage: None }
    }

    /// A project whose hub has these agents, all equals.
    pub fn with_agents(exe: &Path, agents: &[&str]) -> Self {
        let yard = Self::bare(exe);
        yard.init(agents);
        yard
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
        self.dressed(who).command(&[])
    }

    /// The program under another one, such as a tracer.
    pub fn command_under(&self, tool: &str, options: &[&str], who: &str, args: &[&str]) -> Command {
        let inner = self.command(who);
        let mut command = Command::new(tool);
        command.args(options).arg(inner.get_program()).args(args).env_clear();
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(self.sandbox.project());
        command
    }

    fn dressed(&self, who: &str) -> crate::sandbox::Run<'_> {
        let mut run = self.sandbox.start().env("NO_COLOR", "1");
        if let Ok(path) = std::env::var("PATH") {
            run = run.env("PATH", &path);
        }
        if let Some(fault) = self.sabotage {
            run = run.env("INTERAGENT_SABOTAGE", fault);
        }
        match who.split_once('/') {
            Some((agent, session)) => run.env("INTERAGENT_AGENT", agent).env("INTERAGENT_SESSION", session),
            None if who == "operator" => run,
            None => run.env("INTERAGENT_AGENT", who),
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

    /// The hub's directory.
    pub fn hub(&self) -> PathBuf {
        self.sandbox.hub()
    }

    /// The store's directory.
    pub fn state(&self) -> PathBuf {
        self.hub().join("state")
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.state().join("hub.db")
    }

    /// A path outside the hub.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.sandbox.home().join(name)
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
