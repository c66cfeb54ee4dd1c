//! Deleting a text that should never have been written.

use clap::Args;
use interagent_wire::Request;
use interagent_wire::request::TextPurge;

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
    pub(crate) fn request(self) -> Request {
        let Self { entity, containing, reason } = self;
        TextPurge { entity, containing, reason }.into()
    }
}
