//! What a caller inherited from a process that serves several sessions: that process was started by one of them, or by
//! none, so what it was started with tells nothing about the others.
//!
//! Owns which variables then still count. How such a process is recognised is in the client's profile.

use super::clients;
use super::env::Env;
use super::facts::{self, Facts, Process};

/// The environment without what was inherited from a process that serves several sessions.
pub(crate) fn without_inherited(env: Env) -> Env {
    let says_something =
        env.hub.is_some() || env.agent.is_some() || env.session.is_some() || env.tmux_pane.is_some();
    if !says_something || !env.profiles.marks().any(|marks| !marks.shared.is_empty()) {
        return env;
    }
    let facts = Facts::gather(&env);
    match source(&facts) {
        None => env,
        Some(source) => without(env, &source),
    }
}

/// Where the variables may come from.
enum Source<'f> {
    /// From this process.
    Shared(&'f Process),
    /// From a process that can't be seen, or whose variables can't be read: a sandbox hides which one serves the session,
    /// and macOS shows no environment of another process.
    Unseen,
}

fn source(facts: &Facts) -> Option<Source<'_>> {
    let known: Vec<_> = facts.profiles.marks().collect();
    let chain = facts.process_chain();
    if let Some(process) = clients::shared(&known, chain) {
        return Some(match facts::shows_variables(process.pid) {
            true => Source::Shared(process),
            false => Source::Unseen,
        });
    }
    let is_set = |name: &&str| facts.client_markers.iter().any(|(marker, _)| marker == name);
    let is_session = known.iter().any(|marks| !marks.shared.is_empty() && marks.session.iter().any(&is_set));
    let is_hidden = is_session && clients::nearest(known.into_iter(), chain).0.is_none();
    is_hidden.then_some(Source::Unseen)
}

/// Drops what the source has as well. What was set below it since has another value, and counts.
fn without(env: Env, source: &Source<'_>) -> Env {
    let theirs = match source {
        Source::Shared(process) => Env::from_variables(|name| facts::variable_of(process.pid, name)),
        Source::Unseen => env.clone(),
    };
    let own_pane = theirs.tmux_pane != env.tmux_pane;
    Env {
        hub: env.hub.filter(|hub| theirs.hub.as_ref() != Some(hub)),
        agent: env.agent.filter(|agent| theirs.agent.as_ref() != Some(agent)),
        session: env.session.filter(|session| theirs.session.as_ref() != Some(session)),
        tmux_socket: env.tmux_socket.filter(|_| own_pane),
        tmux_pane: env.tmux_pane.filter(|_| own_pane),
        ..env
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::sync::{Arc, OnceLock};

    use super::*;

    /// The environment below these processes, nearest first, each told by its command line.
    fn below(processes: &[&str], session: Option<&str>) -> Env {
        let variables =
            [("INTERAGENT_HUB", "/p"), ("INTERAGENT_AGENT", "kimi"), ("TMUX_PANE", "%1"), ("TMUX", "/t,1,0")];
        let env = Env::from_variables(|name| {
            let given = variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
            given.or(session.filter(|_| name == "CODEX_THREAD_ID")).map(OsString::from)
        });
        let process = |(above, line): (usize, &&str)| Process {
            // No process has this number, so that the variables of none are read.
            pid: u32::MAX - u32::try_from(above).unwrap(),
            parent_pid: 1,
            started: 1,
            executable: line.split(' ').next().unwrap().to_owned(),
            script: None,
            arguments: Some(line.split(' ').map(str::to_owned).collect()),
        };
        let chain: Vec<Process> = processes.iter().enumerate().map(process).collect();
        without_inherited(Env { chain: Arc::new(OnceLock::from(chain)), ..env })
    }

    #[test]
    fn own_variables_count() {
        for (processes, session) in [
            (&["interagent", "bash", "codex --no-daemon", "bash"][..], Some("t-1")),
            (&["interagent", "bash", "claude", "bash"], None),
            // A client that was started in the sandbox of another is itself.
            (&["interagent", "bash", "claude", "bash"], Some("t-1")),
            (&["interagent", "bash"], None),
        ] {
            let env = below(processes, session);
            assert!(env.hub.is_some() && env.agent.is_some() && env.tmux_pane.is_some(), "{processes:?}");
        }
    }

    #[test]
    fn unreadable_shared_process_passes_nothing_on() {
        let env = below(&["interagent", "bash", "codex app-server --listen unix://"], Some("t-1"));
        assert_eq!((env.hub, env.agent, env.tmux_pane, env.tmux_socket), (None, None, None, None));
    }

    #[test]
    fn sandboxed_session_inherits_nothing() {
        let env = below(&["interagent", "bash", "codex-linux-sandbox"], Some("t-1"));
        assert_eq!((env.hub, env.agent, env.tmux_pane, env.tmux_socket), (None, None, None, None));
    }
}
