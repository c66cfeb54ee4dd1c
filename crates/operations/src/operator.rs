//! What reaches the operator: which process notifies them, and the note for the caller.

use std::path::Path;

use interagent_core::event::{Event, Fact};
use interagent_core::outreach::{Outreach, is_announced, reaches};
use interagent_core::permission::{PermissionAsked, Place, Prompt};
use interagent_core::refusal::Refusal;
use interagent_core::team::Notifications;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_wire::answer::{PermissionView, Who};
use interagent_wire::{LocalEffect, Time};

use crate::call::Call;
use crate::identity;
use crate::names::who;

/// How the operator of a hub is notified from this machine: from its directory and what the team wishes for.
pub type Notifier = fn(&Path, &Notifications) -> Outreach;

/// Whether an entry reaches the operator. A damaged record notifies nobody: it is shown by who reads it.
pub(crate) fn is_reached(reader: &mut Reader<'_>, facts: &[Fact]) -> bool {
    // Nearly no entry asks for anything; then the operator is not looked up.
    let may_reach = facts.iter().any(|fact| match &fact.event {
        Event::MessageSent(sent) => is_announced(sent.intent, sent.ack_wanted),
        Event::MessageEscalated(_) => true,
        _ => false,
    });
    may_reach
        && identity::operator(reader).is_ok_and(|operator| {
            let is_merged = |fact: &Fact| {
                let ends = |other: &Fact| {
                    let ended =
                        matches!(&other.event, Event::MessageSettled(end) if end.agent == operator.id);
                    ended && other.entity == fact.entity
                };
                facts.iter().any(ends)
            };
            facts.iter().any(|fact| reaches(&fact.event, &operator.id) && !is_merged(fact))
        })
}

/// Has the operator notified of what was just committed, unless a supervisor does it, and tells the caller.
pub(crate) fn reached(call: &mut Call<'_>) {
    let Some(notifier) = call.notifier else { return };
    let team = call.store.read(|reader| Ok::<_, Refusal>(reader.team()?)).ok().flatten();
    let wished = team.map(|team| team.config.notifications).unwrap_or_default();
    let hub_dir = call.state_dir.parent().unwrap_or(call.state_dir);
    let outreach = notifier(hub_dir, &wished);
    if !outreach.is_supervised && !outreach.channels.is_empty() {
        call.effects.push(LocalEffect::Notify { with: None });
    }
    call.notes.push(outreach.note());
}

/// The permission prompts that are open in living sessions here, oldest first, each with its session.
pub(crate) fn open_prompts(reader: &mut Reader<'_>) -> Result<Vec<(SessionRow, Prompt)>, Refusal> {
    let sessions = reader.unended_sessions(None)?;
    let clock = reader.clock();
    let living = sessions.into_iter().filter(|row| !row.prompts.is_empty() && !row.is_gone(clock));
    let mut found: Vec<(SessionRow, Prompt)> = living
        .flat_map(|row| row.prompts.clone().into_iter().map(move |prompt| (row.clone(), prompt)))
        .collect();
    found.sort_by_key(|(_, prompt)| prompt.since);
    Ok(found)
}

/// The open prompts as answers show them.
pub(crate) fn permissions(reader: &mut Reader<'_>) -> Result<Vec<PermissionView>, Refusal> {
    let mut views = Vec::new();
    for (row, prompt) in open_prompts(reader)? {
        let Some(agent) = reader.agent(&row.agent)?.filter(|agent| agent.retired.is_none()) else { continue };
        let agent = who(reader, &agent)?;
        let place = place_of(reader, &row, &agent.name)?;
        views.push(permission_view(agent, &row.profile, row.pane.clone(), &prompt, &place));
    }
    Ok(views)
}

/// One open prompt as answers show it.
pub(crate) fn permission_view(
    agent: Who,
    client: &str,
    pane: Option<String>,
    prompt: &Prompt,
    place: &Place,
) -> PermissionView {
    PermissionView {
        agent,
        client: client.to_owned(),
        tool: prompt.tool.clone(),
        command: prompt.command.clone(),
        since: Time(prompt.since),
        pane,
        answer: place.told(),
    }
}

/// Where a person answers the prompts of a session.
pub(crate) fn place_of(reader: &mut Reader<'_>, row: &SessionRow, agent: &str) -> Result<Place, Refusal> {
    let clock = reader.clock();
    let team_pane = reader.pane(&row.agent)?.filter(|known| !known.is_gone(clock));
    Ok(match (&row.pane, team_pane) {
        (pane, Some(known)) if pane.as_ref().is_none_or(|pane| *pane == known.pane) => {
            Place::Team { agent: agent.to_owned() }
        }
        (Some(pane), _) => Place::Pane(pane.clone()),
        (None, _) => Place::Terminal,
    })
}

/// An open prompt, as the operator is told of it.
pub(crate) fn asked(
    reader: &mut Reader<'_>,
    project: &str,
    (row, prompt): (SessionRow, Prompt),
) -> Result<Option<PermissionAsked>, Refusal> {
    let Some(agent) = reader.agent(&row.agent)?.filter(|agent| agent.retired.is_none()) else {
        return Ok(None);
    };
    let agent = who(reader, &agent)?.name;
    let place = place_of(reader, &row, &agent)?;
    Ok(Some(PermissionAsked { key: prompt.key(&row.id), agent, project: project.to_owned(), prompt, place }))
}
