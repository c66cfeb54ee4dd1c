//! `interagent join`: the terminal one sits in becomes an agent of the team.

use clap::Args;
use interagent_core::team::Role as TeamRole;
use interagent_operations::CrewRow;
use interagent_store::observe::{PaneOrigin, PaneRow};
use interagent_wake::tmux::{Mark, Pane, Server};
use interagent_wire::request as ask;
use serde_json::json;

use super::init::must_be_known;
use crate::config::tmux;
use crate::crew::launch::{Launch, Wish};
use crate::crew::start::PaneNote;
use crate::crew::{self, Scene, life, no_tmux, start};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Turns the terminal you are in into an agent of the team.
///
/// In tmux this pane is marked as the agent's, so that it can be shown and nudged; it stays yours, and `down` ends
/// nothing in it. Elsewhere hooks and mail work too, but nobody can type there. Then start the client as it says, or have it started
/// with --exec.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent join --name member3 --exec\n  interagent join --role member\n  interagent join --name helper --profile kimi"
)]
pub(crate) struct Join {
    /// Who it becomes; one that is not known yet is registered.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The first in this role that does not run and was not joined elsewhere; with --name it has to be the role of that one.
    #[arg(long)]
    role: Option<TeamRole>,
    /// Which kind of client, for one that is not known yet.
    #[arg(long)]
    profile: Option<String>,
    /// Start its client here, in the place of this command.
    #[arg(long)]
    exec: bool,
}

impl Join {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        crew::must_be_operator(session, "a terminal is given away")?;
        let alone = crew::lock(session)?;
        let mut scene = Scene::load(session, None)?;
        let name = self.who(session, &mut scene)?;
        let row = scene.row(&name)?.clone();
        must_be_free(session, &scene, &row)?;
        let profiles = session.profiles()?;
        let launch = match Launch::plan(&scene, &profiles, &row, Wish::default()) {
            // Nothing is marked for a client that can't be started.
            Err(error) if self.exec => return Err(error),
            launch => launch,
        };
        if let Ok(launch) = &launch {
            for note in launch.prepare(&scene, &profiles, &row)? {
                session.printer.note(Role::Warning, &note);
            }
        }
        let pane = mark(session, &scene, &row)?;
        if let (true, Ok(launch)) = (self.exec, &launch) {
            session.upkeep();
            session.close_hub();
            drop(alone);
            let error = launch.exec();
            let sentence = format!("{} can't be started", launch.title);
            return Err(CliError::new(ErrorKind::Unavailable, sentence).with_source(error));
        }
        let command = match &launch {
            Ok(launch) => Some(format!(
                "cd {} && INTERAGENT_AGENT={name} {}",
                interagent_core::shell::quoted(&launch.directory.path.display().to_string()),
                launch.shown()
            )),
            // Whatever is started here with its name is it, also a program that nobody has described.
            Err(_) => Some(format!("export INTERAGENT_AGENT={name}")),
        };
        if session.is_for_people() {
            tell(session, &row, pane.as_ref(), command.as_deref(), launch.as_ref().err());
        } else {
            let seq = session.hub()?.store().reached();
            let pane = pane.as_ref().map(|pane| &pane.id);
            session
                .document(seq, &json!({ "name": name, "id": row.agent.id, "pane": pane, "start": command }));
        }
        session.conclude(Done::Committed)
    }

    /// Who this terminal becomes.
    fn who(&self, session: &mut Session, scene: &mut Scene) -> Result<String, CliError> {
        match (&self.name, self.role) {
            (Some(name), role) => {
                let known = scene.row(name).ok();
                let seat_role = known.and_then(|row| row.seat.as_ref()).map(|seat| seat.role);
                if let (Some(wanted), is) = (role, seat_role)
                    && is != Some(wanted)
                {
                    let is = is
                        .map_or_else(|| "no role in the team file".to_owned(), |is| format!("the role {is}"));
                    return Err(CliError::new(ErrorKind::Refused, format!("{name} has {is}, not {wanted}"))
                        .with_code("other_role")
                        .with_hint("roles are given in team.toml; leave --role out, or name another agent"));
                }
                if let Some(row) = known {
                    return Ok(row.agent.name.to_string());
                }
                let profile = self.profile.clone();
                if let Some(named) = &profile {
                    must_be_known(&*session.profiles()?, named)?;
                }
                session.call(ask::AgentRegister {
                    name: name.clone(),
                    profile,
                    ..ask::AgentRegister::default()
                })?;
                scene.crew = session.hub()?.crew()?;
                Ok(scene.row(name)?.agent.name.to_string())
            }
            (None, Some(role)) => {
                let panes = life::Panes::look(scene);
                let here = Here::of(session);
                let is_free = |row: &&CrewRow| {
                    let fits = row.seat.as_ref().is_some_and(|seat| seat.role == role);
                    // Whoever joined and has not started its client yet sits there all the same.
                    let is_joined =
                        row.pane.as_ref().is_some_and(|known| known.origin == PaneOrigin::Adopted);
                    let is_taken = elsewhere(scene, &panes, row, here.as_ref())
                        .is_some_and(|pane| is_joined || !pane.shows_a_shell());
                    fits && row.sessions.is_empty() && !is_taken
                };
                let free = scene.crew.rows.iter().find(is_free).map(|row| row.agent.name.to_string());
                free.ok_or_else(|| {
                    CliError::new(ErrorKind::Refused, format!("no {role} of the team is free"))
                        .with_code("nobody_free")
                        .with_hint(
                            "interagent ps shows who runs; add a seat to team.toml, or join with --name",
                        )
                })
            }
            (None, None) => Err(CliError::new(ErrorKind::Usage, "it is not said who this terminal becomes")
                .with_hint(
                    "interagent join --name NAME, or --role ROLE for the first in that role who does not run",
                )),
        }
    }
}

