//! A split task is done when its parts are, or when a member states that it is done without them.

use super::TaskSnapshot;
use crate::draft::Draft;
use crate::entity::Task;
use crate::entity::task::frees;
use crate::event::TaskNoted;
use crate::refusal::Refusal;
use crate::vocabulary::TaskStatus;

/// Parts named in a sentence; more are a number.
const NAMED: usize = 4;

/// What happens to a task that is called done while parts of it are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenParts {
    /// It is refused.
    #[default]
    Refuse,
    /// The caller says so explicitly: the task notes which parts were open.
    Override,
}

impl TaskSnapshot {
    /// Refuses to call a task done while parts of it are open, failed or blocked. An override is noted at the task.
    pub(super) fn must_have_done_parts(&self, given: OpenParts, draft: &mut Draft) -> Result<(), Refusal> {
        let open: Vec<&Task> = self.parts.iter().filter(|part| !self.is_over(part)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let named = open.iter().take(NAMED).map(|part| format!("{} ({})", part.id, part.status));
        let mut listed = named.collect::<Vec<_>>().join(", ");
        if open.len() > NAMED {
            listed.push_str(&format!(" and {} more", open.len() - NAMED));
        }
        if given == OpenParts::Override {
            let note = draft.plain(&format!("Done with open parts: {listed}"));
            draft.add(self.entity(), TaskNoted { note });
            return Ok(());
        }
        Err(Refusal::conflict(
            "open_parts",
            format!("{} has parts that are not done: {listed}", self.task.id),
        )
        .hint("finish, redo or cancel them first; --with-open-parts overrides this and is recorded"))
    }

    /// Whether a part no longer stands against the whole: it is done, it was dropped on purpose, or another one redoes it.
    fn is_over(&self, part: &Task) -> bool {
        let is_redone = || self.parts.iter().any(|other| other.brief.redo_of.as_ref() == Some(&part.id));
        match part.status {
            TaskStatus::Cancelled | TaskStatus::Reassigned | TaskStatus::Rejected => true,
            TaskStatus::Failed => is_redone(),
            status => frees(status, self.review_required()),
        }
    }
}
