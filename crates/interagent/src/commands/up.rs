//! `interagent up` and `interagent restart`: the team's clients in tmux.

use std::path::PathBuf;

use clap::Args;
use interagent_operations::CrewRow;
use interagent_wake::tmux::{Team, layout};
use interagent_wire::request as ask;
use serde_json::{Value, json};

use crate::crew::launch::{Approval, Conversation, Launch, Wish};
use crate::crew::start::{Outcome, Starter};
use crate::crew::supervisor::{self, Watch};
use crate::crew::{self, Scene, life, no_tmux};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};

/// Starts the team's clients in tmux, each in a pane of its own.
///
/// Who runs already is left alone, and panes that are there and marked for an agent are taken over. One that can't be started
/// is named, and the others start all the same; then it ends with 1. What clients ask at their first start, such as whether
/// you trust a folder, is yours to answer: interagent attach.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent up\n  interagent up captain vice_captain1\n  interagent up --dry-run"
)]
pub(crate) struct Up {
    /// Which agents: names or ids; all with a seat in the team file when left out.
    agent: Vec<String>,
    /// Show what would be started, and start nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wishes: Wishes,
    /// The socket of another tmux server than the one around this terminal, or your usual one.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
}

/// Starts agents' clients anew, each in the pane it has.
///
/// The agent stays who it is: name, mail, tasks and duties. Its new session is told all of it at the start. A client that was
/// started with --auto-approve is started so again, while its seat says `auto_approve = true`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent restart member1\n  interagent restart member1 --resume")]
pub(crate) struct Restart {
    /// Which agents: names or ids.
    #[arg(required = true)]
    agent: Vec<String>,
    #[command(flatten)]
    wishes: Wishes,
    /// The socket of another tmux server, for agents that have no pane yet.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
}

/// How clients are started.
#[derive(Debug, Args)]
struct Wishes {
    /// Go on with the last conversation, where the client can.
    #[arg(long)]
    resume: bool,
    /// Let clients act without asking, where the team file says `auto_approve = true`.
    #[arg(long)]
    auto_approve: bool,
}

impl Wishes {
    /// With this conversation where one is to be continued, and asking in this way where nothing is said of that.
    fn wish(&self, continued: Conversation, unsaid: Approval) -> Wish {
        Wish {
            conversation: if self.resume { continued } else { Conversation::New },
            approval: if self.auto_approve { Approval::AsTheTeamSays } else { unsaid },
        }
    }
}

impl Up {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        crew::must_be_operator(session, "a team is started")?;
        let _alone = match self.dry_run {
            true => None,
            false => Some(crew::lock(session)?),
        };
        let scene = Scene::load(session, self.socket.as_deref())?;
        scene.team()?;
        let mut chosen = scene.chosen(&self.agent, |row| row.seat.is_some())?;
        // Who decides first, and in each window the superior before those below it.
        let order: Vec<String> =
            layout::windows(scene.team()?).into_iter().flat_map(|window| window.agents).collect();
        chosen.sort_by_key(|row| order.iter().position(|name| name == row.agent.name.as_str()));
        if chosen.is_empty() {
            return Err(CliError::new(ErrorKind::NotFound, "nobody has a seat in the team file")
                .with_code("no_team")
                .with_hint("add agents to team.toml, then run interagent team take"));
        }
        let wish = self.wishes.wish(Conversation::IfKnown, Approval::Asked);
        // Empty seats: their agents are not among the chosen ones.
        let notes = session.call(ask::TeamShow {})?.notes;
        match self.dry_run {
            true => preview(session, &scene, &chosen, wish, &notes),
            false => carry_out(session, &scene, &chosen, wish, (Whom::WhoIsMissing, notes)),
        }
    }
}

impl Restart {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        crew::must_be_operator(session, "an agent is started anew")?;
        let _alone = crew::lock(session)?;
        let scene = Scene::load(session, self.socket.as_deref())?;
        let chosen = scene.chosen(&self.agent, |_| false)?;
        let wish = self.wishes.wish(Conversation::Last, Approval::AsBefore);
        carry_out(session, &scene, &chosen, wish, (Whom::Everybody, Vec::new()))
    }
}

