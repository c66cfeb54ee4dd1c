//! A silent worker's task, when nobody decides in time: the team file said beforehand what happens then.
//!
//! The program acts here, and nobody else. So it notes nothing at the task, where a note is somebody's word: the move says
//! why, and so does the mail to those concerned.

use super::create::pass_on;
use super::{TaskSnapshot, moves};
use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::entity::Agent;
use crate::ids::TaskId;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::Words;
use crate::vocabulary::{Intent, TaskStatus};

/// Gives the task to somebody else. It stays the task of who gave it, who is told.
pub fn hand_on(
    snapshot: &TaskSnapshot,
    to: &Agent,
    why: &Words,
    draft: &mut Draft,
) -> Result<TaskId, Refusal> {
    snapshot.must_be_open()?;
    let reason = draft.text(why);
    let giver = &snapshot.task.brief.assigner;
    let id = pass_on(snapshot, giver, to, (Some(why), Some(reason)), draft);
    let body = format!("{}\n\n{} goes on with it as {id}.", why.as_str(), to.name);
    tell_giver(snapshot, TaskStatus::Reassigned, &body, draft);
    Ok(id)
}

/// Cancels the task. Who gave it is told.
pub fn withdraw(snapshot: &TaskSnapshot, why: &Words, draft: &mut Draft) -> Result<(), Refusal> {
    snapshot.must_be_open()?;
    let reason = draft.text(why);
    moves::end(snapshot, TaskStatus::Cancelled, Some(reason), draft)?;
    let again = format!("`interagent task redo {}` makes a new task of it.", snapshot.task.id);
    tell_giver(snapshot, TaskStatus::Cancelled, &format!("{}\n\n{again}", why.as_str()), draft);
    Ok(())
}

/// Tells who gave the task, unless that is who was silent, and so is told anyway. No mail goes to a captain.
fn tell_giver(snapshot: &TaskSnapshot, after: TaskStatus, body: &str, draft: &mut Draft) {
    let Some(giver) = &snapshot.giver else { return };
    let is_worker = snapshot.task.assignee.as_ref() == Some(&giver.id);
    if is_worker || giver.retired.is_some() || rules::is_captain(snapshot.team.as_ref(), &giver.name) {
        return;
    }
    let subject = draft.plain(&format!("{}: {} ({})", after.as_str(), snapshot.title, snapshot.task.id));
    let body = Some(draft.plain(body));
    let letter = Post::new(&snapshot.member.id, vec![giver.id.clone()], Intent::ContextShare, subject, body);
    post(draft, letter.about(&snapshot.task.id, snapshot.task.priority()));
}
