//! Where the old files are, and where they go.

use std::path::{Path, PathBuf};

use interagent_mirror::import::{Original, Source, SourceProblem, System};

use super::{Target, interagent_around, same_folder};
use crate::config::hub::{Discovery, HUB_NAME};
use crate::error::{CliError, ErrorKind};
use crate::session::{Session, no_hub};

/// The hub of a project that is half moved over: everything is taken, and old files are still there.
pub(super) fn unfinished(session: &Session, path: Option<&Path>) -> Option<PathBuf> {
    let hub_dir = match path {
        Some(path) if path.ends_with(HUB_NAME) => path.to_owned(),
        Some(path) => path.join(HUB_NAME),
        None => match session.discover() {
            Ok(Discovery::Found(found)) => found.hub_dir,
            _ => return None,
        },
    };
    let has_state = hub_dir.join("state").is_dir();
    (has_state && Original::new(&hub_dir).is_unfinished()).then_some(hub_dir)
}

/// The old folder: the one that is named, or one in this project, or the one in the home.
pub(super) fn source(
    session: &Session,
    path: Option<&Path>,
    from: Option<System>,
) -> Result<Source, CliError> {
    if let Some(path) = path {
        return Source::at(path, from).map_err(problem);
    }
    let mut places: Vec<PathBuf> = interagent_around(session).into_iter().collect();
    if let Ok(Discovery::Found(found)) = session.discover() {
        places.extend(found.project_root);
        places.extend(found.worktree_root);
    }
    places.extend(session.env.cwd.clone());
    places.extend(session.env.home.as_ref().map(|home| home.join(System::ClaudeInteragent.folder())));
    for place in &places {
        if let Ok(source) = Source::at(place, from) {
            return Ok(source);
        }
    }
    let sentence = match from {
        Some(system) => format!("nothing of {} was found in this project or your home", system.title()),
        None => "nothing to take over was found in this project or your home".to_owned(),
    };
    Err(CliError::new(ErrorKind::NotFound, sentence)
        .with_code("nothing_there")
        .with_hint("name the folder: interagent import PATH"))
}

/// The hub of a project that moved over before, and that nothing else is to be taken into.
pub(super) fn moved_before(session: &Session, path: Option<&Path>, from: Option<System>) -> Option<PathBuf> {
    if from.is_some_and(|system| system != System::Interagent) {
        return None;
    }
    let hub_dir = match path {
        Some(path) if path.ends_with(HUB_NAME) => path.to_owned(),
        Some(path) => path.join(HUB_NAME),
        None => match session.discover() {
            Ok(Discovery::Found(found)) => found.hub_dir,
            _ => return None,
        },
    };
    (hub_dir.join("state").is_dir() && hub_dir.join("imported").is_dir()).then_some(hub_dir)
}

/// Where it goes.
pub(super) fn target(session: &Session, source: &Source) -> Result<Target, CliError> {
    let around = interagent_around(session);
    if source.system == System::Interagent {
        if around.as_deref().is_some_and(|around| same_folder(around, &source.root)) {
            return Ok(Target::InPlace(source.root.clone()));
        }
        // A project of its own that is named from outside moves over where it is.
        let is_project = source.root.file_name().is_some_and(|name| name == HUB_NAME);
        if around.is_none()
            && is_project
            && matches!(session.discover(), Ok(Discovery::NotThere(_)))
            && session.named_hub().is_none()
        {
            return Ok(Target::InPlace(source.root.clone()));
        }
    }
    match session.discover()? {
        Discovery::NotThere(place) if source.system == System::Captain => {
            // The chain of command is the team file's; a personal hub has none.
            Err(no_hub(&place).with_hint("a captain's team: interagent init --formation captain"))
        }
        _ => Ok(Target::Hub),
    }
}

pub(super) fn problem(problem: SourceProblem) -> CliError {
    let kind = match &problem {
        SourceProblem::Absent(_) | SourceProblem::Unknown(_) | SourceProblem::Other { .. } => {
            ErrorKind::NotFound
        }
        SourceProblem::NotAFolder(_) => ErrorKind::Usage,
        SourceProblem::Unreadable { .. } => ErrorKind::Unavailable,
        SourceProblem::Version { .. } => ErrorKind::Refused,
    };
    let hint = match &problem {
        SourceProblem::Absent(_) | SourceProblem::NotAFolder(_) => {
            "name the folder .interagent, .claude-interagent, queue or .kavi, or the one that holds it"
        }
        SourceProblem::Unknown(_) => "docs/moving-over.md says what is known by which files",
        SourceProblem::Other { .. } => "leave --from out to find out which system it is",
        SourceProblem::Unreadable { .. } => "check the permissions of its folders",
        SourceProblem::Version { .. } => "nothing was changed; a newer interagent may understand it",
    };
    CliError::new(kind, problem.to_string()).with_hint(hint)
}

/// The day, for the folder in which the original is kept.
pub(super) fn today() -> String {
    jiff::Zoned::now().date().to_string()
}
