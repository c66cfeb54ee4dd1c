//! `interagent attach`: before the team's terminals.

use std::path::Path;

use clap::Args;
use interagent_wake::tmux::{Server, Team};

use crate::config::tmux;
use crate::crew::life::Panes;
use crate::crew::{self, Scene, no_tmux};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};

/// Shows the team's terminals, with one agent's in front.
///
/// Inside of tmux it changes to the team's session. Your keys: Ctrl-B d leaves, Ctrl-B n shows the next window.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent attach\n  interagent attach captain")]
pub(crate) struct Attach {
    /// Whose terminal comes to the front: a name or id.
    agent: Option<String>,
    /// The socket of the tmux server, where the team is on another than the usual one.
    #[arg(long, value_name = "PATH")]
    socket: Option<std::path::PathBuf>,
}

impl Attach {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        crew::must_have_tmux()?;
        let scene = Scene::load(session, self.socket.as_deref())?;
        let (server, target, front) = self.target(&scene)?;
        if !session.env.terminals.stdin || !session.env.terminals.stdout {
            return Err(CliError::new(ErrorKind::Refused, "there is no terminal to show the team in")
                .with_code("no_terminal")
                .with_hint(format!(
                    "in a terminal: tmux -S {} attach -t '{target}'",
                    server.socket().display()
                )));
        }
        if let Some(pane) = &front {
            let team = Team::of(&server, &scene.crew.replica).map_err(no_tmux)?;
            team.select(pane).map_err(no_tmux)?;
        }
        match (tmux::around(), &session.env.tmux_pane) {
            (Some(around), Some(pane)) if is_same(&around, server.socket()) => {
                server.switch(pane, &target).map_err(no_tmux)?;
                session.conclude(Done::Looked)
            }
            (Some(_), _) => Err(CliError::new(
                ErrorKind::Refused,
                "you are inside of another tmux, and the team is not in it",
            )
            .with_code("nested")
            .with_hint(format!(
                "leave it first, or nest them: TMUX= tmux -S {} attach -t '{target}'",
                server.socket().display()
            ))),
            (None, _) => {
                session.close_hub();
                let error = server.attach(&target);
                Err(CliError::new(ErrorKind::Unavailable, "tmux can't be started").with_source(error))
            }
        }
    }

    /// The session to show, and the pane in front of it.
    fn target(&self, scene: &Scene) -> Result<(Server, String, Option<String>), CliError> {
        let panes = Panes::look(scene);
        if let Some(name) = &self.agent {
            let row = scene.row(name)?;
            let (Some(known), Some(pane)) = (&row.pane, panes.of(scene, row)) else {
                return Err(CliError::new(
                    ErrorKind::NotFound,
                    format!("{} has no terminal in tmux", row.agent.name),
                )
                .with_code("no_pane")
                .with_hint(format!("interagent up {} starts it", row.agent.name)));
            };
            return Ok((Scene::server_of(known), pane.session.clone(), Some(pane.id.clone())));
        }
        if let Some(id) = Team::of(&scene.server, &scene.crew.replica).map_err(no_tmux)?.id() {
            return Ok((scene.server.clone(), id.to_owned(), None));
        }
        // It may be on another server than the one around this terminal.
        let elsewhere =
            scene.crew.rows.iter().find_map(|row| Some((row.pane.as_ref()?, panes.of(scene, row)?)));
        match elsewhere {
            Some((known, pane)) => Ok((Scene::server_of(known), pane.session.clone(), None)),
            None => Err(CliError::new(ErrorKind::NotFound, "the team has no session in tmux")
                .with_code("no_pane")
                .with_hint("interagent up starts it")),
        }
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}
