//! Who a connection is: one agent, found from the facts about its process or told by the agent itself.
//!
//! The hub judges; this module gathers what it can compare and remembers that it was settled. Looking binds nobody, so an
//! agent may look around before it says who it is. A connection is the operator's only by the operator's token: nothing
//! around a client tells a person from the agent that started it.

mod claims;
mod profile;
mod session;

use std::sync::Mutex;

use interagent_core::briefing::Arrival;
use interagent_core::limits;
use interagent_core::name::OPERATOR;
use interagent_core::phrasing::BARE_TOOL;
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::token::Token;
use interagent_core::vocabulary::Auth;
use interagent_wire::answer::{AgentView, SessionView, Who};
use interagent_wire::request::{AgentRegister, AgentShow, SessionEnd, SessionList, Whoami};
use interagent_wire::{Answer, Caller, Reply};

pub(crate) use claims::HOW_TO_REGISTER;
use claims::{must_be_of_client, must_work_here, nobody, not_you, unbound};

use crate::hub::Hubs;
use crate::lock::lock;

/// What the binary knows about this process and its client.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The facts every command gathers.
    pub caller: Caller,
    /// Where the server was started: the project, with every client.
    pub cwd: Option<String>,
    /// Keys of `_meta` in a call that name the client's session; the first that is there counts.
    pub session_keys: Vec<String>,
    /// Hooks of the client bring its agent's mail, as far as the client's settings say.
    pub hooked: bool,
}

impl Facts {
    /// What is known of a client that connected to this server and has shown a token: nothing else. What is around the
    /// server says nothing about it.
    pub(crate) fn of_visitor(&self, token: Token) -> Self {
        let own = &self.caller;
        let caller = Caller {
            token: Some(token),
            session: Some(session::visitors_id(own)),
            processes: own.processes.first().cloned().into_iter().collect(),
            boot: own.boot.clone(),
            ..Caller::default()
        };
        Self { caller, cwd: None, session_keys: Vec::new(), hooked: false }
    }

    /// The session that a call names, where the client says so in each call.
    pub(crate) fn session_of(&self, meta: &serde_json::Map<String, serde_json::Value>) -> Option<String> {
        let named = self.session_keys.iter().find_map(|key| meta.get(key)?.as_str())?;
        let fits =
            !named.is_empty() && named.len() <= limits::WORD_BYTES && !named.chars().any(char::is_control);
        fits.then(|| named.to_owned())
    }

    /// What is known of one session of a client whose calls name theirs.
    pub(crate) fn of_session(&self, session: &str) -> Self {
        let caller = Caller { session: Some(session.to_owned()), ..self.caller.clone() };
        Self { caller, ..self.clone() }
    }
}

/// One connection's identity.
#[derive(Debug)]
pub(crate) struct Connection {
    facts: Facts,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bound: Option<Bound>,
    /// The session of this server, where the client names none.
    own_session: String,
    /// What was bound is the only agent of its kind: nothing of the client is tied to such a guess.
    guessing: bool,
    /// The agent changed something through this connection, so it can't switch to another agent.
    acted: bool,
    /// Another connection of the same client is another agent: the client's process says nothing about this one.
    alone: bool,
    /// The client is gone: nobody would end what is bound now.
    closed: bool,
}

#[derive(Debug)]
struct Bound {
    agent: Who,
    /// The session row is ours to end.
    session: Option<String>,
}

/// What the hub knows about a connection before it said anything.
enum Evidence {
    /// A session, a process or a pane was bound before.
    Bound(Who, Box<SessionView>),
    /// The only agent of this kind without a session.
    Guess(Who),
    Nothing(String),
}

impl Connection {
    pub(crate) fn new(facts: Facts) -> Self {
        let own_session = match &facts.caller.session {
            // One server may serve several of them.
            Some(named) if !facts.session_keys.is_empty() => session::own_id_beside(&facts.caller, named),
            _ => session::own_id(&facts.caller),
        };
        let state =
            State { own_session, bound: None, guessing: false, acted: false, alone: false, closed: false };
        Self { facts, state: Mutex::new(state) }
    }

    /// The caller of a tool that changes something: bound to its agent, now if not before.
    pub(crate) fn caller(
        &self,
        hubs: &Hubs,
        client: Option<&str>,
        given: Option<&str>,
    ) -> Result<Caller, Refusal> {
        let mut state = lock(&self.state);
        if self.facts.caller.token.is_some() {
            return self.bearer(hubs, &mut state, client, given);
        }
        self.must_still_hold(hubs, &mut state, client)?;
        if state.bound.is_none() {
            self.settle(hubs, &mut state, client, given, self.facts.cwd.as_deref())?;
        }
        let base = self.base(client, &state);
        // The hub compares the name with what it bound, and refuses another's. Where nothing is said it gets the id, so
        // that it never has to guess.
        let agent = given.or(state.bound.as_ref().map(|bound| bound.agent.id.as_str()));
        Ok(Caller { agent: agent.map(ToOwned::to_owned), ..base })
    }

