//! Sessions: which client session is which agent. Observed, never an event: only this machine knows its processes.
//!
//! Whether a process still runs is not asked here. What is judged: a session of an earlier run of the machine is over,
//! and so is one whose process number has a new owner; any other blocks a second one until it is ended or joined.

use std::path::Path;

use interagent_core::entity::Agent;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::session_id;
use interagent_core::vocabulary::{Auth, SessionState};
use interagent_store::observe::{Process, SessionRow};
use interagent_store::reader::Reader;
use interagent_store::{Writer, live, unnamed};
use interagent_wire::answer::{Page, SessionView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Time};

use crate::call::Call;
use crate::clients::Clients;
use crate::identity::{self, Known};
use crate::names::Names;
use crate::{life, reach, resolve};

pub(crate) fn bind(call: &mut Call<'_>, params: &ask::SessionBind) -> Result<Answer, Refusal> {
    let (caller, state_dir, clients) = (call.caller, call.state_dir, call.clients.clone());
    let id = check(params)?;
    let process = process(params, caller)?;
    // The client's hooks may have named its session before its server was called.
    let is_servers = session_id::server(id).is_some();
    let noted = process.as_ref().filter(|_| is_servers).and_then(|one| unnamed::of_process(state_dir, one));
    let params = match noted {
        None => params.clone(),
        Some(noted) => ask::SessionBind { session: noted.id, ..params.clone() },
    };
    let id = params.session.trim();
    let answer = call.store.observe(|writer| {
        let agent = whose(&mut writer.look(), caller, params.agent.as_deref())?;
        let bound = bind_in(writer, &agent, &params, caller, process, id)?;
        Ok::<_, Refusal>(view(&mut Names::new(&mut writer.look()), &bound, (state_dir, &clients))?.into())
    })?;
    unnamed::forget(state_dir, id);
    Ok(answer)
}

/// Binds a session to an agent: the one way to do it, whoever asks.
pub(crate) fn bind_in(
    writer: &mut Writer<'_, '_>,
    agent: &Agent,
    params: &ask::SessionBind,
    caller: &Caller,
    process: Option<Process>,
    id: &str,
) -> Result<SessionRow, Refusal> {
    let mut look = writer.look();
    let before = look.session(id)?;
    if let Some(before) = before.as_ref().filter(|before| before.agent != agent.id) {
        must_be_free(&mut look, before)?;
    }
    make_room(writer, agent, id, process.as_ref(), params.join)?;
    let bound = session(params, agent, before, process, caller, writer.look().now());
    writer.put_session(&bound)?;
    Ok(bound)
}

/// Binds the client of an agent that has just registered itself: what the client does counts for it from now on.
pub(crate) fn bind_newcomer(call: &mut Call<'_>, agent: &Agent) -> Result<(), Refusal> {
    let caller = call.caller;
    let Some(profile) = &caller.profile else { return Ok(()) };
    // Our server binds its connection itself, once it knows the name.
    if caller.session.as_deref().and_then(session_id::server).is_some() {
        return Ok(());
    }
    let client = caller.processes.iter().find(|process| Some(process.pid) == caller.client);
    let by_process = client.map(|client| {
        let boot = caller.boot.clone().unwrap_or_default();
        let process = Process { pid: client.pid, started: client.started, boot };
        // The session's own hooks may have been heard, by its own id.
        let noted = unnamed::of_process(call.state_dir, &process).map(|noted| noted.id);
        noted.unwrap_or_else(|| session_id::of_process(profile, client.pid, client.started))
    });
    // A client that runs several sessions in one process is known by its session alone.
    let Some(session) = caller.session.clone().or(by_process) else { return Ok(()) };
    let params =
        ask::SessionBind { session, pid: client.map(|client| client.pid), ..ask::SessionBind::default() };
    // A shell may not see the client's process, as in a sandbox; the session's own hook did.
    let process = match process(&params, caller)? {
        None => unnamed::find(call.state_dir, params.session.trim()).and_then(|noted| noted.process),
        process => process,
    };
    unnamed::forget(call.state_dir, params.session.trim());
    call.store.observe(|writer| {
        bind_in(writer, agent, &params, caller, process, params.session.trim())?;
        Ok(())
    })
}

