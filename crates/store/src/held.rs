//! Texts that look like secrets: kept out of git and out of files until somebody releases them.
//!
//! Owns the rows that say which texts those are. They follow from the texts and the log alone, so a rebuild makes them
//! again: a text that looks like a secret is held, wherever it came from, unless an event released it. Delivery knows
//! nothing of this.

use std::collections::BTreeMap;

use interagent_core::event::Fact;
use interagent_core::ids::EntityRef;
use interagent_core::secrets::{self, SecretKind};
use interagent_core::text::TextHash;

use crate::append::settle_texts;
use crate::engine::{Queryable, Row, WriteTx};
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;
use crate::texts::texts_of;

/// Texts looked through at once.
const PAGE: u32 = 500;

/// A text that is kept out of git and files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldText {
    /// Which.
    pub hash: TextHash,
    /// What it looks like.
    pub kind: SecretKind,
    /// What it belongs to; `None` where the entry that says so has not arrived.
    pub entity: Option<EntityRef>,
}

/// Notes that a text looks like a secret. A release that came before it stays.
pub(crate) fn note(
    tx: &mut WriteTx<'_>,
    hub: i64,
    hash: &TextHash,
    kind: SecretKind,
    owner: Option<&EntityRef>,
) -> Result<(), StoreError> {
    let owner = owner.map(ToString::to_string).unwrap_or_default();
    tx.execute(
        "INSERT INTO suspects (hub, hash, kind, entity, held) VALUES ($1, $2, $3, $4, 1)
         ON CONFLICT (hub, hash) DO UPDATE SET kind = excluded.kind",
        &params![hub, hash.as_str(), kind.as_str(), owner],
    )?;
    Ok(())
}

/// Whether a text is known to look like what it looks like.
pub(crate) fn is_noted(
    q: &mut dyn Queryable,
    hub: i64,
    hash: &TextHash,
    kind: SecretKind,
) -> Result<bool, StoreError> {
    let row = q.query_first(
        "SELECT 1 FROM suspects WHERE hub = $1 AND hash = $2 AND kind = $3",
        &params![hub, hash.as_str(), kind.as_str()],
    )?;
    Ok(row.is_some())
}

/// Lets a text out, also one that has not arrived.
pub(crate) fn release(
    tx: &mut WriteTx<'_>,
    hub: i64,
    hash: &TextHash,
    entity: &EntityRef,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO suspects (hub, hash, kind, entity, held) VALUES ($1, $2, '', $3, 0)
         ON CONFLICT (hub, hash) DO UPDATE SET held = 0",
        &params![hub, hash.as_str(), entity.to_string()],
    )?;
    Ok(())
}

/// Forgets a text that is gone.
pub(crate) fn forget(tx: &mut WriteTx<'_>, hub: i64, hash: &TextHash) -> Result<(), StoreError> {
    tx.execute("DELETE FROM suspects WHERE hub = $1 AND hash = $2", &params![hub, hash.as_str()])?;
    Ok(())
}

/// Whether what an event says of texts counts here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decides {
    Texts,
    Nothing,
}

/// What a rebuild found out about the texts, until it has met the events that point to them.
pub(crate) struct Suspects(BTreeMap<TextHash, SecretKind>);

/// Looks through every text of a hub. There are few suspects, however many texts there are.
pub(crate) fn look_through(tx: &mut WriteTx<'_>, hub: i64) -> Result<Suspects, StoreError> {
    let mut found = BTreeMap::new();
    let mut after = String::new();
    loop {
        let page = tx.query(
            "SELECT hash, text FROM blobs WHERE hub = $1 AND hash > $2 ORDER BY hash LIMIT $3",
            &params![hub, &after, PAGE],
        )?;
        for row in &page {
            row.text(0)?.clone_into(&mut after);
            // A text that can't be what it says is named by the check of the texts.
            if let (Some(secret), Ok(hash)) = (secrets::first(row.text(1)?), TextHash::parse(&after)) {
                found.insert(hash, secret.kind);
            }
        }
        if page.len() < PAGE as usize {
            return Ok(Suspects(found));
        }
    }
}

impl Suspects {
    /// Notes the suspects that an event points to, and what it decides of others.
    pub(crate) fn met(
        &mut self,
        tx: &mut WriteTx<'_>,
        hub: i64,
        fact: &Fact,
        decides: Decides,
    ) -> Result<(), StoreError> {
        if !self.0.is_empty() {
            for hash in texts_of(&fact.event) {
                if let Some(kind) = self.0.remove(hash) {
                    note(tx, hub, hash, kind, Some(&fact.entity))?;
                }
            }
        }
        match decides {
            Decides::Texts => settle_texts(tx, hub, fact),
            Decides::Nothing => Ok(()),
        }
    }

    /// Notes those that nothing points to: they would go to git with the others.
    pub(crate) fn finish(self, tx: &mut WriteTx<'_>, hub: i64) -> Result<(), StoreError> {
        for (hash, kind) in self.0 {
            if !crate::takein::is_purged(tx, hub, &hash)? {
                note(tx, hub, &hash, kind, None)?;
            }
        }
        Ok(())
    }
}

/// What a row says of a text, where it is held.
fn read(row: &Row) -> Result<HeldText, StoreError> {
    let entity = Some(row.text(2)?).filter(|entity| !entity.is_empty()).map(EntityRef::read);
    let kind = row.text(1)?.parse().map_err(log::bad)?;
    Ok(HeldText { hash: TextHash::parse(row.text(0)?).map_err(log::bad)?, kind, entity })
}

impl Reader<'_> {
    /// Whether a text is kept out of git and files, and why.
    pub fn held_text(&mut self, hash: &TextHash) -> Result<Option<HeldText>, StoreError> {
        let rows = self.rows(
            "SELECT hash, kind, entity FROM suspects WHERE hub = $1 AND hash = $2 AND held = 1",
            &params![self.hub, hash.as_str()],
        )?;
        rows.first().map(read).transpose()
    }

    /// The texts that are kept out of git and files, in the order of their hashes, after one of them.
    pub fn held_texts(&mut self, after: &str, limit: u32) -> Result<Vec<HeldText>, StoreError> {
        let rows = self.rows(
            "SELECT hash, kind, entity FROM suspects WHERE hub = $1 AND hash > $2 AND held = 1
             ORDER BY hash LIMIT $3",
            &params![self.hub, after, limit],
        )?;
        rows.iter().map(read).collect()
    }

    /// How many texts are kept out of git and files, counted up to `most`.
    pub fn held_texts_count(&mut self, most: u32) -> Result<u32, StoreError> {
        let rows = self.rows(
            "SELECT COUNT(*) FROM (SELECT 1 FROM suspects WHERE hub = $1 AND held = 1 LIMIT $2) AS held",
            &params![self.hub, most],
        )?;
        super::reader::count(&rows)
    }

    /// How many entries from the future wait for their time, counted up to `most`.
    pub fn waiting_entries_count(&mut self, most: u32) -> Result<u32, StoreError> {
        let rows = self.rows(
            "SELECT COUNT(*) FROM (SELECT 1 FROM entries WHERE hub = $1 AND held = 1 LIMIT $2) AS waiting",
            &params![self.hub, most],
        )?;
        super::reader::count(&rows)
    }
}
