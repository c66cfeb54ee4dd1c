//! The log for other tools: the stored lines byte for byte, each followed by the texts it points to.

use std::io::Write;

use interagent_core::entry::Entry;
use interagent_core::text::TextHash;
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError, TextForGit, TextState, texts_of};
use serde_json::{Value, json};

use super::{ExportError, Exported, PAGE, Secrets, Wanted};

/// The number of this format; a reader that knows another one stops.
const VERSION: u32 = 1;

pub(super) fn write(
    store: &mut Store,
    wanted: &Wanted,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Exported, ExportError> {
    let head = store.head()?;
    let about = json!({
        "version": VERSION, "hub": head.hub_id, "origin": head.origin, "since": wanted.since,
        "secrets": wanted.secrets == Secrets::Included,
    });
    line(out, &json!({ "interagent_export": about }))?;
    let mut done = Exported::default();
    let total = head.seq.unsigned_abs();
    // What waits for its time has negative places, and comes first: readers sort by `at` anyway.
    let mut after = i64::MIN;
    loop {
        let page = store.lines_after(after, PAGE)?;
        for stored in &page {
            after = stored.seq;
            if wanted.since.is_some_and(|since| stored.wall < since) {
                continue;
            }
            out.write_all(stored.line.as_bytes())?;
            out.write_all(b"\n")?;
            done.entries += 1;
            // A line that can't be read is exported as it is; `log verify` names it.
            let Ok(entry) = Entry::read(&stored.line) else { continue };
            for hash in entry.facts.iter().flat_map(|fact| texts_of(&fact.event)) {
                let text = text(store, hash, wanted.secrets, &mut done)?;
                line(out, &json!({ "text": text }))?;
            }
        }
        progress(u64::try_from(after).unwrap_or(0), total);
        if page.len() < PAGE as usize {
            break;
        }
    }
    // Without them nobody could tell who wrote the lines above.
    for seal in store.replicas()?.into_iter().filter_map(|replica| replica.seal) {
        line(out, &json!({ "seal": seal }))?;
    }
    line(out, &json!({ "end": done }))?;
    Ok(done)
}

fn line(out: &mut dyn Write, value: &Value) -> std::io::Result<()> {
    writeln!(out, "{value}")
}

/// A text with its salt, or why it is not there.
fn text(
    store: &mut Store,
    hash: &TextHash,
    secrets: Secrets,
    done: &mut Exported,
) -> Result<Value, StoreError> {
    let found = match secrets {
        Secrets::HeldBack => store.text_for_git(hash)?,
        Secrets::Included => store.text_with_salt(hash)?.map_or(TextForGit::Absent, TextForGit::Text),
    };
    Ok(match found {
        TextForGit::Text(text) => {
            done.texts += 1;
            json!({ "hash": hash, "salt": text.salt, "text": text.text })
        }
        TextForGit::Held(kind) => {
            done.held += 1;
            json!({ "hash": hash, "held": kind.as_str() })
        }
        TextForGit::Absent => {
            let state = store.read(|reader: &mut Reader<'_>| reader.text_state(hash))?;
            json!({ "hash": hash, "absent": if state == TextState::Purged { "purged" } else { "missing" } })
        }
    })
}
