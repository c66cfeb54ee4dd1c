//! Questions about tasks and what they wait for.

use std::collections::BTreeSet;

use interagent_core::entity::task::freeing;
use interagent_core::entity::{Entity, Task};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::vocabulary::TaskStatus;

use super::{PageStart, Reader, TaskFilter, count, id};
use crate::error::StoreError;
use crate::params;
use crate::views::doc;

/// A task that waits for another, and what else it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependentTask {
    /// The one that waits.
    pub task: Task,
    /// Everything it waits for.
    pub waits_for: Vec<Task>,
}

/// A list of tasks: what leads, then every other wish as a condition on the rows it leads to.
///
/// The order is by `at`; it is said as `at + 0` where the few rows that lead are to be sorted, and not all tasks walked in
/// their order until enough of the few are met.
macro_rules! listing {
    ($leading:literal, by $at:literal) => {
        concat!(
            "SELECT doc FROM tasks WHERE hub = $1 AND (",
            $at,
            ", id) < ($2, $3)
             AND (CAST($4 AS TEXT) IS NULL OR assignee = $4) AND (CAST($5 AS TEXT) IS NULL OR status = $5)
             AND (CAST($6 AS TEXT) IS NULL OR parent = $6) AND ($7 = 0 OR closed = 0) AND ",
            $leading,
            " ORDER BY ",
            $at,
            " DESC, id DESC LIMIT $8"
        )
    };
}

pub(super) const OF_PARENT: &str = listing!("parent = $6", by "at + 0");
pub(super) const OPEN_OF_ASSIGNEE: &str = listing!("assignee = $4 AND closed = 0", by "at + 0");
pub(super) const IN_STATUS: &str = listing!("status = $5", by "at");
pub(super) const ALL: &str = listing!("at <= $2", by "at");
pub(super) const COUNTS: &str =
    "SELECT status, COUNT(*) FROM tasks WHERE hub = $1 GROUP BY status ORDER BY status";
/// What an agent has still to do: neither closed nor waiting for a verdict.
macro_rules! to_do {
    () => {
        "FROM tasks WHERE hub = $1 AND assignee = $2 AND closed = 0 AND status NOT IN ('completed', 'under_review')"
    };
}
pub(super) const TO_DO: &str = concat!("SELECT doc ", to_do!(), " ORDER BY rank, at, id LIMIT $3");
pub(super) const COUNT_TO_DO: &str =
    concat!("SELECT COUNT(*) FROM (SELECT 1 ", to_do!(), " LIMIT $3) AS open");
pub(super) const CURRENT: &str = concat!(
    "SELECT doc ",
    to_do!(),
    " ORDER BY CASE WHEN status = 'in_progress' THEN 0 ELSE 1 END, rank, at, id LIMIT 1"
);

pub(super) const READY: &str =
    "SELECT t.doc FROM tasks t WHERE t.hub = $1 AND t.assignee IS NOT DISTINCT FROM $2 AND t.closed = 0 AND t.status = $3
     AND NOT EXISTS (SELECT 1 FROM deps d LEFT JOIN tasks o ON o.hub = d.hub AND o.id = d.depends_on
       WHERE d.hub = t.hub AND d.task = t.id
       AND (o.status IS NULL OR (o.status IS DISTINCT FROM $4 AND o.status IS DISTINCT FROM $5)))
     ORDER BY t.rank, t.at, t.id LIMIT $6";

