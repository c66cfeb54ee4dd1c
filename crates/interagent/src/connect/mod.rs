//! Connects an agent's client with the team, in the directory where it runs.
//!
//! `setup` writes the files of the project's own directory, after asking. A seat with a directory of its own gets there what
//! setup did for its client in the project, and no more. Owns which directories these are, what a client lacks in one, and
//! which of the files git doesn't see. How a file is changed is the crate `agents`.

pub(crate) mod exclude;
mod install;
pub(crate) mod shared;

use std::path::{Path, PathBuf};

use interagent_agents::setup::{self as files, Configuration, Level, Pin, RealDisk, Records, Setup, What};
use interagent_agents::{Fill, Profile, fill_words};
use interagent_core::shell::quoted;
use interagent_core::team::{Seat, TeamConfig};

use crate::config::env::Env;
use crate::config::git;
use crate::config::hub::Found;
use crate::config::programs;
use crate::config::trees::real_path;

/// Where the files of a project say what setup did, below the hub.
pub(crate) const PROJECT_RECORDS: &str = "state/setup";
/// The same for the user's files, below the directory for configuration.
pub(crate) const USER_RECORDS: &str = "interagent/setup";
/// All projects of the user, in a record.
pub(crate) const EVERYWHERE: &str = "~";
/// Files that clients are handed on their command line, below the hub.
const HANDED: &str = "state/launch";

/// A project on this machine, as far as connecting clients needs it.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) hub_dir: PathBuf,
    /// The project's own directory, without links.
    pub(crate) root: PathBuf,
    home: Option<PathBuf>,
    config_home: Option<PathBuf>,
    binary: PathBuf,
}

/// What setup did for a client in the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Grant {
    whats: Vec<What>,
    /// The agent that its hooks name for every session.
    pin: Option<String>,
}

impl Grant {
    /// Adds what a plan of setup gives a client in the project.
    pub(crate) fn and(mut self, plan: &files::Plan, profile: &Profile) -> Self {
        let mine = plan.pieces.iter().filter(|piece| piece.profile == profile.name);
        self.whats.extend(mine.map(|piece| piece.what));
        let mut pins =
            plan.pins.iter().filter(|pin| pin.level == Level::Project && pin.profile == profile.name);
        self.pin = pins.next_back().map_or(self.pin, |pin| pin.after.clone());
        self
    }

    pub(crate) fn covers(&self, what: What) -> bool {
        self.whats.contains(&what)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.whats.is_empty()
    }

    fn pin(&self) -> Pin<'_> {
        self.pin.as_deref().map_or(Pin::Nobody, Pin::Agent)
    }
}

impl Ground {
    /// Nothing where the program's own place is not known, or the hub belongs to no project.
    pub(crate) fn of(env: &Env, found: &Found) -> Option<Self> {
        Some(Self {
            hub_dir: found.hub_dir.clone(),
            root: real_path(found.project_root.as_deref()?),
            home: env.home.clone(),
            config_home: env.config_home.clone(),
            binary: programs::own().ok()?,
        })
    }

    /// What setup recorded of the files in one directory.
    pub(crate) fn records(&self, directory: &Path) -> Records {
        Records::of_project(self.hub_dir.join(PROJECT_RECORDS), directory, &self.root)
    }

    /// The records of one directory and of the user's files, for planning there.
    pub(crate) fn files(&self, directory: &Path) -> Option<files::Files> {
        let user = Records::at(self.config_home.as_ref()?.join(USER_RECORDS));
        Some(files::Files { project: self.records(directory), user, place: directory.display().to_string() })
    }

