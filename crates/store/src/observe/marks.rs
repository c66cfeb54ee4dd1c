//! Marks: small facts of this machine, such as what was announced to the person and how far somebody has seen.

use crate::append::Writer;
use crate::error::StoreError;
use crate::params;
use crate::reader::Reader;

impl Reader<'_> {
    /// What a mark says; nothing where it was never made.
    pub fn mark(&mut self, kind: &str, subject: &str) -> Result<Option<String>, StoreError> {
        let rows = self.rows(
            "SELECT value FROM marks WHERE hub = $1 AND kind = $2 AND subject = $3",
            &params![self.hub, kind, subject],
        )?;
        rows.first().map(|row| Ok(row.text(0)?.to_owned())).transpose()
    }

    /// What there are marks of a kind about, oldest first.
    pub fn marked(&mut self, kind: &str) -> Result<Vec<String>, StoreError> {
        let rows = self.rows(
            "SELECT subject FROM marks WHERE hub = $1 AND kind = $2 ORDER BY wall, subject",
            &params![self.hub, kind],
        )?;
        rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
    }
}

impl Writer<'_, '_> {
    /// Makes a mark, in the place of an earlier one.
    pub fn put_mark(&mut self, kind: &str, subject: &str, value: &str) -> Result<(), StoreError> {
        let (hub, now) = (self.hub(), self.clock().wall_us());
        self.note(
            "INSERT INTO marks (hub, kind, subject, value, wall) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (hub, kind, subject) DO UPDATE SET value = excluded.value, wall = excluded.wall",
            &params![hub, kind, subject, value, now],
        )?;
        Ok(())
    }

    /// Takes a mark away. Whether there was one.
    pub fn drop_mark(&mut self, kind: &str, subject: &str) -> Result<bool, StoreError> {
        let hub = self.hub();
        let dropped = self.note(
            "DELETE FROM marks WHERE hub = $1 AND kind = $2 AND subject = $3",
            &params![hub, kind, subject],
        )?;
        Ok(dropped > 0)
    }
}
