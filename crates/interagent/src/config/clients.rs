//! The coding clients we know from the outside: by the variables they set, and by the programs they are.
//!
//! Owns which variable and which executable belongs to which client. `CLAUDE_PROJECT_DIR` is absent on purpose: other
//! clients set it for their hooks too, so it identifies nobody. Some clients (Codex, Kimi) set nothing at all: only
//! their process tells.

use super::facts::Process;

/// One kind of client.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Client {
    pub(super) profile: &'static str,
    /// Variables that only its processes have.
    pub(super) variables: &'static [&'static str],
    /// The variable that names its session.
    pub(super) session: Option<&'static str>,
    /// Names of its program.
    programs: &'static [&'static str],
    /// Its package, where an interpreter runs it from a directory.
    package: &'static str,
}

/// All of them. Where variables of several are set, the first counts: forks stand before what they were forked from.
pub(super) const CLIENTS: [Client; 8] = [
    Client {
        profile: "claude",
        variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"],
        session: Some("CLAUDE_CODE_SESSION_ID"),
        programs: &["claude"],
        package: "@anthropic-ai/claude-code",
    },
    Client {
        profile: "qwen",
        variables: &["QWEN_CODE_SESSION_ID"],
        session: Some("QWEN_CODE_SESSION_ID"),
        programs: &["qwen"],
        package: "@qwen-code/qwen-code",
    },
    Client {
        profile: "gemini",
        variables: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
        session: Some("GEMINI_SESSION_ID"),
        programs: &["gemini"],
        package: "@google/gemini-cli",
    },
    Client {
        profile: "copilot",
        variables: &["COPILOT_AGENT_SESSION_ID"],
        session: Some("COPILOT_AGENT_SESSION_ID"),
        programs: &["copilot"],
        package: "@github/copilot",
    },
    Client {
        profile: "opencode",
        variables: &["OPENCODE", "OPENCODE_PID"],
        session: None,
        programs: &["opencode", ".opencode"],
        package: "opencode-ai",
    },
    Client {
        profile: "goose",
        variables: &["AGENT_SESSION_ID"],
        session: Some("AGENT_SESSION_ID"),
        programs: &["goose"],
        package: "@aaif/goose",
    },
    Client {
        profile: "codex",
        variables: &[],
        session: None,
        programs: &["codex"],
        package: "@openai/codex",
    },
    Client {
        profile: "kimi",
        variables: &[],
        session: None,
        // The last is what kimi-cli makes of its name once it runs.
        programs: &["kimi", "kimi-cli", "kimi-code", "Kimi Code"],
        package: "@moonshot-ai/kimi-code",
    },
];

impl Client {
    fn is(&self, process: &Process) -> bool {
        let is_program = |name: &str| self.programs.contains(&name);
        let script = process.script.as_deref().unwrap_or_default();
        is_program(&process.executable)
            || is_program(super::facts::file_name(script).as_str())
            || script.split_once("node_modules/").is_some_and(|(_, path)| path.starts_with(self.package))
    }
}

/// The client that a chain of processes belongs to, and how much of the chain is its own.
///
/// The nearest counts. One that was started by another's shell is itself: what it inherited, and the processes above it,
/// say nothing about it.
pub(super) fn nearest(chain: &[Process]) -> (Option<&'static Client>, &[Process]) {
    let client_of = |process: &Process| CLIENTS.iter().find(|client| client.is(process));
    let Some(nearest) = chain.iter().find_map(client_of) else { return (None, chain) };
    let end = chain.iter().position(|process| client_of(process).is_some_and(|other| other != nearest));
    (Some(nearest), &chain[..end.unwrap_or(chain.len())])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use interagent_core::template;

    use super::*;

    #[test]
    fn a_client_that_renames_itself_is_known() {
        let process =
            Process { pid: 9, parent_pid: 1, started: 1, executable: "Kimi Code".to_owned(), script: None };
        assert_eq!(nearest(&[process]).0.map(|client| client.profile), Some("kimi"));
    }

    #[test]
    fn every_client_with_a_profile_is_known_from_the_outside() {
        let known: BTreeSet<&str> = CLIENTS.iter().map(|client| client.profile).collect();
        let named: BTreeSet<&str> = template::CLIENTS.iter().map(|(profile, _)| *profile).collect();
        assert_eq!(known, named);
    }
}
