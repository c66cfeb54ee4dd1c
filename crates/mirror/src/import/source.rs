//! Which system a folder belongs to, and reading it.

use std::path::{Path, PathBuf};

use interagent_core::words;
use jiff::tz::TimeZone;

use super::record::Records;
use super::{captain, claude, interagent, kavi};

words! {
    /// A system that can be left.
    pub enum System as "the system" {
        /// InterAgent 0.1 to 0.3, the Python package.
        Interagent = "interagent",
        /// Interagent, the MCP server.
        ClaudeInteragent = "claude-interagent",
        /// The Captain system.
        Captain = "captain",
        /// Kavi.
        Kavi = "kavi",
    }
}

impl System {
    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Interagent => "InterAgent",
            Self::ClaudeInteragent => "the Interagent MCP server",
            Self::Captain => "the Captain system",
            Self::Kavi => "Kavi",
        }
    }

    /// What its folder is called where it is usually found.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Interagent => ".interagent",
            Self::ClaudeInteragent => ".claude-interagent",
            Self::Captain => "queue",
            Self::Kavi => ".kavi",
        }
    }

    /// Whether a folder bears its marks.
    fn is_at(self, path: &Path) -> bool {
        let has = |name: &str| path.join(name).symlink_metadata().is_ok();
        match self {
            Self::Interagent => {
                let is_hub = has("state") || has("team.toml");
                !is_hub && (has("session.json") || (has("tasks") && has("messages")))
            }
            Self::ClaudeInteragent => has("registry.json") || has("messages-meta"),
            Self::Captain => {
                let named = |name: &str| path.file_name().is_some_and(|found| found == name);
                let parts = ["inbox", "tasks", "reports"].iter().filter(|part| has(part)).count();
                parts > 0 && (named("queue") || parts > 1) && !has("session.json")
            }
            Self::Kavi => has("state/session.json"),
        }
    }
}

/// A folder of another system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Whose it is.
    pub system: System,
    /// Where it is.
    pub root: PathBuf,
}

/// Why a folder can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceProblem {
    /// There is nothing.
    #[error("there is no folder `{}`", .0.display())]
    Absent(PathBuf),
    /// A file, or something else.
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// It can't be looked at.
    #[error("`{}` can't be read: {why}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It belongs to none of the systems.
    #[error("`{}` holds nothing of InterAgent, the Interagent MCP server, the Captain system or Kavi", .0.display())]
    Unknown(PathBuf),
    /// It is of another system than was said.
    #[error("`{}` holds nothing of {}", path.display(), system.title())]
    Other {
        /// Which folder.
        path: PathBuf,
        /// What was said.
        system: System,
    },
    /// It was written by a version that is not known.
    #[error("`{}` can't be taken over: {why}", path.display())]
    Version {
        /// Which folder.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl Source {
    /// Finds out whose folder this is; the folder itself, or the one that holds it.
    pub fn at(path: &Path, said: Option<System>) -> Result<Self, SourceProblem> {
        let found = match path.metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(SourceProblem::Absent(path.to_owned()));
            }
            Err(error) => {
                return Err(SourceProblem::Unreadable { path: path.to_owned(), why: error.to_string() });
            }
        };
        if !found.is_dir() {
            return Err(SourceProblem::NotAFolder(path.to_owned()));
        }
        if let Err(error) = path.read_dir() {
            return Err(SourceProblem::Unreadable { path: path.to_owned(), why: error.to_string() });
        }
        let systems: &[System] = match &said {
            Some(system) => std::slice::from_ref(system),
            None => System::ALL,
        };
        for system in systems {
            for root in [path.to_owned(), path.join(system.folder())] {
                if system.is_at(&root) {
                    return Ok(Self { system: *system, root });
                }
            }
        }
        Err(match said {
            Some(system) => SourceProblem::Other { path: path.to_owned(), system },
            None => SourceProblem::Unknown(path.to_owned()),
        })
    }

    /// Reads everything. Times without a zone are those of `zone`.
    pub fn read(&self, zone: &TimeZone) -> Result<Records, SourceProblem> {
        match self.system {
            System::Interagent => interagent::read(&self.root, zone)
                .map_err(|why| SourceProblem::Version { path: self.root.clone(), why }),
            System::ClaudeInteragent => Ok(claude::read(&self.root, zone)),
            System::Captain => Ok(captain::read(&self.root, zone)),
            System::Kavi => Ok(kavi::read(&self.root, zone)),
        }
    }
}