/// Refuses words that could not have come from a client, before the gate is taken.
pub(crate) fn check(params: &ask::SessionBind) -> Result<&str, Refusal> {
    let words = [
        ("the session id", Some(&params.session)),
        ("the profile", params.profile.as_ref()),
        ("the boot id", params.boot.as_ref()),
        ("the pane", params.pane.as_ref()),
        ("the directory", params.cwd.as_ref()),
    ];
    for (what, word) in words {
        let Some(word) = word else { continue };
        if word.len() > limits::WORD_BYTES || word.chars().any(char::is_control) {
            let sentence =
                format!("{what} has at most {} bytes and no control characters", limits::WORD_BYTES);
            return Err(Refusal::usage("bad_session", sentence));
        }
    }
    if params.state == Some(SessionState::Ended) {
        return Err(Refusal::usage("bad_session", "a session is not bound as ended")
            .hint(format!("interagent session end {}", params.session)));
    }
    session_id(&params.session)
}

fn session_id(given: &str) -> Result<&str, Refusal> {
    match given.trim() {
        "" => Err(Refusal::usage("bad_session", "the session id is empty")),
        id => Ok(id),
    }
}

/// The client's process, whole or not at all: a number alone names nobody for long.
pub(crate) fn process(params: &ask::SessionBind, caller: &Caller) -> Result<Option<Process>, Refusal> {
    let Some(pid) = params.pid else { return Ok(None) };
    let known = caller.processes.iter().find(|process| process.pid == pid).map(|process| process.started);
    let started = params.started.or(known).ok_or_else(|| {
        Refusal::usage("bad_session", format!("it is not said when process {pid} started"))
            .hint("pass `started` with `pid`: numbers are used again")
    })?;
    let boot = params.boot.clone().or_else(|| caller.boot.clone()).unwrap_or_default();
    Ok(Some(Process { pid, started, boot }))
}

/// The agent a caller may bind a session to: itself, or the one it names while nothing says that it is another.
pub(crate) fn whose(reader: &mut Reader<'_>, caller: &Caller, named: Option<&str>) -> Result<Agent, Refusal> {
    let known = identity::identify(reader, caller)?;
    let agent = match named {
        None => known.bound()?.member().clone(),
        Some(name) => {
            let agent = resolve::agent(reader, name)?;
            must_not_be_another(reader, caller, &known, &agent)?;
            agent
        }
    };
    if agent.is_human() {
        return Err(Refusal::rule(
            "not_an_agent",
            "a client's session belongs to an agent, not to the operator",
        )
        .hint("name the agent: interagent session bind SESSION --agent NAME"));
    }
    if agent.retired.is_some() {
        return Err(resolve::retired(reader, &agent)?);
    }
    identity::must_be_home(reader, &agent)?;
    Ok(agent)
}

fn must_not_be_another(
    reader: &mut Reader<'_>,
    caller: &Caller,
    known: &Known,
    named: &Agent,
) -> Result<(), Refusal> {
    let identity = match known {
        Known::Bound(identity) => identity,
        Known::Unbound { .. } => return must_fit(caller, named),
    };
    let actor = &identity.actor;
    if actor.is_human() || actor.id == named.id {
        return Ok(());
    }
    // Taken for the only agent of its kind that is free: a guess, which a name corrects. Such an agent has no session.
    if identity.auth == Auth::Process && reader.sessions(Some(&actor.id))?.is_empty() {
        return Ok(());
    }
    Err(Refusal::rule("not_you", format!("you are {}, not {}", actor.name, named.name))
        .hint(format!("leave the name out: what you do counts for {}", actor.name)))
}

/// A client whose session has no name takes no seat of another kind of client.
fn must_fit(caller: &Caller, named: &Agent) -> Result<(), Refusal> {
    match &caller.profile {
        Some(profile) if named.profile != *profile && !caller.kin.contains(&named.profile) => {
            let sentence = format!("{} is a {}, and this client is a {profile}", named.name, named.profile);
            Err(Refusal::rule("not_you", sentence).hint("interagent agent register NAME"))
        }
        _ => Ok(()),
    }
}

