//! The hub for other tools and for people: every line and text, or a record to read.
//!
//! Owns the two formats. Reads in pages and writes as it goes, so that a log of any length needs the same memory. What
//! looks like a secret and was not released is left out, unless it is asked for.

mod jsonl;
mod markdown;

use std::io::{self, Write};

use interagent_core::event::Micros;
use interagent_core::secrets::placeholder;
use interagent_core::text::TextHash;
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError, TextState};

/// Rows read at once.
const PAGE: u32 = 200;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON document on each line: the log as it is stored, and its texts.
    Jsonl,
    /// A record to read, by task and by conversation.
    Markdown,
}

/// What becomes of texts that look like secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// They are left out, and it is said so in their place.
    HeldBack,
    /// They are written like all others.
    Included,
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How.
    pub format: Format,
    /// Only what happened then or later, by the wall clock.
    pub since: Option<Micros>,
    /// Whether secrets are in it.
    pub secrets: Secrets,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Exported {
    /// Entries of the log; for a record to read: messages.
    pub entries: u64,
    /// Texts.
    pub texts: u64,
    /// Texts that were left out because they look like secrets.
    pub held: u64,
}

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The hub could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It could not be written.
    #[error("the export can't be written")]
    Write(#[from] io::Error),
}

/// Writes what is wanted. `progress` hears how many of how many entries are done.
pub fn export(
    store: &mut Store,
    wanted: &Wanted,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Exported, ExportError> {
    let done = match wanted.format {
        Format::Jsonl => jsonl::write(store, wanted, out, progress)?,
        Format::Markdown => markdown::write(store, wanted, out, progress)?,
    };
    out.flush()?;
    Ok(done)
}

/// A text as it may be shown, and whether it was held back.
fn shown(
    reader: &mut Reader<'_>,
    hash: &TextHash,
    secrets: Secrets,
    done: &mut Exported,
) -> Result<String, StoreError> {
    if secrets == Secrets::HeldBack
        && let Some(held) = reader.held_text(hash)?
    {
        done.held += 1;
        return Ok(placeholder(held.kind));
    }
    done.texts += 1;
    Ok(match reader.text_state(hash)? {
        TextState::Whole(text) => text,
        TextState::Damaged(_) => "[text damaged]".to_owned(),
        TextState::Purged => "[text deleted]".to_owned(),
        TextState::Missing => "[text not here]".to_owned(),
    })
}
