//! The operator did not answer in time: what the team file says happens then, once, and in the log.

use std::collections::BTreeSet;

use interagent_core::decide::{message, task};
use interagent_core::draft::Draft;
use interagent_core::entity::Agent;
use interagent_core::refusal::Refusal;
use interagent_core::team::{OperatorDefault, TeamConfig};
use interagent_core::text::Words;
use interagent_core::vocabulary::Conclusion;
use interagent_store::reader::Reader;

use super::judge::{Duty, carriers, others};
use crate::call::Scene;
use crate::tasks::snapshot::{self, Depth};

/// Applies the default to a duty.
pub(super) fn apply(
    scene: &mut Scene<'_, '_, '_>,
    duty: &Duty,
    default: OperatorDefault,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let (matter, agent) = (&duty.matter, &duty.agent);
    let carriers = carriers(&mut scene.look(), matter, &agent.id)?;
    let is_done = match default {
        OperatorDefault::Wait => false,
        OperatorDefault::Reassign => reassign(scene, duty, draft)?,
        OperatorDefault::Cancel => {
            if cancel_task(scene, duty, draft)? {
                true
            } else {
                let why = "Nobody answered in time, and the team file says that it is cancelled then.";
                let asker = scene.look().agent(&matter.from)?;
                let team = scene.team.as_ref();
                message::cancel(matter, (agent, asker.as_ref()), team, &carriers, why, draft);
                return Ok(());
            }
        }
    };
    match (is_done, default) {
        // The task's end settled what was owed about it, the questions to the people above included.
        (true, OperatorDefault::Reassign) => {
            message::conclude(matter, agent, &[], Conclusion::Reassigned, draft);
        }
        (true, _) => message::conclude(matter, agent, &[], Conclusion::Cancelled, draft),
        (false, _) => message::conclude(matter, agent, &carriers, Conclusion::Waits, draft),
    }
    Ok(())
}

/// Gives the task to somebody in the same place, where there is a task of the silent agent, and somebody.
fn reassign(scene: &mut Scene<'_, '_, '_>, duty: &Duty, draft: &mut Draft) -> Result<bool, Refusal> {
    let team = scene.team.clone();
    let successors = successors(&mut scene.look(), team.as_ref(), duty)?;
    let (Some(to), Some(snapshot)) = (successors.first(), own_task(scene, duty)?) else { return Ok(false) };
    task::hand_on(&snapshot, to, &why(duty)?, draft)?;
    Ok(true)
}

fn cancel_task(scene: &mut Scene<'_, '_, '_>, duty: &Duty, draft: &mut Draft) -> Result<bool, Refusal> {
    let Some(snapshot) = own_task(scene, duty)? else { return Ok(false) };
    task::withdraw(&snapshot, &why(duty)?, draft)?;
    Ok(true)
}

fn why(duty: &Duty) -> Result<Words, Refusal> {
    let words = format!("{} was silent, and so was the operator.", duty.agent.name);
    Ok(Words::note("the reason", &words)?)
}

/// Who could go on with a silent agent's work: those in the same place, but nobody who had it before. Two who are silent would
/// pass it to and fro for ever.
pub(super) fn successors(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    duty: &Duty,
) -> Result<Vec<Agent>, Refusal> {
    let mut found = others(reader, team, &duty.agent)?;
    let mut seen = BTreeSet::new();
    let mut at = duty.matter.task.clone();
    while let Some(id) = at.filter(|id| seen.insert(id.clone())) {
        let Some(task) = reader.task(&id)? else { break };
        found.retain(|agent| task.assignee.as_ref() != Some(&agent.id));
        at = task.brief.reassigned_from;
    }
    Ok(found)
}

/// The open task that the silent agent has.
fn own_task(scene: &mut Scene<'_, '_, '_>, duty: &Duty) -> Result<Option<task::TaskSnapshot>, Refusal> {
    let Some(id) = &duty.matter.task else { return Ok(None) };
    let found = scene.look().task(id)?;
    let own = found.filter(|task| !task.status.is_closed() && task.assignee.as_ref() == Some(&duty.agent.id));
    own.map(|task| snapshot::of(scene, task, Depth::Circle)).transpose()
}
