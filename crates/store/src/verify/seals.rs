//! The signatures: each seal that is kept is right, and is one of the log that is here.

use interagent_core::signature::Seal;

use super::{Check, Severity, hash_in};
use crate::engine::{Engine, Queryable, ReadTx};
use crate::error::StoreError;
use crate::params;
use crate::replicas::{self, Replica};

const LIST: &str = "interagent replica list";

pub(super) fn check(engine: &mut dyn Engine, hub: i64, check: &mut Check<'_>) -> Result<(), StoreError> {
    let mut tx = ReadTx::begin(engine)?;
    for replica in replicas::all(&mut tx, hub)? {
        let origin = replica.origin.clone();
        if let Some(seal) = &replica.seal {
            kept(&mut tx, hub, (&replica, seal), check)?;
        }
        if let Some(rival) = &replica.rival {
            let found = rival.key.fingerprint();
            let sentence = format!("the log of {origin} is also signed with another key ({found})");
            check.add(Severity::Note, LIST, sentence);
        }
    }
    Ok(())
}

fn kept(
    tx: &mut ReadTx<'_>,
    hub: i64,
    (replica, seal): (&Replica, &Seal),
    check: &mut Check<'_>,
) -> Result<(), StoreError> {
    let (origin, oseq) = (&replica.origin, seal.oseq);
    if !seal.is_valid() || Some(seal.key) != replica.key {
        check.damage(format!("the signature that is kept of {origin} is not one of its key"));
        return Ok(());
    }
    let row = tx.query_first(
        "SELECT line FROM entries WHERE hub = $1 AND origin = $2 AND oseq = $3",
        &params![hub, origin.as_str(), oseq],
    )?;
    match row {
        Some(row) if hash_in(row.text(0)?) == Some(seal.hash.as_str()) => {}
        Some(_) => check.damage(format!("entry {oseq} of {origin} is not the one that its replica signed")),
        // After a loss: a sync brings it back.
        None => {
            let sentence =
                format!("entry {oseq} of {origin}, which its replica signed, is not here any more");
            check.add(Severity::Note, super::SYNC, sentence);
        }
    }
    Ok(())
}