/// A session stays with its agent: what it has read and said was that agent's.
fn must_be_free(reader: &mut Reader<'_>, before: &SessionRow) -> Result<(), Refusal> {
    let Some(owner) = reader.agent(&before.agent)?.filter(|owner| owner.retired.is_none()) else {
        return Ok(());
    };
    Err(Refusal::conflict("session_taken", format!("session {} is {}'s", before.id, owner.name))
        .hint("start a new session for another agent"))
}

/// Ends the agent's sessions that are over, and refuses a second live one that does not join.
fn make_room(
    writer: &mut Writer<'_, '_>,
    agent: &Agent,
    id: &str,
    process: Option<&Process>,
    join: bool,
) -> Result<(), Refusal> {
    for other in writer.look().unended_sessions(Some(&agent.id))? {
        if other.id == id {
            continue;
        }
        let look = writer.look();
        if other.is_gone(look.clock()) || gave_way(&other, process, join) {
            end_session(writer, other)?;
        } else if !join {
            let who = match &other.process {
                Some(process) => format!("session {} (process {})", other.id, process.pid),
                None => format!("session {}", other.id),
            };
            return Err(Refusal::conflict("second_session", format!("{} is in use by {who}", agent.name))
                .hint(format!("interagent session end {} if it is gone, or join it with --join", other.id)));
        }
    }
    Ok(())
}

/// Ends the sessions of an agent whose process is gone: what they were offered goes back into the queue at once.
pub(crate) fn end_gone(writer: &mut Writer<'_, '_>, agent: &Agent) -> Result<(), Refusal> {
    for session in writer.look().unended_sessions(Some(&agent.id))? {
        if session.is_gone(writer.look().clock()) {
            end_session(writer, session)?;
        }
    }
    Ok(())
}

/// The same process began another session in the place of this one, or its number has a new owner. A session that was
/// only known by its process is the one that its client names now.
fn gave_way(other: &SessionRow, process: Option<&Process>, join: bool) -> bool {
    match (&other.process, process) {
        (Some(old), Some(new)) => {
            let is_stand_in = session_id::is_of_process(&other.id, &other.profile);
            let joined = join && old.started == new.started && !is_stand_in;
            old.pid == new.pid && old.boot == new.boot && !joined
        }
        _ => false,
    }
}

/// Ends the sessions that a viewer showed before this one: it shows one at a time, even where its agent may have several.
pub(crate) fn end_shown_before(writer: &mut Writer<'_, '_>, now: &SessionRow) -> Result<(), Refusal> {
    if !now.viewed {
        return Ok(());
    }
    for other in writer.look().unended_sessions(None)? {
        if is_replaced(&other, now) {
            end_session(writer, other)?;
        }
    }
    Ok(())
}

/// Whether the viewer of one session shows another now.
fn is_replaced(before: &SessionRow, now: &SessionRow) -> bool {
    let is_same_viewer = before.process.is_some() && before.process == now.process;
    before.viewed && now.viewed && is_same_viewer && before.id != now.id
}

/// The session as it is now; what the client did not say again stays.
fn session(
    params: &ask::SessionBind,
    agent: &Agent,
    before: Option<SessionRow>,
    process: Option<Process>,
    caller: &Caller,
    now: i64,
) -> SessionRow {
    let before = before.filter(|before| before.agent == agent.id && before.state != SessionState::Ended);
    let new = SessionRow {
        id: params.session.trim().to_owned(),
        agent: agent.id.clone(),
        profile: params
            .profile
            .clone()
            .or_else(|| caller.profile.clone())
            .unwrap_or_else(|| agent.profile.clone()),
        process,
        pane: params.pane.clone(),
        cwd: params.cwd.clone(),
        state: params.state.unwrap_or(SessionState::Idle),
        bound: now,
        seen: now,
        briefed: false,
        reminded: None,
        wake: None,
        woken: None,
        waking: None,
        reports_told: None,
        viewed: false,
        prompts: Vec::new(),
        remark: None,
        tools: None,
    };
    let Some(before) = before else { return new };
    SessionRow {
        profile: params.profile.clone().unwrap_or(before.profile),
        process: new.process.or(before.process),
        pane: new.pane.or(before.pane),
        cwd: new.cwd.or(before.cwd),
        state: params.state.unwrap_or(before.state),
        bound: before.bound,
        briefed: before.briefed,
        reminded: before.reminded,
        wake: before.wake,
        woken: before.woken,
        waking: before.waking,
        reports_told: before.reports_told,
        prompts: before.prompts,
        remark: before.remark,
        tools: before.tools,
        ..new
    }
}

