//! The rows of foreign entries: their lines, and places for those that wait.

use interagent_core::entry::Line;

use crate::engine::{Queryable, WriteTx};
use crate::error::StoreError;
use crate::log::{self, Stored};
use crate::params;

/// Stores a foreign entry's line. Of two entries with one idempotency key, made at replicas that did not know of each
/// other, the one that came first keeps the key here.
pub(crate) fn insert_foreign(
    tx: &mut WriteTx<'_>,
    hub: i64,
    mut stored: Stored,
    line: &Line,
) -> Result<Stored, StoreError> {
    let key = stored.entry.envelope.key.take();
    let free = match &key {
        None => true,
        Some(key) => tx
            .query_first(
                "SELECT 1 FROM entries WHERE hub = $1 AND actor = $2 AND key = $3",
                &params![hub, stored.entry.envelope.actor.as_str(), &key.key],
            )?
            .is_none(),
    };
    if free {
        stored.entry.envelope.key = key;
    }
    log::insert(tx, hub, &stored, line)?;
    Ok(stored)
}

/// The place of the next entry that waits.
pub(crate) fn next_waiting_place(q: &mut dyn Queryable, hub: i64) -> Result<i64, StoreError> {
    let row = q.query_first(
        "SELECT COALESCE(MIN(seq), 0) - 1 FROM entries WHERE hub = $1 AND seq < 0",
        &params![hub],
    )?;
    row.map_or(Ok(-1), |row| row.int(0))
}
