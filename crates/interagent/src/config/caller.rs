//! The facts about the caller in the form the hub takes them.
//!
//! Owns how facts of one client are told from those that were inherited from another. Does not judge: the hub compares
//! the facts with what it bound.

use std::path::PathBuf;

use interagent_agents::{Marks, Profiles};
use interagent_wire::{Caller, CallerProcess};

use super::clients::{self, Client};
use super::env::Env;
use super::facts::{Facts, Process};

/// Gathers everything that tells callers apart.
pub(crate) fn caller(env: &Env, behalf: Option<String>) -> Caller {
    from_facts(&Facts::gather(env), behalf)
}

/// The chain is read even when a variable names the agent: a bound ancestor that says otherwise is how a mistaken name
/// is found out. The terminal only tells a person from a pipe, so nobody asks for it where an agent is named.
fn from_facts(facts: &Facts, behalf: Option<String>) -> Caller {
    let (client, chain) = clients::nearest(facts.profiles.marks(), facts.process_chain());
    let client = client.or_else(|| marked(facts).map(|marks| Client { marks, pid: None }));
    let session = client.and_then(|client| client.marks.session.iter().find_map(|name| marker(facts, name)));
    Caller {
        agent: facts.claimed_agent.clone(),
        agent_by_variable: facts.claimed_agent.is_some(),
        behalf,
        principal: false,
        bound_as_behalf: false,
        session: facts.claimed_session.clone().or(session),
        profile: client.map(|client| client.marks.profile.to_owned()),
        kin: client.map(|client| kin(&facts.profiles, client.marks.profile)).unwrap_or_default(),
        client: client.and_then(|client| client.pid).map(i64::from),
        boot: facts.boot_id().map(str::to_owned),
        pane: facts.tmux_pane.clone(),
        socket: facts.tmux_socket.clone(),
        chain_unreadable: facts.is_chain_unreadable(),
        terminal: facts.claimed_agent.is_none() && facts.has_controlling_terminal(),
        processes: chain.iter().map(process).collect(),
        token: None,
        tools: None,
    }
}

/// Other profiles whose agents a client can be, because they have the same executable.
pub(crate) fn kin(profiles: &Profiles, profile: &str) -> Vec<String> {
    profiles.kin(profile).into_iter().map(str::to_owned).collect()
}

/// The client whose variables are set.
fn marked(facts: &Facts) -> Option<Marks> {
    facts.profiles.marks().find(|marks| marks.variables.iter().any(|name| marker(facts, name).is_some()))
}

fn marker(facts: &Facts, name: &str) -> Option<String> {
    facts.client_markers.iter().find(|(marker, _)| *marker == name).map(|(_, value)| value.clone())
}

/// Where a process works.
pub(crate) fn directory_of(pid: i64) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

