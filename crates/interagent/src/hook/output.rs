//! What a hook answers, in the format of its client.

use std::io::Write;
use std::path::PathBuf;

use interagent_agents::{Event, Say};
use interagent_store::live;

/// What a hook prints, and the code it ends with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: u8,
    /// What is noted once it was printed: only what left us can arrive.
    pub(crate) printed: Option<Printed>,
}

/// What was offered to a session until a stamp is on its way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) state_dir: PathBuf,
    pub(crate) session: String,
    pub(crate) stamp: i64,
}

/// The answer that says a text at an event, with a notice for the person; without a text, nothing at all.
pub(crate) fn of(event: &Event, text: Option<&str>, notice: Option<&str>) -> Output {
    let Some(text) = text else { return Output::default() };
    match event.say {
        Say::Nothing => Output::default(),
        Say::Stdout => Output { stdout: format!("{text}\n"), ..Output::default() },
        Say::Json => match event.document(text, notice) {
            Some(document) => Output { stdout: format!("{document}\n"), ..Output::default() },
            None => Output::default(),
        },
        Say::Exit2 => Output { stderr: format!("{text}\n"), code: 2, ..Output::default() },
    }
}

impl Output {
    /// Prints it. A client that does not listen any more is told nothing; what goes nowhere was not printed.
    pub(crate) fn print(&self, goes_nowhere: bool) -> std::process::ExitCode {
        let write = |mut to: Box<dyn Write>, text: &str| match text.is_empty() {
            true => Ok(()),
            false => to.write_all(text.as_bytes()).and_then(|()| to.flush()),
        };
        let out = write(Box::new(std::io::stdout().lock()), &self.stdout);
        let err = write(Box::new(std::io::stderr().lock()), &self.stderr);
        let is_out = self.stdout.is_empty() || !goes_nowhere;
        if let (Ok(()), Ok(()), true, Some(printed)) = (out, err, is_out, &self.printed) {
            // Where that can't be noted, the messages are handed over again.
            let _ = live::note_printed(&printed.state_dir, &printed.session, printed.stamp);
        }
        std::process::ExitCode::from(self.code)
    }
}
