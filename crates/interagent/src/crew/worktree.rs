//! Worktrees of agents, made where they are missing.

use std::path::{Path, PathBuf};

use interagent_core::shell::quoted;

use crate::error::{CliError, ErrorKind};
use crate::git;

/// Creates the commit that worktrees need, even in an empty project.
const FIRST_COMMIT: &str = "git commit --allow-empty -m 'Initial commit'";

/// Why a project can't have worktrees yet, and what to run.
#[derive(Debug)]
pub(crate) struct Obstacle {
    pub(crate) sentence: String,
    pub(crate) hint: String,
}

/// What prevents git from creating worktrees of a project.
pub(crate) fn obstacle(root: &Path) -> Option<Obstacle> {
    if git::has_commits(root) {
        return None;
    }
    let (shown, hint) = (root.display(), FIRST_COMMIT.to_owned());
    Some(match git::is_repository(root) {
        true => Obstacle { sentence: format!("the repository {shown} has no commit yet"), hint },
        false => Obstacle {
            sentence: format!("there is no git repository at {shown}"),
            hint: format!("git init && {hint}; or remove `worktree` from team.toml"),
        },
    })
}

/// A worktree that the team file names and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The project.
    pub(crate) root: PathBuf,
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    /// The agent that works in it.
    pub(crate) agent: String,
}

impl Missing {
    /// Refuses early where git can make none.
    pub(crate) fn must_be_possible(&self) -> Result<(), CliError> {
        match obstacle(&self.root) {
            None => Ok(()),
            Some(Obstacle { sentence, hint }) => {
                let sentence = format!("can't create the worktree of {}: {sentence}", self.agent);
                Err(CliError::new(ErrorKind::Refused, sentence).with_code("no_worktree").with_hint(hint))
            }
        }
    }

    /// Refuses an occupied path: git would create the branch first and fail afterwards.
    pub(crate) fn must_be_free(&self) -> Result<(), CliError> {
        let is_there = |path: &&Path| path.symlink_metadata().is_ok();
        // An empty directory is fine. For a missing path, the nearest existing ancestor counts.
        let Some(found) = self.path.ancestors().find(is_there) else { return Ok(()) };
        let is_in_the_way = !found.is_dir() || (found == self.path && !is_empty(found));
        if !is_in_the_way {
            return Ok(());
        }
        let found = quoted(&found.display().to_string());
        let sentence = format!("{found} is in the way of the worktree of {}", self.agent);
        Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("no_worktree")
            .with_hint(format!("move {found} away, or name another `worktree` in team.toml")))
    }

    /// The command that makes it.
    pub(crate) fn command(&self) -> String {
        let path = quoted(&self.path.display().to_string());
        let new = if git::has_branch(&self.root, &self.branch) { "" } else { "-b " };
        format!("git worktree add {path} {new}{}", self.branch)
    }

    /// Makes it, on a branch of the agent's own. A branch that is there already is checked out as it is.
    pub(crate) fn make(&self) -> Result<(), CliError> {
        let failed = |complaint: &str| {
            CliError::new(
                ErrorKind::Refused,
                format!("the worktree {} can't be made; git says: {complaint}", self.path.display()),
            )
            .with_code("no_worktree")
            .with_hint(self.command())
        };
        git::add_worktree(&self.root, &self.path, &self.branch).map_err(|complaint| failed(&complaint))
    }
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}