    /// The caller that has shown a token: it is that member, and only its session is noted.
    fn bearer(
        &self,
        hubs: &Hubs,
        state: &mut State,
        client: Option<&str>,
        given: Option<&str>,
    ) -> Result<Caller, Refusal> {
        let base = self.base(client, state);
        if !session::is_noted(hubs, &base)? {
            let member = bearers_member(hubs, &base)?;
            // A person has no session: nobody wakes them, and no mail is handed over to them.
            if member.name != OPERATOR {
                session::end_dead(hubs, &base, &member.id)?;
                self.bind(hubs, state, &base, &member.id)?;
            }
        }
        // The hub compares the name with the token, and refuses another's.
        Ok(Caller { agent: given.map(ToOwned::to_owned), ..base })
    }

    /// Looks whether the hub still knows what was bound. A session that was ended behind our back is bound again, unless
    /// somebody else has the agent now; one that became another agent's is followed.
    fn must_still_hold(&self, hubs: &Hubs, state: &mut State, client: Option<&str>) -> Result<(), Refusal> {
        let Some(bound) = &state.bound else { return Ok(()) };
        let id = bound.agent.id.clone();
        let base = self.base(client, state);
        let known = hubs.call(&Caller { agent: Some(id.clone()), ..base.clone() }, Whoami {});
        match known.map(|reply| reply.answer) {
            // The agent is gone: nobody has its name any more.
            Ok(Answer::Identity(me)) if me.member.is_none() => {
                state.bound = None;
                Ok(())
            }
            Ok(Answer::Identity(me)) if me.auth == Some(Auth::Claimed) => {
                state.bound = None;
                self.bind(hubs, state, &base, &id)
            }
            Ok(_) => Ok(()),
            Err(refusal) if refusal.kind == RefusalKind::Unavailable => Err(refusal),
            Err(_) => {
                state.bound = None;
                Ok(())
            }
        }
    }

    /// The caller of a tool that only looks. It is bound only where its surroundings name it.
    pub(crate) fn onlooker(&self, hubs: &Hubs, client: Option<&str>) -> Caller {
        let is_named = self.facts.caller.agent.is_some() || self.facts.caller.token.is_some();
        if is_named && let Ok(caller) = self.caller(hubs, client, None) {
            return caller;
        }
        Caller { agent: None, ..self.base(client, &lock(&self.state)) }
    }

    /// How messages reach the agent at the other end.
    pub(crate) fn arrival(&self) -> Arrival {
        if self.facts.hooked { Arrival::ByHook } else { Arrival::OnRequest }
    }

    /// Records that the agent changed something.
    pub(crate) fn note_act(&self) {
        lock(&self.state).acted = true;
    }

    /// Whether it is known who this is.
    pub(crate) fn is_settled(&self) -> bool {
        lock(&self.state).bound.is_some()
    }

    /// Registers the agent at the other end, and binds this connection to it.
    pub(crate) fn register(
        &self,
        hubs: &Hubs,
        client: Option<&str>,
        introduction: AgentRegister,
    ) -> Result<Reply, Refusal> {
        let mut state = lock(&self.state);
        // A connection binds its own session: the hub must not bind the client's process for it.
        let introduce = |caller: &Caller, introduction: AgentRegister| {
            hubs.call(&Caller { client: None, ..caller.clone() }, introduction)
        };
        if self.facts.caller.token.is_some() {
            let caller = self.bearer(hubs, &mut state, client, None)?;
            if bearers_member(hubs, &caller)?.name == OPERATOR {
                let sentence = "this connection is the operator's: nobody has to register";
                return Err(Refusal::rule("not_an_agent", sentence).hint("check_inbox()"));
            }
            return introduce(&caller, introduction);
        }
        let name = introduction.name.clone();
        if state.guessing
            && let Some(bound) = state.bound.as_ref().filter(|bound| !is_same(&name, &bound.agent.name))
        {
            if state.acted {
                return Err(not_you(&bound.agent.name, &name));
            }
            self.release(hubs, &mut state, client);
            // A session stays with its agent, so this one needs another.
            state.own_session = session::next_id(&state.own_session);
            state.guessing = false;
        }
        let looking = Caller { agent: None, ..self.base(client, &state) };
        if state.bound.is_some() {
            return introduce(&looking, introduction);
        }
        if find(hubs, &looking, &name)?.is_some() {
            let workspace = introduction.workspace.clone().or_else(|| self.facts.cwd.clone());
            self.settle(hubs, &mut state, client, Some(&name), workspace.as_deref())?;
            let caller = Caller { agent: Some(name), ..self.base(client, &state) };
            return introduce(&caller, introduction);
        }
        match self.evidence(hubs, &looking)? {
            Evidence::Bound(_, row) if session::is_a_servers(&row.id) => state.alone = true,
            // The hub says why an agent registers nobody but itself.
            Evidence::Bound(..) => return introduce(&looking, introduction),
            Evidence::Guess(_) | Evidence::Nothing(_) => {}
        }
        self.must_agree_with_surroundings(&name)?;
        let base = self.base(client, &state);
        let reply = introduce(&Caller { agent: Some(name.clone()), ..base.clone() }, introduction)?;
        let name = match &reply.answer {
            Answer::Agent(agent) => agent.name.clone(),
            _ => name,
        };
        self.bind(hubs, &mut state, &base, &name)?;
        Ok(reply)
    }

