//! One call of the tmux program, with an end.

use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::{PATIENCE, TmuxError};

/// Whether a server may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start<'a> {
    Never,
    /// Without these variables in its environment.
    IfNeeded {
        withheld: &'a [String],
    },
}

pub(super) fn run(socket: &Path, start: Start<'_>, words: &[&str]) -> Result<String, TmuxError> {
    let verb = words.first().copied().unwrap_or_default().to_owned();
    if start != Start::Never
        && let Some(said) = is_in_the_way(socket)
    {
        return Err(TmuxError::Refused { verb, said });
    }
    let mut command = Command::new("tmux");
    // Inside of a pane tmux would speak to the server around it, and refuse to nest.
    command.env_remove("TMUX").env_remove("TMUX_PANE");
    match start {
        Start::Never => {
            command.arg("-N");
        }
        Start::IfNeeded { withheld } => {
            for name in withheld {
                command.env_remove(name);
            }
        }
    }
    command.arg("-S").arg(socket).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(TmuxError::NotThere)?;
    // A server that this call starts keeps neither pipe, so both end with the call.
    let (said, complained) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let until = Instant::now() + PATIENCE;
    let rest = || until.saturating_duration_since(Instant::now());
    let (Ok(said), Ok(complained)) = (said.recv_timeout(rest()), complained.recv_timeout(rest())) else {
        end(&mut child);
        return Err(TmuxError::Silent { verb });
    };
    let status = child.wait().map_err(TmuxError::NotThere)?;
    match status.success() {
        true => Ok(said),
        false => {
            let line = complained.lines().find(|line| !line.is_empty());
            let line = line.map_or_else(|| status.to_string(), str::to_owned);
            Err(TmuxError::Refused { verb, said: line })
        }
    }
}

/// What keeps a socket from being made at a place, in words: tmux says none, and would replace whatever file is there.
fn is_in_the_way(socket: &Path) -> Option<String> {
    let shown = socket.display();
    match std::fs::metadata(socket) {
        Ok(found) => (!found.file_type().is_socket()).then(|| format!("{shown} is there, and is no socket")),
        Err(_) => {
            let above = socket.parent().filter(|above| !above.as_os_str().is_empty())?;
            // Where tmux has its usual sockets the directory is made when it is missing.
            let is_usual = above.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tmux-"));
            (!is_usual && !above.is_dir())
                .then(|| format!("{} is no directory for a socket", above.display()))
        }
    }
}

pub(super) fn version() -> Result<String, TmuxError> {
    let output = Command::new("tmux").arg("-V").stdin(Stdio::null()).output().map_err(TmuxError::NotThere)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Everything a pipe says, from a thread: two pipes of one process can't be read one after the other.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::super::{Server, TmuxError};

    #[test]
    fn what_lies_where_a_socket_would_be_is_neither_replaced_nor_passed_over_in_silence() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("letter");
        std::fs::write(&file, "dear").unwrap();
        for (socket, why) in
            [(file.clone(), "is no socket"), (place.path().join("no/socket"), "no directory")]
        {
            let refused = Server::at(socket).begin(&["new-session", "-d", "cat"]).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), "dear");
    }

    #[test]
    fn a_server_that_does_not_run_is_asked_and_not_started() {
        let place = tempfile::tempdir().unwrap();
        let server = Server::at(place.path().join("socket"));
        assert!(matches!(server.ask(&["list-panes", "-a"]), Err(TmuxError::Refused { .. })));
        assert!(!server.socket().exists());
        server.begin(&["-f", "/dev/null", "new-session", "-d", "-s", "team", "cat"]).unwrap();
        assert_eq!(server.ask(&["list-sessions", "-F", "#{session_name}"]).unwrap(), "team\n");
        server.ask(&["kill-server"]).unwrap();
    }
}
