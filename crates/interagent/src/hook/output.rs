//! What a hook answers, in the format of its client.

use std::io::Write;

use interagent_agents::{Event, Say};

/// What a hook prints, and the code it ends with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: u8,
}

/// The answer that says a text at an event; without one, nothing at all.
pub(crate) fn of(event: &Event, text: Option<&str>) -> Output {
    let Some(text) = text else { return Output::default() };
    match event.say {
        Say::Nothing => Output::default(),
        Say::Stdout => Output { stdout: format!("{text}\n"), ..Output::default() },
        Say::Json => match event.document(text) {
            Some(document) => Output { stdout: format!("{document}\n"), ..Output::default() },
            None => Output::default(),
        },
        Say::Exit2 => Output { stderr: format!("{text}\n"), code: 2, ..Output::default() },
    }
}

impl Output {
    /// Prints it. A client that does not listen any more is told nothing.
    pub(crate) fn print(&self) -> std::process::ExitCode {
        if !self.stdout.is_empty() {
            let mut out = std::io::stdout().lock();
            let _ = out.write_all(self.stdout.as_bytes()).and_then(|()| out.flush());
        }
        if !self.stderr.is_empty() {
            let _ = std::io::stderr().lock().write_all(self.stderr.as_bytes());
        }
        std::process::ExitCode::from(self.code)
    }
}