    /// Ends the session of this connection. A session of the client's own outlives its server.
    pub(crate) fn close(&self, hubs: &Hubs) {
        let mut state = lock(&self.state);
        state.closed = true;
        let is_own = |bound: &Bound| bound.session.as_deref().is_some_and(session::is_a_servers);
        if state.bound.as_ref().is_some_and(is_own) {
            self.release(hubs, &mut state, None);
        }
        hubs.carry_out();
    }

    fn release(&self, hubs: &Hubs, state: &mut State, client: Option<&str>) {
        let base = self.base(client, state);
        if let Some(session) = state.bound.take().and_then(|bound| bound.session) {
            // What can't be ended now is found dead by the next one that needs the name.
            let _ = hubs.call(&base, SessionEnd { session });
        }
    }

    /// Finds out who this is, or says why it can't be known.
    fn settle(
        &self,
        hubs: &Hubs,
        state: &mut State,
        client: Option<&str>,
        given: Option<&str>,
        workspace: Option<&str>,
    ) -> Result<(), Refusal> {
        let looking = Caller { agent: None, ..self.base(client, state) };
        let surroundings = self.facts.caller.agent.as_deref();
        let (guess, why) = match self.evidence(hubs, &looking)? {
            Evidence::Bound(who, row) => match given.or(surroundings) {
                Some(name) if !is_same(name, &who.name) && name != who.id => {
                    if !session::is_a_servers(&row.id) || row.id == state.own_session {
                        return Err(not_you(&who.name, name));
                    }
                    state.alone = true;
                    (None, String::new())
                }
                _ => return self.continue_as(hubs, state, &looking, who, &row),
            },
            Evidence::Guess(who) => (Some(who), String::new()),
            Evidence::Nothing(why) => (None, why),
        };
        if let Some(name) = given {
            self.must_agree_with_surroundings(name)?;
        }
        state.guessing = given.is_none() && surroundings.is_none();
        let base = self.base(client, state);
        let name = match (given.or(surroundings), guess.as_ref()) {
            (Some(name), _) => name.to_owned(),
            (None, Some(guess)) => guess.name.clone(),
            (None, None) => return Err(unbound(&why)),
        };
        let agent = find(hubs, &looking, &name)?.ok_or_else(|| nobody(&name))?;
        if let Some(guess) = guess.filter(|_| surroundings.is_none()) {
            must_be_of_client(&base, &agent, &guess.name)?;
        }
        if surroundings.is_none() {
            must_work_here(hubs, &looking, &agent, workspace)?;
        }
        self.bind(hubs, state, &base, &name)
    }

    /// Goes on as the agent a session was bound to before, by a hook or by a server that is gone.
    fn continue_as(
        &self,
        hubs: &Hubs,
        state: &mut State,
        looking: &Caller,
        who: Who,
        row: &SessionView,
    ) -> Result<(), Refusal> {
        if session::is_a_servers(&row.id) && row.id != state.own_session && !session::server_is_alive(&row.id)
        {
            return self.bind(hubs, state, looking, &who.name);
        }
        let session = (row.id == state.own_session).then(|| row.id.clone());
        state.bound = Some(Bound { agent: who, session });
        Ok(())
    }

    fn bind(&self, hubs: &Hubs, state: &mut State, base: &Caller, name: &str) -> Result<(), Refusal> {
        if state.closed {
            // A call that was still at work when its client left.
            return Err(Refusal::rule("session_ended", "the session of this call was ended meanwhile"));
        }
        let bound = session::bind(hubs, base, name, self.client_process(state), self.facts.cwd.as_deref())?;
        state.bound = Some(Bound { agent: bound.agent, session: Some(bound.id) });
        Ok(())
    }

