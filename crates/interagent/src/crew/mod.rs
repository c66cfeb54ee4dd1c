//! The team on this machine: who has which terminal, who lives, and how clients are started and ended there.
//!
//! Owns what `up`, `down`, `restart`, `ps`, `attach` and `join` share. Which agents there are is said by the hub, what is in
//! a pane by tmux at the moment of use, how a client is started by its profile.

pub(crate) mod directory;
pub(crate) mod end;
pub(crate) mod handed;
pub(crate) mod launch;
pub(crate) mod life;
pub(crate) mod start;
pub(crate) mod supervisor;
pub(crate) mod terminal;
pub(crate) mod worktree;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interagent_agents::Profiles;
use interagent_core::authority::OperatorAct;
use interagent_core::nearest::nearest;
use interagent_core::team::TeamConfig;
use interagent_operations::{Crew, CrewRow};
use interagent_store::observe::PaneRow;
use interagent_store::side::{self, Access};
use interagent_wake::tmux::{self, Mark, Pane, Server, TmuxError};

use crate::config;
use crate::config::hub::Discovery;
use crate::connect::Ground;
use crate::error::{CliError, ErrorKind};
use crate::session::{Session, no_hub};

/// Taken by whoever starts, ends or joins clients: two at once would start one twice.
const LOCK: &str = "crew.lock";
/// Joining takes a moment, and a script may have several terminals join at once.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);
const LOCK_LOOK: Duration = Duration::from_millis(20);

/// The team and the place where it works, at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) hub_dir: PathBuf,
    /// The project's directory, where clients work that have no other.
    pub(crate) root: PathBuf,
    /// The server on which new panes are made.
    pub(crate) server: Server,
    /// What each kind of client looks like.
    pub(crate) profiles: Arc<Profiles>,
    /// Where clients are connected; nothing for a hub that belongs to no project.
    pub(crate) ground: Option<Ground>,
    pub(crate) crew: Crew,
}

impl Scene {
    /// Asks the hub who is in the team.
    pub(crate) fn load(session: &mut Session, socket: Option<&Path>) -> Result<Self, CliError> {
        let found = match session.discover()? {
            Discovery::Found(found) => found,
            Discovery::NotThere(not) => return Err(no_hub(&not)),
        };
        let root = found.project_root.clone().or_else(|| session.env.cwd.clone()).ok_or_else(|| {
            CliError::new(ErrorKind::Unavailable, "the working directory is gone")
                .with_hint("cd to the project")
        })?;
        let crew = session.hub()?.crew()?;
        let profiles = session.profiles()?;
        let ground = Ground::of(&session.env, &found);
        let server = config::tmux::server(socket);
        Ok(Self { hub_dir: found.hub_dir, root, server, profiles, ground, crew })
    }

    /// The team; without one there is nobody to start.
    pub(crate) fn team(&self) -> Result<&TeamConfig, CliError> {
        self.crew.team.as_ref().ok_or_else(|| {
            CliError::new(ErrorKind::NotFound, "there is no team here: no team file was taken in")
                .with_code("no_team")
                .with_hint("interagent init --formation captain makes one, interagent team take takes it in")
        })
    }

    /// The agents that are named, or all for which `usual` holds.
    pub(crate) fn chosen(
        &self,
        names: &[String],
        usual: impl Fn(&CrewRow) -> bool,
    ) -> Result<Vec<&CrewRow>, CliError> {
        if names.is_empty() {
            return Ok(self.crew.rows.iter().filter(|row| usual(row)).collect());
        }
        let mut chosen: Vec<&CrewRow> = Vec::new();
        for name in names {
            let row = self.row(name)?;
            if !chosen.iter().any(|other| other.agent.id == row.agent.id) {
                chosen.push(row);
            }
        }
        Ok(chosen)
    }

    /// One agent, by its name or id.
    pub(crate) fn row(&self, name: &str) -> Result<&CrewRow, CliError> {
        let folded = name.trim().to_lowercase();
        let is_it = |row: &&CrewRow| row.agent.name.as_str() == folded || row.agent.id.as_str() == folded;
        self.crew.rows.iter().find(is_it).ok_or_else(|| {
            let known = self.crew.rows.iter().map(|row| row.agent.name.as_str());
            let error = CliError::new(ErrorKind::NotFound, format!("there is no agent `{folded}` here"))
                .with_code("no_such_agent");
            match nearest(&folded, known) {
                Some(near) => error.with_hint(format!("did you mean {near}?")),
                None => error.with_hint("interagent ps lists them"),
            }
        })
    }

    /// The tmux server of an agent's terminal.
    pub(crate) fn server_of(row: &PaneRow) -> Server {
        Server::at(&row.socket)
    }

