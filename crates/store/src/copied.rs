//! Whether this database was copied from another place, and which replica it was there.

use interagent_core::entity::Entity;
use interagent_core::ids::{EntityRef, OriginId};
use interagent_core::store_identity::StoreIdentity;

use crate::engine::Queryable;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;
use crate::store::Store;

impl Store {
    /// The replicas that this database may have been, where it is a copy and nobody said that the original is gone.
    /// Until a person decides that it is a copy, the one that it still names. Others that were known then can't be told from it; usually it is the only one.
    pub fn copied_from(&mut self) -> Result<Vec<OriginId>, StoreError> {
        let here = self.head()?.origin;
        if matches!(self.identity(None)?, StoreIdentity::Undecided(_)) {
            return Ok(vec![here]);
        }
        let (engine, hub, _) = self.parts();
        let rows = crate::engine::ReadTx::begin(engine)?.query(
            "SELECT origin FROM entries WHERE hub = $1 AND seq > 0 GROUP BY origin ORDER BY MIN(seq)",
            &params![hub],
        )?;
        let all: Vec<OriginId> = rows
            .iter()
            .map(|row| OriginId::parse(row.text(0)?).map_err(log::bad))
            .collect::<Result<_, StoreError>>()?;
        // A replica that was made here, for a new hub or to join one, is the first one in its database.
        let before: Vec<OriginId> = all.into_iter().take_while(|origin| *origin != here).collect();
        self.read(|reader: &mut Reader<'_>| {
            if continues(reader, &here)?.is_some() {
                return Ok(Vec::new());
            }
            let mut gone = Vec::new();
            for origin in &before {
                gone.extend(continues(reader, origin)?);
            }
            Ok(before.into_iter().filter(|origin| !gone.contains(origin)).collect())
        })
    }
}

fn continues(reader: &mut Reader<'_>, origin: &OriginId) -> Result<Option<OriginId>, StoreError> {
    Ok(match reader.entity(&EntityRef::Origin(origin.clone()))? {
        Some(Entity::Origin(known)) => known.continues,
        _ => None,
    })
}
