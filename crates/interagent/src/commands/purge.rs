//! Deleting a text that should never have been written.

use clap::Args;
use interagent_wire::Request;
use interagent_wire::request::TextPurge;

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};

/// Deletes the texts of an entity everywhere; their hashes stay, so the log remains valid.
///
/// Messages of the same conversation or about the same task that repeat a purged text lose it too.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent purge msg-7k3m --containing 'sk-live-' --reason 'a key'")]
pub(crate) struct Purge {
    /// The entity whose texts are purged: its id, name or alias.
    entity: String,
    /// Only texts that contain this.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    containing: Option<String>,
    /// Why.
    #[arg(long)]
    reason: Option<String>,
}

impl Purge {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { entity, containing, reason } = self;
        let request: Request = TextPurge { entity, containing, reason }.into();
        let op = request.name();
        let progress = session.progress("purging");
        let reply = session.call(request).map(|mut reply| {
            // Not left to a later command: what is purged is to be gone when this one says so.
            match session.write_files() {
                Ok(followed) => reply.notes.extend(followed.troubles),
                Err(error) => reply.notes.extend(error.lines()),
            }
            reply.notes.extend(kept(session));
            reply
        });
        drop(progress);
        session.show(op, &reply?)?;
        session.conclude(Done::Committed)
    }
}

/// Changed files are the user's, and no purge reaches into them.
fn kept(session: &mut Session) -> Option<String> {
    let kept = session.look_at_files().ok()?.kept;
    (!kept.is_empty()).then(|| {
        format!("the text may still be in files that keep a change by hand; look at them: {}", kept.join(" "))
    })
}