    /// What a pane of an agent says of it.
    pub(crate) fn mark(&self, row: &CrewRow) -> Mark {
        let seat = row.seat.as_ref();
        Mark {
            hub: self.crew.replica.clone(),
            agent: row.agent.id.to_string(),
            name: row.agent.name.to_string(),
            role: seat.map(|seat| seat.role.to_string()).unwrap_or_default(),
            profile: seat.map_or_else(|| row.agent.profile.clone(), |seat| seat.profile.to_string()),
            model: row.pane.as_ref().and_then(|pane| pane.model.clone()).unwrap_or_default(),
        }
    }

    /// Whether a pane is marked for an agent of this hub.
    pub(crate) fn is_marked(&self, pane: &Pane, row: &CrewRow) -> bool {
        pane.hub.as_deref() == Some(&self.crew.replica)
            && pane.agent.as_deref() == Some(row.agent.id.as_str())
    }

    /// Whether a pane was made for an agent of this hub, and what was started in it ended.
    pub(crate) fn is_left_over(&self, pane: &Pane, row: &CrewRow) -> bool {
        pane.dead && pane.made.is_some() && self.is_marked(pane, row)
    }

    /// Takes our marks off the pane that is known as an agent's. The pane stays; one that is gone or another's by now is left
    /// alone.
    pub(crate) fn unmark(&self, row: &CrewRow) -> Result<(), TmuxError> {
        let Some(known) = &row.pane else { return Ok(()) };
        let server = Self::server_of(known);
        match server.pane(&known.pane)? {
            Some(pane) if self.is_marked(&pane, row) => server.unmark(&pane.id),
            _ => Ok(()),
        }
    }

    /// What the team's session in tmux is called where it has to be made.
    pub(crate) fn session_name(&self) -> String {
        let project = self.crew.team.as_ref().map_or("team", |team| team.project.as_str());
        let kept: String = project
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .take(32)
            .collect();
        match kept.trim_matches('-') {
            "" => "interagent".to_owned(),
            name => format!("interagent-{name}"),
        }
    }
}

/// Locks out other commands that start, end or join clients of this hub. Waits a few seconds for one that runs. Take it before
/// loading the scene, which may otherwise be out of date.
pub(crate) fn lock(session: &mut Session) -> Result<File, CliError> {
    if let Discovery::NotThere(not) = session.discover()? {
        return Err(no_hub(&not));
    }
    let hub = session.hub()?;
    // Before a client is started whose agent may live elsewhere.
    hub.store().must_be_decided()?;
    let path = hub.state_dir().join(LOCK);
    let failed = |source: std::io::Error| {
        CliError::new(ErrorKind::Unavailable, format!("{} can't be used", path.display())).with_source(source)
    };
    let file = side::open(&path, Access::Append).map_err(failed)?;
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOCK_LOOK),
            Err(TryLockError::WouldBlock) => {
                let sentence = "somebody else starts or ends agents of this team now";
                return Err(CliError::new(ErrorKind::Conflict, sentence)
                    .with_code("busy")
                    .with_hint("try again in a moment; interagent ps shows how far it is"));
            }
        }
    }
}

/// Only the person starts and ends clients: an agent that could would be its own superior.
pub(crate) fn must_be_operator(session: &mut Session, does: &str) -> Result<(), CliError> {
    if session.authorize(OperatorAct::ManageClients, "interagent up").is_ok() {
        return Ok(());
    }
    let caller = session.caller().clone();
    let way = session.hub_that_is_there().and_then(|hub| hub.way_to_operator(&caller).ok());
    // Without a hub, or without a name in it, there is nobody to ask but the person in front of the screen.
    Err(CliError::new(ErrorKind::Refused, format!("{does} by the operator, not by an agent"))
        .with_code("operator_only")
        .with_hint(way.unwrap_or_else(|| "end your turn and say what should run".to_owned())))
}

/// Says early and in one sentence that tmux is missing.
pub(crate) fn must_have_tmux() -> Result<(), CliError> {
    tmux::version().map(drop).map_err(no_tmux)
}

/// What went wrong with tmux, with what helps.
pub(crate) fn no_tmux(error: TmuxError) -> CliError {
    match error {
        TmuxError::NotThere(source) => CliError::new(ErrorKind::Unavailable, "tmux can't be started")
            .with_code("no_tmux")
            .with_source(source)
            .with_hint("install tmux, or start each client in a terminal of its own: interagent join --name NAME --exec"),
        TmuxError::Silent { .. } => CliError::new(ErrorKind::Unavailable, error.to_string())
            .with_code("tmux_silent")
            .with_hint("its server is stuck: look at it, or use another one with --socket PATH"),
        TmuxError::Refused { .. } | TmuxError::NoPane { .. } => {
            CliError::new(ErrorKind::Unavailable, error.to_string()).with_code("tmux_refused").with_hint("interagent doctor")
        }
    }
}
