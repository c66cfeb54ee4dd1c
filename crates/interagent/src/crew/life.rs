//! Who lives: what the hub knows, together with what is in each terminal at this moment.

use std::collections::BTreeMap;

use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::liveness::{Front, Liveness, Shown, Vital, liveness, tally};
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::SessionState;
use interagent_operations::CrewRow;
use interagent_store::observe::PaneOrigin;
use interagent_wake::screen::{self, Held, Reading, Seen};
use interagent_wake::tmux::{Pane, PaneId, Server, Team, TmuxError};

use super::{Scene, no_tmux};
use crate::error::CliError;
use crate::session::Session;
use crate::values::now_us;

/// A dialog is on the screen after this time, also on a busy machine.
const DRAWN_US: Micros = 10_000_000;

/// An agent as it is now.
#[derive(Debug)]
pub(crate) struct Alive<'s> {
    pub(crate) row: &'s CrewRow,
    pub(crate) life: Liveness,
    pub(crate) since: Option<Micros>,
    /// Its pane, where it is there and marked for it.
    pub(crate) pane: Option<Pane>,
    /// How many percent of its context are left, where its screen says that.
    pub(crate) context_left: Option<u8>,
    /// What its client does, where its screen shows that no dialog is open.
    pub(crate) goes_on: Option<SessionState>,
}

/// What the screens of a team show that no hook reports.
#[derive(Debug, Default)]
pub(crate) struct SeenOnScreens {
    /// Sessions, and how many percent of their context are left.
    pub(crate) context: Vec<(String, u8)>,
    /// Sessions whose permission prompts were answered.
    pub(crate) answered: Vec<PromptsAnswered>,
}

/// A session whose screen shows none of its permission prompts.
#[derive(Debug)]
pub(crate) struct PromptsAnswered {
    pub(crate) session: String,
    /// When the newest of these prompts was shown.
    pub(crate) newest: Micros,
    /// What the client does now.
    pub(crate) state: SessionState,
}

/// The panes of every server that an agent's terminal is on. One that can't be asked harms no other.
#[derive(Debug, Default)]
pub(crate) struct Panes {
    of: BTreeMap<String, Vec<Pane>>,
    pub(crate) troubles: Vec<String>,
}

impl Panes {
    /// Asks every server once.
    pub(crate) fn look(scene: &Scene) -> Self {
        let mut panes = Self::default();
        for pane in scene.crew.rows.iter().filter_map(|row| row.pane.as_ref()) {
            if panes.of.contains_key(&pane.socket) {
                continue;
            }
            let found = Scene::server_of(pane).panes().unwrap_or_else(|error| {
                panes.troubles.push(error.to_string());
                Vec::new()
            });
            panes.of.insert(pane.socket.clone(), found);
        }
        panes
    }

    /// The pane of an agent: where its row says, and marked for it.
    pub(crate) fn of(&self, scene: &Scene, row: &CrewRow) -> Option<&Pane> {
        let known = row.pane.as_ref()?;
        let found = self.of.get(&known.socket)?.iter().find(|pane| pane.id == known.pane)?;
        scene.is_marked(found, row).then_some(found)
    }
}

/// Everybody as they are now.
pub(crate) fn look<'s>(scene: &'s Scene, panes: &Panes) -> Vec<Alive<'s>> {
    scene.crew.rows.iter().map(|row| judge(scene, panes, row)).collect()
}

/// One agent as it is now.
pub(crate) fn judge<'s>(scene: &Scene, panes: &Panes, row: &'s CrewRow) -> Alive<'s> {
    let pane = panes.of(scene, row);
    let mut signs = row.signs;
    signs.front = front(row, pane);
    if signs.front == Front::Client && signs.process == Vital::Unknown {
        signs.process = Vital::Running;
    }
    let screen = pane.and_then(|pane| screen(scene, row, pane));
    signs.shown = screen.as_ref().and_then(|screen| match screen.seen {
        Seen::Composer(_) => Some(Shown::Composer),
        Seen::Busy => Some(Shown::Work),
        Seen::Dialog => Some(Shown::Question),
        Seen::Unknown => None,
    });
    let goes_on = screen.as_ref().and_then(|screen| match screen.seen {
        Seen::Busy => Some(SessionState::Busy),
        Seen::Composer(Held::Nothing) => Some(SessionState::Idle),
        _ => None,
    });
    let context_left = screen.and_then(|screen| screen.context_left);
    let life = liveness(&signs);
    // When it was last heard of is not when it died, which nobody saw.
    let since = signs.since().filter(|_| life != Liveness::Dead);
    Alive { row, life, since, pane: pane.cloned(), context_left, goes_on }
}

