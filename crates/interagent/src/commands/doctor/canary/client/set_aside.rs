//! The hub that a canary's client works on: the team's agents, and nothing that they wrote.

use std::fs;
use std::path::{Path, PathBuf};

use interagent_core::team::render;
use interagent_operations::{Hub, LocalHub};
use interagent_wire::Caller;
use interagent_wire::request::{AgentRegister, TeamTake};

use crate::config::facts;
use crate::config::hub::canary::{CANARIES, STARTED};
use crate::crew::Scene;
use crate::error::{CliError, ErrorKind};
use crate::files;
use crate::session::{Create, Session, open_at};

/// Only its owner looks into it.
const MODE: u32 = 0o700;
/// Files that clients were handed on their command line tell a hook which tools a session has.
const HANDED: &str = "state/launch";

/// A hub for the processes below this one. Dropping it removes it.
#[derive(Debug)]
pub(in super::super) struct SetAside {
    directory: PathBuf,
}

impl SetAside {
    pub(in super::super) fn make(session: &Session, scene: &Scene) -> Result<Self, CliError> {
        let canaries = scene.hub_dir.join(CANARIES);
        remove_left_behind(&canaries);
        let own = std::process::id();
        let set_aside = Self { directory: canaries.join(own.to_string()) };
        let failed = |source: std::io::Error| {
            let sentence = format!("cannot set a hub aside in `{}`", canaries.display());
            CliError::new(ErrorKind::Unavailable, sentence).with_source(source)
        };
        files::make_directories(&set_aside.directory, MODE).map_err(failed)?;
        set_aside.fill(session, scene)?;
        copy_files(&scene.hub_dir.join(HANDED), &set_aside.directory.join(HANDED)).map_err(failed)?;
        // Last: from here on processes below this one use it.
        let started = facts::process(own).map(|process| process.started.to_string()).unwrap_or_default();
        files::write(&set_aside.directory, STARTED, &started).map_err(failed)?;
        Ok(set_aside)
    }

    /// The hub itself.
    pub(in super::super) fn open(&self) -> Result<LocalHub, CliError> {
        Ok(open_at(&self.directory, Create::Never)?)
    }

    pub(in super::super) fn state_dir(&self) -> PathBuf {
        self.directory.join("state")
    }

    fn fill(&self, session: &Session, scene: &Scene) -> Result<(), CliError> {
        let mut hub = open_at(&self.directory, Create::IfMissing)?;
        let operator = Caller { terminal: session.caller().terminal, ..Caller::default() };
        if let Some(team) = &scene.crew.team {
            hub.call(&operator, TeamTake { text: render(team) }.into())?;
        }
        let known: Vec<String> = hub.crew()?.rows.into_iter().map(|row| row.agent.name.to_string()).collect();
        for row in
            scene.crew.rows.iter().filter(|row| !known.iter().any(|name| row.agent.name.as_str() == name))
        {
            let agent = &row.agent;
            let register = AgentRegister {
                name: agent.name.to_string(),
                profile: Some(agent.profile.clone()),
                description: None,
                workspace: agent.workspace.clone(),
            };
            hub.call(&operator, register.into())?;
        }
        Ok(())
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
        // Fails while another canary runs.
        if let Some(canaries) = self.directory.parent() {
            let _ = fs::remove_dir(canaries);
        }
    }
}

/// Removes what commands left behind that were killed.
fn remove_left_behind(canaries: &Path) {
    for entry in fs::read_dir(canaries).into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if pid.is_some_and(|pid| facts::process(pid).is_none()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    files::make_directories(to, MODE)?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
