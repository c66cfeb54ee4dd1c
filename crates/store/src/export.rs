//! Reading the log back as it was written: exact lines and texts with their salts, for other replicas.

use std::collections::BTreeMap;

use interagent_core::ids::OriginId;
use interagent_core::secrets::SecretKind;
use interagent_core::text::{StoredText, TextHash};

use crate::engine::{Queryable, ReadTx, Row};
use crate::error::StoreError;
use crate::log::{self, Stored};
use crate::params;
use crate::store::Store;

/// A line of the log with its local place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLine {
    /// Order of arrival here; negative while it is held.
    pub seq: i64,
    /// What the wall clock of its writer said.
    pub wall: i64,
    /// Its bytes, without a line end.
    pub line: String,
}

/// What of a text may leave this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextForGit {
    /// All of it, with the salt that proves it.
    Text(StoredText),
    /// Nothing: it looks like a secret, and nobody released it.
    Held(SecretKind),
    /// Nothing: it was purged, or has not arrived.
    Absent,
}

impl Store {
    /// The last entry known of every origin, held ones included.
    pub fn origin_heads(&mut self) -> Result<BTreeMap<OriginId, i64>, StoreError> {
        let (engine, hub, _) = self.parts();
        let rows = ReadTx::begin(engine)?
            .query("SELECT origin, MAX(oseq) FROM entries WHERE hub = $1 GROUP BY origin", &params![hub])?;
        rows.iter().map(|row| Ok((OriginId::parse(row.text(0)?).map_err(log::bad)?, row.int(1)?))).collect()
    }

    /// The last entry known of one origin, 0 where there is none.
    pub fn last_of(&mut self, origin: &OriginId) -> Result<i64, StoreError> {
        let (engine, hub, _) = self.parts();
        let row = ReadTx::begin(engine)?.query_first(
            "SELECT COALESCE(MAX(oseq), 0) FROM entries WHERE hub = $1 AND origin = $2",
            &params![hub, origin.as_str()],
        )?;
        row.map_or(Ok(0), |row| row.int(0))
    }

    /// The lines of one origin from an entry on, byte for byte, in order, held ones included.
    pub fn lines_of(
        &mut self,
        origin: &OriginId,
        from_oseq: i64,
        limit: u32,
    ) -> Result<Vec<(i64, String)>, StoreError> {
        let (engine, hub, _) = self.parts();
        let rows = ReadTx::begin(engine)?.query(
            "SELECT oseq, line FROM entries WHERE hub = $1 AND origin = $2 AND oseq >= $3 ORDER BY oseq LIMIT $4",
            &params![hub, origin.as_str(), from_oseq, limit],
        )?;
        rows.iter().map(|row| Ok((row.int(0)?, row.text(1)?.to_owned()))).collect()
    }

    /// Lines in the order of arrival after a place, byte for byte; those that wait for their time have negative places.
    pub fn lines_after(&mut self, seq: i64, limit: u32) -> Result<Vec<StoredLine>, StoreError> {
        let (engine, hub, _) = self.parts();
        let rows = ReadTx::begin(engine)?.query(
            "SELECT seq, wall, line FROM entries WHERE hub = $1 AND seq > $2 ORDER BY seq LIMIT $3",
            &params![hub, seq, limit],
        )?;
        let read =
            |row: &Row| Ok(StoredLine { seq: row.int(0)?, wall: row.int(1)?, line: row.text(2)?.to_owned() });
        rows.iter().map(read).collect()
    }

    /// A text with the salt that proves it; `None` if it was purged or has not arrived.
    pub fn text_with_salt(&mut self, hash: &TextHash) -> Result<Option<StoredText>, StoreError> {
        let (engine, hub, _) = self.parts();
        let row = ReadTx::begin(engine)?.query_first(
            "SELECT salt, text FROM blobs WHERE hub = $1 AND hash = $2",
            &params![hub, hash.as_str()],
        )?;
        row.map(|row| {
            Ok(StoredText {
                hash: hash.clone(),
                salt: row.text(0)?.to_owned(),
                text: row.text(1)?.to_owned(),
            })
        })
        .transpose()
    }

    /// Every text that was purged, as far as is known here.
    pub fn purged_texts(&mut self) -> Result<Vec<TextHash>, StoreError> {
        let (engine, hub, _) = self.parts();
        // A text has no other events than its purge; `;` is what comes after `:`.
        let rows = ReadTx::begin(engine)?.query(
            "SELECT DISTINCT entity FROM entity_log WHERE hub = $1 AND entity >= 'text:' AND entity < 'text;'
             AND void IS NULL",
            &params![hub],
        )?;
        let hash = |row: &Row| TextHash::parse(row.text(0)?.trim_start_matches("text:")).map_err(log::bad);
        rows.iter().map(hash).collect()
    }

    /// A text for git, or for a file that people share: what looks like a secret and was not released stays here.
    pub fn text_for_git(&mut self, hash: &TextHash) -> Result<TextForGit, StoreError> {
        let held = self.read(|reader| reader.held_text(hash))?;
        Ok(match held {
            Some(held) => TextForGit::Held(held.kind),
            None => self.text_with_salt(hash)?.map_or(TextForGit::Absent, TextForGit::Text),
        })
    }

    /// The entries from the future that wait for their time, soonest first.
    pub fn held_entries(&mut self, limit: u32) -> Result<Vec<Stored>, StoreError> {
        let (engine, hub, _) = self.parts();
        log::held(&mut ReadTx::begin(engine)?, hub, limit)
    }
}
