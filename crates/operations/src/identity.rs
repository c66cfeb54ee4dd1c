//! Who calls: the caller's facts against what was bound before. You are who you are, not who an argument says.
//!
//! This stops mistakes, not a hostile program of the same user.

use interagent_core::authority::{Authority, Proof};
use interagent_core::entity::{Agent, Entity};
use interagent_core::identity::{Sign, Verdict, judge};
use interagent_core::ids::EntityRef;
use interagent_core::name::Name;
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::team::Formation;
use interagent_core::token::Token;
use interagent_core::vocabulary::Auth;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_wire::Caller;

use crate::{resolve, seats};

/// A caller the hub knows.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Who acts.
    pub(crate) actor: Agent,
    /// For whom the operator speaks.
    pub(crate) behalf: Option<Agent>,
    /// How that is known, as a word.
    pub(crate) auth: Auth,
    /// How that is known, for people.
    pub(crate) how: String,
}

impl Identity {
    /// The member this counts for.
    pub(crate) fn member(&self) -> &Agent {
        self.behalf.as_ref().unwrap_or(&self.actor)
    }
}

/// What the hub makes of a caller.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// A member.
    Bound(Box<Identity>),
    /// An agent the hub can't tell from others: it may look, and is told how to register.
    Unbound {
        /// Why, for people.
        how: String,
        /// What its writes are refused with, where there is a better answer than how to register.
        refusal: Option<Box<Refusal>>,
    },
}

impl Known {
    /// What the caller may do as the operator.
    pub(crate) fn authority(&self) -> Authority {
        match self {
            Self::Bound(identity) if identity.actor.is_human() => {
                Authority::Operator(Proof::of(identity.auth))
            }
            Self::Bound(_) => Authority::Agent,
            Self::Unbound { .. } => Authority::Unbound,
        }
    }

    /// The identity, or the refusal every write gives an unbound caller.
    pub(crate) fn bound(self) -> Result<Identity, Refusal> {
        match self {
            Self::Bound(identity) => Ok(*identity),
            Self::Unbound { refusal: Some(refusal), .. } => Err(*refusal),
            Self::Unbound { how, refusal: None } => {
                Err(unbound(&how).hint("interagent agent register NAME, then set INTERAGENT_AGENT=NAME"))
            }
        }
    }
}

/// Judges the caller's facts.
pub(crate) fn identify(reader: &mut Reader<'_>, caller: &Caller) -> Result<Known, Refusal> {
    let bound = bound_agent(reader, caller)?;
    let named = match caller.agent.as_deref().map(|name| local(reader, name)) {
        Some(Err(refusal)) if refusal.kind == RefusalKind::Unavailable => return Err(refusal),
        named => named,
    };
    let evidence = seats::evidence(reader, caller, bound.as_ref().map(|(agent, ..)| agent), named.as_ref())?;
    let (actor, auth, how) = match (judge(evidence), bound, named) {
        (Verdict::Bound, Some((agent, auth, how)), _) => (agent, auth, how),
        (Verdict::Contradiction, Some((agent, ..)), Some(Ok(other))) => return Err(not_you(&agent, &other)),
        (Verdict::Contradiction, _, Some(Err(refusal))) => return Err(refusal),
        (Verdict::Named, _, Some(Ok(agent))) => {
            let how = format!("INTERAGENT_AGENT says {}", agent.name);
            (agent, Auth::Claimed, how)
        }
        (Verdict::Operator(Proof::Proven), ..) => {
            (operator(reader)?, Auth::Terminal, "a person at a terminal".into())
        }
        (Verdict::Operator(Proof::Claimed), _, Some(Ok(agent))) => {
            (agent, Auth::Claimed, "INTERAGENT_AGENT names the operator".into())
        }
        (Verdict::Operator(Proof::Claimed), ..) => (
            operator(reader)?,
            Auth::Claimed,
            "no sign of an agent, and no terminal to prove a person".into(),
        ),
        (Verdict::Unbound(Sign::UnusableName), _, Some(Err(refusal))) => {
            return Ok(unusable_name(caller, refusal));
        }
        (Verdict::Unbound(Sign::Client), ..) => match taken_seat(reader, caller)? {
            Ok((agent, how)) => (agent, Auth::Process, how),
            Err(unbound) => return Ok(unbound),
        },
        (Verdict::Unbound(sign), ..) => {
            return Ok(Known::Unbound { how: sign.explained().to_owned(), refusal: None });
        }
        (Verdict::Contradiction | Verdict::Bound | Verdict::Named, ..) => {
            return Err(Refusal::rule("not_you", "an agent's client can't speak as the operator")
                .hint("leave INTERAGENT_AGENT out, or set it to your own name"));
        }
    };
    let behalf = match &caller.behalf {
        None if caller.principal && actor.is_human() => principal(reader)?,
        None => None,
        Some(name) => {
            let other = local(reader, name)?;
            if other.id == actor.id {
                None
            } else if actor.is_human() {
                Some(other)
            } else {
                return Err(not_you(&actor, &other));
            }
        }
    };
    Ok(Known::Bound(Box::new(Identity { actor, behalf, auth, how })))
}

