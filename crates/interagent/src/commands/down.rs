//! `interagent down`: ends what `up` started, and nothing else.

use std::path::PathBuf;

use clap::Args;
use interagent_operations::CrewRow;
use interagent_store::observe::PaneRow;
use interagent_wake::tmux::{Pane, Server};
use serde_json::{Value, json};

use crate::crew::end::{self, Verdict};
use crate::crew::life::{self, Panes};
use crate::crew::{self, Scene, no_tmux, supervisor};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};

/// Ends the clients that `up` started, and nothing else.
///
/// Panes that were there before stay, and so does a pane in which something else runs now; both are named. A pane that was
/// joined and has only a shell in it is nobody's any more. A client is told first and has some seconds to end by itself.
/// Nothing that agents sent or owe is lost.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent down\n  interagent down member1 member2")]
pub(crate) struct Down {
    /// Which agents: names or ids; all that have a terminal here when left out.
    agent: Vec<String>,
}

/// What came of the supervisor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    Ended,
    AsBefore,
}

/// What came of an agent.
enum Outcome {
    Ended,
    /// It had ended before.
    WasOver,
    /// It was joined and does not run: its pane is the person's alone.
    GivenBack,
    /// It stays, and why.
    Stays(String),
    /// It can't be ended.
    Failed(String),
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::WasOver => "not_running",
            Self::GivenBack => "given_back",
            Self::Stays(_) => "stays",
            Self::Failed(_) => "failed",
        }
    }

    fn told(&self) -> (Role, String) {
        match self {
            Self::Ended => (Role::Good, "ended".to_owned()),
            Self::WasOver => (Role::Quiet, "did not run any more".to_owned()),
            Self::GivenBack => (Role::Quiet, "did not run; its pane is yours alone again".to_owned()),
            Self::Stays(why) => (Role::Warning, format!("stays: {why}")),
            Self::Failed(why) => (Role::Bad, format!("FAILED: {why}")),
        }
    }
}

impl Down {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        crew::must_be_operator(session, "a team is ended")?;
        let _alone = crew::lock(session)?;
        let scene = Scene::load(session, None)?;
        let chosen = scene.chosen(&self.agent, |row| row.pane.is_some())?;
        let panes = Panes::look(&scene);
        if !panes.troubles.is_empty() {
            // Without it every client would be ended, and every pane would stay.
            crew::must_have_tmux().map_err(|error| error.with_hint("nothing was ended"))?;
        }
        let progress = session.progress("ending");
        let outcomes = end_all(session, &scene, &panes, &chosen)?;
        let whose: Vec<&CrewRow> =
            if self.agent.is_empty() { scene.crew.rows.iter().collect() } else { chosen };
        close_left_over(&scene, &whose);
        let after = Scene { crew: session.hub()?.crew()?, ..scene.clone() };
        let nobody_is_left = after.crew.rows.iter().all(|row| row.pane.is_none());
        let watch = match nobody_is_left && supervisor::stop(&scene.hub_dir) {
            true => Watch::Ended,
            false => Watch::AsBefore,
        };
        let _ = life::refresh_titles(&after);
        drop(progress);
        tell(session, &outcomes, watch)?;
        session.conclude(Done::Committed)?;
        let has_failed = outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Failed(_)));
        Ok(if has_failed { ExitCode::Refused } else { ExitCode::Done })
    }
}