    fn evidence(&self, hubs: &Hubs, looking: &Caller) -> Result<Evidence, Refusal> {
        let Answer::Identity(me) = hubs.call(looking, Whoami {})?.answer else {
            return Ok(Evidence::Nothing(String::new()));
        };
        let Some(member) = me.member else { return Ok(Evidence::Nothing(me.how)) };
        let rows = match hubs.call(looking, SessionList { agent: Some(member.id.clone()) })?.answer {
            Answer::Sessions(page) => page.items,
            _ => Vec::new(),
        };
        let is_ours = |row: &SessionView| {
            looking.session.as_ref() == Some(&row.id)
                || row.pid.is_some_and(|pid| looking.processes.iter().any(|process| process.pid == pid))
                || (row.pane.is_some() && row.pane == looking.pane)
        };
        Ok(match rows.into_iter().find(is_ours) {
            Some(row) => Evidence::Bound(member, Box::new(row)),
            None => Evidence::Guess(member),
        })
    }

    /// The facts as the hub takes them. The name in the handshake is nearer to the client than variables, which a
    /// client that was started inside another one inherits: then what they say is about the outer one.
    fn base(&self, client: Option<&str>, state: &State) -> Caller {
        let facts = &self.facts.caller;
        // What the process shows may be more exact: `kimi-cli` says in the handshake that it is a Kimi.
        let is_exact = |name: &&str| !facts.profile.as_deref().is_some_and(|seen| seen.starts_with(name));
        // A fork of a client reports the original's name. If it started the server itself, its process identifies it.
        let has_started_it =
            facts.client.is_some() && facts.client == facts.processes.get(1).map(|process| process.pid);
        let by_name = profile::of(client).filter(is_exact).filter(|_| !has_started_it);
        let is_inner = matches!((by_name, &facts.profile), (Some(name), Some(outer)) if name != outer);
        let profile = by_name
            .map(ToOwned::to_owned)
            .or_else(|| facts.profile.clone())
            .unwrap_or(profile::UNKNOWN.into());
        let kin = if facts.profile.as_ref() == Some(&profile) { facts.kin.clone() } else { Vec::new() };
        let session = facts.session.clone().filter(|_| !is_inner && !state.alone && !state.guessing);
        let near = match (state.alone, is_inner) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => facts.processes.len(),
        };
        Caller {
            agent: facts.agent.clone(),
            // A call may name another agent, and that name must be checked.
            agent_by_variable: false,
            behalf: None,
            principal: false,
            bound_as_behalf: false,
            session: Some(session.unwrap_or_else(|| state.own_session.clone())),
            profile: Some(profile),
            kin,
            client: facts.client.filter(|_| !is_inner && !state.alone),
            processes: facts.processes.iter().take(near).cloned().collect(),
            boot: facts.boot.clone(),
            pane: facts.pane.clone().filter(|_| !is_inner && !state.alone),
            socket: facts.socket.clone(),
            chain_unreadable: false,
            terminal: false,
            token: facts.token.clone(),
            // In its own answers the server calls its tools as it listed them.
            tools: Some(BARE_TOOL.to_owned()),
        }
    }

    /// The process that stands for this connection: the client's, so that its hooks and commands are the same agent.
    fn client_process(&self, state: &State) -> Option<&interagent_wire::CallerProcess> {
        let processes = &self.facts.caller.processes;
        if state.alone { processes.first() } else { processes.get(1).or_else(|| processes.first()) }
    }

    fn must_agree_with_surroundings(&self, name: &str) -> Result<(), Refusal> {
        match self.facts.caller.agent.as_deref() {
            Some(named) if !is_same(name, named) => Err(Refusal::rule(
                "not_you",
                format!(
                    "you are {named}, not {name}: INTERAGENT_AGENT in the server's configuration says so"
                ),
            )
            .hint("leave the name out, or change the variable")),
            _ => Ok(()),
        }
    }
}

/// The member whose token the caller shows.
fn bearers_member(hubs: &Hubs, caller: &Caller) -> Result<Who, Refusal> {
    match hubs.call(caller, Whoami {})?.answer {
        Answer::Identity(me) => me.member.ok_or_else(|| unbound(&me.how)),
        _ => Err(Refusal::unavailable("bad_answer", "the hub answered with something else")),
    }
}

/// Names are folded to lower case.
fn is_same(given: &str, name: &str) -> bool {
    given.trim().eq_ignore_ascii_case(name)
}

fn find(hubs: &Hubs, looking: &Caller, name: &str) -> Result<Option<AgentView>, Refusal> {
    match hubs.call(looking, AgentShow { agent: Some(name.to_owned()) }) {
        Ok(Reply { answer: Answer::Agent(agent), .. }) => Ok(Some(agent).filter(|agent| agent.local)),
        Ok(_) => Ok(None),
        Err(refusal) if matches!(refusal.kind, RefusalKind::NotFound | RefusalKind::Usage) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}
