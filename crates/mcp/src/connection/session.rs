//! The session row of a connection: its id, binding it, and making room where its last owner died.

use interagent_core::refusal::Refusal;
use interagent_core::session_id;
use interagent_wire::answer::SessionView;
use interagent_wire::request::{AgentList, SessionBind, SessionEnd, SessionList};
use interagent_wire::{Answer, Caller, CallerProcess};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::hub::Hubs;

/// The id of this server's own session: its process, which no other has in this run of the machine.
pub(super) fn own_id(caller: &Caller) -> String {
    match caller.processes.first() {
        Some(process) => session_id::of_server(&format!("{}-{}", process.pid, process.started)),
        // Without randomness there is still one such session at a time for each hub.
        None => session_id::of_server(&format!("0-{}", drawn())),
    }
}

/// The id of a session that a server has beside one of a client.
pub(super) fn own_id_beside(caller: &Caller, named: &str) -> String {
    format!("{}-{named}", own_id(caller))
}

/// The id of a session that a server has for one of many clients.
pub(super) fn visitors_id(server: &Caller) -> String {
    format!("{}-{}", own_id(server), drawn())
}

fn drawn() -> String {
    let mut drawn = [0_u8; 8];
    let _ = getrandom::fill(&mut drawn);
    format!("{:016x}", u64::from_le_bytes(drawn))
}

/// The id after one that is used up.
pub(super) fn next_id(id: &str) -> String {
    format!("{id}+")
}

/// Whether a session is one that a server made for itself, and not one of a client.
pub(super) fn is_a_servers(id: &str) -> bool {
    session_id::server(id).is_some()
}

/// Whether the server that made a session still runs.
pub(super) fn server_is_alive(id: &str) -> bool {
    let pid = session_id::server(id).and_then(|rest| rest.split('-').next()).and_then(|pid| pid.parse().ok());
    pid.is_some_and(|pid| pid != 0 && is_alive(pid))
}

/// Only a process that is surely gone counts as dead.
fn is_alive(pid: i64) -> bool {
    match i32::try_from(pid).ok().and_then(Pid::from_raw) {
        Some(pid) => test_kill_process(pid) != Err(Errno::SRCH),
        None => true,
    }
}

/// Binds the caller's session to an agent. A session whose process died gives way; a live one is named.
pub(super) fn bind(
    hubs: &Hubs,
    base: &Caller,
    name: &str,
    process: Option<&CallerProcess>,
    cwd: Option<&str>,
) -> Result<SessionView, Refusal> {
    let caller = Caller { agent: Some(name.to_owned()), ..base.clone() };
    let request = SessionBind {
        session: base.session.clone().unwrap_or_default(),
        agent: Some(name.to_owned()),
        profile: base.profile.clone(),
        pid: process.map(|process| process.pid),
        started: process.map(|process| process.started),
        boot: base.boot.clone(),
        pane: base.pane.clone(),
        cwd: cwd.map(ToOwned::to_owned),
        state: None,
        // A token proves whose it is, so one agent may have several clients with it.
        join: base.token.is_some(),
    };
    let bound = match hubs.call(&caller, request.clone()) {
        Err(refusal) if refusal.code == "second_session" => {
            end_dead(hubs, &caller, name)?;
            hubs.call(&caller, request)
        }
        bound => bound,
    };
    match bound {
        Ok(reply) => match reply.answer {
            Answer::Session(session) => Ok(session),
            _ => Err(Refusal::unavailable("bad_answer", "the hub answered with something else")),
        },
        Err(refusal) if refusal.code == "second_session" => {
            let hint = another_name(hubs, &caller, name);
            Err(refusal.hint(hint))
        }
        Err(refusal) => Err(refusal),
    }
}

/// Ends what is left of the agent's sessions whose process is gone.
pub(super) fn end_dead(hubs: &Hubs, caller: &Caller, name: &str) -> Result<(), Refusal> {
    let listed = hubs.call(caller, SessionList { agent: Some(name.to_owned()) })?;
    let Answer::Sessions(page) = listed.answer else { return Ok(()) };
    for row in page.items.into_iter().filter(|row| row.pid.is_some_and(|pid| !is_alive(pid))) {
        hubs.call(caller, SessionEnd { session: row.id })?;
    }
    Ok(())
}

/// Whether the hub has the caller's session.
pub(super) fn is_noted(hubs: &Hubs, caller: &Caller) -> Result<bool, Refusal> {
    let listed = hubs.call(caller, SessionList { agent: None })?;
    let Answer::Sessions(page) = listed.answer else { return Ok(false) };
    Ok(page.items.iter().any(|row| caller.session.as_ref() == Some(&row.id)))
}

/// A name that is free, as a call that would work.
pub(super) fn another_name(hubs: &Hubs, caller: &Caller, name: &str) -> String {
    let looking = Caller { agent: None, ..caller.clone() };
    let taken: Vec<String> = match hubs.call(&looking, AgentList { retired: true }).map(|reply| reply.answer)
    {
        Ok(Answer::Agents(page)) => page.items.into_iter().map(|agent| agent.name).collect(),
        _ => Vec::new(),
    };
    let free = (2..).map(|number| format!("{name}-{number}")).find(|free| !taken.contains(free));
    match free {
        Some(free) => format!("register_agent(name=\"{free}\", ...) takes a name that is free"),
        None => "register_agent with another name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_its_process() {
        let here = CallerProcess { pid: std::process::id().into(), started: 7, executable: String::new() };
        let id = own_id(&Caller { processes: vec![here], ..Caller::default() });
        assert!(is_a_servers(&id) && server_is_alive(&id), "{id}");
        assert!(!server_is_alive("mcp-2147483600-1"));
        let server = CallerProcess { pid: std::process::id().into(), started: 7, executable: String::new() };
        let server = Caller { processes: vec![server], ..Caller::default() };
        let (one, other) = (visitors_id(&server), visitors_id(&server));
        assert!(one != other && is_a_servers(&one) && server_is_alive(&one), "{one} {other}");
        assert!(!is_a_servers("0b7c-client"));
        assert!(is_a_servers(&own_id(&Caller::default())));
    }
}