/// The liveness of agents with a pane, as `ps` shows it. Skips tmux if no agent has one.
pub(crate) fn on_screens(session: &mut Session) -> Result<BTreeMap<AgentId, Liveness>, CliError> {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is not general over lifetimes")]
    let panes = session.hub()?.store().read(|reader| reader.panes()).map_err(Refusal::from)?;
    if panes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let scene = Scene::load(session, None)?;
    let panes = Panes::look(&scene);
    let all = look(&scene, &panes).into_iter().filter(|alive| alive.row.pane.is_some());
    Ok(all.map(|alive| (alive.row.agent.id.clone(), alive.life)).collect())
}

/// What is in an agent's terminal.
fn front(row: &CrewRow, pane: Option<&Pane>) -> Front {
    let (Some(known), Some(pane)) = (&row.pane, pane) else { return Front::Unseen };
    match known.origin {
        // A client that runs elsewhere than in its pane is judged by its process.
        _ if row.sessions.iter().any(|session| session.process.is_some()) => Front::Unseen,
        _ if pane.dead => Front::Nothing,
        PaneOrigin::Launched if pane.pid == known.process.pid => Front::Client,
        _ if pane.shows_a_shell() => Front::Shell,
        PaneOrigin::Launched => Front::Unseen,
        PaneOrigin::Adopted => Front::Client,
    }
}

/// What stands on the screen of an agent's terminal, where its client's profile describes that.
fn screen(scene: &Scene, row: &CrewRow, pane: &Pane) -> Option<Reading> {
    let known = row.pane.as_ref().filter(|_| !pane.dead)?;
    let screen = scene.profiles.get(&known.profile)?.screen?;
    let look = Scene::server_of(known).look(&PaneId::parse(&pane.id)?).ok()?;
    Some(screen::read(&screen, &look.capture))
}

/// Shows in tmux who lives: in the title and border of each pane, and in the status line of the team. Only what changed is
/// told to tmux. For whoever watches over the team, whenever something may have changed. Sessions whose screen says how much
/// context is left are answered, with the percentage.
pub(crate) fn refresh_titles(scene: &Scene) -> Result<SeenOnScreens, CliError> {
    let panes = Panes::look(scene);
    let all = look(scene, &panes);
    let mut servers: Vec<Server> = vec![scene.server.clone()];
    for alive in &all {
        let (Some(known), Some(pane)) = (&alive.row.pane, &alive.pane) else { continue };
        let server = Scene::server_of(known);
        let task = alive.row.task.as_ref().map(|task| task.title.clone()).unwrap_or_default();
        gone_is_fine(server.show_state(pane, &scene.mark(alive.row), alive.life.told(), &task))?;
        if !servers.contains(&server) {
            servers.push(server);
        }
    }
    let line = tally(all.iter().filter(|alive| alive.row.seat.is_some()).map(|alive| alive.life));
    for server in &servers {
        gone_is_fine(Team::of(server, &scene.crew.replica).and_then(|team| team.show_life(&line)))?;
    }
    let context =
        all.iter().filter_map(|alive| Some((alive.row.sessions.first()?.id.clone(), alive.context_left?)));
    let answered = all.iter().filter_map(answered);
    Ok(SeenOnScreens { context: context.collect(), answered: answered.collect() })
}

/// The session of an agent whose permission prompts are no longer on its screen. A new one may not be drawn yet.
fn answered(alive: &Alive<'_>) -> Option<PromptsAnswered> {
    let (state, session) = (alive.goes_on?, alive.row.sessions.first()?);
    let newest = session.prompts.last()?.since;
    (now_us() - newest >= DRAWN_US).then(|| PromptsAnswered { session: session.id.clone(), newest, state })
}

/// A pane or a server may leave between two calls.
fn gone_is_fine(done: Result<(), TmuxError>) -> Result<(), CliError> {
    match done {
        Err(TmuxError::Refused { .. }) | Ok(()) => Ok(()),
        Err(error) => Err(no_tmux(error)),
    }
}