/// The seat that an unbound client takes, or what it is without one.
fn taken_seat(reader: &mut Reader<'_>, caller: &Caller) -> Result<Result<(Agent, String), Known>, Refusal> {
    let Some(profile) = &caller.profile else {
        let how = Sign::Client.explained().to_owned();
        return Ok(Err(Known::Unbound { how, refusal: None }));
    };
    Ok(seats::seat_of(reader, caller, profile)?.map_err(|how| {
        // Registering binds its session, where that or its process is known.
        let is_bindable = caller.session.is_some() || caller.client.is_some();
        let refusal = is_bindable.then(|| Box::new(unbound(&how).hint("interagent agent register NAME")));
        Known::Unbound { how, refusal }
    }))
}

fn unbound(how: &str) -> Refusal {
    Refusal::rule("unbound", format!("no agent is bound to this session: {how}"))
}

/// A caller whose INTERAGENT_AGENT names nobody that it could be.
fn unusable_name(caller: &Caller, refusal: Refusal) -> Known {
    let how = format!("INTERAGENT_AGENT can't be used: {}", refusal.sentence.trim_end_matches('.'));
    let name = caller.agent.as_deref().and_then(|name| Name::parse(name).ok());
    let free = name.filter(|name| refusal.kind == RefusalKind::NotFound && name.check_new().is_ok());
    let hint = match free {
        Some(name) => format!("interagent agent register {name}"),
        None => refusal.hint.unwrap_or_else(|| "unset INTERAGENT_AGENT".to_owned()),
    };
    let refusal = Refusal { sentence: how.clone(), hint: Some(hint), kind: refusal.kind, code: refusal.code };
    Known::Unbound { how, refusal: Some(Box::new(refusal)) }
}

/// The captain, where there is a chain of command: the operator's orders go down it. Elsewhere they are the operator's own.
fn principal(reader: &mut Reader<'_>) -> Result<Option<Agent>, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let chain = team.filter(|team| team.formation == Formation::Captain);
    let Some(name) = chain.and_then(|team| team.principal) else { return Ok(None) };
    for agent in reader.agents_named(name.as_str())? {
        if agent.retired.is_none() && reader.is_home(&agent.home)? {
            return Ok(Some(agent));
        }
    }
    Ok(None)
}

/// An agent that acts here: one that lives here.
fn local(reader: &mut Reader<'_>, name: &str) -> Result<Agent, Refusal> {
    let agent = resolve::agent(reader, name)?;
    must_be_home(reader, &agent)?;
    Ok(agent)
}

/// Only the home of an agent delivers, acknowledges and leases for it: two replicas that both did would contradict each
/// other without knowing.
pub(crate) fn must_be_home(reader: &mut Reader<'_>, agent: &Agent) -> Result<(), Refusal> {
    if reader.is_home(&agent.home)? {
        return Ok(());
    }
    let home = resolve::origin_alias(reader, agent)?;
    Err(Refusal::rule("not_at_home", format!("{} lives at {home}: it acts there, not here", agent.name))
        .hint(format!("register an agent of this replica: interagent agent register {}", agent.name)))
}

fn not_you(you: &Agent, other: &Agent) -> Refusal {
    Refusal::rule("not_you", format!("you are {}, not {}", you.name, other.name))
        .hint(format!("leave the name out: what you do counts for {}", you.name))
}

/// The human of this replica.
pub(crate) fn operator(reader: &mut Reader<'_>) -> Result<Agent, Refusal> {
    let here = reader.here()?;
    let found = match reader.entity(&EntityRef::Origin(here))? {
        Some(Entity::Origin(origin)) => reader.agent(&origin.operator)?,
        _ => None,
    };
    found.ok_or_else(|| {
        Refusal::unavailable("store_damaged", "this replica has no operator").hint("interagent doctor")
    })
}

/// The agent whose token was shown. Nothing is told about one that does not work: neither whose it was nor why.
fn by_token(reader: &mut Reader<'_>, token: &Token) -> Result<Agent, Refusal> {
    let found = match reader.agent_of_token(&token.hash())? {
        Some(id) => reader.agent(&id)?.filter(|agent| agent.retired.is_none()),
        None => None,
    };
    match found {
        // A copied store brings the tokens of the replica it was copied from.
        Some(agent) if reader.is_home(&agent.home)? => Ok(agent),
        _ => Err(bad_token()),
    }
}