fn process(process: &Process) -> CallerProcess {
    CallerProcess {
        pid: process.pid.into(),
        started: i64::try_from(process.started).unwrap_or(i64::MAX),
        executable: process.executable.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    /// The caller with these variables below these processes, nearest first: `name` or `interpreter script`.
    fn of(variables: &[(&str, &str)], processes: &[&str], terminal: bool) -> Caller {
        let env = Env::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        });
        let process = |(above, given): (usize, &&str)| {
            let (executable, script) = given.split_once(' ').map_or((*given, None), |(a, b)| (a, Some(b)));
            let number = u32::try_from(100 - above).unwrap();
            Process {
                pid: number,
                parent_pid: number - 1,
                started: number.into(),
                executable: executable.to_owned(),
                script: script.map(str::to_owned),
                arguments: Some(given.split(' ').map(str::to_owned).collect()),
            }
        };
        from_facts(&Facts::given(&env, processes.iter().enumerate().map(process).collect(), terminal), None)
    }

    /// The variables are those the clients were seen to set; a server is started by its client itself. The other process
    /// trees follow from how each is installed (native, or a script under an interpreter); they were not taken from
    /// running clients.
    #[test]
    fn every_caller_is_known_for_what_it_is() {
        type Case = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str], bool);
        let cases: [Case; 28] = [
            ("a person at a terminal", &[("TERM", "xterm")], &["interagent", "bash", "sshd", "init"], true),
            ("a pipe", &[], &["interagent", "make", "bash", "init"], true),
            ("a detached process", &[], &["interagent", "init"], false),
            ("a person in tmux", &[("TMUX_PANE", "%3")], &["interagent", "zsh", "tmux: server"], true),
            (
                "claude",
                &[("CLAUDECODE", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli"), ("CLAUDE_CODE_SESSION_ID", "c-1")],
                &["interagent", "bash", "claude", "zsh"],
                true,
            ),
            (
                "claude hook",
                &[("CLAUDE_PROJECT_DIR", "/p"), ("CLAUDE_CODE_SESSION_ID", "c-1"), ("CLAUDE_PID", "98")],
                &["interagent", "sh", "claude"],
                false,
            ),
            ("claude, detached", &[("CLAUDECODE", "1")], &["interagent", "init"], false),
            ("codex", &[("HOME", "/h")], &["interagent", "bash", "codex", "node /usr/bin/codex"], true),
            (
                "claude server",
                &[
                    ("CLAUDE_CODE_SESSION_ID", "c-1"),
                    ("CLAUDE_PROJECT_DIR", "/p"),
                    ("CLAUDECODE", "1"),
                    ("CLAUDE_CODE_ENTRYPOINT", "cli"),
                ],
                &["interagent", "claude"],
                false,
            ),
            ("codex server", &[("HOME", "/h"), ("TERM", "xterm")], &["interagent", "codex"], false),
            ("gemini server", &[("GEMINI_CLI", "1")], &["interagent", "node /usr/bin/gemini"], false),
            ("kimi server", &[("HOME", "/h")], &["interagent", "node /usr/local/bin/kimi"], false),
            ("qwen server", &[("QWEN_CODE_SESSION_ID", "q-1")], &["interagent", "node /usr/bin/qwen"], false),
            ("copilot server", &[("COPILOT_AGENT_SESSION_ID", "p-1")], &["interagent", "copilot"], false),
            ("gemini", &[("GEMINI_CLI", "1")], &["interagent", "bash", "node /usr/bin/gemini"], false),
            (
                "gemini hook",
                &[("GEMINI_SESSION_ID", "g-1"), ("GEMINI_CLI", "1"), ("CLAUDE_PROJECT_DIR", "/p")],
                &["interagent", "sh", "MainThread /x/node_modules/@google/gemini-cli/dist/index.js"],
                false,
            ),
            ("kimi", &[], &["interagent", "bash", "node /usr/local/bin/kimi"], true),
            (
                "kimi, package",
                &[],
                &["interagent", "node /n/node_modules/@moonshot-ai/kimi-code/dist/m.js"],
                false,
            ),
            ("kimi-cli", &[], &["interagent", "sh", "kimi"], true),
            ("kimi-cli, python", &[], &["interagent", "python3.13 /root/.local/bin/kimi-cli"], true),
            (
                "opencode",
                &[("OPENCODE", "1"), ("OPENCODE_PID", "97"), ("AGENT", "1")],
                &["interagent", "opencode"],
                false,
            ),
            ("droid", &[], &["interagent", "droid"], false),
            (
                "qwen hook",
                &[("QWEN_CODE_SESSION_ID", "q-1"), ("CLAUDE_PROJECT_DIR", "/p"), ("GEMINI_CLI", "1")],
                &["interagent", "init"],
                false,
            ),
            (
                "copilot hook",
                &[("COPILOT_AGENT_SESSION_ID", "p-1"), ("CLAUDE_PROJECT_DIR", "/p")],
                &["interagent", "bash", "copilot"],
                false,
            ),
            ("goose", &[("AGENT_SESSION_ID", "o-1")], &["interagent", "goose"], false),
            (
                "codex started by claude",
                &[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "c-1")],
                &["interagent", "bash", "codex", "bash", "claude"],
                true,
            ),
            (
                "named",
                &[
                    ("INTERAGENT_AGENT", "kimi"),
                    ("INTERAGENT_SESSION", "mine"),
                    ("GEMINI_SESSION_ID", "theirs"),
                ],
                &["interagent", "node /usr/bin/gemini"],
                true,
            ),
            ("only a project of claude", &[("CLAUDE_PROJECT_DIR", "/p")], &["interagent", "bash"], true),
        ];
        for client in interagent_agents::shipped_marks().filter(|marks| !marks.programs.is_empty()) {
            let has_a_row = |(_, variables, processes, terminal): &Case| {
                of(variables, processes, *terminal).profile.as_deref() == Some(client.profile)
            };
            assert!(cases.iter().any(has_a_row), "{} has no row", client.profile);
        }
        let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let shown = cases.map(|(what, variables, processes, terminal)| {
            let caller = of(variables, processes, terminal);
            let (profile, session) = (word(&caller.profile), word(&caller.session));
            let (agent, pane) = (word(&caller.agent), word(&caller.pane));
            format!(
                "{what}: {profile} {session} {agent} {pane} {}",
                if caller.terminal { "terminal" } else { "-" }
            )
        });
        insta::assert_snapshot!(shown.join("\n"), @r"
        a person at a terminal: - - - - terminal
        a pipe: - - - - terminal
        a detached process: - - - - -
        a person in tmux: - - - %3 terminal
        claude: claude c-1 - - terminal
        claude hook: claude c-1 - - -
        claude, detached: claude - - - -
        codex: codex - - - terminal
        claude server: claude c-1 - - -
        codex server: codex - - - -
        gemini server: gemini - - - -
        kimi server: kimi - - - -
        qwen server: qwen q-1 - - -
        copilot server: copilot p-1 - - -
        gemini: gemini - - - -
        gemini hook: gemini g-1 - - -
        kimi: kimi - - - terminal
        kimi, package: kimi - - - -
        kimi-cli: kimi - - - terminal
        kimi-cli, python: kimi-cli - - - terminal
        opencode: opencode - - - -
        droid: droid - - - -
        qwen hook: qwen q-1 - - -
        copilot hook: copilot p-1 - - -
        goose: goose o-1 - - -
        codex started by claude: codex - - - terminal
        named: gemini mine kimi - -
        only a project of claude: - - - - terminal
        ");
    }

    #[test]
    fn processes_above_another_client_are_not_the_callers() {
        let names = |processes: &[&str]| -> Vec<String> {
            of(&[], processes, false).processes.into_iter().map(|process| process.executable).collect()
        };
        assert_eq!(
            names(&["interagent", "sh", "codex", "node /bin/codex", "bash", "claude", "zsh"]),
            ["interagent", "sh", "codex", "node", "bash"]
        );
        assert_eq!(names(&["interagent", "bash", "claude", "zsh"]), ["interagent", "bash", "claude", "zsh"]);
        assert_eq!(names(&["interagent", "zsh", "init"]), ["interagent", "zsh", "init"]);
    }
}
