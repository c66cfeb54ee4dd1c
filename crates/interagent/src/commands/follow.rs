//! Going on with what comes: shared by everything that shows the log as it grows.
//!
//! Owns the loop. Nothing is polled: between two entries the process sleeps.

use std::time::Duration;

use interagent_operations::WaitFor;

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::printer::Written;

/// How long one wait lasts; then it waits again.
const FOLLOW_WAIT: Duration = Duration::from_secs(3600);
/// Entries that are asked for at once.
pub(crate) const FOLLOW_PAGE: u32 = 200;

/// Refuses a member that may not wait, before anything is shown. Something always came after the beginning of the log, so this
/// waits for nothing.
pub(crate) fn must_be_allowed(session: &mut Session) -> Result<(), CliError> {
    session.wait(&WaitFor::Entry { after: -1 }, FOLLOW_WAIT).map(|_| ())
}

/// Shows what came after a place of the log, then everything new, until the reader leaves.
///
/// `show` puts what comes after a place into the output and answers with the place it reached.
pub(crate) fn follow(
    session: &mut Session,
    after: i64,
    mut show: impl FnMut(&mut Session, i64) -> Result<i64, CliError>,
) -> Result<ExitCode, CliError> {
    let mut seen = after;
    loop {
        let reached = show(session, seen)?;
        if session.deliver(Done::Looked)? == Written::ReaderLeft {
            return Ok(ExitCode::Done);
        }
        if reached == seen {
            session.wait(&WaitFor::Entry { after: seen }, FOLLOW_WAIT)?;
        }
        seen = reached;
    }
}