fn bad_token() -> Refusal {
    Refusal::rule("bad_token", "the token is wrong, was revoked, or its agent takes part no longer")
        .hint("interagent agent token NAME shows the one that works")
}

/// Judges a token once more under the gate: it may have been taken away while its caller waited there.
pub(crate) fn must_still_hold(
    reader: &mut Reader<'_>,
    caller: &Caller,
    identity: &Identity,
) -> Result<(), Refusal> {
    match &caller.token {
        Some(token) if by_token(reader, token)?.id != identity.actor.id => Err(bad_token()),
        _ => Ok(()),
    }
}

/// The agent bound to the caller's token, session, process or pane, nearest evidence first.
fn bound_agent(reader: &mut Reader<'_>, caller: &Caller) -> Result<Option<(Agent, Auth, String)>, Refusal> {
    if let Some(token) = &caller.token {
        return Ok(Some((by_token(reader, token)?, Auth::Token, "its token was shown".to_owned())));
    }
    if caller.session.is_none() && caller.processes.is_empty() && caller.pane.is_none() {
        return Ok(None);
    }
    let sessions = reader.sessions(None)?;
    let found = by_session(&sessions, caller)
        .map(|row| (row, Auth::Session, "the client's session was bound"))
        .or_else(|| {
            by_process(&sessions, caller).map(|row| (row, Auth::Process, "an ancestor process was bound"))
        });
    let found = match found {
        None => by_pane(reader, &sessions, caller)?.map(|row| (row, Auth::Pane, "the tmux pane was bound")),
        found => found,
    };
    let Some((row, auth, how)) = found else { return Ok(None) };
    let Some(agent) = reader.agent(&row.agent)?.filter(|agent| agent.retired.is_none()) else {
        return Ok(None);
    };
    // A copied store brings the sessions of the replica it was copied from.
    if !reader.is_home(&agent.home)? {
        return Ok(None);
    }
    Ok(Some((agent, auth, how.to_owned())))
}

fn by_session<'s>(sessions: &'s [SessionRow], caller: &Caller) -> Option<&'s SessionRow> {
    let id = caller.session.as_ref()?;
    sessions.iter().find(|row| &row.id == id)
}

fn by_process<'s>(sessions: &'s [SessionRow], caller: &Caller) -> Option<&'s SessionRow> {
    let boot = caller.boot.as_deref().unwrap_or_default();
    caller.processes.iter().find_map(|process| {
        sessions.iter().find(|row| {
            row.process.as_ref().is_some_and(|bound| {
                bound.pid == process.pid && bound.started == process.started && bound.boot == boot
            })
        })
    })
}

/// The session that was bound to the caller's pane.
///
/// Not for a person who sits in the shell that an agent left behind: a terminal, and the bound process is no ancestor.
/// Without a terminal it may be what the agent started and let go, which still counts for the agent. Not for another
/// kind of client either that was started there since, nor once the bound process is gone: names of panes are used again.
fn by_pane<'s>(
    reader: &mut Reader<'_>,
    sessions: &'s [SessionRow],
    caller: &Caller,
) -> Result<Option<&'s SessionRow>, Refusal> {
    let Some(pane) = &caller.pane else { return Ok(None) };
    let clock = reader.clock();
    let is_person = caller.terminal && caller.profile.is_none() && !caller.processes.is_empty();
    let in_pane = sessions.iter().filter(|row| {
        let is_left = is_person && row.process.is_some();
        let is_other = caller.profile.as_ref().is_some_and(|profile| *profile != row.profile);
        // Two clients that run at once are in two panes: of tmux servers that use the same names.
        let is_second =
            caller.client.is_some_and(|client| row.process.as_ref().is_some_and(|bound| bound.pid != client));
        row.pane.as_ref() == Some(pane) && !is_left && !is_other && !is_second && !row.is_gone(clock)
    });
    for row in in_pane {
        let noted = reader.pane(&row.agent)?.filter(|noted| noted.pane == *pane);
        let is_elsewhere = noted
            .zip(caller.socket.as_deref())
            .is_some_and(|(noted, socket)| !is_same_file(&noted.socket, socket));
        if !is_elsewhere {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Whether two paths lead to one file. Where that can't be seen, whether they are written alike.
fn is_same_file(one: &str, other: &str) -> bool {
    let place = |path: &str| std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    one == other || place(one) == place(other)
}
