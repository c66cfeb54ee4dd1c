//! Whose tasks, messages and reviews an agent may read: F003.

use super::{is_above, way_to};
use crate::entity::Agent;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::team::{Formation, Guard, Role, TeamConfig};

/// Whose work a task is, and what else connects a reader with it.
#[derive(Clone, Copy, Debug)]
pub struct WorkRelation<'a> {
    /// The assignee.
    pub worker: Option<&'a Name>,
    /// The assigner.
    pub assigner: Option<&'a Name>,
    /// A task of the reader is part of it or replaces it.
    pub is_own_order: bool,
    /// The reader is asked for a verdict on it.
    pub is_asked: bool,
}

impl<'a> WorkRelation<'a> {
    /// A task whose reader is connected with it by nothing but these names, if one is the reader's.
    pub fn of(worker: Option<&'a Name>, assigner: Option<&'a Name>) -> Self {
        Self { worker, assigner, is_own_order: false, is_asked: false }
    }
}

/// Whether F003 lets an agent read a task and its reports, by file or by command: its own work, what it assigned, the order
/// that its task is part of, the tasks that its task replaces, and work that it leads or judges.
pub fn reads_work(team: &TeamConfig, reader: &Name, work: &WorkRelation<'_>) -> bool {
    let Some(worker) = work.worker else { return true };
    let reviews = || {
        let role = team.agents.get(reader).map(|seat| seat.role);
        team.formation == Formation::Duo && matches!(role, Some(Role::Principal | Role::Reviewer))
    };
    !team.rules.guards.contains(&Guard::F003)
        || worker == reader
        || work.assigner == Some(reader)
        || work.is_own_order
        || work.is_asked
        || is_above(team, reader, worker)
        || reviews()
}

/// Whether F003 lets an agent read a message or a review about a task: one of its parties, a superior of one, and all who
/// may read the task. The parties are sender and recipients, or author, reviewers and authors of comments.
pub fn reads_about_work(team: &TeamConfig, reader: &Name, parties: &[Name], work: &WorkRelation<'_>) -> bool {
    let takes_part = |party: &Name| party == reader || is_above(team, reader, party);
    reads_work(team, reader, work) || parties.iter().any(takes_part)
}

/// May this member read a task and its reports?
pub fn may_read_work(
    team: Option<&TeamConfig>,
    reader: &Agent,
    work: &WorkRelation<'_>,
) -> Result<(), Refusal> {
    may_read_about_work(team, reader, &[], work)
}

/// May this member read a message or a review about a task?
pub fn may_read_about_work(
    team: Option<&TeamConfig>,
    reader: &Agent,
    parties: &[Name],
    work: &WorkRelation<'_>,
) -> Result<(), Refusal> {
    let (Some(team), Some(worker)) = (team, work.worker) else { return Ok(()) };
    if reader.is_human() || reads_about_work(team, &reader.name, parties, work) {
        return Ok(());
    }
    let sentence = format!("this is the work of {worker}, not of {}", reader.name);
    let ask = way_to(Some(team), reader, worker);
    Err(Refusal::rule("F003", sentence)
        .hint(format!("{ask}; see yours: interagent task list --assignee {}", reader.name)))
}
