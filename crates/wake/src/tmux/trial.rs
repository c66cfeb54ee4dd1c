//! A trial of typing: a line into a composer that nobody uses, on a server of its own, and what arrived of it.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Server, TmuxError};

/// A composer as simple as can be: it shows where it takes text, reads one line, and says which.
const COMPOSER: &str = "printf '> '; read -r line; printf 'arrived: %s\\n' \"$line\"; sleep 30";
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

/// Why a line did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// tmux did not do it.
    #[error(transparent)]
    Tmux(#[from] TmuxError),
    /// The screen never showed what it should.
    #[error("{what} was not seen within {} s", PATIENCE.as_secs())]
    NotSeen {
        /// What should have been there.
        what: &'static str,
    },
}

/// Types a line below a directory that is empty; answers with how long it took to arrive.
pub fn type_a_line(directory: &Path, line: &str) -> Result<Duration, TrialError> {
    let server = Server::at(directory.join("tmux"));
    let done = fly(&server, line);
    // Nothing of it stays, whatever came of it.
    let _ = server.ask(&["kill-server"]);
    done
}

fn fly(server: &Server, line: &str) -> Result<Duration, TrialError> {
    let size = ["-x", "100", "-y", "10"];
    let begin = ["-f", "/dev/null", "new-session", "-d", "-s", "canary"];
    server.begin(&[&begin[..], &size, &["sh", "-c", COMPOSER]].concat())?;
    until(server, "the composer", |screen| screen.trim() == ">")?;
    let began = Instant::now();
    server.ask(&["send-keys", "-t", "canary", "-l", "--", line])?;
    // Only what is exactly ours is ever sent off.
    let composed = format!("> {line}");
    until(server, "the typed line", |screen| screen.trim() == composed)?;
    server.ask(&["send-keys", "-t", "canary", "Enter"])?;
    let arrived = format!("arrived: {line}");
    until(server, "the line behind Enter", |screen| screen.lines().any(|shown| shown.trim() == arrived))?;
    Ok(began.elapsed())
}

fn until(server: &Server, what: &'static str, is_seen: impl Fn(&str) -> bool) -> Result<(), TrialError> {
    let end = Instant::now() + PATIENCE;
    while !is_seen(&server.screen("canary")?) {
        if Instant::now() > end {
            return Err(TrialError::NotSeen { what });
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_arrives_and_nothing_stays() {
        let place = tempfile::tempdir().unwrap();
        type_a_line(place.path(), "inbox3").unwrap();
        assert!(Server::at(place.path().join("tmux")).panes().unwrap().is_empty());
    }
}
