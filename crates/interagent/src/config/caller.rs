//! The facts about the caller in the form the hub takes them.
//!
//! Owns which variable of which client says what. Does not judge: the hub compares the facts with what it bound.

use interagent_wire::{Caller, CallerProcess};

use super::env::Env;
use super::facts::{Facts, Process};

/// Variables that hold a client's session, best first.
const SESSION_MARKERS: [&str; 5] = [
    "CLAUDE_CODE_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
    "GEMINI_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "AGENT_SESSION_ID",
];

/// Which kind of client a variable belongs to.
const PROFILE_MARKERS: [(&str, &str); 7] = [
    ("CLAUDECODE", "claude"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("QWEN_CODE_SESSION_ID", "qwen"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_PID", "opencode"),
];

/// Gathers everything that tells callers apart.
///
/// The chain is read even when a variable names the agent: a bound ancestor that says otherwise is how a mistaken name
/// is found out. The terminal only tells a person from a pipe, so nobody asks for it where an agent is named.
pub(crate) fn caller(env: &Env, behalf: Option<String>) -> Caller {
    let facts = Facts::gather(env);
    let marker = |name: &str| {
        facts.client_markers.iter().find(|(marker, _)| *marker == name).map(|(_, value)| value.clone())
    };
    let session =
        facts.claimed_session.clone().or_else(|| SESSION_MARKERS.iter().find_map(|name| marker(name)));
    let profile = PROFILE_MARKERS.iter().find(|(name, _)| marker(name).is_some());
    let processes: Vec<CallerProcess> = facts.process_chain().iter().map(process).collect();
    Caller {
        agent: facts.claimed_agent.clone(),
        behalf,
        principal: false,
        session,
        profile: profile.map(|(_, profile)| (*profile).to_owned()),
        boot: facts.boot_id().map(str::to_owned),
        pane: facts.tmux_pane.clone(),
        terminal: facts.claimed_agent.is_none() && facts.has_controlling_terminal(),
        processes,
    }
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

    fn of(variables: &[(&str, &str)]) -> Caller {
        let env = Env::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        });
        caller(&env, None)
    }

    #[test]
    fn clients_are_known_by_their_variables() {
        let claude = of(&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s-1")]);
        assert_eq!((claude.profile.as_deref(), claude.session.as_deref()), (Some("claude"), Some("s-1")));
        let named = of(&[("INTERAGENT_SESSION", "mine"), ("GEMINI_SESSION_ID", "theirs")]);
        assert_eq!((named.profile.as_deref(), named.session.as_deref()), (Some("gemini"), Some("mine")));
        let nobody = of(&[]);
        assert_eq!((nobody.profile, nobody.session, nobody.agent), (None, None, None));
    }

    #[test]
    fn every_marker_is_one_that_is_read() {
        for name in SESSION_MARKERS.iter().chain(PROFILE_MARKERS.iter().map(|(name, _)| name)) {
            assert!(super::super::env::CLIENT_MARKERS.contains(name), "{name}");
        }
    }
}
