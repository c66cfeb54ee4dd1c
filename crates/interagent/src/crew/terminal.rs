//! Typing into an agent's terminal: which pane that is, and what its hooks say at every look.
//!
//! How it is typed without disturbing anybody is the crate `wake`'s. Where a pane is not known well enough, nothing is typed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use interagent_agents::{Profile, Profiles};
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::session_id;
use interagent_core::vocabulary::SessionState;
use interagent_operations::LocalHub;
use interagent_store::live;
use interagent_store::observe::{PaneOrigin, PaneRow, Process, SessionRow};
use interagent_wake::control::{self, Asked, Cannot, Order};
use interagent_wake::nudge::{self, Outcome, Target, Testimony, Witness};
use interagent_wake::process::Registered;
use interagent_wake::tmux::{PaneId, Server, Typing};

use crate::config::tmux;
use crate::error::{CliError, ErrorKind};
use crate::values::now_us;

/// Where an agent's client is.
pub(crate) enum Front {
    /// In this session.
    Session(Box<SessionRow>),
    /// In a pane in which it was started and that nobody has prompted yet, so that no hook has told of a session.
    Unprompted(Box<PaneRow>),
    /// In a pane in which it was started, and known to a server only: it was prompted, and no hook tells what it does.
    Unheard(Box<PaneRow>),
}

impl Front {
    /// Where a line for an agent would be typed; nothing where it does not run. A client that speaks to a server has a session
    /// there too, without a terminal: that one only says that it runs.
    pub(crate) fn of(hub: &mut LocalHub, agent: &AgentId) -> Result<Option<Self>, CliError> {
        let (mut sessions, pane) = hub.store().read(|reader| {
            let sessions = reader.living_sessions(agent)?;
            let pane = reader.pane(agent)?;
            let clock = reader.clock();
            let pane = pane.filter(|pane| pane.origin == PaneOrigin::Launched && !pane.is_gone(clock));
            Ok::<_, Refusal>((sessions, pane))
        })?;
        // Of equals the one that was heard of last stays the first.
        sessions.sort_by_key(|row| {
            let has_terminal = row.pane.is_some() && row.process.is_some();
            (session_id::server(&row.id).is_some(), !has_terminal)
        });
        let first = sessions.into_iter().next();
        let is_servers = first.as_ref().is_some_and(|row| session_id::server(&row.id).is_some());
        Ok(match (first, pane) {
            (None, Some(pane)) => Some(Self::Unprompted(Box::new(pane))),
            (Some(_), Some(pane)) if is_servers => Some(Self::Unheard(Box::new(pane))),
            (first, _) => first.map(|session| Self::Session(Box::new(session))),
        })
    }

    /// What it is called where people read of it: its session, or its pane.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Session(session) => &session.id,
            Self::Unprompted(pane) | Self::Unheard(pane) => &pane.pane,
        }
    }
}

/// A session of an agent in a pane of tmux.
pub(crate) struct Terminal {
    server: Server,
    pane: PaneId,
    id: String,
    agent: String,
    process: Registered,
    profile: Profile,
    signs: Signs,
    ending: Ending,
}

/// By what it is known that a client may end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// By its hooks, or because nobody has prompted it.
    ByWord,
    /// Only by what stands on its screen.
    OnlyBySight,
}

impl Terminal {
    /// The terminal of an agent: of this session, or where it has none of the client in this pane, which nobody has prompted yet.
    pub(crate) fn find(
        hub: &mut LocalHub,
        profiles: &Profiles,
        agent: (&AgentId, &str),
        session: Option<&str>,
        pane: Option<&str>,
    ) -> Result<Self, CliError> {
        let gone = || CliError::new(ErrorKind::Refused, "its session is gone");
        if let Some(id) = session {
            let session = hub.session(id)?.ok_or_else(gone)?;
            return Self::of(hub, profiles, agent, &session);
        }
        let noted = hub.store().read(|reader| Ok::<_, Refusal>(reader.pane(agent.0)?))?;
        let noted = noted.filter(|noted| Some(noted.pane.as_str()) == pane).ok_or_else(gone)?;
        Self::unprompted(profiles, agent.1, &noted, hub.state_dir())
    }

    /// The terminal in which an agent's client is.
    pub(crate) fn at(
        hub: &mut LocalHub,
        profiles: &Profiles,
        agent: (&AgentId, &str),
        front: &Front,
    ) -> Result<Self, CliError> {
        match front {
            Front::Session(session) => Self::of(hub, profiles, agent, session),
            Front::Unprompted(pane) => Self::unprompted(profiles, agent.1, pane, hub.state_dir()),
            Front::Unheard(pane) => {
                let terminal = Self::unprompted(profiles, agent.1, pane, hub.state_dir())?;
                Ok(Self { ending: Ending::OnlyBySight, ..terminal })
            }
        }
    }

