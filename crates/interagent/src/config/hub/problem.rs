//! Why no hub could be chosen, in words.
//!
//! Owns the sentences and hints of hub discovery. Discovery refuses rather than guesses wherever the guess could be
//! another team's hub.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::config::git::GitProblem;
use crate::error::{CliError, ErrorKind};

/// Why no hub could be chosen.
#[derive(Debug)]
pub(crate) enum HubProblem {
    /// The directory belongs to the Python InterAgent.
    PythonInterAgent { directory: PathBuf },
    /// A file or a symbolic link is where a directory has to be.
    NotADirectory { path: PathBuf, is_link: bool },
    /// The hub found by looking around belongs to another user.
    ForeignOwner { directory: PathBuf, owner: u32 },
    /// The file system did not let us look.
    Unreadable { path: PathBuf, source: io::Error },
    /// The `.git` file of a worktree or submodule points to nowhere.
    DanglingGitFile { git_file: PathBuf, target: PathBuf },
    /// The working directory was deleted or cannot be read.
    NoWorkingDirectory,
    /// `HOME` is not set to an absolute path.
    NoHome,
    /// The name of the hub is empty.
    EmptyName { by: &'static str },
    /// The name of the hub is a URL.
    Url { by: &'static str, value: String },
}

const NAME_IT: &str = "name the hub with --hub DIRECTORY or INTERAGENT_HUB";

impl HubProblem {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::PythonInterAgent { .. } | Self::NotADirectory { .. } | Self::ForeignOwner { .. } => {
                ErrorKind::Refused
            }
            Self::Unreadable { .. } => ErrorKind::Unavailable,
            Self::DanglingGitFile { .. } | Self::NoWorkingDirectory | Self::NoHome => ErrorKind::NotFound,
            Self::EmptyName { .. } | Self::Url { .. } => ErrorKind::Usage,
        }
    }

    /// What helps.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::PythonInterAgent { .. } => {
                "interagent import takes its agents, tasks and messages over, and keeps the original"
                    .to_owned()
            }
            Self::NotADirectory { .. } => format!("move it away, or {NAME_IT}"),
            Self::ForeignOwner { directory, .. } => {
                format!("if you trust it, set INTERAGENT_HUB={}", directory.display())
            }
            Self::Unreadable { .. } => format!("check the permissions of its directories, or {NAME_IT}"),
            Self::DanglingGitFile { .. } => {
                format!("run `git worktree repair` in the main worktree, or {NAME_IT}")
            }
            Self::NoWorkingDirectory => format!("change to a directory that exists, or {NAME_IT}"),
            Self::NoHome => format!("run `interagent init` in a project, set HOME, or {NAME_IT}"),
            Self::EmptyName { .. } => "give the path of a hub or of a project".to_owned(),
            Self::Url { .. } => "give the path of a directory".to_owned(),
        }
    }
}

impl fmt::Display for HubProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PythonInterAgent { directory } => {
                write!(
                    f,
                    "`{}` was written by the Python InterAgent and is not a hub yet",
                    directory.display()
                )
            }
            Self::NotADirectory { path, is_link } => {
                let what = if *is_link { "a symbolic link" } else { "a file" };
                write!(f, "`{}` is {what} where a hub needs a directory", path.display())
            }
            Self::ForeignOwner { directory, owner } => write!(
                f,
                "the hub `{}` belongs to user {owner}, so whoever that is decides what it says",
                directory.display()
            ),
            Self::Unreadable { path, .. } => write!(f, "cannot look at `{}` to find the hub", path.display()),
            Self::DanglingGitFile { git_file, target } => write!(
                f,
                "`{}` points to `{}`, which does not exist: the repository was moved or removed",
                git_file.display(),
                target.display()
            ),
            Self::NoWorkingDirectory => f.write_str(
                "the working directory was deleted or cannot be read, so no project can be found from it",
            ),
            Self::NoHome => {
                f.write_str("there is no project hub here, and without HOME there is no personal hub either")
            }
            Self::EmptyName { by } => write!(f, "{by} is empty"),
            Self::Url { by, value } => {
                write!(f, "{by} is the URL `{value}`, and only hubs in a directory can be opened")
            }
        }
    }
}

impl std::error::Error for HubProblem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<GitProblem> for HubProblem {
    fn from(problem: GitProblem) -> Self {
        match problem {
            GitProblem::Dangling { git_file, target } => Self::DanglingGitFile { git_file, target },
            GitProblem::Unreadable { path, source } => Self::Unreadable { path, source },
        }
    }
}

impl From<HubProblem> for CliError {
    fn from(problem: HubProblem) -> Self {
        let error = Self::new(problem.kind(), problem.to_string()).with_hint(problem.hint());
        match problem {
            HubProblem::Unreadable { source, .. } => error.with_source(source),
            _ => error,
        }
    }
}
