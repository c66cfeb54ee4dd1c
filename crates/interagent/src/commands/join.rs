//! `interagent join`: the terminal one sits in becomes an agent of the team.

use clap::Args;
use interagent_core::team::Role as TeamRole;
use interagent_operations::CrewRow;
use interagent_store::observe::PaneOrigin;
use interagent_wake::tmux::{Pane, Server};
use interagent_wire::request as ask;
use serde_json::json;

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
/// In tmux this pane is marked as the agent's, so that it can be shown and nudged; it stays yours, and `down` leaves it
/// alone. Elsewhere hooks and mail work too, but nobody can type there. Then start the client as it says, or have it started
/// with --exec.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent join --name member3 --exec\n  interagent join --role member\n  interagent join --name helper --profile kimi"
)]
pub(crate) struct Join {
    /// Who it becomes; one that is not known yet is registered.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The first in this role that does not run; with --name it has to be the role of that one.
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
        crew::must_be_a_person(session, "a terminal is given away")?;
        let mut scene = Scene::load(session, None)?;
        let name = self.who(session, &mut scene)?;
        let row = scene.row(&name)?.clone();
        must_be_free(session, &scene, &row)?;
        let profiles = session.profiles()?;
        let launch = Launch::plan(&scene, &profiles, &row, Wish::default());
        let pane = self.mark(session, &scene, &row)?;
        if self.exec {
            let launch = launch?;
            launch.prepare(&scene, &profiles, &row)?;
            session.upkeep();
            session.close_hub();
            let error = launch.exec();
            let sentence = format!("{} can't be started", launch.title);
            return Err(CliError::new(ErrorKind::Unavailable, sentence).with_source(error));
        }
        if let Ok(launch) = &launch {
            launch.prepare(&scene, &profiles, &row)?;
        }
        let command = match &launch {
            Ok(launch) => Some(format!(
                "cd {} && INTERAGENT_AGENT={name} {}",
                interagent_core::shell::quoted(&launch.directory.display().to_string()),
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
                let here = session.env.tmux_pane.as_deref();
                let is_free = |row: &&CrewRow| {
                    let fits = row.seat.as_ref().is_some_and(|seat| seat.role == role);
                    let is_taken = panes.of(scene, row).is_some_and(|pane| is_elsewhere(pane, here));
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

    /// Marks the pane this command runs in; nothing outside of tmux.
    fn mark(&self, session: &mut Session, scene: &Scene, row: &CrewRow) -> Result<Option<Pane>, CliError> {
        let (Some(socket), Some(id)) = (tmux::around(), session.env.tmux_pane.clone()) else {
            return Ok(None);
        };
        let server = Server::at(socket);
        let Some(pane) = server.pane(&id).map_err(no_tmux)? else { return Ok(None) };
        if let Some(other) = &pane.agent
            && pane.hub.as_deref() == Some(&scene.crew.replica)
            && other != row.agent.id.as_str()
        {
            let known = scene.crew.rows.iter().find(|known| known.agent.id.as_str() == other);
            if let Some(known) = known.filter(|known| !known.sessions.is_empty()) {
                return Err(CliError::new(
                    ErrorKind::Conflict,
                    format!("this pane is {}'s, who runs", known.agent.name),
                )
                .with_code("pane_taken")
                .with_hint("open another pane, or end its client first"));
            }
            if let Some(known) = known {
                let agent = known.agent.id.clone();
                session.hub()?.forget_pane(&agent)?;
            }
        }
        server.mark(&id, &scene.mark(row)).map_err(no_tmux)?;
        let profile = scene.mark(row).profile;
        let noted = PaneNote { origin: PaneOrigin::Adopted, profile, auto_approve: false };
        start::note(session, row, &server, &pane, noted)?;
        let after = Scene { crew: session.hub()?.crew()?, ..scene.clone() };
        let _ = life::refresh_titles(&after);
        Ok(Some(pane))
    }
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
    let here = session.env.tmux_pane.as_deref();
    match panes.of(scene, row).filter(|pane| is_elsewhere(pane, here)) {
        Some(pane) => Err(taken(format!("pane {}", pane.id))),
        None => Ok(()),
    }
}

/// Whether something runs in a pane that is not this one.
fn is_elsewhere(pane: &Pane, here: Option<&str>) -> bool {
    !pane.dead && Some(pane.id.as_str()) != here && !pane.shows_a_shell()
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
