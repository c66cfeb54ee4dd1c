//! Questions about reports and the skills they propose.

use interagent_core::entity::task::Report;
use interagent_core::entity::{Entity, Skill, Task};
use interagent_core::event::Micros;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::skill::SkillKey;

use super::{Reader, count};
use crate::engine::Row;
use crate::error::StoreError;
use crate::params;
use crate::views::doc;

pub(super) const REPORTS_OF: &str =
    "SELECT t.doc, r.n FROM task_reports r JOIN tasks t ON t.hub = r.hub AND t.id = r.task
     WHERE r.hub = $1 AND r.worker = $2 AND r.at > $3 ORDER BY r.at DESC, r.task DESC, r.n DESC LIMIT $4";

pub(super) const COUNT_REPORTS_OF: &str = "SELECT COUNT(*) FROM
     (SELECT 1 FROM task_reports WHERE hub = $1 AND worker = $2 AND at > $3 LIMIT $4) AS reports";

pub(super) const NEWEST_REPORT: &str = "SELECT at FROM task_reports WHERE hub = $1 ORDER BY at DESC LIMIT 1";

/// One report, with the task it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The task as it is now.
    pub task: Task,
    /// What was reported.
    pub report: Report,
}

fn reported(row: &Row) -> Result<Option<Reported>, StoreError> {
    let task: Task = doc(row, 0)?;
    let n = usize::try_from(row.int(1)?).unwrap_or(usize::MAX);
    Ok(task.reports.get(n).cloned().map(|report| Reported { task, report }))
}

impl Reader<'_> {
    /// The reports of a worker after a moment of the order, newest first.
    pub fn reports_of(
        &mut self,
        worker: &AgentId,
        since: Micros,
        limit: u32,
    ) -> Result<Vec<Reported>, StoreError> {
        let rows = self.rows(REPORTS_OF, &params![self.hub, worker.as_str(), since, limit])?;
        Ok(rows.iter().map(reported).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// How many reports a worker made after a moment of the order, counted up to `most`. Reads no document.
    pub fn count_reports_of(
        &mut self,
        worker: &AgentId,
        since: Micros,
        most: u32,
    ) -> Result<u32, StoreError> {
        let rows = self.rows(COUNT_REPORTS_OF, &params![self.hub, worker.as_str(), since, most])?;
        count(&rows)
    }

    /// Reports that propose a skill, oldest first; the newest of them where there are more.
    pub fn proposals(&mut self, limit: u32) -> Result<Vec<Reported>, StoreError> {
        let rows = self.rows(
            "SELECT t.doc, r.n FROM task_reports r JOIN tasks t ON t.hub = r.hub AND t.id = r.task
             WHERE r.hub = $1 AND r.found = 1 ORDER BY r.at DESC, r.task DESC, r.n DESC LIMIT $2",
            &params![self.hub, limit],
        )?;
        let mut found = rows.iter().map(reported).collect::<Result<Vec<_>, _>>()?;
        found.reverse();
        Ok(found.into_iter().flatten().collect())
    }

    /// Where the newest report stands in the order; nothing where there is none.
    pub fn newest_report(&mut self) -> Result<Option<Micros>, StoreError> {
        let rows = self.rows(NEWEST_REPORT, &params![self.hub])?;
        rows.first().map(|row| row.int(0)).transpose()
    }

    /// What was decided of a skill.
    pub fn skill(&mut self, key: &SkillKey) -> Result<Option<Skill>, StoreError> {
        Ok(match self.entity(&EntityRef::Skill(key.clone()))? {
            Some(Entity::Skill(skill)) => Some(skill),
            _ => None,
        })
    }

    /// All skills that something was decided of, by key.
    pub fn skills(&mut self, limit: u32) -> Result<Vec<Skill>, StoreError> {
        let rows = self
            .rows("SELECT doc FROM skills WHERE hub = $1 ORDER BY key LIMIT $2", &params![self.hub, limit])?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }
}
