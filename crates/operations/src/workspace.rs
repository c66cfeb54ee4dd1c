//! What is known on this machine of a directory that is to be a workspace.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::workspace::{Owner, must_be_own};

/// Refuses a directory that is no place for an agent, as it is named and where its links lead.
pub(crate) fn must_be_ours(path: &str) -> Result<(), Refusal> {
    must_be_own(path, Owner::Unknown)?;
    let Ok(real) = std::fs::canonicalize(path) else { return Ok(()) };
    let owner = std::fs::metadata(&real).map_or(Owner::Unknown, |found| owner(found.uid()));
    must_be_own(&real.to_string_lossy(), owner)
}

/// The project whose hub has this state; none where the hub is not in a project.
pub(crate) fn project_of(state_dir: &Path) -> Option<&Path> {
    let hub = state_dir.parent()?;
    hub.parent().filter(|_| hub.file_name().is_some_and(|name| name == ".interagent"))
}

/// Who owns a file, as seen by this process.
pub(crate) fn owner(uid: u32) -> Owner {
    Owner::of(uid, rustix::process::geteuid().as_raw())
}

/// Refuses the directories of seats, unless the applied team has the same. `root` is the project's directory.
pub fn must_fit_team(
    team: &TeamConfig,
    applied: Option<&TeamConfig>,
    root: Option<&Path>,
) -> Result<(), Refusal> {
    for (name, seat) in &team.agents {
        let before = applied.and_then(|applied| applied.agents.get(name));
        let fields = [
            ("workspace", &seat.workspace, before.and_then(|seat| seat.workspace.as_ref())),
            ("worktree", &seat.worktree, before.and_then(|seat| seat.worktree.as_ref())),
        ];
        for (field, named, before) in fields {
            let Some(named) = named.as_ref().filter(|named| Some(*named) != before) else { continue };
            let path = root.unwrap_or(Path::new("")).join(named);
            let Some(path) = path.to_str().filter(|_| path.is_absolute()) else { continue };
            must_be_ours(&lexical(path)).map_err(|refusal| Refusal {
                sentence: format!("agents.{name}.{field}: {}", refusal.sentence),
                hint: Some(format!("change {field} of {name} in team.toml to a directory of your own")),
                ..refusal
            })?;
        }
    }
    Ok(())
}

/// A path without `..`, for one that is not there yet.
fn lexical(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            ".." => drop(steps.pop()),
            "" | "." => {}
            step => steps.push(step),
        }
    }
    format!("/{}", steps.join("/"))
}
