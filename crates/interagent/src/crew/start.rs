//! Starting agents in tmux: each by itself, so that one that fails harms no other.

use std::time::{Duration, Instant};

use interagent_agents::Profiles;
use interagent_core::event::Micros;
use interagent_operations::CrewRow;
use interagent_store::observe::{PaneOrigin, PaneRow, Process};
use interagent_wake::tmux::layout::{self, Window};
use interagent_wake::tmux::{Mark, Pane, Server, Team};

use super::launch::{Launch, Wish};
use super::life::Panes;
use super::{Scene, end, handed, no_tmux};
use crate::config::processes;
use crate::error::{CliError, ErrorKind};
use crate::session::Session;
use crate::values::now_us;

/// A client that ends within this time never began.
const FIRST_MOMENT: Duration = Duration::from_millis(600);
const LOOK: Duration = Duration::from_millis(50);
/// Of its last words so much is told.
const LAST_WORDS: usize = 160;

/// Whether a live session of an agent is not the client that was started in its pane.
fn runs_elsewhere(row: &CrewRow) -> bool {
    let started = row.pane.as_ref().map(|pane| pane.process.pid);
    let processes = row.sessions.iter().filter_map(|session| session.process.as_ref());
    processes.map(|process| process.pid).any(|pid| Some(pid) != started)
}

/// Why an agent that runs outside of the team's panes is not restarted, and what helps.
fn elsewhere() -> (&'static str, String) {
    ("runs in a terminal that is not the team's: it is yours to start again", WHERE.to_owned())
}

/// What came of an agent.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Its client was started in this pane.
    Started(PaneRow),
    /// Its client runs already, here.
    Runs { pane: Option<String>, pid: Option<i64> },
    /// A pane was there that is marked for it, and counts as its own now.
    Adopted(PaneRow),
    /// It was not started.
    Failed(CliError),
}

impl Outcome {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Started(_) => "started",
            Self::Runs { .. } => "running",
            Self::Adopted(_) => "adopted",
            Self::Failed(_) => "failed",
        }
    }

    pub(crate) fn place(&self) -> (Option<String>, Option<i64>) {
        match self {
            Self::Started(row) | Self::Adopted(row) => (Some(row.pane.clone()), Some(row.process.pid)),
            Self::Runs { pane, pid } => (pane.clone(), *pid),
            Self::Failed(_) => (None, None),
        }
    }
}

/// Starts agents one after the other.
pub(crate) struct Starter<'s> {
    scene: &'s Scene,
    profiles: &'s Profiles,
    wish: Wish,
    windows: Vec<Window>,
    panes: Panes,
    /// Panes of the server on which new ones are made.
    here: Vec<Pane>,
    pub(crate) notes: Vec<String>,
}

/// Where to look for who runs elsewhere.
const WHERE: &str = "interagent ps shows where it runs";

impl<'s> Starter<'s> {
    pub(crate) fn new(scene: &'s Scene, profiles: &'s Profiles, wish: Wish) -> Result<Self, CliError> {
        let windows = scene.crew.team.as_ref().map(layout::windows).unwrap_or_default();
        let here = scene.server.panes().map_err(no_tmux)?;
        Ok(Self { scene, profiles, wish, windows, panes: Panes::look(scene), here, notes: Vec::new() })
    }

    /// Starts an agent that does not run; says so where it does.
    pub(crate) fn start(&mut self, session: &mut Session, row: &CrewRow) -> Outcome {
        if let Some(outcome) = self.already(session, row) {
            return outcome;
        }
        self.launch(session, row).map_or_else(Outcome::Failed, Outcome::Started)
    }

    /// Starts an agent's client anew, in its own pane where it has one.
    pub(crate) fn restart(&mut self, session: &mut Session, row: &CrewRow) -> Outcome {
        let refused = match end::verdict(self.scene, &self.panes, row) {
            end::Verdict::Adopted => {
                Some(("was not started by interagent up: it is yours to start again", WHERE.to_owned()))
            }
            end::Verdict::Another { .. } => Some((
                "has something else in its pane",
                format!("end that or close the pane, then run interagent up {}", row.agent.name),
            )),
            end::Verdict::NotHere if !row.sessions.is_empty() => Some(elsewhere()),
            end::Verdict::Ended if runs_elsewhere(row) => Some(elsewhere()),
            end::Verdict::NotHere | end::Verdict::Ours | end::Verdict::Ended => None,
        };
        if let Some((why, hint)) = refused {
            let error = CliError::new(ErrorKind::Refused, format!("{} {why}", row.agent.name));
            return Outcome::Failed(error.with_code("not_ours").with_hint(hint));
        }
        self.launch(session, row).map_or_else(Outcome::Failed, Outcome::Started)
    }