pub(crate) fn end_session(
    writer: &mut Writer<'_, '_>,
    mut session: SessionRow,
) -> Result<SessionRow, Refusal> {
    session.state = SessionState::Ended;
    writer.put_session(&session)?;
    let holder = Caller { session: Some(session.id.clone()), ..Caller::default() }.holder();
    writer.lapse_offers(&holder)?;
    Ok(session)
}

pub(crate) fn end(call: &mut Call<'_>, params: &ask::SessionEnd) -> Result<Answer, Refusal> {
    let (caller, state_dir, clients) = (call.caller, call.state_dir, call.clients.clone());
    let id = session_id(&params.session)?;
    let ended = call.store.observe(|writer| {
        let mut look = writer.look();
        let Some(session) = look.session(id)? else {
            let shown: String = id.chars().take(64).collect();
            return Err(Refusal::not_found("no_such_session", format!("there is no session `{shown}`"))
                .hint("interagent session list shows those that did not end"));
        };
        may_end(&mut look, caller, &session)?;
        let ended = match session.state {
            SessionState::Ended => session,
            SessionState::Busy | SessionState::Idle | SessionState::Asking => end_session(writer, session)?,
        };
        Ok::<_, Refusal>(view(&mut Names::new(&mut writer.look()), &ended, (state_dir, &clients))?.into())
    })?;
    live::forget(state_dir, id);
    Ok(ended)
}

/// A session is ended by itself, by its agent or by the operator.
fn may_end(reader: &mut Reader<'_>, caller: &Caller, session: &SessionRow) -> Result<(), Refusal> {
    if caller.session.as_ref() == Some(&session.id) {
        return Ok(());
    }
    let identity = identity::identify(reader, caller)?.bound()?;
    if identity.actor.is_human() || identity.actor.id == session.agent {
        return Ok(());
    }
    let owner = Names::new(reader).who(&session.agent)?;
    let team = reader.team()?.map(|team| team.config);
    let command = format!("interagent session end {}", session.id);
    Err(Refusal::rule(
        "not_yours",
        format!("session {} is {}'s, not {}'s", session.id, owner.name, identity.actor.name),
    )
    .hint(rules::operator_runs(team.as_ref(), &identity.actor, &command)))
}

pub(crate) fn list(call: &mut Call<'_>, params: &ask::SessionList) -> Result<Answer, Refusal> {
    let (state_dir, clients) = (call.state_dir, call.clients.clone());
    call.read(|reader, _| {
        let agent = params.agent.as_deref().map(|given| resolve::agent(reader, given)).transpose()?;
        let mut sessions = reader.sessions(agent.as_ref().map(|agent| &agent.id))?;
        let clock = reader.clock();
        sessions.retain(|session| !session.is_gone(clock));
        let mut names = Names::new(reader);
        let items = sessions
            .iter()
            .map(|session| view(&mut names, session, (state_dir, &clients)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Page { items, next: None }.into())
    })
}

/// A session as shown.
pub(crate) fn view(
    names: &mut Names<'_, '_>,
    session: &SessionRow,
    (state_dir, clients): (&Path, &Clients),
) -> Result<SessionView, Refusal> {
    let presence = reach::presence(state_dir, session);
    let (clock, now) = (names.reader.clock(), names.reader.now());
    let life = Some(life::of_session(session, state_dir, clock, now));
    let heard =
        live::sign_of(state_dir, &session.id).map_or(session.seen, |sign| sign.seen.max(session.seen));
    Ok(SessionView {
        id: session.id.clone(),
        agent: names.who(&session.agent)?,
        profile: session.profile.clone(),
        pid: session.process.as_ref().map(|process| process.pid),
        pane: session.pane.clone(),
        cwd: session.cwd.clone(),
        state: presence.state,
        life,
        bound: Time(session.bound),
        seen: Time(heard),
        reach: reach::reach_of(state_dir, session, clients).to_string(),
    })
}
