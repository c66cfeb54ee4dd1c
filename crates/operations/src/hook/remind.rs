//! What an agent owes, said again: once at the end of a turn, and where a turn begins after it was silent for long.

use interagent_core::briefing::DutyLine;
use interagent_core::entity::Agent;
use interagent_core::hook::{self, Again, Occasion};
use interagent_core::ids::TaskId;
use interagent_core::refusal::Refusal;
use interagent_store::Writer;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;

use crate::mail::{self, DUTIES_SHOWN, Viewer};
use crate::names::Names;
use crate::record::briefing;
use crate::tasks::access::Access;

/// Whether there is something to say of what an agent owes, or something that was to be said is out of date.
pub(super) fn is_to_remind(
    reader: &mut Reader<'_>,
    occasion: &Occasion,
    agent: &Agent,
    row: &SessionRow,
) -> Result<bool, Refusal> {
    if occasion.reminds_again() {
        return Ok(!reader.reminders(&agent.id)?.is_empty());
    }
    Ok(at_the_end(reader, occasion, agent, row)?.is_some())
}

/// What the agent is told again. `is_alone`: nothing else is said.
pub(super) fn remind(
    writer: &mut Writer<'_, '_>,
    occasion: &Occasion,
    agent: &Agent,
    row: &SessionRow,
    is_alone: bool,
) -> Result<Option<Again>, Refusal> {
    let mut look = writer.look();
    let said = match occasion.reminds_again() {
        true => {
            let subjects = look.reminders(&agent.id)?;
            match subjects.is_empty() {
                true => None,
                false => {
                    Some(Again { owed: owed(&mut look, agent)?, work: work(&mut look, agent, &subjects)? })
                }
            }
        }
        // At the end of a turn anything else keeps it going as well.
        false if is_alone => {
            at_the_end(&mut look, occasion, agent, row)?.map(|owed| Again { owed, ..Again::default() })
        }
        false => None,
    };
    if said.is_some() {
        writer.drop_reminders(&agent.id)?;
    }
    Ok(said.filter(|again| !again.is_empty()))
}

/// The tasks among what an agent is to be told of, as far as they are still its own to work on.
fn work(
    reader: &mut Reader<'_>,
    agent: &Agent,
    subjects: &[String],
) -> Result<Vec<(TaskId, String)>, Refusal> {
    let mut found = Vec::new();
    for id in subjects.iter().filter_map(|subject| TaskId::parse(subject).ok()) {
        let Some(task) = reader.task(&id)? else { continue };
        if task.assignee.as_ref() == Some(&agent.id) && !task.status.is_closed() {
            found.push((id, Names::new(reader).line(&task.brief.title)?));
        }
    }
    Ok(found)
}

/// What the agent owes and was not reminded of.
fn at_the_end(
    reader: &mut Reader<'_>,
    occasion: &Occasion,
    agent: &Agent,
    row: &SessionRow,
) -> Result<Option<Vec<DutyLine>>, Refusal> {
    if !occasion.reminds() {
        return Ok(None);
    }
    let owed = owed(reader, agent)?;
    let is_new = !owed.is_empty() && row.reminded.as_deref() != Some(hook::set_of(&owed).as_str());
    Ok(is_new.then_some(owed))
}

/// What the agent owes and can do something about.
fn owed(reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<DutyLine>, Refusal> {
    let access = Access::unlimited();
    mail::duties(reader, agent, &Viewer::with(&access), DUTIES_SHOWN)?
        .iter()
        .map(briefing::duty_line)
        .collect()
}