/// Whose client is started.
#[derive(Clone, Copy)]
enum Whom {
    /// Only where none runs.
    WhoIsMissing,
    /// Anew where one runs.
    Everybody,
}

/// Starts each of them, then shows what came of it. For who has the lock.
fn carry_out(
    session: &mut Session,
    scene: &Scene,
    chosen: &[&CrewRow],
    wish: Wish,
    (whom, mut notes): (Whom, Vec<String>),
) -> Result<ExitCode, CliError> {
    crew::must_have_tmux()?;
    let profiles = session.profiles()?;
    let progress = session.progress("starting");
    let mut starter = Starter::new(scene, &profiles, wish)?;
    let mut outcomes: Vec<(&CrewRow, Outcome)> = Vec::new();
    for row in chosen {
        let outcome = match whom {
            Whom::WhoIsMissing => starter.start(session, row),
            Whom::Everybody => starter.restart(session, row),
        };
        outcomes.push((row, outcome));
    }
    starter.settle(&mut outcomes);
    notes.append(&mut starter.notes);
    let runs = outcomes.iter().any(|(_, outcome)| !matches!(outcome, Outcome::Failed(_)));
    // A team without its supervisor works on; that it is missing is told.
    let watch = if runs { supervisor::start(&scene.hub_dir) } else { Ok(Watch::None) };
    // What was just started has a row now.
    let after = Scene { crew: session.hub()?.crew()?, ..scene.clone() };
    let _ = life::refresh_titles(&after);
    drop(progress);
    let told = Told { scene, outcomes: &outcomes, notes: &notes, watch: &watch };
    match session.is_for_people() {
        true => told.to_people(session)?,
        false => told.to_programs(session)?,
    }
    session.conclude(Done::Committed)?;
    let has_failed = outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Failed(_)));
    Ok(if has_failed || watch.is_err() { ExitCode::Refused } else { ExitCode::Done })
}

/// What came of it, as it is told.
struct Told<'a> {
    scene: &'a Scene,
    outcomes: &'a [(&'a CrewRow, Outcome)],
    notes: &'a [String],
    watch: &'a Result<Watch, CliError>,
}

impl Told<'_> {
    fn to_people(&self, session: &mut Session) -> Result<(), CliError> {
        let mut table = Table::new([
            Column::whole("name"),
            Column::text("role").spare(),
            Column::text("client").spare(),
            Column::whole("pane"),
            Column::number("pid").spare(),
            Column::text("what"),
        ]);
        for (row, outcome) in self.outcomes {
            let (pane, pid) = outcome.place();
            let mark = self.scene.mark(row);
            let (role, words) = match outcome {
                Outcome::Started(_) => (Role::Good, outcome.word().to_owned()),
                Outcome::Runs { .. } => (Role::Plain, "runs already".to_owned()),
                Outcome::Adopted(_) => (Role::Good, "taken over: its pane was there".to_owned()),
                Outcome::Failed(error) => (Role::Bad, format!("FAILED: {}", error.sentence())),
            };
            table.row([
                Cell::new(Role::Name, row.agent.name.as_str()),
                mark.role.as_str().into(),
                mark.profile.as_str().into(),
                pane.unwrap_or_default().as_str().into(),
                pid.map(|pid| pid.to_string()).unwrap_or_default().as_str().into(),
                Cell::new(role, &words),
            ]);
        }
        session.printer.table(&table);
        for note in self.notes {
            session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, note)]);
        }
        let mut hints: Vec<&str> = Vec::new();
        for (_, outcome) in self.outcomes {
            let Outcome::Failed(error) = outcome else { continue };
            for hint in error.hints() {
                if !hints.contains(&hint.as_str()) {
                    hints.push(hint);
                }
            }
        }
        match self.watch {
            Err(error) => {
                session.printer.line(&[(Role::Warning, &error.sentence())]);
                hints.extend(error.hints().iter().map(String::as_str));
            }
            Ok(Watch::Started(pid)) => {
                session
                    .printer
                    .line(&[(Role::Quiet, &format!("the supervisor watches over them (process {pid})"))]);
            }
            Ok(Watch::Runs(_) | Watch::None) => {}
        }
        for hint in hints {
            session.printer.exact(&[(Role::Quiet, "hint: "), (Role::Plain, hint)]);
        }
        if self.outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Started(_))) {
            let words = "a client that is new in a folder may ask whether you trust it: answer in its pane";
            session.printer.line(&[(Role::Quiet, words)]);
            session.suggest(&["interagent attach", "interagent ps"]);
        }
        Ok(())
    }

    fn to_programs(&self, session: &mut Session) -> Result<(), CliError> {
        let agents: Vec<Value> = self
            .outcomes
            .iter()
            .map(|(row, outcome)| {
                let (pane, pid) = outcome.place();
                let mark = self.scene.mark(row);
                let trouble = match outcome {
                    Outcome::Failed(error) => Some(error.document()["error"].clone()),
                    _ => None,
                };
                json!({ "name": mark.name, "role": mark.role, "profile": mark.profile,
                    "outcome": outcome.word(), "pane": pane, "pid": pid, "error": trouble })
            })
            .collect();
        let supervisor = match self.watch {
            Ok(Watch::Started(pid) | Watch::Runs(pid)) => Some(*pid),
            Ok(Watch::None) | Err(_) => None,
        };
        let seq = session.hub()?.store().reached();
        let socket = self.scene.server.socket().display().to_string();
        session.document(
            seq,
            &json!({ "agents": agents, "notes": self.notes, "socket": socket, "supervisor": supervisor }),
        );
        Ok(())
    }
}

