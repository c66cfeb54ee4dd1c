//! Questions about reviews, specs, decisions and leases.

use interagent_core::entity::{Decision, Entity, Lease, Review, Spec};
use interagent_core::ids::{DecisionId, EntityRef, LeaseId, ReviewId, SpecName, TaskId};

use super::{PageStart, Reader};
use crate::error::StoreError;
use crate::params;
use crate::views::doc;

pub(super) const REVIEWS: &str = "SELECT doc FROM reviews WHERE hub = $1 AND (at, id) < ($2, $3)
     ORDER BY at DESC, id DESC LIMIT $4";
pub(super) const OPEN_REVIEWS: &str =
    "SELECT r.doc FROM reviews r LEFT JOIN tasks t ON t.hub = r.hub AND t.id = r.task
     WHERE r.hub = $1 AND (r.at, r.id) < ($2, $3) AND r.closed = 0 AND COALESCE(t.closed, 0) = 0
     ORDER BY r.at DESC, r.id DESC LIMIT $4";

impl Reader<'_> {
    /// One review.
    pub fn review(&mut self, id: &ReviewId) -> Result<Option<Review>, StoreError> {
        Ok(match self.entity(&EntityRef::Review(id.clone()))? {
            Some(Entity::Review(review)) => Some(review),
            _ => None,
        })
    }

    /// Reviews, newest first; if asked, only those that wait for a verdict: without one, and of no closed task.
    pub fn reviews(&mut self, open: bool, start: &PageStart, limit: u32) -> Result<Vec<Review>, StoreError> {
        let statement = if open { OPEN_REVIEWS } else { REVIEWS };
        let rows = self.rows(statement, &params![self.hub, start.at, &start.id, limit])?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// The reviews of a task, newest first.
    pub fn reviews_of(&mut self, task: &TaskId) -> Result<Vec<Review>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM reviews WHERE hub = $1 AND task = $2 ORDER BY at DESC, id DESC LIMIT 100",
            &params![self.hub, task.as_str()],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// One spec with all its versions.
    pub fn spec(&mut self, name: &SpecName) -> Result<Option<Spec>, StoreError> {
        Ok(match self.entity(&EntityRef::Spec(name.clone()))? {
            Some(Entity::Spec(spec)) => Some(spec),
            _ => None,
        })
    }

    /// All specs by name.
    pub fn specs(&mut self, after: &str, limit: u32) -> Result<Vec<Spec>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM specs WHERE hub = $1 AND name > $2 AND version > 0 ORDER BY name LIMIT $3",
            &params![self.hub, after, limit],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// One decision.
    pub fn decision(&mut self, id: &DecisionId) -> Result<Option<Decision>, StoreError> {
        Ok(match self.entity(&EntityRef::Decision(id.clone()))? {
            Some(Entity::Decision(decision)) => Some(decision),
            _ => None,
        })
    }

    /// Decisions, newest first; open ones only if asked.
    pub fn decisions(
        &mut self,
        open: bool,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<Decision>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM decisions WHERE hub = $1 AND (at, id) < ($2, $3) AND ($4 = 0 OR closed = 0)
             ORDER BY at DESC, id DESC LIMIT $5",
            &params![self.hub, start.at, &start.id, open, limit],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// One lease.
    pub fn lease(&mut self, id: &LeaseId) -> Result<Option<Lease>, StoreError> {
        Ok(match self.entity(&EntityRef::Lease(id.clone()))? {
            Some(Entity::Lease(lease)) => Some(lease),
            _ => None,
        })
    }
}
