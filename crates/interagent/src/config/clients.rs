//! Which client a process belongs to, by its own marks and by those of its ancestors.
//!
//! Owns how the nearest client is found in a chain of processes. How each client is recognised stands in its profile. Some
//! (Codex, Kimi) set no variable at all: only their process tells.

use interagent_agents::{Marks, Seen};

use super::facts::Process;

/// A client that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    pub(super) marks: Marks,
    /// Its process, where it was found by it.
    pub(super) pid: Option<u32>,
}

fn is(marks: Marks, process: &Process) -> bool {
    marks.fit(Seen { executable: &process.executable, script: process.script.as_deref() })
}

/// The client that a chain of processes belongs to, and how much of the chain is its own.
///
/// The nearest counts. One that was started by another's shell is itself: what it inherited, and the processes above it,
/// say nothing about it. A process that serves several sessions is none of theirs: the chain ends below it.
pub(super) fn nearest(known: impl Iterator<Item = Marks>, chain: &[Process]) -> (Option<Client>, &[Process]) {
    let known: Vec<Marks> = known.collect();
    let client_of = |process: &Process| known.iter().copied().find(|marks| is(*marks, process));
    let found = chain.iter().find_map(|process| Some((client_of(process)?, process)));
    let Some((marks, process)) = found else { return (None, chain) };
    let end = chain.iter().position(|process| {
        client_of(process).is_some_and(|other| other != marks || is_shared(other, process))
    });
    let pid = (!is_shared(marks, process)).then_some(process.pid);
    (Some(Client { marks, pid }), &chain[..end.unwrap_or(chain.len())])
}

/// Whether a client's process serves several sessions, so that neither it nor what it inherited tells about one of them.
pub(super) fn is_shared(marks: Marks, process: &Process) -> bool {
    !marks.shared.is_empty() && marks.is_shared(&process.arguments())
}

/// The nearest process above that serves several sessions of its client.
pub(super) fn shared<'c>(known: &[Marks], chain: &'c [Process]) -> Option<&'c Process> {
    let serves = |process: &&Process| {
        let of_client = known.iter().filter(|marks| !marks.shared.is_empty() && is(**marks, process));
        of_client.into_iter().any(|marks| is_shared(*marks, process))
    };
    chain.iter().find(serves)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use interagent_agents::shipped_marks;
    use interagent_core::template;

    #[test]
    fn every_client_with_a_profile_is_known_from_the_outside() {
        let known: BTreeSet<&str> =
            shipped_marks().filter(|marks| !marks.programs.is_empty()).map(|marks| marks.profile).collect();
        let named: BTreeSet<&str> = template::CLIENTS.iter().map(|(profile, _)| *profile).collect();
        assert_eq!(known, named);
    }
}
