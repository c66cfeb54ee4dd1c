//! The directory where an agent works: which one it is, and what its client needs there before it starts.

use std::path::PathBuf;

use interagent_agents::{Profile, Profiles};
use interagent_core::team::worktree::is_near;
use interagent_operations::{CrewRow, must_be_ours};

use super::{Scene, worktree};
use crate::config::trees::real_path;
use crate::error::{CliError, ErrorKind};

/// An agent's directory, which may still have to be created.
#[derive(Debug, Clone)]
pub(crate) struct WorkDirectory {
    pub(crate) path: PathBuf,
    /// The worktree that has to be made first.
    pub(crate) missing: Option<worktree::Missing>,
}

impl WorkDirectory {
    /// An agent's worktree, its workspace, or the project.
    pub(crate) fn of(scene: &Scene, row: &CrewRow) -> Result<Self, CliError> {
        let seat = row.seat.as_ref();
        if let (Some(tree), Some(team)) = (seat.and_then(|seat| seat.worktree.as_ref()), &scene.crew.team) {
            // Without detours, also where it is not there yet: clients tell projects apart by their paths.
            let path = real_path(&scene.root.join(tree));
            // A worktree has a file or directory of this name, no matter how it was made.
            if path.join(".git").exists() {
                return Ok(Self { path, missing: None });
            }
            let branch = team.branch_of(&row.agent.name);
            let missing = worktree::Missing {
                root: scene.root.clone(),
                path: path.clone(),
                branch,
                agent: row.agent.name.to_string(),
            };
            missing.must_be_free()?;
            let project = scene.root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !is_near(project, tree) {
                let sentence = format!(
                    "the worktree of {} is not made by itself: {} is neither in the project nor beside it as `{project}...`",
                    row.agent.name,
                    path.display()
                );
                return Err(CliError::new(ErrorKind::Refused, sentence)
                    .with_code("worktree_elsewhere")
                    .with_hint(format!("make it yourself: {}", missing.command())));
            }
            missing.must_be_possible()?;
            return Ok(Self { path, missing: Some(missing) });
        }
        let named = seat.and_then(|seat| seat.workspace.as_ref()).or(row.agent.workspace.as_ref());
        let Some(named) = named else { return Ok(Self { path: scene.root.clone(), missing: None }) };
        let path = real_path(&scene.root.join(named));
        // One that was registered or applied before this was asked.
        must_be_ours(&path.to_string_lossy())
            .map_err(|refusal| CliError::from(refusal).with_hint("name another `workspace` in team.toml"))?;
        match path.is_dir() {
            true => Ok(Self { path, missing: None }),
            false => {
                let sentence =
                    format!("the workspace of {} is not there: {}", row.agent.name, path.display());
                Err(CliError::new(ErrorKind::NotFound, sentence)
                    .with_code("no_workspace")
                    .with_hint("make the directory, or name another `workspace` in team.toml"))
            }
        }
    }

    /// Creates a missing worktree and connects the client in the directory. Returns notes for the person.
    pub(crate) fn prepare(
        &self,
        scene: &Scene,
        profiles: &Profiles,
        profile: &Profile,
        row: &CrewRow,
    ) -> Result<Vec<String>, CliError> {
        let name = &row.agent.name;
        let mut notes = Vec::new();
        if let Some(missing) = &self.missing {
            missing.make()?;
            notes.push(format!("{name}: made {} on the branch {}", self.path.display(), missing.branch));
        }
        if let Some(ground) = &scene.ground {
            let installed = ground.install(profile, &self.path, &|name| profiles.get(name));
            notes.extend(installed.notes.into_iter().map(|note| format!("{name}: {note}")));
        }
        Ok(notes)
    }
}