/// Shows what would be started.
fn preview(
    session: &mut Session,
    scene: &Scene,
    chosen: &[&CrewRow],
    wish: Wish,
    notes: &[String],
) -> Result<ExitCode, CliError> {
    let profiles = session.profiles()?;
    let windows = layout::windows(scene.team()?);
    let planned: Vec<(&CrewRow, Result<Launch, CliError>)> =
        chosen.iter().map(|row| (*row, Launch::plan(scene, &profiles, row, wish))).collect();
    let window_of = |row: &CrewRow| {
        let has = |window: &&layout::Window| window.agents.iter().any(|name| name == row.agent.name.as_str());
        windows.iter().find(has).map_or("others", |window| window.name.as_str()).to_owned()
    };
    if !session.is_for_people() {
        let agents: Vec<Value> = planned
            .iter()
            .map(|(row, plan)| match plan {
                Ok(launch) => json!({ "name": row.agent.name, "window": window_of(row), "command": launch.shown(),
                    "directory": launch.directory.path, "worktree": launch.directory.missing.as_ref().map(|missing| &missing.branch),
                    "notes": launch.notes }),
                Err(error) => json!({ "name": row.agent.name, "window": window_of(row), "error": error.document()["error"] }),
            })
            .collect();
        let seq = session.hub()?.store().reached();
        session.document(seq, &json!({ "agents": agents, "notes": notes }));
    } else {
        let mut table = Table::new([
            Column::whole("name"),
            Column::text("window"),
            Column::text("directory").spare(),
            Column::text("would run"),
        ]);
        for (row, plan) in &planned {
            let (directory, words) = match plan {
                Ok(launch) => {
                    (launch.directory.path.display().to_string(), Cell::new(Role::Plain, &launch.shown()))
                }
                Err(error) => (String::new(), Cell::new(Role::Bad, &format!("can't: {}", error.sentence()))),
            };
            let name = Cell::new(Role::Name, row.agent.name.as_str());
            table.row([name, window_of(row).as_str().into(), directory.as_str().into(), words]);
        }
        session.printer.table(&table);
        let of_launch = planned.iter().filter_map(|(_, plan)| plan.as_ref().ok());
        for note in notes.iter().chain(of_launch.flat_map(|launch| &launch.notes)) {
            session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, note)]);
        }
        if let Some(id) = Team::of(&scene.server, &scene.crew.replica).map_err(no_tmux)?.id() {
            session.printer.line(&[(Role::Quiet, &format!("the team has a session already: {id}"))]);
        }
    }
    session.conclude(Done::Looked)?;
    let has_failed = planned.iter().any(|(_, plan)| plan.is_err());
    Ok(if has_failed { ExitCode::Refused } else { ExitCode::Done })
}