    /// The terminal of a session, where everything about it is known.
    fn of(
        hub: &mut LocalHub,
        profiles: &Profiles,
        agent: (&AgentId, &str),
        session: &SessionRow,
    ) -> Result<Self, CliError> {
        let unknown =
            |what: &str| CliError::new(ErrorKind::Refused, format!("{what} of {} is not known", agent.1));
        let pane = session.pane.as_deref().and_then(PaneId::parse).ok_or_else(|| unknown("the pane"))?;
        let process = session.process.as_ref().and_then(registered).ok_or_else(|| unknown("the process"))?;
        let profile = profiles.get(&session.profile).ok_or_else(|| unknown("the kind of client"))?;
        let noted = hub.store().read(|reader| Ok::<_, Refusal>(reader.pane(agent.0)?))?;
        // Who started its client by hand sits in the usual server. That the process is in front of that very pane is looked
        // at before any key.
        let server = match noted.filter(|noted| noted.pane == pane.as_str()) {
            Some(noted) => Server::at(noted.socket),
            None => tmux::server(None),
        };
        let state_dir = hub.state_dir().to_owned();
        let signs = Signs { state_dir, session: Some(session.id.clone()) };
        let id = agent.0.to_string();
        Ok(Self {
            server,
            pane,
            id,
            agent: agent.1.to_owned(),
            process,
            profile,
            signs,
            ending: Ending::ByWord,
        })
    }

    /// The terminal of a client that was started for an agent and has no session yet: nobody has prompted it, so no hook has
    /// spoken. What its screen shows decides alone.
    fn unprompted(
        profiles: &Profiles,
        agent: &str,
        noted: &PaneRow,
        state_dir: &Path,
    ) -> Result<Self, CliError> {
        let unknown =
            |what: &str| CliError::new(ErrorKind::Refused, format!("{what} of {agent} is not known"));
        Ok(Self {
            server: Server::at(&noted.socket),
            pane: PaneId::parse(&noted.pane).ok_or_else(|| unknown("the pane"))?,
            id: noted.agent.to_string(),
            agent: agent.to_owned(),
            process: registered(&noted.process).ok_or_else(|| unknown("the process"))?,
            profile: profiles.get(&noted.profile).ok_or_else(|| unknown("the kind of client"))?,
            signs: Signs { state_dir: state_dir.to_owned(), session: None },
            ending: Ending::ByWord,
        })
    }

    /// Types the line that says that mail waits.
    pub(crate) fn nudge(&self) -> Result<Outcome, CliError> {
        let line = nudge::line()
            .map_err(|bad| CliError::new(ErrorKind::Refused, "the line can't be typed").with_source(bad))?;
        Ok(nudge::type_into(self.target(), &Typing::Words(line), &self.signs))
    }

    /// Has the client carry out an order of its own.
    pub(crate) fn order(&self, order: &Order) -> Result<Outcome, Cannot> {
        control::carry_out(self.target(), &self.profile, order, &self.signs)
    }

    /// Asks the client's process to end, once it does nothing. Where nothing tells that, it is not asked.
    pub(crate) fn ask_to_end(&self) -> Result<Option<Asked>, CliError> {
        if self.ending == Ending::OnlyBySight || !self.signs.testify().is_idle {
            return Ok(None);
        }
        control::ask_to_end(&self.process).map(Some).map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "its process can't be asked to end").with_source(source)
        })
    }

    fn target(&self) -> Target<'_> {
        Target {
            server: &self.server,
            pane: &self.pane,
            id: &self.id,
            agent: &self.agent,
            process: &self.process,
            screen: self.profile.screen.as_ref(),
        }
    }
}

fn registered(process: &Process) -> Option<Registered> {
    let pid = i32::try_from(process.pid).ok()?;
    Some(Registered { pid, started: u64::try_from(process.started).ok()?, boot: process.boot.clone() })
}

/// What a session's hooks said last.
struct Signs {
    state_dir: PathBuf,
    /// Nothing where it has none yet.
    session: Option<String>,
}

impl Witness for Signs {
    fn testify(&self) -> Testimony {
        let Some(session) = &self.session else {
            return Testimony { is_idle: true, asked: None, submitted: None };
        };
        let sign = live::sign_of(&self.state_dir, session);
        let age = sign.map(|sign| {
            let us = u64::try_from(now_us().saturating_sub(sign.seen)).unwrap_or_default();
            Duration::from_micros(us)
        });
        let is = |state: SessionState| sign.is_some_and(|sign| sign.state == state);
        Testimony {
            is_idle: is(SessionState::Idle),
            // A question that was followed by the end of a turn was answered.
            asked: age.filter(|_| is(SessionState::Asking)),
            // Any hook may have come with a prompt.
            submitted: age,
        }
    }
}
