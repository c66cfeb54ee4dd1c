//! The texts: each matches its hash, and each that an event points to is here or was purged.

use interagent_core::entry::Entry;
use interagent_core::ids::OriginId;
use interagent_core::secrets;
use interagent_core::text::{StoredText, TextHash};

use super::{Check, PAGE, SYNC, Severity};
use crate::engine::{Engine, Queryable, ReadTx};
use crate::error::StoreError;
use crate::takein::{is_purged, unsound};
use crate::texts::texts_of;
use crate::{held, log, params};

pub(super) fn check(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    stored(engine, hub, check)?;
    pointed_to(engine, hub, check)
}

fn stored(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let mut after = String::new();
    loop {
        let mut tx = ReadTx::begin(engine)?;
        let page = tx.query(
            "SELECT hash, salt, text FROM blobs WHERE hub = $1 AND hash > $2 ORDER BY hash LIMIT $3",
            &params![hub, &after, PAGE],
        )?;
        for row in &page {
            row.text(0)?.clone_into(&mut after);
            let Ok(hash) = TextHash::parse(&after) else {
                check.damage(format!("a text is filed under {after:?}, which is no hash"));
                continue;
            };
            let text = StoredText { hash, salt: row.text(1)?.to_owned(), text: row.text(2)?.to_owned() };
            if let Some(why) = unsound(&text) {
                check.damage(format!("the text {} is damaged: {why}", text.hash));
            }
            if let Some(found) = secrets::first(&text.text)
                && !held::is_noted(&mut tx, hub, &text.hash, found.kind)?
            {
                check.stale(format!(
                    "the text {} looks like {} and is not noted",
                    text.hash,
                    found.kind.told()
                ));
            }
            if is_purged(&mut tx, hub, &text.hash)? {
                check.stale(format!("the text {} was purged and is here all the same", text.hash));
            }
        }
        check.advance(page.len());
        if page.len() < PAGE as usize {
            return Ok(());
        }
    }
}

fn pointed_to(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let own = log::head(&mut ReadTx::begin(engine)?, hub)?.ok_or_else(StoreError::no_hub)?.origin;
    missing_texts(engine, hub, &mut |hash, origin, oseq| {
        if *origin == own {
            check.damage(format!("the text {hash} of entry {oseq} of this replica is missing"));
        } else {
            let sentence = format!(
                "the text {hash} of entry {oseq} of {origin} is not here: it has not arrived, or is held back there"
            );
            check.add(Severity::Note, SYNC, sentence);
        }
    })
}

/// Tells every text that an entry points to and that is neither here nor purged.
pub(crate) fn missing_texts(
    engine: &mut dyn Engine,
    hub: i64,
    tell: &mut dyn FnMut(&TextHash, &OriginId, i64),
) -> Result<(), StoreError> {
    let mut after = 0;
    loop {
        let mut tx = ReadTx::begin(engine)?;
        let page = tx.query(
            "SELECT seq, line FROM entries WHERE hub = $1 AND seq > $2 ORDER BY seq LIMIT $3",
            &params![hub, after, PAGE],
        )?;
        for row in &page {
            after = row.int(0)?;
            // A line that can't be read was found by its own check.
            let Ok(entry) = Entry::read(row.text(1)?) else { continue };
            for hash in entry.facts.iter().flat_map(|fact| texts_of(&fact.event)) {
                if !is_here(&mut tx, hub, hash)? && !is_purged(&mut tx, hub, hash)? {
                    tell(hash, &entry.envelope.origin, entry.envelope.oseq);
                }
            }
        }
        if page.len() < PAGE as usize {
            return Ok(());
        }
    }
}

fn is_here(q: &mut dyn Queryable, hub: i64, hash: &TextHash) -> Result<bool, StoreError> {
    let row =
        q.query_first("SELECT 1 FROM blobs WHERE hub = $1 AND hash = $2", &params![hub, hash.as_str()])?;
    Ok(row.is_some())
}
