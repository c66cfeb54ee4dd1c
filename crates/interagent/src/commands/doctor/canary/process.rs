//! Our own program, run as a client would run it and never for long.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::config::processes;

/// As much of what it says as is read.
const OUTPUT_BYTES: u64 = 256 * 1024;
/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(1);

/// What a program gets from whoever starts it.
pub(super) struct Around<'a> {
    pub(super) directory: &'a Path,
    /// Variables that are taken away.
    pub(super) without: Vec<&'a str>,
    pub(super) variables: BTreeMap<String, String>,
}

/// What a program said.
pub(super) struct Said {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) took: Duration,
}

/// Our own program with these arguments. What a client's file names is never started: it may have come with a project.
pub(super) fn command(own: &Path, arguments: &[String], around: &Around<'_>) -> Command {
    let mut command = Command::new(own);
    command.args(arguments);
    for name in &around.without {
        command.env_remove(name);
    }
    command.envs(&around.variables).current_dir(around.directory).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it with this input to its end, or says why that did not come.
pub(super) fn run(mut command: Command, input: &str, limit: Duration) -> Result<Said, String> {
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| cannot_start(&command, &error))?;
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read its input may close it early.
        let _ = stdin.write_all(input.as_bytes());
    }
    let ended = ends_within(&mut child, limit);
    let took = began.elapsed();
    if !ended {
        kill(&mut child);
        return Err(format!("it did not end within {} s", limit.as_secs()));
    }
    let code = child.wait().ok().and_then(|status| status.code());
    Ok(Said { code, stdout: join(stdout), stderr: join(stderr), took })
}

pub(super) fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` can't be started: {error}", command.get_program().to_string_lossy())
}

pub(super) fn ends_within(child: &mut Child, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(LOOK),
            Ok(Some(_)) => return true,
            Err(_) => return false,
        }
    }
    false
}

pub(super) fn kill(child: &mut Child) {
    processes::signal_group(child.id(), Signal::KILL);
    let _ = child.wait();
}

fn reader(from: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(from) = from {
            let _ = from.take(OUTPUT_BYTES).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    })
}

fn join(reader: JoinHandle<String>) -> String {
    reader.join().unwrap_or_default()
}
