//! One run of a program: with a limit, so that a hang is a failure and not a hanging test.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use rustix::process::Signal;
use serde_json::Value;

/// Every command succeeds or says why not within 30 s; twice that is a hang, also on a machine under load.
const HANG: Duration = Duration::from_secs(60);

/// What a run left.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Everything on standard output.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
}

impl Ran {
    /// The answer of a command that was given `--json` and succeeded.
    pub fn answer(&self) -> Result<Value, String> {
        if self.code != Some(0) {
            return Err(format!("ended with {self}"));
        }
        let document = self.document()?;
        Ok(document["answer"].clone())
    }

    /// The one document on standard output.
    pub fn document(&self) -> Result<Value, String> {
        serde_json::from_str(&self.stdout).map_err(|why| format!("no JSON document ({why}): {self}"))
    }

    /// The sentence of a failure: on standard error for people, in the document for programs.
    pub fn sentence(&self) -> String {
        let told = |document: Value| document["error"]["sentence"].as_str().map(str::to_owned);
        self.document().ok().and_then(told).unwrap_or_else(|| {
            let line = self.stderr.lines().find(|line| line.starts_with("error: "));
            line.unwrap_or_default().trim_start_matches("error: ").to_owned()
        })
    }

    /// Nothing may panic, whatever happened to it.
    pub fn did_not_panic(&self) -> super::Verdict {
        let panicked = ["panicked", "RUST_BACKTRACE", "stack backtrace"];
        super::ensure(!panicked.iter().any(|sign| self.stderr.contains(sign)), || {
            format!("it panicked: {self}")
        })
    }

    /// It failed in order: its own exit code, one sentence, no panic.
    pub fn failed_in_order(&self) -> super::Verdict {
        self.did_not_panic()?;
        super::ensure(matches!(self.code, Some(1..=5)), || format!("not an exit code of ours: {self}"))?;
        super::ensure(!self.sentence().is_empty(), || format!("no sentence says why: {self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}")?,
            (None, signal) => write!(f, "signal {signal:?}")?,
        }
        let cut = |text: &str| text.chars().take(600).collect::<String>();
        write!(f, "; stdout: {}; stderr: {}", cut(&self.stdout), cut(&self.stderr))
    }
}

/// A run that is going on.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: JoinHandle<Vec<u8>>,
    stderr: JoinHandle<Vec<u8>>,
    since: Instant,
}

impl Running {
    /// Starts a command with its output going to us.
    pub fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Self { stdout: collect(stdout), stderr: collect(stderr), since: Instant::now(), child }
    }

    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it is still there.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends it a signal; one that arrives too late is no error.
    pub fn signal(&self, which: Signal) {
        signal(self.pid(), which);
    }

    /// Waits for its end.
    pub fn finish(self) -> Ran {
        self.finish_within(HANG)
    }

    /// Waits for its end, from now on at most so long.
    pub fn finish_within(mut self, limit: Duration) -> Ran {
        let asked = Instant::now();
        let mut pause = Duration::from_micros(500);
        let status: ExitStatus = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if asked.elapsed() > limit {
                let _ = self.child.kill();
                let _ = self.child.wait();
                panic!("process {} did not end within {limit:?}", self.child.id());
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        let took = self.since.elapsed();
        let text = |bytes: JoinHandle<Vec<u8>>| String::from_utf8_lossy(&bytes.join().unwrap()).into_owned();
        let (stdout, stderr) = (text(self.stdout), text(self.stderr));
        Ran { code: status.code(), signal: status.signal(), stdout, stderr, took }
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ran {
    Running::start(command).finish()
}

/// Sends a signal to a process; a process that is gone is no error.
pub fn signal(pid: u32, which: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, which);
    }
}
