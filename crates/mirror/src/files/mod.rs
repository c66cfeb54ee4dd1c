//! Readable files: derived from the log, written by a follower, never needed to read the log again.
//!
//! Owns what stands beside the database in a hub: which files there are, what they say, how they are written, and what
//! becomes of those that people changed or dropped there. The only state is a cursor; whether a file was changed by hand
//! is read from the file itself, which carries a checksum of what was written.

mod archive;
mod check;
mod cursor;
mod drafts;
mod follow;
mod layout;
mod moment;
mod names;
mod pass;
mod render;
mod seal;
mod tree;
mod untouched;
mod whole;

pub use check::{Findings, check};
pub use drafts::{Draft, Malformed, MessageDraft, TaskDraft, drafts, replace};
pub use follow::{Bound, FilesError, Followed, follow};
pub use whole::write_all;

/// The files in `shared/` that people write, by name, with what they say at the beginning.
pub const SHARED_FILES: [(&str, &str); 2] =
    [("context.md", render::CONTEXT), ("architecture.md", render::ARCHITECTURE)];
