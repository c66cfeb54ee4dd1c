//! tmux, spoken to through its program: arguments only, never a shell, never for longer than a moment.

mod call;
mod facts;
mod keys;
pub mod layout;
mod panes;
mod session;
pub mod trial;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use facts::{Facts, Look, PaneId};
pub use keys::{BadLine, CONTROL_CHARS, ControlLine, LINE_CHARS, Line, Typing};
pub use panes::{Mark, Pane};
pub use session::{Start, Team};

/// A server that does not answer for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why tmux did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum TmuxError {
    /// The program is not there or can't be started.
    #[error("tmux can't be started")]
    NotThere(#[source] std::io::Error),
    /// It said no, in its own words.
    #[error("tmux {verb}: {said}")]
    Refused {
        /// The command of tmux that failed.
        verb: String,
        /// The first line of what it said.
        said: String,
    },
    /// It did not answer.
    #[error("tmux {verb} did not answer within {} s", PATIENCE.as_secs())]
    Silent {
        /// The command of tmux that did not end.
        verb: String,
    },
    /// The pane is not there, or what tmux said of it makes no sense.
    #[error("tmux knows no pane {pane}")]
    NoPane {
        /// Which one.
        pane: String,
    },
}

impl TmuxError {
    /// There is no server behind the socket.
    pub fn is_absent(&self) -> bool {
        // The last two: it ends at this moment.
        let signs = [
            "no server running",
            "No such file or directory",
            "Connection refused",
            "server exited",
            "lost server",
        ];
        matches!(self, Self::Refused { said, .. } if signs.iter().any(|sign| said.contains(sign)))
    }
}

/// What tmux says of its version; an error where it is not installed.
pub fn version() -> Result<String, TmuxError> {
    call::version()
}

/// One tmux server, named by its socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    socket: PathBuf,
}

impl Server {
    /// The server behind a socket, whether it runs or not.
    pub fn at(socket: impl Into<PathBuf>) -> Self {
        Self { socket: socket.into() }
    }

    /// Its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Its socket by the one path that all its names lead to: two names of one socket are one server.
    pub fn true_socket(&self) -> PathBuf {
        self.socket.canonicalize().unwrap_or_else(|_| self.socket.clone())
    }

    /// Whether its socket is there. One that was left behind is there too.
    pub fn is_there(&self) -> bool {
        self.socket.exists()
    }

    /// Asks a server that runs; never starts one. Answers with what tmux printed.
    pub fn ask(&self, words: &[&str]) -> Result<String, TmuxError> {
        call::run(&self.socket, call::Start::Never, words)
    }

    /// The same, and starts the server where it does not run: only `new-session` needs it.
    pub fn begin(&self, words: &[&str]) -> Result<String, TmuxError> {
        self.begin_without(&[], words)
    }

    /// The same; a server that is started does not get these variables, which every pane would see.
    pub fn begin_without(&self, withheld: &[String], words: &[&str]) -> Result<String, TmuxError> {
        call::run(&self.socket, call::Start::IfNeeded { withheld }, words)
    }
}
