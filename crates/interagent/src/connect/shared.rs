//! What the operator let the project's clients read: promoted skills, as far as they still say what was agreed to.

use std::path::{Path, PathBuf};

use interagent_agents::Profile;

use super::Ground;
use crate::config::hub::Discovery;
use crate::config::trust::TrustList;
use crate::error::{CliError, ErrorKind};
use crate::session::Session;

/// What a client reads in a skill's folder.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

impl Ground {
    /// The promoted skills in the folder of a client: their paths from the project's directory, and what they say.
    pub(super) fn promoted_skills(&self, profile: &Profile) -> Vec<(PathBuf, String)> {
        let folder = profile.skills.as_ref().and_then(|skills| skills.project.as_deref());
        let (Some(folder), Some(config)) = (folder, &self.config_home) else { return Vec::new() };
        let Ok(Some(list)) = TrustList::read_below(config) else { return Vec::new() };
        let folder = self.root.join(folder);
        let is_skill = |path: &Path| path.starts_with(&folder) && path.ends_with(SKILL_FILE);
        let skill = |path: &Path| {
            let text = std::fs::read_to_string(path).ok().filter(|text| list.trusts_file(path, text))?;
            Some((path.strip_prefix(&self.root).ok()?.to_owned(), text))
        };
        list.files().filter(|path| is_skill(path)).filter_map(skill).collect()
    }
}

/// Lets clients in the directories of agents read skills that the operator put into the project's own.
pub(crate) fn let_clients_read(
    session: &Session,
    root: &Path,
    places: &[String],
    text: &str,
) -> Result<(), CliError> {
    change_list(session, |list| {
        places.iter().for_each(|place| list.trust_file(&real(root).join(place), text));
    })
}

/// Takes that back.
pub(crate) fn forget(session: &Session, root: &Path, places: &[String]) -> Result<(), CliError> {
    change_list(session, |list| places.iter().for_each(|place| list.forget_file(&real(root).join(place))))
}

fn real(root: &Path) -> PathBuf {
    crate::config::trees::real_path(root)
}

fn change_list(session: &Session, change: impl FnOnce(&mut TrustList)) -> Result<(), CliError> {
    let failed = |source: std::io::Error| {
        CliError::new(ErrorKind::Unavailable, "cannot write the trust list").with_source(source)
    };
    let mut list = TrustList::read(&session.env).map_err(failed)?.unwrap_or_default();
    change(&mut list);
    list.write(&session.env).map_err(failed)
}

/// The directories of agents in which files may be written.
pub(crate) fn seat_directories(session: &mut Session) -> Result<Vec<PathBuf>, CliError> {
    Ok(seats(session)?.into_iter().map(|(_, _, directory)| directory).collect())
}

fn seats(session: &mut Session) -> Result<Vec<(Ground, String, PathBuf)>, CliError> {
    let ground = match session.discover()? {
        Discovery::Found(found) => Ground::of(&session.env, &found),
        Discovery::NotThere(_) => None,
    };
    let (Some(ground), Some(team)) = (ground, session.team()?) else { return Ok(Vec::new()) };
    let seats = ground.seats(&team).into_iter().filter(|(_, _, directory)| ground.covers(directory));
    Ok(seats.map(|(_, profile, directory)| (ground.clone(), profile, directory)).collect())
}

/// Brings the directories of agents up to date; answers with what the person should know.
pub(crate) fn connect_seats(session: &mut Session) -> Result<Vec<String>, CliError> {
    let profiles = session.profiles()?;
    let mut notes = Vec::new();
    for (ground, profile, directory) in seats(session)? {
        let Some(profile) = profiles.get(&profile) else { continue };
        let installed = ground.install(&profile, &directory, &|name| profiles.get(name));
        notes.extend(installed.written.iter().map(|path| format!("wrote {}", path.display())));
        notes.extend(installed.notes);
    }
    Ok(notes)
}
