//! Asking the person at the terminal before something is changed.

use std::io::{self, BufRead};

use crate::error::{CliError, ErrorKind};
use crate::session::{Done, Session};

/// Whether there is a person who sees a question and can answer it.
pub(super) fn can_ask(session: &mut Session) -> bool {
    let terminals = session.env.terminals;
    session.is_for_people() && terminals.stdin && terminals.stdout && session.is_operator()
}

/// Asks; anything but a yes is a no.
pub(super) fn ask(session: &mut Session, question: &str) -> Result<bool, CliError> {
    session.printer.raw(format!("{question} [y/N] ").as_bytes());
    let _ = session.deliver(Done::Looked)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| {
        CliError::new(ErrorKind::Unavailable, "your answer could not be read").with_source(error)
    })?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