/// All lose their terminals first, and are waited for together.
fn end_all<'s>(
    session: &mut Session,
    scene: &Scene,
    panes: &Panes,
    chosen: &[&'s CrewRow],
) -> Result<Vec<(&'s CrewRow, Outcome)>, CliError> {
    let verdicts: Vec<_> = chosen.iter().map(|row| (*row, end::verdict(scene, panes, row))).collect();
    let mut closed = Vec::new();
    for (row, verdict) in &verdicts {
        let done = match (verdict, &row.pane) {
            (Verdict::Ours | Verdict::Ended, Some(known)) => end::close(known, panes.of(scene, row)),
            _ => Ok(()),
        };
        closed.push(done);
    }
    let mut outcomes = Vec::new();
    for ((row, verdict), closed) in verdicts.into_iter().zip(closed) {
        let outcome = match (verdict, closed, &row.pane) {
            (_, Err(error), _) => Outcome::Failed(error.sentence()),
            (Verdict::Ours, _, Some(known)) => match end::make_sure(known) {
                true => Outcome::Ended,
                false => Outcome::Failed(format!("process {} does not end", known.process.pid)),
            },
            (Verdict::Ended, ..) => Outcome::WasOver,
            (Verdict::Adopted, _, Some(known))
                if is_only_a_shell(session, row, known, panes.of(scene, row)) =>
            {
                match scene.unmark(row) {
                    Ok(()) => Outcome::GivenBack,
                    Err(error) => Outcome::Failed(no_tmux(error).sentence()),
                }
            }
            (Verdict::Adopted, _, Some(known)) => {
                Outcome::Stays(format!("pane {} is yours; end its client there", known.pane))
            }
            (Verdict::Another { command }, ..) => {
                Outcome::Stays(format!("something else runs in its pane now: {command}"))
            }
            (Verdict::NotHere | Verdict::Ours | Verdict::Adopted, ..) => match row.sessions.first() {
                Some(_) => {
                    Outcome::Stays("it was not started by interagent up; end its client there".to_owned())
                }
                None => Outcome::WasOver,
            },
        };
        if matches!(outcome, Outcome::Ended | Outcome::WasOver | Outcome::GivenBack) {
            session.hub()?.forget_pane(&row.agent.id)?;
        }
        outcomes.push((row, outcome));
    }
    Ok(outcomes)
}

/// Closes dead panes that were made for agents and are known as nobody's: whoever made them was interrupted.
fn close_left_over(scene: &Scene, whose: &[&CrewRow]) {
    for pane in scene.server.panes().unwrap_or_default() {
        if whose.iter().any(|row| scene.is_left_over(&pane, row)) {
            // What can't be closed now is found again the next time.
            let _ = scene.server.close(&pane.id);
        }
    }
}

fn is_only_a_shell(session: &Session, row: &CrewRow, known: &PaneRow, pane: Option<&Pane>) -> bool {
    // Typed into the pane itself, this command is what is in front of its shell.
    let is_this = |pane: &Pane| {
        let env = &session.env;
        let is_its_server =
            |here: &PathBuf| Server::at(here).true_socket() == Scene::server_of(known).true_socket();
        env.tmux_pane.as_deref() == Some(pane.id.as_str())
            && env.tmux_socket.as_ref().is_some_and(is_its_server)
            && pane.command == env!("CARGO_PKG_NAME")
    };
    row.sessions.is_empty() && pane.is_some_and(|pane| !pane.dead && (pane.shows_a_shell() || is_this(pane)))
}

fn tell(session: &mut Session, outcomes: &[(&CrewRow, Outcome)], watch: Watch) -> Result<(), CliError> {
    if !session.is_for_people() {
        let agents: Vec<Value> = outcomes
            .iter()
            .map(|(row, outcome)| {
                let why = match outcome {
                    Outcome::Stays(why) | Outcome::Failed(why) => Some(why),
                    Outcome::Ended | Outcome::WasOver | Outcome::GivenBack => None,
                };
                json!({ "name": row.agent.name, "outcome": outcome.word(), "why": why })
            })
            .collect();
        let seq = session.hub()?.store().reached();
        session.document(seq, &json!({ "agents": agents, "supervisor_ended": watch == Watch::Ended }));
        return Ok(());
    }
    if outcomes.is_empty() {
        session.printer.line(&[(Role::Plain, "nobody of this team has a terminal here")]);
        session.suggest(&["interagent up"]);
        return Ok(());
    }
    let mut table = Table::new([Column::whole("name"), Column::whole("pane").spare(), Column::text("what")]);
    for (row, outcome) in outcomes {
        let (role, words) = outcome.told();
        let pane = row.pane.as_ref().map(|known| known.pane.as_str()).unwrap_or_default();
        table.row([Cell::new(Role::Name, row.agent.name.as_str()), pane.into(), Cell::new(role, &words)]);
    }
    session.printer.table(&table);
    if watch == Watch::Ended {
        session.printer.line(&[(Role::Quiet, "nobody is left: the supervisor ended too")]);
    }
    Ok(())
}
