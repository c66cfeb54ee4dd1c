//! The process at a terminal that shows a session which another process serves.
//!
//! The server of such sessions does not tell who shows them. What is seen from outside: where a client's processes were
//! started, when, whether somebody typed there just now, and which of them show another session already.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interagent_agents::{Marks, Seen};
use interagent_core::session_id;
use interagent_wire::CallerProcess;

use super::env::Env;
use super::facts::{self, AtTerminal};

/// The kernel notes what is typed at a terminal only so often.
const TYPED_EVERY: Duration = Duration::from_secs(9);
/// A client makes its session a moment after it started; the two clocks differ a little.
const CLOCKS_DIFFER: Duration = Duration::from_secs(1);

/// A process that shows a session, and what it was started with.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    pub(crate) process: CallerProcess,
    pub(crate) hub: Option<OsString>,
    pub(crate) agent: Option<String>,
    pub(crate) pane: Option<String>,
    pub(crate) socket: Option<String>,
}

/// The process that shows a session of this client in this directory. None where that can't be told.
pub(crate) fn of_session(
    marks: &Marks,
    session: &str,
    directory: &Path,
    is_taken: impl Fn(i64) -> bool,
) -> Option<Viewer> {
    let candidates = candidates(marks, session, directory, is_taken);
    let age = session_id::created_ms(session)
        .and_then(|ms| SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_millis(ms)).ok());
    let found = candidates.get(choose(age, &candidates)?)?;
    let env = Env::from_variables(|name| facts::variable_of(found.at.process.pid, name));
    Some(Viewer {
        process: CallerProcess {
            pid: found.at.process.pid.into(),
            started: i64::try_from(found.at.process.started).unwrap_or(i64::MAX),
            executable: found.at.process.executable.clone(),
        },
        hub: env.hub,
        agent: env.agent,
        pane: env.tmux_pane,
        socket: env.tmux_socket.map(|socket| socket.display().to_string()),
    })
}

/// A process that may show the session.
#[derive(Debug, Clone)]
struct Candidate {
    at: AtTerminal,
    /// Its command line names the session.
    names_it: bool,
    /// It is known to show another session.
    is_taken: bool,
}

fn candidates(
    marks: &Marks,
    session: &str,
    directory: &Path,
    is_taken: impl Fn(i64) -> bool,
) -> Vec<Candidate> {
    let directory = directory.canonicalize();
    let fits = |at: AtTerminal| {
        let (executable, script) = (&at.process.executable, at.process.script.as_deref());
        if !marks.fit(Seen { executable, script }) {
            return None;
        }
        let arguments = at.process.arguments();
        let names_it = arguments.iter().any(|argument| argument == session);
        let is_here = directory.as_ref().is_ok_and(|directory| *directory == at.directory);
        let fits = marks.may_show_shared(&arguments) && (is_here || names_it);
        let is_taken = is_taken(at.process.pid.into());
        fits.then_some(Candidate { at, names_it, is_taken })
    };
    let mut found: Vec<Candidate> =
        facts::at_terminals(marks.programs).into_iter().filter_map(fits).collect();
    // Where a script starts the program, both fit: the program is meant.
    let parents: Vec<u32> = found.iter().map(|candidate| candidate.at.process.parent_pid).collect();
    found.retain(|candidate| !parents.contains(&candidate.at.process.pid));
    found
}

/// Which candidate shows a session of this age; none where several may.
fn choose(age: Option<Duration>, candidates: &[Candidate]) -> Option<usize> {
    let all: Vec<usize> = (0..candidates.len()).collect();
    let of = |at: &usize| &candidates[*at];
    // A process that started after the session can only have resumed it.
    let was_there = |at: &usize| age.is_none_or(|age| of(at).at.age + CLOCKS_DIFFER >= age);
    let pick = |fits: &dyn Fn(&usize) -> bool| -> Vec<usize> { all.iter().copied().filter(fits).collect() };
    let (named, before) = (pick(&|at| of(at).names_it), pick(&was_there));
    let (mut left, may_have_made_it) = match (named.is_empty(), before.is_empty()) {
        (false, _) => (named, false),
        (true, false) => (before, true),
        (true, true) => (all.clone(), false),
    };
    if let [only] = left[..] {
        return Some(only);
    }
    let silence = |at: &usize| of(at).at.typed.unwrap_or(Duration::MAX);
    left.sort_by_key(silence);
    if let [last, before, ..] = left[..]
        && silence(&last).saturating_add(TYPED_EVERY) < silence(&before)
    {
        return Some(last);
    }
    left.retain(|at| !of(at).is_taken);
    match left[..] {
        [only] => Some(only),
        // A client makes its session when it starts, so the one that started last before that made it.
        _ if may_have_made_it => age.and_then(|_| left.iter().copied().min_by_key(|at| of(at).at.age)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::facts::Process;

    /// A candidate that started and was typed into so many seconds ago.
    fn candidate(age: u64, typed: u64) -> Candidate {
        let process = Process {
            pid: 1,
            parent_pid: 0,
            started: 1,
            executable: "codex".to_owned(),
            script: None,
            arguments: None,
        };
        let seconds = Duration::from_secs;
        let at = AtTerminal {
            process,
            directory: PathBuf::from("/p"),
            age: seconds(age),
            typed: Some(seconds(typed)),
        };
        Candidate { at, names_it: false, is_taken: false }
    }

    fn taken(candidate: Candidate) -> Candidate {
        Candidate { is_taken: true, ..candidate }
    }

    #[test]
    fn viewer_is_chosen_by_what_is_seen() {
        let age = |seconds: u64| Some(Duration::from_secs(seconds));
        let named = Candidate { names_it: true, ..candidate(5, 5) };
        for (what, session, candidates, wanted) in [
            ("none there", age(5), vec![], None),
            ("the only one", age(5), vec![candidate(6, 1)], Some(0)),
            ("the one that names it", age(500), vec![candidate(600, 1), named.clone()], Some(1)),
            ("first of two, just started", age(20), vec![candidate(21, 3), candidate(10, 3)], Some(0)),
            ("second of two, just started", age(9), vec![candidate(21, 3), candidate(10, 3)], Some(1)),
            ("second, the first is taken", age(9), vec![taken(candidate(21, 3)), candidate(10, 3)], Some(1)),
            (
                "new session in the first",
                age(1),
                vec![taken(candidate(90, 1)), taken(candidate(80, 60))],
                Some(0),
            ),
            (
                "new session in one of two",
                age(1),
                vec![taken(candidate(90, 1)), taken(candidate(80, 4))],
                None,
            ),
            ("resumed by the picker", age(9000), vec![candidate(60, 1), taken(candidate(90, 50))], Some(0)),
            ("resumed in one of two", age(9000), vec![candidate(60, 1), candidate(90, 3)], None),
            ("named by two", age(500), vec![named.clone(), named.clone()], None),
            ("id that tells no age", None, vec![candidate(60, 1), candidate(90, 2)], None),
        ] {
            assert_eq!(choose(session, &candidates), wanted, "{what}");
        }
    }
}