    /// What there is of an agent already.
    fn already(&self, session: &mut Session, row: &CrewRow) -> Option<Outcome> {
        let pane = self.panes.of(self.scene, row).filter(|pane| !pane.dead);
        if let (Some(known), Some(pane)) = (&row.pane, pane) {
            let is_ours = known.origin == PaneOrigin::Adopted || known.process.pid == pane.pid;
            let shows_nobody =
                known.origin == PaneOrigin::Adopted && row.sessions.is_empty() && pane.shows_a_shell();
            return Some(match (is_ours, shows_nobody) {
                (true, false) => Outcome::Runs { pane: Some(pane.id.clone()), pid: Some(pane.pid) },
                (true, true) => Outcome::Failed(only_a_shell(row, pane)),
                (false, _) => Outcome::Failed(something_else(row, pane)),
            });
        }
        if let Some(live) = row.sessions.first() {
            let pid = live.process.as_ref().map(|process| process.pid);
            return Some(Outcome::Runs { pane: live.pane.clone(), pid });
        }
        let marked = self.marked(row)?;
        if marked.holds_a_place() {
            return None;
        }
        let origin = if marked.is_ours() { PaneOrigin::Launched } else { PaneOrigin::Adopted };
        let noted = PaneNote::found(origin, self.scene.mark(row).profile);
        // Noted also where only a shell is in it, so that `down` gives it back.
        Some(match note(session, row, &self.scene.server, marked, noted) {
            Ok(_) if origin == PaneOrigin::Adopted && marked.shows_a_shell() => {
                Outcome::Failed(only_a_shell(row, marked))
            }
            noted => noted.map_or_else(Outcome::Failed, Outcome::Adopted),
        })
    }

    /// A living pane that is marked for an agent of which no pane is known: a person marked it, or who made it was
    /// interrupted.
    fn marked(&self, row: &CrewRow) -> Option<&Pane> {
        self.here.iter().find(|pane| self.scene.is_marked(pane, row) && !pane.dead)
    }

    /// A pane that was made for an agent and has nobody in it: somebody was interrupted before the client was started, or
    /// before its end was noted.
    fn place(&self, row: &CrewRow) -> Option<&Pane> {
        let held = self.marked(row).filter(|pane| pane.holds_a_place());
        held.or_else(|| self.here.iter().find(|pane| self.scene.is_left_over(pane, row)))
    }

    fn launch(&mut self, session: &mut Session, row: &CrewRow) -> Result<PaneRow, CliError> {
        let launch = Launch::plan(self.scene, self.profiles, row, self.wish)?;
        self.notes.extend(launch.prepare(self.scene, self.profiles, row)?);
        self.notes.extend(launch.notes.iter().cloned());
        let model = launch.model.clone();
        let mark = Mark { model: model.clone().unwrap_or_default(), ..self.scene.mark(row) };
        // A pane of its own is used again: whoever looks at it stays where they are.
        let own = self
            .panes
            .of(self.scene, row)
            .filter(|_| row.pane.as_ref().is_some_and(|known| known.origin == PaneOrigin::Launched));
        let (server, pane, is_new) = match (own, &row.pane) {
            (Some(pane), Some(known)) => {
                let server = Scene::server_of(known);
                server.mark(&pane.id, &mark).map_err(no_tmux)?;
                (server, pane.id.clone(), false)
            }
            _ => {
                let server = self.scene.server.clone();
                let place = self.place(row).map(|pane| pane.id.clone());
                let is_new = place.is_none();
                let pane = match place {
                    Some(place) => place,
                    None => {
                        let team = Team::of(&server, &self.scene.crew.replica).map_err(no_tmux)?;
                        let mut team = team.withholding(handed::withheld(self.profiles));
                        let window = self.window_of(row.agent.name.as_str());
                        team.add(&self.scene.session_name(), &window, &mark).map_err(no_tmux)?
                    }
                };
                (server, pane, is_new)
            }
        };
        let before =
            row.pane.as_ref().filter(|known| known.pane == pane && known.origin == PaneOrigin::Launched);
        let started = launch.start(self.scene, &row.agent.name).and_then(|start| {
            server.start(&pane, &start).map_err(|error| {
                if let Some(file) = &start.handed {
                    let _ = std::fs::remove_file(file);
                }
                no_tmux(error)
            })
        });
        if let Err(error) = started {
            // One that was there before may still have its client in it, and shows what was said.
            if is_new {
                let _ = server.close(&pane);
            }
            return Err(error);
        }
        // Noted before anything that takes long: whoever is interrupted then leaves a client that is known.
        let found =
            server.pane(&pane).map_err(no_tmux)?.ok_or_else(|| ended(row, &launch.title, None, None))?;
        let Launch { profile, auto_approve, .. } = launch;
        let noted = PaneNote { origin: PaneOrigin::Launched, profile, auto_approve, model };
        let noted = note(session, row, &server, &found, noted);
        if let Some(before) = before {
            end::make_sure(before);
        }
        session.hub()?.remind_of_work(&row.agent.id)?;
        noted
    }

