//! Resets that the ladder asks for: whether one is in order now, and the end of those whose time is over.

use std::path::Path;

use interagent_core::decide::message;
use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Message};
use interagent_core::ids::AgentId;
use interagent_core::ladder::{Rung, reset};
use interagent_core::reach::{Reach, reach};
use interagent_core::refusal::Refusal;
use interagent_core::session_id;
use interagent_core::text::Words;
use interagent_core::vocabulary::{ControlOutcome, Intent, SessionState, TimerKind};
use interagent_store::reader::{MessageFilter, PageStart, Reader};

use super::climb::{Row, entry_of};
use super::trouble::{About, Trouble};
use super::{Abilities, Supervision};
use crate::{identity, reach as presence};

/// Control messages that are looked through; the newest of all agents.
const LOOKED_AT: u32 = 200;

/// The newest control messages, newest first.
pub(super) fn controls(reader: &mut Reader<'_>) -> Result<Vec<Message>, Refusal> {
    let filter = MessageFilter { intent: Some(Intent::Control), ..MessageFilter::default() };
    Ok(reader.messages(&filter, &PageStart::default(), LOOKED_AT)?)
}

/// Whether an agent's context may be reset now: its only living session sits in a pane, is surely idle and can forget, and
/// it rested since the last time. What a server has for it is no conversation.
pub(super) fn is_ready(
    reader: &mut Reader<'_>,
    abilities: &Abilities,
    state_dir: &Path,
    agent: &Agent,
    cooldown_s: u32,
) -> Result<bool, Refusal> {
    let mut sessions = reader.living_sessions(&agent.id)?;
    sessions.retain(|row| session_id::server(&row.id).is_none());
    let [only] = sessions.as_slice() else { return Ok(false) };
    let observed = presence::presence(state_dir, only);
    let is_idle = observed.state == SessionState::Idle && reach(&observed) != Reach::InTurn;
    let has_way = only.pane.is_some() && abilities.resets.contains(&only.profile);
    Ok(is_idle && has_way && reset::has_rested(&controls(reader)?, &agent.id, reader.now(), cooldown_s))
}

/// Whether a control message is still to be carried out. One of the ladder is, for as long as the duty that it was asked
/// for stands on that rung: nobody's context is taken away who did what it owed.
pub(crate) fn is_wanted(reader: &mut Reader<'_>, control: &Message) -> Result<bool, Refusal> {
    let (Some(matter), Some(agent)) = (reset::matter_of(control), control.deliveries.keys().next()) else {
        return Ok(true);
    };
    let timer = reader.timer(TimerKind::Ladder, matter.as_str(), agent)?;
    Ok(timer.is_some_and(|timer| Row::of(&timer).rung == Rung::Reset))
}

/// Ends what the ladder asked for and nobody could carry out in time, so that nothing waits for it any more.
pub(super) fn end_unwanted(on: &mut Supervision<'_>) -> Result<(), Refusal> {
    let filter = MessageFilter { held: true, intent: Some(Intent::Control), ..MessageFilter::default() };
    let mut trouble = Trouble::default();
    for control in on.store.read(|reader| reader.messages(&filter, &PageStart::default(), LOOKED_AT))? {
        let Some(agent) = control.deliveries.keys().next() else { continue };
        let ended = match on.store.read(|reader| is_wanted(reader, &control)) {
            Ok(true) => continue,
            Ok(false) => end(on, &control, agent),
            Err(refusal) => Err(refusal),
        };
        trouble.sift(About::Duty(&control.id, agent), ended)?;
    }
    on.show(&trouble)
}

fn end(on: &mut Supervision<'_>, control: &Message, agent: &AgentId) -> Result<(), Refusal> {
    let operator = on.store.read(identity::operator)?;
    let note = Words::note("the note", "It was not idle in time, or did what it owed.")?;
    on.store.append(
        entry_of(&operator, Some(agent), "ladder.withdraw"),
        |writer, context| {
            let mut draft = Draft::new(context);
            let mut look = writer.look();
            if let Some(open) = look.message(&control.id)?.filter(|found| found.open_control().is_some())
                && !is_wanted(&mut look, &open)?
            {
                let failed = ControlOutcome::Failed;
                message::carried_out(&open, Some(&operator), &operator, failed, Some(&note), &mut draft)?;
            }
            Ok::<_, Refusal>(draft)
        },
        |_, _| Ok::<_, Refusal>(()),
    )
}
