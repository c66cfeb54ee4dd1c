//! The client as a process: started under its keeper, listened to, ended in time.

use std::io::{BufRead, BufReader, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::plan::Plan;
use crate::config::{processes, programs, signals};
use crate::error::{CliError, ErrorKind};

/// Longest line that is read; a longer one is passed over, and that is said. A result in JSON can be cut only once it was
/// read whole.
const LINE_BYTES: usize = 16 * 1024 * 1024;
/// As much of its last words on standard error as is kept.
const COMPLAINT_BYTES: usize = 4 * 1024;
/// How long the keeper may take to end everything: a polite and an impolite try, and some time to look.
const KEEPER_PATIENCE: Duration = Duration::from_secs(6);

/// How a client ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum How {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// It never began, or its keeper was lost.
    Broken(String),
    /// The time was over.
    Timeout(Duration),
    /// Somebody wanted the run to end.
    Cancelled,
}

/// A client that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) how: How,
    /// The end of what it wrote on standard error.
    pub(crate) complaint: String,
    /// A line was too long to be read.
    pub(super) lost_a_line: bool,
    pub(super) took: Duration,
}

/// What a client is started with.
pub(crate) struct Start<'a> {
    /// What people call it.
    pub(crate) title: &'a str,
    pub(crate) program: &'a Path,
    pub(crate) words: &'a [String],
    pub(crate) directory: &'a Path,
    /// Variables that it does not get.
    pub(crate) without: Vec<&'a str>,
    /// Variables that it gets besides those of this process.
    pub(crate) variables: Vec<(String, String)>,
}

enum News {
    Line(Vec<u8>),
    /// A line that was too long.
    TooLong,
    OutputEnded,
    Complained(String),
    /// What the keeper said.
    Kept(String),
    Unwanted,
}

/// A running client under its keeper.
pub(crate) struct Client {
    keeper: Child,
    line: UnixStream,
    news: Receiver<News>,
    began: Instant,
    is_swept: bool,
}

impl Client {
    pub(super) fn start(plan: &Plan, session: &str, words: &[String]) -> Result<Self, CliError> {
        let variables = [
            ("INTERAGENT_AGENT", plan.agent.name.clone()),
            ("INTERAGENT_SESSION", session.to_owned()),
            ("INTERAGENT_HUB", plan.hub_dir.display().to_string()),
        ];
        Self::spawn(&Start {
            title: &plan.title,
            program: &plan.program,
            words,
            directory: &plan.directory,
            without: plan.foreign.clone(),
            variables: variables.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        })
    }