/// The pane that this command runs in.
struct Here {
    server: Server,
    pane: String,
}

impl Here {
    /// Nothing outside of tmux.
    fn of(session: &Session) -> Option<Self> {
        Some(Self { server: Server::at(tmux::around()?), pane: session.env.tmux_pane.clone()? })
    }

    /// Every server counts its panes from 0, so the number alone is nobody's.
    fn is(&self, known: &PaneRow) -> bool {
        self.pane == known.pane && self.server.true_socket() == Scene::server_of(known).true_socket()
    }
}

/// Marks the pane this command runs in; nothing outside of tmux. The pane that the agent had before is the person's alone
/// again.
fn mark(session: &mut Session, scene: &Scene, row: &CrewRow) -> Result<Option<Pane>, CliError> {
    let here = Here::of(session);
    let pane = match &here {
        Some(here) => here.server.pane(&here.pane).map_err(no_tmux)?,
        None => None,
    };
    let here = here.zip(pane);
    if let Some((here, pane)) = &here {
        take_from_another(session, scene, row, here, pane)?;
    }
    leave_former(session, scene, row, here.as_ref().map(|(here, _)| here))?;
    let Some((Here { server, .. }, pane)) = here else { return Ok(None) };
    let mark = Mark { model: String::new(), ..scene.mark(row) };
    server.mark(&pane.id, &mark).map_err(no_tmux)?;
    let profile = mark.profile;
    let noted = PaneNote::found(PaneOrigin::Adopted, profile);
    start::note(session, row, &server, &pane, noted)?;
    let after = Scene { crew: session.hub()?.crew()?, ..scene.clone() };
    let _ = life::refresh_titles(&after);
    Ok(Some(pane))
}

/// A pane that another agent had is free once that one does not run.
fn take_from_another(
    session: &mut Session,
    scene: &Scene,
    row: &CrewRow,
    here: &Here,
    pane: &Pane,
) -> Result<(), CliError> {
    let is_it = |other: &&CrewRow| other.agent.id != row.agent.id && scene.is_marked(pane, other);
    let Some(other) = scene.crew.rows.iter().find(is_it) else { return Ok(()) };
    if !other.sessions.is_empty() {
        return Err(CliError::new(
            ErrorKind::Conflict,
            format!("this pane is {}'s, who runs", other.agent.name),
        )
        .with_code("pane_taken")
        .with_hint("open another pane, or end its client first"));
    }
    here.server.unmark(&pane.id).map_err(no_tmux)?;
    // What is known of it may be another pane by now.
    if other.pane.as_ref().is_some_and(|known| here.is(known)) {
        session.hub()?.forget_pane(&other.agent.id)?;
    }
    Ok(())
}

/// Where another terminal becomes an agent, the pane that it had is marked for nobody. One in which it was started shows its
/// last words until `down`, unless another pane takes its place.
fn leave_former(
    session: &mut Session,
    scene: &Scene,
    row: &CrewRow,
    here: Option<&Here>,
) -> Result<(), CliError> {
    let Some(known) = &row.pane else { return Ok(()) };
    let stays = here.map_or(known.origin == PaneOrigin::Launched, |here| here.is(known));
    if !stays {
        // A server that can't be asked shows its marks to nobody.
        let _ = scene.unmark(row);
        session.hub()?.forget_pane(&row.agent.id)?;
    }
    Ok(())
}

/// Two clients of one agent would take each other's mail.
fn must_be_free(session: &Session, scene: &Scene, row: &CrewRow) -> Result<(), CliError> {
    let name = &row.agent.name;
    let taken = |where_: String| {
        CliError::new(ErrorKind::Conflict, format!("{name} runs already: {where_}"))
            .with_code("second_session")
            .with_hint("join as another agent, or end its client first; interagent ps shows it")
    };
    if let Some(live) = row.sessions.first() {
        let process =
            live.process.as_ref().map_or_else(String::new, |process| format!(" (process {})", process.pid));
        return Err(taken(format!("session {}{process}", live.id)));
    }
    let panes = life::Panes::look(scene);
    let here = Here::of(session);
    match elsewhere(scene, &panes, row, here.as_ref()).filter(|pane| !pane.shows_a_shell()) {
        Some(pane) => Err(taken(format!("pane {}", pane.id))),
        None => Ok(()),
    }
}

/// The living pane of an agent, where it is not this one.
fn elsewhere<'p>(
    scene: &Scene,
    panes: &'p life::Panes,
    row: &CrewRow,
    here: Option<&Here>,
) -> Option<&'p Pane> {
    let is_here = row.pane.as_ref().zip(here).is_some_and(|(known, here)| here.is(known));
    panes.of(scene, row).filter(|pane| !pane.dead && !is_here)
}

fn tell(
    session: &mut Session,
    row: &CrewRow,
    pane: Option<&Pane>,
    command: Option<&str>,
    trouble: Option<&CliError>,
) {
    let name = row.agent.name.to_string();
    let words = match pane {
        Some(pane) => format!(" is this pane now ({})", pane.id),
        None => " is this terminal now; it is not in tmux, so nobody can type here: mail comes by hooks"
            .to_owned(),
    };
    session.printer.line(&[(Role::Name, &name), (Role::Plain, &words)]);
    if let Some(trouble) = trouble {
        session.printer.line(&[(Role::Warning, &trouble.sentence())]);
        let words = format!(
            "until what you start here has {name}'s name in its environment, commands here are your own"
        );
        session.printer.line(&[(Role::Quiet, &words)]);
    }
    if let Some(command) = command {
        session.suggest(&[command]);
    }
}
