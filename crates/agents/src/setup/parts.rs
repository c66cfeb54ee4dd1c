//! Which pieces a client gets, and in which of its files.

use std::path::{Path, PathBuf};

use super::{Disk, Level, Setup, What};
use crate::profile::{Place, Profile};

/// Our skill below a directory of skills.
const SKILL_FILE: &str = "interagent/SKILL.md";

/// A piece and the file it belongs into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) what: What,
    /// As the client calls it.
    pub(super) named: PathBuf,
    pub(super) level: Level,
}

/// The pieces of a client; where there is no home, those that need one have none.
pub(super) fn parts(setup: &Setup<'_>, disk: &dyn Disk) -> Vec<Part> {
    let profile = setup.profile;
    let mut found = Vec::new();
    let mut add = |what: What, place: Option<(PathBuf, Level)>| {
        if let Some((named, level)) = place {
            found.push(Part { what, named, level });
        }
    };
    if let Some(mcp) = &profile.mcp {
        add(What::Mcp, setup.settings(mcp.project.as_deref(), mcp.user.as_deref()));
    }
    if let Some(hooks) = &profile.hooks {
        add(What::Hooks, setup.settings(hooks.project.as_deref(), hooks.user.as_deref()));
    }
    let skill = profile.skills.as_ref().and_then(|place| setup.at_level(place));
    add(What::Skill, skill.map(|(directory, level)| (directory.join(SKILL_FILE), level)));
    add(What::Instructions, setup.instructions(profile, disk));
    found
}

impl Setup<'_> {
    /// A settings file: at the level that is asked for, or else the user's.
    fn settings(&self, project: Option<&str>, user: Option<&str>) -> Option<(PathBuf, Level)> {
        match (self.level, project) {
            (Level::Project, Some(project)) => Some((self.project.join(project), Level::Project)),
            _ => Some((below_home(self.home?, user?), Level::User)),
        }
    }

    /// A place of texts: only at the level that is asked for. A text about one project is not for all.
    fn at_level(&self, place: &Place) -> Option<(PathBuf, Level)> {
        match self.level {
            Level::Project => Some((self.project.join(place.project.as_ref()?), Level::Project)),
            Level::User => Some((below_home(self.home?, place.user.as_ref()?), Level::User)),
        }
    }

    /// The file of instructions that the client reads here.
    fn instructions(&self, profile: &Profile, disk: &dyn Disk) -> Option<(PathBuf, Level)> {
        let place = profile.instructions.as_ref()?;
        let (first, level) = self.at_level(place)?;
        if let (Level::Project, Some(other)) = (level, &place.otherwise) {
            let other = self.project.join(other);
            let is_there = |path: &Path| matches!(disk.read(path), Ok(Some(_)));
            if !is_there(&first) && is_there(&other) {
                return Some((other, level));
            }
        }
        Some((first, level))
    }
}

fn below_home(home: &Path, written: &str) -> PathBuf {
    home.join(written.strip_prefix("~/").unwrap_or(written))
}
