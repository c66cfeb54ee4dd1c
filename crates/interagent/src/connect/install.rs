//! Writes what a seat's client needs into the seat's own directory.

use std::io;
use std::path::{Path, PathBuf};

use interagent_agents::Profile;
use interagent_agents::setup::{self as files, FileChange, Level, Piece, Pin, Plan, RealDisk, State, What};

use super::{Grant, Ground, exclude};
use crate::config::trees::real_path;
use crate::git;

/// A directory of files for clients belongs to its owner alone, as all of the state.
const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The result of connecting a client in one directory.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    /// The files that were written.
    pub(crate) written: Vec<PathBuf>,
    /// What the person should know.
    pub(crate) notes: Vec<String>,
}

impl Ground {
    /// What a client lacks in a directory of its own, of what setup did for it in the project. Files that git tracks there are
    /// left alone: an agent would commit them.
    pub(crate) fn plan(&self, profile: &Profile, directory: &Path) -> Plan {
        self.plan_with(profile, directory, &self.grant(profile))
    }

    /// The same for what setup is about to do in the project.
    pub(crate) fn plan_with(&self, profile: &Profile, directory: &Path, grant: &Grant) -> Plan {
        let own = profile.in_own_directory();
        let setup = self.setup(&own, directory, grant.pin());
        let skills = match grant.covers(What::Skill) {
            true => self.promoted_skills(profile),
            false => Vec::new(),
        };
        let skills: Vec<(PathBuf, String)> =
            skills.into_iter().map(|(inside, text)| (directory.join(inside), text)).collect();
        let all = files::plan(&[setup], &RealDisk).pieces.into_iter().map(|piece| piece.path);
        let candidates: Vec<PathBuf> = all.chain(skills.iter().map(|(path, _)| path.clone())).collect();
        let tracked = git::tracked(directory, candidates.iter().map(PathBuf::as_path));
        let is_wanted = |what: What, level: Level, named: &Path| {
            let is_tracked = || tracked.iter().any(|path| *path == named);
            level == Level::Project && grant.covers(what) && !is_tracked()
        };
        let mut plan = files::plan_some(&[setup], &RealDisk, &is_wanted);
        for (path, text) in skills.into_iter().filter(|(path, _)| !tracked.contains(path)) {
            self.add_skill(&mut plan, profile, directory, (path, text));
        }
        plan
    }

    /// A file without which a client is not connected in a directory of its own, and which git tracks, so that setup leaves
    /// it alone.
    pub(crate) fn tracked(&self, profile: &Profile, directory: &Path, grant: &Grant) -> Option<PathBuf> {
        let lacks = self.lacks(profile, directory);
        if lacks.is_empty() || real_path(directory) == self.root {
            return None;
        }
        let own = profile.in_own_directory();
        let pieces = files::plan(&[self.setup(&own, directory, grant.pin())], &RealDisk).pieces;
        let missing = pieces.into_iter().filter(|piece| {
            piece.level == Level::Project && lacks.contains(&piece.what) && grant.covers(piece.what)
        });
        let missing: Vec<PathBuf> = missing.map(|piece| piece.path).collect();
        git::tracked(directory, missing.iter().map(PathBuf::as_path)).into_iter().next()
    }

    /// Plans the file of a promoted skill. A different file that we did not write belongs to the person.
    fn add_skill(&self, plan: &mut Plan, profile: &Profile, directory: &Path, skill: (PathBuf, String)) {
        let (path, text) = skill;
        let before = std::fs::read_to_string(&path).ok();
        let is_ours = || self.records(directory).get(&path).is_some();
        let state = match &before {
            Some(before) if *before == text => State::Right,
            Some(_) if !is_ours() => return,
            Some(_) => State::Differs,
            None => State::Missing,
        };
        let (profile, level) = (profile.name.clone(), Level::Project);
        plan.pieces.push(Piece { profile, what: What::Skill, path: path.clone(), level, state });
        if state != State::Right {
            let named = path.clone();
            let what = vec![What::Skill];
            plan.changes.push(FileChange { path, named, level, before, after: text, what });
        }
    }

    /// Connects a client in a seat's directory: writes its files, hides them from git, and writes what is passed on its
    /// command line. Does nothing in the project's own directory, which setup connects.
    pub(crate) fn install(
        &self,
        profile: &Profile,
        directory: &Path,
        profiles: &dyn Fn(&str) -> Option<Profile>,
    ) -> Installed {
        let mut installed = Installed::default();
        if real_path(directory) == self.root || !self.covers(directory) {
            return installed;
        }
        if let Err(error) = self.hand_server(profile, directory) {
            let file = self.handed_file(profile);
            installed.notes.push(format!("cannot write `{}`: {error}", file.display()));
        }
        let plan = self.plan(profile, directory);
        let Some(kept) = self.files(directory) else { return installed };
        // Hidden first: a file that git sees for a moment may be committed by an agent in that moment.
        let new =
            plan.changes.iter().filter(|change| change.before.is_none()).map(|change| change.path.clone());
        if let Err(error) = exclude::refresh(self, new.collect()) {
            installed.notes.push(format!("cannot hide the files of {} from git: {error}", profile.title));
        }
        let written = files::write(&plan, &kept, &self.binary, profiles);
        installed.notes.extend(plan.distinct_troubles().into_iter().map(|trouble| trouble.sentence.clone()));
        installed.notes.extend(written.failed.iter().map(ToString::to_string));
        installed.written = written.done;
        installed
    }

    /// Writes the file with our server that a client is given on its command line.
    fn hand_server(&self, profile: &Profile, directory: &Path) -> io::Result<()> {
        if self.arguments(profile, directory).is_empty() {
            return Ok(());
        }
        let setup = self.setup(profile, directory, Pin::Nobody);
        let Some(text) = files::server_file(&setup) else { return Ok(()) };
        let file = self.handed_file(profile);
        let (Some(place), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str()))
        else {
            return Ok(());
        };
        crate::files::make_directories(place, DIRECTORY_MODE)?;
        crate::files::write_with_mode(place, name, &text, FILE_MODE)
    }

    /// Drops what is left of an undone setup: records of directories that are gone, and files that clients were handed.
    pub(crate) fn forget_undone(&self, profiles: &[Profile]) {
        self.records(&self.root).forget_gone();
        for profile in profiles.iter().filter(|profile| self.grant(profile).is_empty()) {
            // It may never have been there.
            let _ = std::fs::remove_file(self.handed_file(profile));
        }
    }
}
