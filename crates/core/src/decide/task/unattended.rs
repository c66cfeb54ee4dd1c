//! A silent worker's task, when nobody decides in time: the team file said beforehand what happens then.
//!
//! The program acts here, and nobody else. So it notes nothing at the task, where a note is somebody's word: the move says
//! why, and so does the mail to those concerned.

use super::create::pass_on;
use super::{TaskSnapshot, moves};
use crate::draft::Draft;
use crate::entity::Agent;
use crate::ids::{AgentId, TaskId};
use crate::refusal::Refusal;
use crate::text::Words;
use crate::vocabulary::TaskStatus;

/// The same task, with the program as the sender of every message about it.
fn by_program(snapshot: &TaskSnapshot) -> TaskSnapshot {
    let member = Agent { id: AgentId::program(), ..snapshot.member.clone() };
    TaskSnapshot { member, ..snapshot.clone() }
}

/// Gives the task to somebody else. It stays the task of who gave it, who is told.
pub fn hand_on(
    snapshot: &TaskSnapshot,
    to: &Agent,
    why: &Words,
    draft: &mut Draft,
) -> Result<TaskId, Refusal> {
    snapshot.must_be_open()?;
    let reason = draft.text(why);
    let operator = &snapshot.member.id;
    let snapshot = &by_program(snapshot);
    let giver = snapshot.lasting_giver(to);
    let assigner = giver.map_or(operator, |giver| &giver.id);
    let (id, goes_on) = pass_on(snapshot, assigner, to, (Some(why), Some(reason)), draft);
    if giver.is_some() {
        snapshot.tell_giver(TaskStatus::Reassigned, &goes_on, draft);
    }
    Ok(id)
}

/// Cancels the task. Who gave it is told.
pub fn withdraw(snapshot: &TaskSnapshot, why: &Words, draft: &mut Draft) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    let reason = draft.text(why);
    let snapshot = &by_program(snapshot);
    moves::end(snapshot, TaskStatus::Cancelled, Some(reason), draft)?;
    let body = format!("{}\n\nRedo it if it is still needed.", why.as_str());
    snapshot.tell_giver(TaskStatus::Cancelled, &body, draft);
    Ok(())
}