    pub(crate) fn spawn(start: &Start<'_>) -> Result<Self, CliError> {
        let failed = |source: std::io::Error| {
            CliError::new(ErrorKind::Unavailable, format!("{} can't be started", start.title))
                .with_source(source)
        };
        // From here on a key that ends the program ends the client first.
        let wishes = signals::wishes_to_end().map_err(failed)?;
        processes::adopt_orphans();
        let (line, theirs) = UnixStream::pair().map_err(failed)?;
        let mut command = Command::new(programs::own().map_err(failed)?);
        command.args(["run", "--keep", "--"]).arg(start.program).args(start.words);
        command.current_dir(start.directory).env("PWD", start.directory);
        for name in &start.without {
            command.env_remove(name);
        }
        command.env_remove("TMUX_PANE");
        command.envs(start.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut keeper = command.spawn().map_err(failed)?;
        // Its copy of the keeper's end of the line goes with it.
        drop(command);
        let (tell, news) = channel();
        if let Some(output) = keeper.stdout.take() {
            listen(output, tell.clone());
        }
        if let Some(errors) = keeper.stderr.take() {
            listen_to_complaints(errors, tell.clone());
        }
        let kept = line.try_clone().map_err(failed)?;
        listen_to_keeper(kept, tell.clone());
        listen_to_wishes(wishes, tell);
        Ok(Self { keeper, line, news, began: Instant::now(), is_swept: false })
    }

    /// The process that everything of the client is below.
    pub(super) fn pid(&self) -> u32 {
        self.keeper.id()
    }

    /// Listens until the client ended, and sees to it that it does in time.
    pub(crate) fn attend(&mut self, timeout: Duration, mut heard: impl FnMut(&str)) -> Ended {
        let mut over = None;
        let mut until = self.began + timeout;
        let (mut how, mut complaint, mut output_ended) = (None, String::new(), false);
        let mut lost_a_line = false;
        while how.is_none() || !output_ended {
            match self.news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(News::Line(line)) => heard(&String::from_utf8_lossy(&line)),
                Ok(News::TooLong) => lost_a_line = true,
                Ok(News::OutputEnded) => output_ended = true,
                Ok(News::Complained(words)) => complaint = words,
                Ok(News::Kept(words)) => {
                    how = how.or(Some(understood(&words)));
                    // What it left behind may hold its output open, and is swept away below.
                    until = until.min(Instant::now() + KEEPER_PATIENCE);
                }
                Ok(News::Unwanted) if over.is_none() => {
                    over = Some(How::Cancelled);
                    until = self.let_go();
                }
                Err(RecvTimeoutError::Timeout) if over.is_none() && how.is_none() => {
                    over = Some(How::Timeout(timeout));
                    until = self.let_go();
                }
                // Asked twice, or the keeper did not manage.
                Ok(News::Unwanted) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        self.sweep();
        while let Ok(News::Complained(words)) = self.news.recv_timeout(Duration::from_millis(100)) {
            complaint = words;
        }
        let lost = || How::Broken("its keeper was lost".to_owned());
        let how = over.or(how).unwrap_or_else(lost);
        Ended { how, complaint, lost_a_line, took: self.began.elapsed() }
    }

    /// Lets the keeper know that the client is not wanted any more, and says how long it may take.
    fn let_go(&self) -> Instant {
        let _ = self.line.shutdown(Shutdown::Write);
        Instant::now() + KEEPER_PATIENCE
    }

    /// Nothing is left behind, also where the keeper was lost. Once only: what this program starts later is not the client's.
    fn sweep(&mut self) {
        if std::mem::replace(&mut self.is_swept, true) {
            return;
        }
        let _ = self.line.shutdown(Shutdown::Both);
        let until = Instant::now() + KEEPER_PATIENCE;
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        if matches!(self.keeper.try_wait(), Ok(None)) {
            processes::signal_group(self.keeper.id(), Signal::KILL);
        }
        let _ = self.keeper.wait();
        processes::end_descendants(Duration::ZERO);
    }
}

/// A run that fails half-way leaves nothing behind either.
impl Drop for Client {
    fn drop(&mut self) {
        self.sweep();
    }
}

fn understood(words: &str) -> How {
    let (what, rest) = words.split_once(' ').unwrap_or((words, ""));
    match (what, rest.parse()) {
        ("exit", Ok(code)) => How::Exit(code),
        ("signal", Ok(signal)) => How::Signal(signal),
        _ if rest.is_empty() => How::Broken("its keeper was lost".to_owned()),
        _ => How::Broken(format!("it can't be started: {rest}")),
    }
}

fn listen(output: impl Read + Send + 'static, tell: Sender<News>) {
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(line) = next_line(&mut output) {
            if tell.send(line.map_or(News::TooLong, News::Line)).is_err() {
                return;
            }
        }
        let _ = tell.send(News::OutputEnded);
    });
}

/// The next line; of one that is too long nothing is kept.
fn next_line(output: &mut impl BufRead) -> Option<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = output.by_ref().take(LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LINE_BYTES {
        output.skip_until(b'\n').ok()?;
        return Some(None);
    }
    Some(Some(line))
}

fn listen_to_complaints(errors: impl Read + Send + 'static, tell: Sender<News>) {
    std::thread::spawn(move || {
        let mut errors = BufReader::new(errors);
        let mut kept: Vec<u8> = Vec::new();
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = errors.read(&mut part) {
            kept.extend_from_slice(&part[..count]);
            let beyond = kept.len().saturating_sub(COMPLAINT_BYTES);
            kept.drain(..beyond);
        }
        let _ = tell.send(News::Complained(String::from_utf8_lossy(&kept).trim().to_owned()));
    });
}

fn listen_to_keeper(line: UnixStream, tell: Sender<News>) {
    std::thread::spawn(move || {
        let mut words = String::new();
        let _ = BufReader::new(line).take(4096).read_line(&mut words);
        let _ = tell.send(News::Kept(words.trim_end().to_owned()));
    });
}

fn listen_to_wishes(mut wishes: UnixStream, tell: Sender<News>) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while wishes.read(&mut byte).is_ok_and(|count| count > 0) {
            if tell.send(News::Unwanted).is_err() {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_read() {
        let mut output = vec![b'x'; LINE_BYTES + 10];
        output.extend_from_slice(b"\nnext\n");
        output.extend_from_slice(&vec![b'y'; LINE_BYTES]);
        let mut output = BufReader::new(output.as_slice());
        assert_eq!(next_line(&mut output).unwrap(), None);
        assert_eq!(next_line(&mut output).unwrap().unwrap(), b"next");
        assert_eq!(next_line(&mut output).unwrap().unwrap().len(), LINE_BYTES);
        assert_eq!(next_line(&mut output), None);
    }

    #[test]
    fn what_the_keeper_says_is_understood() {
        assert_eq!(understood("exit 3"), How::Exit(3));
        assert_eq!(understood("signal 9"), How::Signal(9));
        assert_eq!(
            understood("failed no such file"),
            How::Broken("it can't be started: no such file".into())
        );
        assert_eq!(understood(""), How::Broken("its keeper was lost".into()));
    }
}
