//! Who calls: facts gathered on this machine, judged by the hub.
//!
//! A caller is never read from bytes: a surface builds it from facts about a process, or from a token, which the hub
//! verifies. No shape of a request contains one.

use interagent_core::token::Token;

/// A process in the caller's chain, told apart from any other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerProcess {
    /// Its number.
    pub pid: i64,
    /// When it started, in the kernel's ticks since boot.
    pub started: i64,
    /// The name of its executable.
    pub executable: String,
}

/// Facts about a caller. None of them is believed by itself; the hub compares them with what it bound before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The agent it says it is, by variable or connection.
    pub agent: Option<String>,
    /// That name is a variable's, which may be left over from something else.
    pub agent_by_variable: bool,
    /// The agent in whose name the operator speaks.
    pub behalf: Option<String>,
    /// The rules bind the operator as they bind the agent in whose name it speaks.
    pub bound_as_behalf: bool,
    /// Where nobody is named: the operator speaks for the captain, if the team has one. It means nothing for an agent.
    pub principal: bool,
    /// The client's session.
    pub session: Option<String>,
    /// The kind of client the environment points to.
    pub profile: Option<String>,
    /// Other profiles with the same executable: their agents' seats fit this client too.
    pub kin: Vec<String>,
    /// Which of the processes is the client itself.
    pub client: Option<i64>,
    /// This process and its ancestors, nearest first.
    pub processes: Vec<CallerProcess>,
    /// Which run of the machine.
    pub boot: Option<String>,
    /// The tmux pane.
    pub pane: Option<String>,
    /// The socket of the tmux server that has it. Other servers have panes of the same names.
    pub socket: Option<String>,
    /// The parent of this process can't be read, so an agent above it would not be seen.
    pub chain_unreadable: bool,
    /// A person sits at a controlling terminal.
    pub terminal: bool,
    /// What it shows to be an agent. Whoever shows one is that agent, whatever else is known.
    pub token: Option<Token>,
    /// What the caller's client calls the tools of our MCP server, with `{tool}`, where the caller reads the answer as one who uses
    /// them; absent for a shell.
    pub tools: Option<String>,
}

/// Stops compiling when a caller, or a part of one that counts as evidence, can be read from bytes.
const _: fn() = || {
    trait ReadFromBytes<Marker> {
        fn is_ambiguous() {}
    }
    struct FromBytes;
    impl<T: ?Sized> ReadFromBytes<()> for T {}
    impl<T: serde::de::DeserializeOwned> ReadFromBytes<FromBytes> for T {}
    <Caller as ReadFromBytes<_>>::is_ambiguous();
    <CallerProcess as ReadFromBytes<_>>::is_ambiguous();
};

impl Caller {
    /// This program, in the name of the operator: nothing proves one.
    pub fn program() -> Self {
        Self::default()
    }

    /// The owner of a token. The hub verifies it.
    pub fn bearer(token: Token) -> Self {
        Self { token: Some(token), ..Self::default() }
    }

    /// A person at a terminal, for tests: the program reads that from the process.
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
