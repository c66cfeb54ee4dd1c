//! How long each lease of this machine still holds. Renewals touch only this row.

use std::collections::HashMap;

use interagent_core::entity::Lease;
use interagent_core::ids::{LeaseId, OriginId};

use super::Deadline;
use crate::append::Writer;
use crate::error::StoreError;
use crate::params;
use crate::reader::Reader;
use crate::views::doc;

/// A lease that was not given back, with its clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLease {
    /// The lease.
    pub lease: Lease,
    /// Until when it holds.
    pub deadline: Deadline,
}

impl Reader<'_> {
    /// The leases that hold on this machine now, oldest first. A copied database brings the clocks of the machine it
    /// was copied from; those bind nobody here.
    ///
    /// All of them, without a limit: one that was left out would not bind.
    pub fn live_leases(&mut self) -> Result<Vec<LiveLease>, StoreError> {
        let rows = self.rows(
            "SELECT l.doc, c.boot, c.due_boot, c.due_wall FROM lease_clocks c
             JOIN leases l ON l.hub = c.hub AND l.id = c.lease WHERE c.hub = $1 AND l.ended = 0
             ORDER BY l.at, l.id",
            &params![self.hub],
        )?;
        let mut homes: HashMap<OriginId, bool> = HashMap::new();
        let mut live = Vec::with_capacity(rows.len());
        for row in &rows {
            let deadline =
                Deadline { boot: row.text(1)?.to_owned(), due_boot: row.int(2)?, due_wall: row.int(3)? };
            if deadline.is_over(self.clock()) {
                continue;
            }
            let lease: Lease = doc(row, 0)?;
            let here = match homes.get(&lease.origin) {
                Some(here) => *here,
                None => self.is_home(&lease.origin)?,
            };
            homes.insert(lease.origin.clone(), here);
            if here {
                live.push(LiveLease { lease, deadline });
            }
        }
        Ok(live)
    }
}

impl Writer<'_, '_> {
    /// Starts or renews a lease's clock.
    pub fn wind_lease(&mut self, lease: &LeaseId, seconds: i64) -> Result<(), StoreError> {
        let deadline = Deadline::after(self.clock(), seconds);
        let hub = self.hub();
        self.note(
            "INSERT INTO lease_clocks (hub, lease, boot, due_boot, due_wall) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (hub, lease) DO UPDATE SET boot = excluded.boot, due_boot = excluded.due_boot,
             due_wall = excluded.due_wall",
            &params![hub, lease.as_str(), deadline.boot, deadline.due_boot, deadline.due_wall],
        )?;
        Ok(())
    }

    /// Drops the clocks of leases that ran out or were given back, so that asking stays as cheap as the live ones.
    pub fn drop_stopped_lease_clocks(&mut self) -> Result<(), StoreError> {
        let (hub, boot) = (self.hub(), self.clock().boot_id().to_owned());
        let (boot_us, wall_us) = (self.clock().boot_us(), self.clock().wall_us());
        self.note(
            "DELETE FROM lease_clocks WHERE hub = $1 AND ((boot = $2 AND boot <> '' AND due_boot <= $3)
             OR ((boot <> $2 OR boot = '') AND due_wall <= $4)
             OR lease IN (SELECT id FROM leases WHERE hub = $1 AND ended = 1
                          AND id IN (SELECT lease FROM lease_clocks WHERE hub = $1)))",
            &params![hub, boot, boot_us, wall_us],
        )?;
        Ok(())
    }
}
