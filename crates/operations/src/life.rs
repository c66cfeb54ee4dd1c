//! Who lives and does what, as far as this machine knows without asking tmux: sessions, signs of life, processes, panes.
//!
//! What is in a terminal right now is asked by whoever may call tmux, and added to the signs before they are judged.

use std::path::Path;
use std::time::UNIX_EPOCH;

use interagent_core::entity::Agent;
use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::liveness::{Front, Heard, Liveness, Signs, Vital, liveness};
use interagent_core::refusal::Refusal;
use interagent_core::team::{Seat, TeamConfig};
use interagent_core::vocabulary::{SessionState, TaskStatus, TimerKind};
use interagent_store::observe::{PaneOrigin, PaneRow, SessionRow, TimerDue};
use interagent_store::reader::Reader;
use interagent_store::{Clock, live};
use interagent_wire::answer::{TaskRow, UnnamedView};

use crate::hook::unnamed;
use crate::local::LocalHub;
use crate::{reach, sessions, tasks};

/// Everybody who lives here, at one moment.
#[derive(Clone, Debug)]
pub struct Crew {
    /// This replica's id: two clones of one hub on a machine are two teams to tmux.
    pub replica: String,
    /// The team as it was last taken in.
    pub team: Option<TeamConfig>,
    /// Its agents, in the order of their names.
    pub rows: Vec<CrewRow>,
    /// Sessions of clients on this machine that are none of them.
    pub unnamed: Vec<UnnamedView>,
}

/// An agent that lives here, with everything that tells whether it lives.
#[derive(Clone, Debug)]
pub struct CrewRow {
    /// The agent.
    pub agent: Agent,
    /// Its place in the team file; absent where it has none.
    pub seat: Option<Seat>,
    /// Its terminal, as it was started or joined.
    pub pane: Option<PaneRow>,
    /// Its live sessions, the one heard of last first.
    pub sessions: Vec<SessionRow>,
    /// The conversation that was heard of last, whether it lives or not.
    pub last_conversation: Option<SessionRow>,
    /// Its task that it works on, or else the first.
    pub task: Option<TaskRow>,
    /// Messages that it has not read, counted up to 1000.
    pub unread: u32,
    /// What tells whether it lives. Nobody has looked into its terminal yet.
    pub signs: Signs,
}

impl LocalHub {
    /// The agents of this machine that take part.
    pub fn crew(&mut self) -> Result<Crew, Refusal> {
        let state_dir = self.state_dir().to_owned();
        self.store().read(|reader| {
            let team = reader.team()?.map(|team| team.config);
            let mut rows = Vec::new();
            for agent in reader.agents()? {
                if agent.retired.is_some() || agent.is_human() || !reader.is_home(&agent.home)? {
                    continue;
                }
                let seat = team.as_ref().and_then(|team| team.agents.get(&agent.name)).cloned();
                let Found { pane, sessions, signs } = Found::of(reader, &agent.id, &state_dir)?;
                let last_conversation = reader.last_conversation(&agent.id)?;
                let current = reader.current_task(&agent.id)?;
                let task = tasks::rows(reader, current.as_ref())?.pop();
                let unread = reader.unread_count(&agent.id, limits::COUNTED)?;
                rows.push(CrewRow { agent, seat, pane, sessions, last_conversation, task, unread, signs });
            }
            rows.sort_by(|a, b| a.agent.name.cmp(&b.agent.name));
            let unnamed = unnamed::list(reader, &state_dir)?;
            Ok(Crew { replica: reader.here()?.to_string(), team, rows, unnamed })
        })
    }

    /// Notes which terminal is an agent's. An observation: nothing of it is in the log.
    pub fn note_pane(&mut self, pane: &PaneRow) -> Result<(), Refusal> {
        self.store().observe(|writer| Ok(writer.put_pane(pane)?))
    }

    /// Notes that the client in an agent's pane changed to a model.
    pub fn note_model(&mut self, pane: &PaneRow, model: &str) -> Result<(), Refusal> {
        self.store().observe(|writer| Ok(writer.put_model(&pane.agent, &pane.process, model)?))
    }

