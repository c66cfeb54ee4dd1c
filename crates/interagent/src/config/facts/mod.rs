//! Facts about the caller, gathered and not judged.
//!
//! Owns reading them: from the environment, from `/proc`, elsewhere from `ps`. Who the caller is follows from them in
//! the hub. The process chain is read only when asked for, because most commands know the caller without it.

mod procfs;
mod ps;

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use interagent_agents::Profiles;

use super::env::{Env, has_controlling_terminal};

pub(super) use procfs::terminal_number_of_this_process;

/// Longest chain of processes that is followed; a real one has about ten.
const CHAIN_LIMIT: usize = 64;
/// Longest name that is taken from a process; it is whatever that process wants it to be.
const NAME_LIMIT_BYTES: usize = 256;
/// Longest path of what an interpreter runs.
const SCRIPT_LIMIT_BYTES: usize = 1024;
/// Names of Node's main thread, which the kernel reports as the process name.
const NODE_THREADS: [&str; 2] = ["MainThread", "node-MainThread"];
/// Interpreters: what they run identifies the program.
const INTERPRETERS: [&str; 5] = ["node", "bun", "deno", "python", "uv"];

/// One process, told apart from a later one with the same number by its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent_pid: u32,
    /// On Linux in ticks since boot, elsewhere in seconds since 1970. Only compared for equality within one boot.
    pub(crate) started: u64,
    /// The name the kernel keeps for it, or that of its first argument.
    pub(crate) executable: String,
    /// What it runs, where it is an interpreter of something.
    pub(crate) script: Option<String>,
    /// Its command line, if the lister read it.
    pub(crate) arguments: Option<Vec<String>>,
}

impl Process {
    /// Its command line, beginning with the program. Read when it is asked for: most callers need none.
    pub(crate) fn arguments(&self) -> Vec<String> {
        match &self.arguments {
            Some(arguments) => arguments.clone(),
            None => procfs::arguments(Path::new("/proc"), self.pid),
        }
    }
}

/// The ancestors of this process, read once for all who ask.
pub(crate) type Chain = Arc<OnceLock<Vec<Process>>>;

/// What can be known about the caller without asking anybody.
#[derive(Debug)]
pub(crate) struct Facts {
    /// `INTERAGENT_AGENT` and `INTERAGENT_SESSION`.
    pub(crate) claimed_agent: Option<String>,
    pub(crate) claimed_session: Option<String>,
    pub(crate) tmux_pane: Option<String>,
    pub(crate) tmux_socket: Option<String>,
    /// Marks of coding clients, by the name of the variable.
    pub(crate) client_markers: Vec<(&'static str, String)>,
    /// How clients are recognised.
    pub(crate) profiles: Arc<Profiles>,
    ancestors_end: Option<u32>,
    chain: Chain,
    boot_id: OnceCell<Option<String>>,
    controlling_terminal: OnceCell<bool>,
}

impl Facts {
    pub(crate) fn gather(env: &Env) -> Self {
        Self {
            claimed_agent: env.agent.clone(),
            claimed_session: env.session.clone(),
            tmux_pane: env.tmux_pane.clone(),
            tmux_socket: env.tmux_socket.as_ref().map(|socket| socket.display().to_string()),
            client_markers: env.client_markers.clone(),
            profiles: env.profiles.clone(),
            ancestors_end: env.ancestors_end,
            chain: env.chain.clone(),
            boot_id: OnceCell::new(),
            controlling_terminal: OnceCell::new(),
        }
    }

    /// This process, its parent, and so on up to the first process. Ends early where something can't be seen.
    pub(crate) fn process_chain(&self) -> &[Process] {
        self.chain.get_or_init(|| {
            let pid = std::process::id();
            let chain = procfs::chain_from(Path::new("/proc"), pid);
            let mut chain = if chain.is_empty() { ps::chain_from(pid) } else { chain };
            let end = chain.iter().position(|process| Some(process.pid) == self.ancestors_end);
            chain.truncate(end.unwrap_or(chain.len()));
            chain
        })
    }

    /// Whether the parent can't be seen, so that nothing is known of what started this process. The first process of the
    /// system starts no agent's commands.
    pub(crate) fn is_chain_unreadable(&self) -> bool {
        match self.process_chain() {
            [] => Some(std::process::id()) != self.ancestors_end,
            [this] => this.parent_pid > 1 && Some(this.parent_pid) != self.ancestors_end,
            _ => false,
        }
    }

    /// Names the time since the machine started; pid and start time mean something only within it.
    pub(crate) fn boot_id(&self) -> Option<&str> {
        self.boot_id.get_or_init(|| procfs::boot_id().or_else(ps::boot_id)).as_deref()
    }

