//! Worktrees of agents, made where they are missing.

use std::path::PathBuf;

use interagent_core::shell::quoted;

use crate::error::{CliError, ErrorKind};
use crate::git;

/// A worktree that the team file names and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The project.
    pub(crate) root: PathBuf,
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
}

impl Missing {
    /// Refuses early where git can make none.
    pub(crate) fn must_be_possible(&self) -> Result<(), CliError> {
        match git::has_commits(&self.root) {
            true => Ok(()),
            false => Err(CliError::new(
                ErrorKind::Refused,
                format!("a worktree needs a git repository with a commit: {}", self.root.display()),
            )
            .with_code("no_worktree")
            .with_hint("git init, then git commit; or take `worktree` out of team.toml")),
        }
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