    /// Has an agent told again what it owes and works on: its client was started anew and remembers nothing.
    pub fn remind_of_work(&mut self, agent: &AgentId) -> Result<(), Refusal> {
        self.store().observe(|writer| {
            let mut look = writer.look();
            let current = look.current_task(agent)?;
            let in_work = current
                .filter(|task| matches!(task.status, TaskStatus::InProgress | TaskStatus::RevisionNeeded));
            let mut subjects: Vec<String> = in_work.map(|task| task.id.to_string()).into_iter().collect();
            for due in look.owed_by(agent, limits::PAGE_MAX)? {
                let message = look.message(&due.message)?;
                let delivery = message.as_ref().and_then(|message| message.deliveries.get(agent));
                // What it never had comes by itself.
                let had_it = delivery.is_some_and(|delivery| delivery.delivered.is_some());
                if had_it && !tasks::waits_for_others(&mut look, due.duty, due.task.as_ref())? {
                    subjects.push(due.message.to_string());
                }
            }
            for subject in subjects {
                writer.put_timer(TimerKind::Remind, &subject, agent, TimerDue::Never, "{}")?;
            }
            Ok(())
        })
    }

    /// Forgets an agent's terminal, and ends those of its sessions whose process is gone: it was stood down, and did not die.
    pub fn forget_pane(&mut self, agent: &AgentId) -> Result<(), Refusal> {
        self.store().observe(|writer| {
            writer.drop_pane(agent)?;
            match writer.look().agent(agent)? {
                Some(agent) => sessions::end_gone(writer, &agent),
                None => Ok(()),
            }
        })
    }
}

/// What the store and this machine say of an agent.
pub(crate) struct Found {
    pane: Option<PaneRow>,
    sessions: Vec<SessionRow>,
    signs: Signs,
}

impl Found {
    pub(crate) fn of(reader: &mut Reader<'_>, agent: &AgentId, state_dir: &Path) -> Result<Self, Refusal> {
        let pane = reader.pane(agent)?;
        let (now, all) = (reader.now(), reader.unended_sessions(Some(agent))?);
        let clock = reader.clock();
        let pane_is_gone = pane.as_ref().is_some_and(|pane| pane.is_gone(clock));
        let has_gone = all.iter().any(|session| session.has_died(clock));
        let mut sessions: Vec<SessionRow> =
            all.into_iter().filter(|session| !session.is_gone(clock)).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(heard(session, state_dir).seen));
        let launched = pane.as_ref().filter(|pane| pane.origin == PaneOrigin::Launched);
        let process = match (sessions.first(), launched) {
            (Some(session), _) if session.process.is_some() => Vital::Running,
            (_, Some(_)) if pane_is_gone => Vital::Gone,
            (_, Some(_)) => Vital::Running,
            (None, None) if has_gone => Vital::Gone,
            _ => Vital::Unknown,
        };
        let written = pane.as_ref().filter(|_| !pane_is_gone).and_then(written);
        let signs = Signs {
            process,
            heard: sessions.first().map(|session| heard(session, state_dir)),
            front: Front::Unseen,
            shown: None,
            written,
            started: launched.map(|pane| pane.since),
            now,
        };
        Ok(Self { pane, sessions, signs })
    }

    pub(crate) fn liveness(&self) -> Liveness {
        liveness(&self.signs)
    }
}

/// Whether one session lives. Nothing is known of its terminal.
pub(crate) fn of_session(session: &SessionRow, state_dir: &Path, clock: &dyn Clock, now: Micros) -> Liveness {
    let process = match &session.process {
        // It said so itself: nobody asks whether its process went on with something else.
        _ if session.state == SessionState::Ended => Vital::Unknown,
        _ if session.is_gone(clock) => Vital::Gone,
        Some(_) => Vital::Running,
        None => Vital::Unknown,
    };
    liveness(&Signs { process, heard: Some(heard(session, state_dir)), ..Signs::none(now) })
}

fn heard(session: &SessionRow, state_dir: &Path) -> Heard {
    let sign = live::sign_of(state_dir, &session.id);
    let seen = sign.map_or(session.seen, |sign| sign.seen.max(session.seen));
    Heard { state: reach::presence(state_dir, session).state, seen }
}

/// When a session last gave a sign of life, by its hooks or in its terminal.
pub(crate) fn last_sign(session: &SessionRow, pane: Option<&PaneRow>, state_dir: &Path) -> Micros {
    let own = pane.filter(|pane| session.pane.as_ref() == Some(&pane.pane));
    let written = own.and_then(written).unwrap_or_default();
    heard(session, state_dir).seen.max(written)
}

/// When something was last written to a terminal. The system notes it to some seconds.
fn written(pane: &PaneRow) -> Option<Micros> {
    let modified = std::fs::metadata(pane.tty.as_deref()?).ok()?.modified().ok()?;
    Micros::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_micros()).ok()
}