    /// Whether a person could be at a terminal behind this process.
    pub(crate) fn has_controlling_terminal(&self) -> bool {
        *self.controlling_terminal.get_or_init(has_controlling_terminal)
    }
}

/// One process, where it can be seen.
pub(crate) fn process(pid: u32) -> Option<Process> {
    procfs::process(Path::new("/proc"), pid).or_else(|| ps::chain_from(pid).into_iter().next())
}

/// Every process of this user whose name may be that of one of these programs, with a terminal. None where `/proc` is not
/// there.
pub(crate) fn at_terminals(programs: &[&str]) -> Vec<AtTerminal> {
    procfs::at_terminals(Path::new("/proc"), programs)
}

/// A variable of another process, as it was when that process started.
pub(crate) fn variable_of(pid: u32, name: &str) -> Option<OsString> {
    procfs::variable(Path::new("/proc"), pid, name)
}

/// Whether the variables of another process can be read at all.
pub(crate) fn shows_variables(pid: u32) -> bool {
    procfs::shows_variables(Path::new("/proc"), pid)
}

/// A process that a person may look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AtTerminal {
    pub(crate) process: Process,
    pub(crate) directory: PathBuf,
    /// How long ago it started, and how long ago it last read what somebody typed.
    pub(crate) age: Duration,
    pub(crate) typed: Option<Duration>,
}

/// Whether a person types into this shell, as far as `/proc` tells.
pub(crate) fn is_a_persons_shell(pid: u32) -> bool {
    procfs::leads_a_terminal(Path::new("/proc"), pid)
}

/// What a process started, and what that started, as far as it did not end. Empty where `/proc` is not there.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    procfs::descendants(Path::new("/proc"), pid)
}

/// Whether a process of this name runs something else.
fn is_interpreter(executable: &str) -> bool {
    INTERPRETERS.contains(&executable)
        || NODE_THREADS.contains(&executable)
        || executable.starts_with("python")
}

/// What an interpreter runs: its first argument that is no option.
fn script_of<'a>(mut arguments: impl Iterator<Item = &'a str>) -> Option<String> {
    arguments.find(|argument| !argument.starts_with('-') && !argument.is_empty()).map(|argument| {
        let mut end = argument.len().min(SCRIPT_LIMIT_BYTES);
        while !argument.is_char_boundary(end) {
            end -= 1;
        }
        argument[..end].to_owned()
    })
}

/// The last part of a path, without what login shells put in front, bounded.
pub(super) fn file_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_prefix('-').unwrap_or(name);
    let mut end = name.len().min(NAME_LIMIT_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}

#[cfg(test)]
impl Facts {
    /// Facts of a caller that does not exist.
    pub(super) fn given(env: &Env, chain: Vec<Process>, terminal: bool) -> Self {
        let mut facts = Self::gather(env);
        facts.chain = Arc::new(OnceLock::from(chain));
        facts.boot_id.set(Some("boot".to_owned())).unwrap();
        facts.controlling_terminal.set(terminal).unwrap();
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_end_where_they_are_said_to() {
        let env = Env { ancestors_end: Some(std::os::unix::process::parent_id()), ..Env::default() };
        let chain: Vec<u32> = Facts::gather(&env).process_chain().iter().map(|process| process.pid).collect();
        assert_eq!(chain, [std::process::id()]);
    }

    #[test]
    fn chain_without_a_readable_parent_is_unreadable() {
        let process = |pid, parent_pid| Process {
            pid,
            parent_pid,
            started: 1,
            executable: "x".to_owned(),
            script: None,
            arguments: None,
        };
        let is_unreadable = |chain| Facts::given(&Env::default(), chain, false).is_chain_unreadable();
        assert!(is_unreadable(vec![]));
        assert!(is_unreadable(vec![process(20, 10)]));
        assert!(!is_unreadable(vec![process(20, 1)]), "a service of the first process");
        assert!(!is_unreadable(vec![process(20, 10), process(10, 5)]), "another user's processes are hidden");
    }

    #[test]
    fn scripts_are_what_interpreters_run() {
        let words = |line: &'static str| script_of(line.split(' '));
        assert_eq!(
            words("--max-old-space-size=4096 /usr/bin/gemini --yolo").as_deref(),
            Some("/usr/bin/gemini")
        );
        assert_eq!(words("--version"), None);
        assert!(is_interpreter("python3.13") && is_interpreter("node") && !is_interpreter("claude"));
    }

    #[test]
    fn the_chain_begins_with_this_process_and_reaches_the_top() {
        let facts = Facts::gather(&Env::default());
        let chain = facts.process_chain();
        assert_eq!(chain[0].pid, std::process::id());
        for pair in chain.windows(2) {
            assert_eq!(pair[0].parent_pid, pair[1].pid);
            assert!(pair[0].started >= pair[1].started);
        }
        assert!(chain.len() > 1 && chain.len() <= CHAIN_LIMIT);
    }

    #[test]
    fn names_are_bounded_file_names() {
        assert_eq!(file_name("/usr/bin/node"), "node");
        assert_eq!(file_name("-bash"), "bash");
        assert_eq!(file_name(&"é".repeat(NAME_LIMIT_BYTES)).len(), NAME_LIMIT_BYTES);
    }
}
