//! A client of JSON-RPC lines, as thin as can be: what it adds is in every measurement.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{Result, repo};

/// A connected server.
pub(super) trait Client {
    /// Sends a request and gives its result.
    fn request(&mut self, method: &str, params: Value) -> Result<Value>;

    /// Sends a notification.
    fn notify(&mut self, method: &str) -> Result<()>;

    /// What its process holds in memory.
    fn resident_kib(&self) -> Result<u64>;
}

/// A program on two pipes. It ends when it is dropped.
pub(in crate::bench) struct Pipes {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: i64,
}

impl Pipes {
    pub(in crate::bench) fn start(mut command: Command) -> Result<Self> {
        let shown = repo::shown(&command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|why| format!("cannot run `{shown}`: {why}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(|| format!("`{shown}` has no output"))?;
        Ok(Self { child, stdin, stdout: BufReader::new(stdout), last_id: 0 })
    }

    /// Sends a line and gives the next one that comes back.
    pub(in crate::bench) fn line(&mut self, line: &str) -> Result<String> {
        self.write(line)?;
        self.read()
    }

    fn write(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().ok_or("the program's input is closed")?;
        stdin.write_all(format!("{line}\n").as_bytes()).map_err(|why| format!("cannot write: {why}"))
    }

    fn read(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line) {
            Ok(0) => Err("the program ended".to_owned()),
            Ok(_) => Ok(line),
            Err(why) => Err(format!("cannot read: {why}")),
        }
    }
}

impl Client for Pipes {
    fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())?;
        loop {
            let line = self.read()?;
            let answer: Value = serde_json::from_str(&line).map_err(|why| format!("{why}: {line}"))?;
            // Progress and the like come in between.
            if answer["id"] == id {
                return result_of(method, answer);
            }
        }
    }

    fn notify(&mut self, method: &str) -> Result<()> {
        self.write(&json!({ "jsonrpc": "2.0", "method": method }).to_string())
    }

    fn resident_kib(&self) -> Result<u64> {
        resident_kib_of(&self.child)
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // It leaves by itself once nobody can say anything any more.
        self.stdin = None;
        let _ = self.child.wait();
    }
}

/// The result in an answer.
pub(super) fn result_of(method: &str, mut answer: Value) -> Result<Value> {
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(format!("{method}: {answer}")),
    }
}

/// What a process holds in memory.
pub(super) fn resident_kib_of(child: &Child) -> Result<u64> {
    let path = format!("/proc/{}/status", child.id());
    let status = std::fs::read_to_string(&path).map_err(|why| format!("cannot read {path}: {why}"))?;
    resident_in(&status).ok_or_else(|| format!("{path} does not say VmRSS"))
}

fn resident_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_what_the_kernel_says() {
        assert_eq!(resident_in("Name:\tx\nVmHWM:\t  9 kB\nVmRSS:\t   14336 kB\n"), Some(14_336));
        assert_eq!(resident_in("Name:\tx\n"), None);
    }

    #[test]
    fn a_line_is_answered_with_a_line_and_the_end_is_an_error() {
        let mut echo = Pipes::start(Command::new("cat")).unwrap();
        assert_eq!(echo.line("hello").unwrap(), "hello\n");
        echo.stdin = None;
        assert!(echo.read().is_err());
    }
}