    pub(crate) fn setup<'a>(
        &'a self,
        profile: &'a Profile,
        directory: &'a Path,
        agent: Pin<'a>,
    ) -> Setup<'a> {
        let (binary, home) = (self.binary.as_path(), self.home.as_deref());
        Setup { profile, level: Level::Project, binary, agent, project: directory, home }
    }

    /// What setup did for a client in the project's own directory.
    pub(crate) fn grant(&self, profile: &Profile) -> Grant {
        let here = self.root.display().to_string();
        let uses = self.records(&self.root).all().into_iter().flat_map(|record| record.uses);
        let mine = uses.filter(|used| used.place == here && used.profile == profile.name);
        let mut whats: Vec<What> = mine.map(|used| used.what).collect();
        whats.dedup();
        if whats.is_empty() {
            return Grant::default();
        }
        let plan = files::plan(&[self.setup(profile, &self.root, Pin::AsItIs)], &RealDisk);
        let pin = plan.pins.into_iter().filter(|pin| pin.level == Level::Project).find_map(|pin| pin.after);
        Grant { whats, pin }
    }

    /// Whether files in a directory may be written: it is part of the project, or another worktree of its repository. The
    /// directory's own `.git` says so, which no clone of the project can forge.
    pub(crate) fn covers(&self, directory: &Path) -> bool {
        let directory = real_path(directory);
        let common =
            |path: &Path| git::tree_around(path).map(|tree| tree.common_dir).map(|dir| real_path(&dir));
        directory.starts_with(&self.root)
            || common(&self.root).is_some_and(|ours| common(&directory) == Some(ours))
    }

    /// The directory of a seat, where it is not the project's own.
    pub(crate) fn directory_of(&self, seat: &Seat) -> Option<PathBuf> {
        let named = seat.worktree.as_ref().or(seat.workspace.as_ref())?;
        Some(real_path(&self.root.join(named))).filter(|path| *path != self.root)
    }

    /// The seats with a directory of their own that is there, with the name of their client.
    pub(crate) fn seats(&self, team: &TeamConfig) -> Vec<(String, String, PathBuf)> {
        let seat = |(name, seat): (&interagent_core::name::Name, &Seat)| {
            let directory = self.directory_of(seat).filter(|directory| directory.is_dir())?;
            Some((name.to_string(), seat.profile.to_string(), directory))
        };
        team.agents.iter().filter_map(seat).collect()
    }

    /// Every directory besides the project's own that setup or `up` wrote into and that may still be touched.
    pub(crate) fn recorded(&self) -> Vec<PathBuf> {
        let mut places = self.records(&self.root).places();
        places.retain(|place| *place != self.root && place.is_dir() && self.covers(place));
        places
    }

    /// The arguments with which a client gets our server in a directory of its own.
    pub(crate) fn arguments(&self, profile: &Profile, directory: &Path) -> Vec<String> {
        let is_own = real_path(directory) != self.root;
        let file = self.handed_file(profile);
        match (is_own && self.grant(profile).covers(What::Mcp), file.to_str()) {
            (true, Some(file)) => fill_words(&profile.launch.mcp, &[("{file}", Fill::Text(file))]),
            _ => Vec::new(),
        }
    }

    fn handed_file(&self, profile: &Profile) -> PathBuf {
        self.hub_dir.join(HANDED).join(format!("{}.mcp.json", profile.name))
    }

    /// Whether a client that this hub starts in a directory of its own gets our server on its command line.
    pub(crate) fn is_handed(hub_dir: &Path, profile: &Profile) -> bool {
        let file = hub_dir.join(HANDED).join(format!("{}.mcp.json", profile.name));
        !profile.launch.mcp.is_empty() && file.is_file()
    }

    /// What a client has of ours in a directory: in its files there, in the user's, and on its command line.
    pub(crate) fn configuration(&self, profile: &Profile, directory: &Path) -> Configuration {
        let mut profile = profile.clone();
        let is_handed = !self.arguments(&profile, directory).is_empty();
        let file = self.handed_file(&profile).to_str().map(str::to_owned);
        if let Some(mcp) = profile.mcp.as_mut().filter(|_| is_handed) {
            mcp.project = file;
        }
        files::configured(&self.setup(&profile, directory, Pin::AsItIs), &RealDisk)
    }

    /// The ways to a client that it lacks in a directory, among those it could have.
    pub(crate) fn lacks(&self, profile: &Profile, directory: &Path) -> Vec<What> {
        let found = self.configuration(profile, directory);
        let mut lacks = Vec::new();
        if profile.hooks.is_some() && found.hooks.is_empty() {
            lacks.push(What::Hooks);
        }
        if profile.mcp.is_some() && found.server.is_none() {
            lacks.push(What::Mcp);
        }
        lacks
    }
}

impl Ground {
    /// The command that connects a client in a directory.
    pub(crate) fn repair(&self, profile: &Profile, directory: &Path) -> String {
        self.repair_with(profile, directory, &self.grant(profile))
    }

    /// The same for what setup is about to do in the project.
    pub(crate) fn repair_with(&self, profile: &Profile, directory: &Path, grant: &Grant) -> String {
        let setup = format!("interagent setup {}", profile.name);
        if !self.covers(directory) {
            // A directory outside of the project gets only the user-level settings.
            return format!("{setup} --user");
        }
        let Some(file) = self.tracked(profile, directory, grant) else { return setup };
        let (place, file) = (directory.display().to_string(), file.strip_prefix(directory).unwrap_or(&file));
        // git tracks it, so setup leaves it alone: an agent would commit the change.
        let untrack =
            format!("git -C {} rm --cached {}", quoted(&place), quoted(&file.display().to_string()));
        format!("{untrack}, then {setup}")
    }
}

/// What an agent does not get because of what its client lacks.
pub(crate) fn deaf(name: &str, profile: &Profile, directory: &Path, lacks: &[What]) -> Option<String> {
    let without = match lacks {
        [] => return None,
        [What::Mcp] => "has no interagent tools",
        [What::Hooks] => "gets no mail, briefing or guard",
        _ => "gets no mail, briefing, guard or tools",
    };
    Some(format!("{name} {without}: {} is not connected in `{}`", profile.title, directory.display()))
}
