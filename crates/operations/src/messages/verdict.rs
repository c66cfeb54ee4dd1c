//! A reply to a review request that is the verdict it asks for.

use interagent_core::decide::message::{self, Letter, said_verdict};
use interagent_core::decide::task::{self, OpenParts};
use interagent_core::draft::Draft;
use interagent_core::entity::Message;
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::{Duty, Intent, Verdict};

use super::{reply_snapshot, with_subject};
use crate::call::Scene;
use crate::tasks::snapshot::{self, Depth};

/// Judges the task that a review request is about, where the reply gives a verdict: by its parameter, or by the word that it
/// begins with. `None` where it is an ordinary reply; a word that the member may not use as a verdict is one too.
pub(super) fn given(
    scene: &mut Scene<'_, '_, '_>,
    original: &Message,
    letter: &Letter,
    explicit: Option<Verdict>,
) -> Result<Option<Draft>, Refusal> {
    let owes = original.owed_by(&scene.member.id) == Some(Duty::Verdict);
    let body = letter.body.as_ref().map_or("", Words::as_str);
    let said = || said_verdict(body).filter(|_| owes && original.intent == Intent::ReviewRequest);
    let Some(verdict) = explicit.or_else(said) else { return Ok(None) };
    let task = match &original.task {
        Some(task) => scene.look().task(task)?,
        None => None,
    };
    let Some(task) = task else {
        return match explicit {
            Some(_) => Err(no_task(original)),
            None => Ok(None),
        };
    };
    let worker = task.assignee.clone();
    let snapshot = snapshot::of(scene, task, Depth::Circle)?;
    let note = Some(body).filter(|body| !body.trim().is_empty()).map(|body| Words::note("the note", body));
    let note = note.transpose()?;
    let mut draft = scene.draft();
    let judged = task::judge(&snapshot, verdict, note.as_ref(), OpenParts::Refuse, scene.context, &mut draft);
    match (judged, explicit) {
        (Err(refusal), Some(_)) => return Err(refusal),
        (Err(_), None) => return Ok(None),
        (Ok(()), _) => {}
    }
    // The verdict reaches the worker. Somebody else who asked for it gets the reply as well.
    if worker.as_ref() != Some(&original.from) && original.from != scene.member.id {
        let reply = reply_snapshot(scene, original.clone())?;
        let letter = with_subject(scene, letter.clone(), &reply)?;
        message::send(&reply, &letter, scene.context, &mut draft)?;
    }
    Ok(Some(draft))
}

fn no_task(original: &Message) -> Refusal {
    Refusal::usage("no_task", format!("{} asks for no verdict on a task", original.id))
        .hint(format!("interagent reply {} -m TEXT answers it", original.id))
}