impl Reader<'_> {
    /// Tasks in the order in which they were created, after a place.
    pub fn tasks_from(&mut self, start: &PageStart, limit: u32) -> Result<Vec<Task>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM tasks WHERE hub = $1 AND (at, id) > ($2, $3) ORDER BY at, id LIMIT $4",
            &params![self.hub, start.at, &start.id, limit],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// What open tasks wait for: each task with each of the open ones it depends on.
    pub fn open_dependencies(&mut self) -> Result<Vec<(TaskId, TaskId)>, StoreError> {
        let rows = self.rows(
            "SELECT d.task, d.depends_on FROM deps d
             JOIN tasks t ON t.hub = d.hub AND t.id = d.task AND t.closed = 0
             JOIN tasks o ON o.hub = d.hub AND o.id = d.depends_on AND o.closed = 0
             WHERE d.hub = $1 ORDER BY d.task, d.depends_on",
            &params![self.hub],
        )?;
        rows.iter()
            .map(|row| Ok((id(TaskId::parse(row.text(0)?))?, id(TaskId::parse(row.text(1)?))?)))
            .collect()
    }

    /// One task.
    pub fn task(&mut self, id: &TaskId) -> Result<Option<Task>, StoreError> {
        Ok(match self.entity(&EntityRef::Task(id.clone()))? {
            Some(Entity::Task(task)) => Some(task),
            _ => None,
        })
    }

    /// Tasks by filter, newest first.
    pub fn tasks(
        &mut self,
        filter: &TaskFilter,
        start: &PageStart,
        limit: u32,
    ) -> Result<Vec<Task>, StoreError> {
        let assignee = filter.assignee.as_ref().map(AgentId::as_str);
        let status = filter.status.map(TaskStatus::as_str);
        let parent = filter.parent.as_ref().map(TaskId::as_str);
        // One statement per leading index, so that no list reads what it does not show.
        let statement = match filter {
            TaskFilter { parent: Some(_), .. } => OF_PARENT,
            TaskFilter { assignee: Some(_), open: true, .. } => OPEN_OF_ASSIGNEE,
            TaskFilter { status: Some(_), .. } => IN_STATUS,
            TaskFilter { .. } => ALL,
        };
        let rows = self.rows(
            statement,
            &params![self.hub, start.at, &start.id, assignee, status, parent, filter.open, limit],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// What an agent (or nobody yet) has still to do, most urgent first: neither closed nor waiting for a verdict.
    pub fn open_tasks(&mut self, assignee: Option<&AgentId>, limit: u32) -> Result<Vec<Task>, StoreError> {
        let rows = match assignee {
            Some(agent) => self.rows(TO_DO, &params![self.hub, agent.as_str(), limit])?,
            None => self.rows(
                "SELECT doc FROM tasks WHERE hub = $1 AND assignee IS NULL AND closed = 0
                 ORDER BY rank, at, id LIMIT $2",
                &params![self.hub, limit],
            )?,
        };
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// How many tasks an agent has still to do, counted up to `most`.
    pub fn open_task_count(&mut self, assignee: &AgentId, most: u32) -> Result<u32, StoreError> {
        let rows = self.rows(COUNT_TO_DO, &params![self.hub, assignee.as_str(), most])?;
        count(&rows)
    }

    /// What an agent works on: the most urgent task that it began, or else the most urgent one that it has to do.
    pub fn current_task(&mut self, assignee: &AgentId) -> Result<Option<Task>, StoreError> {
        let rows = self.rows(CURRENT, &params![self.hub, assignee.as_str()])?;
        rows.first().map(|row| doc(row, 0)).transpose()
    }

    /// The open tasks of an agent (or of nobody yet) that are in a status and wait for nothing, most urgent first.
    /// Where a review is required, a task holds others back until it is approved.
    pub fn ready_tasks(
        &mut self,
        assignee: Option<&AgentId>,
        status: TaskStatus,
        review_required: bool,
        limit: u32,
    ) -> Result<Vec<Task>, StoreError> {
        let [frees, frees_too] = freeing(review_required).map(|status| status.map(TaskStatus::as_str));
        let assignee = assignee.map(AgentId::as_str);
        let rows =
            self.rows(READY, &params![self.hub, assignee, status.as_str(), frees, frees_too, limit])?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }

    /// How many tasks are in each status.
    pub fn task_counts(&mut self) -> Result<Vec<(String, i64)>, StoreError> {
        let rows = self.rows(COUNTS, &params![self.hub])?;
        rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.int(1)?))).collect()
    }

    /// The tasks that one waits for.
    pub fn waits_for(&mut self, task: &Task) -> Result<Vec<Task>, StoreError> {
        let mut found = Vec::new();
        for on in &task.depends_on {
            found.extend(self.task(on)?);
        }
        Ok(found)
    }

    /// The open tasks that wait for one.
    pub fn dependents(&mut self, of: &TaskId) -> Result<Vec<DependentTask>, StoreError> {
        let rows = self.rows(
            "SELECT t.doc FROM deps d JOIN tasks t ON t.hub = d.hub AND t.id = d.task
             WHERE d.hub = $1 AND d.depends_on = $2 AND t.closed = 0 ORDER BY t.at, t.id LIMIT 1000",
            &params![self.hub, of.as_str()],
        )?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            let task: Task = doc(row, 0)?;
            let waits_for = self.waits_for(&task)?;
            found.push(DependentTask { task, waits_for });
        }
        Ok(found)
    }

    /// Everything a task waits for, directly or not, up to `most` tasks.
    pub fn dependency_closure(&mut self, from: &TaskId, most: usize) -> Result<BTreeSet<TaskId>, StoreError> {
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.rows(
            "WITH RECURSIVE reach (id) AS (
               SELECT depends_on FROM deps WHERE hub = $1 AND task = $2
               UNION SELECT d.depends_on FROM deps d JOIN reach r ON d.task = r.id WHERE d.hub = $1
             ) SELECT id FROM reach LIMIT $3",
            &params![self.hub, from.as_str(), limit],
        )?;
        rows.iter().map(|row| id(TaskId::parse(row.text(0)?))).collect()
    }
}