    fn window_of(&self, name: &str) -> String {
        let found = self.windows.iter().find(|window| window.agents.iter().any(|agent| agent == name));
        found.map_or_else(|| "others".to_owned(), |window| window.name.clone())
    }

    /// Looks once more at what was started: a client that ended at once was not started.
    pub(crate) fn settle(&self, outcomes: &mut [(&CrewRow, Outcome)]) {
        let until = Instant::now() + FIRST_MOMENT;
        while Instant::now() < until
            && outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Started(_)))
        {
            std::thread::sleep(LOOK);
            for (row, outcome) in outcomes.iter_mut() {
                let Outcome::Started(started) = &*outcome else { continue };
                let server = Scene::server_of(started);
                let Ok(found) = server.pane(&started.pane) else { continue };
                let has_ended = found.as_ref().is_none_or(|pane| pane.dead);
                if !has_ended {
                    continue;
                }
                let words = server.last_line(&started.pane).ok().flatten();
                let status = found.and_then(|pane| server.ended_with(&pane.id).ok().flatten());
                let profile = self.profiles.get(&started.profile);
                let title = profile.map_or_else(|| started.profile.clone(), |profile| profile.title);
                *outcome = Outcome::Failed(ended(row, &title, status, words.as_deref()));
            }
        }
    }
}

/// What is known of an agent's client in a pane.
pub(crate) struct PaneNote {
    pub(crate) origin: PaneOrigin,
    pub(crate) profile: String,
    pub(crate) auto_approve: bool,
    /// The model that it was started with.
    pub(crate) model: Option<String>,
}

impl PaneNote {
    /// The note of a client that was running before it was found.
    pub(crate) fn found(origin: PaneOrigin, profile: String) -> Self {
        Self { origin, profile, auto_approve: false, model: None }
    }
}

/// Writes down which pane is an agent's.
pub(crate) fn note(
    session: &mut Session,
    row: &CrewRow,
    server: &Server,
    pane: &Pane,
    PaneNote { origin, profile, auto_approve, model }: PaneNote,
) -> Result<PaneRow, CliError> {
    let boot = session.caller().boot.clone().unwrap_or_default();
    let started = processes::started_at(pane.pid).unwrap_or_default();
    let since: Micros = now_us();
    let noted = PaneRow {
        agent: row.agent.id.clone(),
        socket: server.socket().display().to_string(),
        pane: pane.id.clone(),
        process: Process { pid: pane.pid, started, boot },
        origin,
        profile,
        tty: Some(pane.tty.clone()).filter(|tty| tty.starts_with("/dev/")),
        since,
        auto_approve,
        model,
    };
    session.hub()?.note_pane(&noted)?;
    Ok(noted)
}

fn ended(row: &CrewRow, title: &str, status: Option<i32>, words: Option<&str>) -> CliError {
    let how = status
        .map_or_else(|| "ended at once".to_owned(), |code| format!("ended at once with exit code {code}"));
    let words = words.map(|line| format!(": {}", line.chars().take(LAST_WORDS).collect::<String>()));
    let sentence = format!("{title} {how}{}", words.unwrap_or_default());
    CliError::new(ErrorKind::Unavailable, sentence)
        .with_code("ended_at_once")
        .with_hint(format!("its pane shows what it said: interagent attach {}", row.agent.name))
}

fn only_a_shell(row: &CrewRow, pane: &Pane) -> CliError {
    let name = &row.agent.name;
    CliError::new(
        ErrorKind::Refused,
        format!("{name} has a pane of yours ({}) with only a shell in it", pane.id),
    )
    .with_code("not_ours")
    .with_hint(format!(
        "start its client there: interagent join --name {name} --exec; or interagent down {name} gives the pane back"
    ))
}

fn something_else(row: &CrewRow, pane: &Pane) -> CliError {
    let sentence = format!("{} has something else in its pane {}: {}", row.agent.name, pane.id, pane.command);
    let hint = format!("end that or close the pane, then run interagent up {}", row.agent.name);
    CliError::new(ErrorKind::Refused, sentence).with_code("not_ours").with_hint(hint)
}
