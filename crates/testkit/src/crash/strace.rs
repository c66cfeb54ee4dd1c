//! Faults and counts at the border to the kernel, through `strace`.

use std::path::Path;
use std::process::Command;

use super::process::{Ran, run};
use super::yard::Yard;

/// One system call that a run made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Syscall {
    /// Which one.
    pub name: String,
    /// Its arguments and result, as `strace` prints them, with the files behind descriptors.
    pub line: String,
}

/// Which call fails how.
#[derive(Debug, Clone, Copy)]
pub struct Fault<'a> {
    /// The system call.
    pub syscall: &'a str,
    /// The error it gives.
    pub error: &'a str,
    /// Which of its calls, counted from 1.
    pub nth: usize,
    /// Whether every later call fails, too.
    pub lasting: bool,
}

/// `strace`, where it may trace.
#[derive(Debug)]
pub struct Trace;

impl Trace {
    /// It, where it is installed and allowed to trace.
    pub fn find() -> Option<Self> {
        let mut probe = Command::new("strace");
        probe.args(["-o", "/dev/null", "true"]);
        probe.output().ok().filter(|out| out.status.success()).map(|_| Self)
    }

    /// Runs a command of the yard and answers with the calls it made.
    pub fn record(&self, yard: &Yard, who: &str, args: &[&str]) -> (Ran, Vec<Syscall>) {
        let out = tempfile::NamedTempFile::new().unwrap();
        let ran = self.under(yard, who, &["-y", "-s", "8"], out.path(), args);
        (ran, read(out.path()))
    }

    /// Runs a command of the yard with one call failing.
    pub fn inject(&self, yard: &Yard, who: &str, fault: Fault<'_>, args: &[&str]) -> Ran {
        let Fault { syscall, error, nth, lasting } = fault;
        let onwards = if lasting { "+" } else { "" };
        let filter = format!("trace={syscall}");
        let inject = format!("inject={syscall}:error={error}:when={nth}{onwards}");
        self.under(yard, who, &["-e", &filter, "-e", &inject], Path::new("/dev/null"), args)
    }

    /// Counts the calls of a running process, all its threads, until it is told to stop.
    pub fn attach(&self, pid: u32, out: &Path) -> Command {
        let mut command = Command::new("strace");
        command.args(["-f", "-p", &pid.to_string(), "-o"]).arg(out);
        command
    }

    fn under(&self, yard: &Yard, who: &str, options: &[&str], out: &Path, args: &[&str]) -> Ran {
        let out = out.to_string_lossy();
        let options = [&["-f"], options, &["-o", &out]].concat();
        run(&mut yard.command_under("strace", &options, who, args))
    }
}

/// Reads what `strace -f -o` wrote.
pub(super) fn read(out: &Path) -> Vec<Syscall> {
    let text = String::from_utf8_lossy(&std::fs::read(out).unwrap()).into_owned();
    text.lines()
        .filter_map(|line| {
            let call = line.split_once(' ').map_or(line, |(_pid, call)| call.trim_start());
            let (name, rest) = call.split_once('(')?;
            let is_name = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            is_name.then(|| Syscall { name: name.to_owned(), line: rest.to_owned() })
        })
        .collect()
}
