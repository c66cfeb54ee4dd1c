//! Who calls: facts gathered by the client, judged by the hub.

use interagent_core::token::Token;
use serde::{Deserialize, Serialize};

/// A process in the caller's chain, told apart from any other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerProcess {
    /// Its number.
    pub pid: i64,
    /// When it started, in the kernel's ticks since boot.
    pub started: i64,
    /// The name of its executable.
    pub executable: String,
}

/// Facts about a caller. None of them is believed by itself; the hub compares them with what it bound before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The agent it says it is, by variable or connection.
    pub agent: Option<String>,
    /// That name is a variable's, which may be left over from something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent_by_variable: bool,
    /// The agent in whose name the operator speaks.
    pub behalf: Option<String>,
    /// The rules bind the operator as they bind the agent in whose name it speaks.
    #[serde(default)]
    pub bound_as_behalf: bool,
    /// Where nobody is named: the operator speaks for the captain, if the team has one. It means nothing for an agent.
    #[serde(default)]
    pub principal: bool,
    /// The client's session.
    pub session: Option<String>,
    /// The kind of client the environment points to.
    pub profile: Option<String>,
    /// Other profiles with the same executable: their agents' seats fit this client too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kin: Vec<String>,
    /// Which of the processes is the client itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<i64>,
    /// This process and its ancestors, nearest first.
    #[serde(default)]
    pub processes: Vec<CallerProcess>,
    /// Which run of the machine.
    pub boot: Option<String>,
    /// The tmux pane.
    pub pane: Option<String>,
    /// The socket of the tmux server that has it. Other servers have panes of the same names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// The parent of this process can't be read, so an agent above it would not be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chain_unreadable: bool,
    /// A person sits at a controlling terminal.
    #[serde(default)]
    pub terminal: bool,
    /// What it shows to be an agent. Whoever shows one is that agent, whatever else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// What the caller's client calls the tools of our MCP server, with `{tool}`, where the caller reads the answer as one who uses
    /// them; absent for a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
}

impl Caller {
    /// A person at a terminal.
    pub fn operator() -> Self {
        Self { terminal: true, ..Self::default() }
    }

    /// A caller that says it is an agent.
    pub fn agent(name: &str) -> Self {
        Self { agent: Some(name.to_owned()), ..Self::default() }
    }

    /// Under which name hand-overs to this caller are held: its session, or else its process.
    pub fn holder(&self) -> String {
        match (&self.session, self.processes.first()) {
            (Some(session), _) => format!("session:{session}"),
            (None, Some(process)) => format!("process:{}:{}", process.pid, process.started),
            (None, None) => "unknown".to_owned(),
        }
    }
}
