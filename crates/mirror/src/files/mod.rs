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
mod notes;
mod pass;
mod render;
mod seal;
mod tree;
mod untouched;
mod whole;

pub use check::{Effort, Findings, check};
pub use drafts::{Draft, Malformed, MessageDraft, TaskDraft, drafts, replace};
pub use follow::{Bound, FilesError, Followed, follow};
pub use whole::write_all;

/// The file in `shared/` that the program generates and people write into.
pub const DECISIONS_FILE: &str = "decisions.md";

/// What people wrote below the generated part of a file.
pub fn own_text(file: &str) -> &str {
    std::str::from_utf8(notes::below(file.as_bytes())).unwrap_or_default()
}

/// Another text of people below the generated part of a file.
pub fn with_own_text(file: &str, own: &str) -> String {
    let generated = file.len() - notes::below(file.as_bytes()).len();
    [&file[..generated], own].concat()
}

/// A text of people with the lines of another one that it does not have.
pub fn with_lines_of(text: &str, other: &str) -> String {
    let missing = notes::lines_without(other.as_bytes(), text.as_bytes());
    let mut both = text.to_owned();
    if !missing.is_empty() {
        let gap = if both.is_empty() || both.ends_with('\n') { "\n" } else { "\n\n" };
        both.push_str(gap);
        both.push_str(&String::from_utf8_lossy(&missing));
    }
    both
}

/// The files in `shared/` that people write, by name, with what they say at the beginning.
pub const SHARED_FILES: [(&str, &str); 2] =
    [("context.md", render::CONTEXT), ("architecture.md", render::ARCHITECTURE)];
