//! The board: what everybody is doing, what they owe, and when they were last heard of.

use std::collections::HashMap;
use std::path::Path;

use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::vocabulary::TaskStatus;
use interagent_store::reader::Reader;
use interagent_wire::answer::{BoardRow, BoardView};
use interagent_wire::{Answer, Time};

use crate::call::Call;
use crate::clients::Clients;
use crate::hook::unnamed;
use crate::life::Found;
use crate::names::Names;
use crate::{mail, operator, people, reach, sessions, tasks};

/// Entries of the log in which the board looks for somebody's last word; who wrote longer ago is silent.
const WRITTEN_LOOKED_AT: u32 = 1_000;

/// What everybody is doing.
pub(crate) fn board(call: &mut Call<'_>) -> Result<Answer, Refusal> {
    let (clients, screens) = (call.clients.clone(), call.screens.clone());
    let here = (call.state_dir, &clients);
    call.read(|reader, _| {
        let written: HashMap<AgentId, i64> = reader.last_written(WRITTEN_LOOKED_AT)?.into_iter().collect();
        let mut rows = Vec::new();
        for agent in reader.agents()?.into_iter().filter(|agent| agent.retired.is_none()) {
            let mut row = board_row(reader, &agent, written.get(&agent.id).copied(), here)?;
            row.life = screens.get(&agent.id).copied().or(row.life);
            rows.push(row);
        }
        let team = reader.team()?.map(|team| team.config);
        let (active_tasks, completed_tasks) = task_counts(reader)?;
        Ok(BoardView {
            pending_messages: rows.iter().map(|row| row.agent.unread).sum(),
            rows,
            held: reader.held_count(limits::COUNTED)?,
            held_texts: reader.held_texts_count(limits::COUNTED)?,
            waiting_entries: reader.waiting_entries_count(limits::COUNTED)?,
            clock_ahead_until: reader.clock_ahead()?.map(|ahead| Time(ahead.until)),
            unnamed: unnamed::list(reader, here.0)?,
            project: team.as_ref().map(|team| team.project.clone()),
            formation: team.as_ref().map(|team| team.formation.to_string()),
            mode: team.as_ref().and_then(TeamConfig::mode).map(|mode| mode.to_string()),
            active_tasks,
            completed_tasks,
            permissions: operator::permissions(reader)?,
        }
        .into())
    })
}

/// Tasks that somebody has still to do, and tasks that were done.
fn task_counts(reader: &mut Reader<'_>) -> Result<(i64, i64), Refusal> {
    let (mut active, mut completed) = (0, 0);
    for (status, count) in reader.task_counts()? {
        match status.parse::<TaskStatus>() {
            Ok(TaskStatus::Completed | TaskStatus::UnderReview | TaskStatus::Approved) => completed += count,
            Ok(status) if !status.is_closed() => active += count,
            // Closed otherwise, or a status of a newer version.
            _ => {}
        }
    }
    Ok((active, completed))
}

fn board_row(
    reader: &mut Reader<'_>,
    agent: &Agent,
    written: Option<i64>,
    here: (&Path, &Clients),
) -> Result<BoardRow, Refusal> {
    let current = reader.current_task(&agent.id)?;
    let task = tasks::rows(reader, current.as_ref())?.pop();
    let live = reader.living_sessions(&agent.id)?;
    let said = agent.status.as_ref().map(|status| status.since.wall);
    let mut names = Names::new(reader);
    let sessions = live
        .iter()
        .map(|session| sessions::view(&mut names, session, here))
        .collect::<Result<Vec<_>, _>>()?;
    let seen = sessions.iter().map(|session| session.seen.0).chain(written).chain(said).max();
    let is_ours = !agent.is_human() && reader.is_home(&agent.home)?;
    let life = if is_ours { Some(Found::of(reader, &agent.id, here.0)?.liveness()) } else { None };
    let reach = match is_ours {
        true => Some(reach::reach_by(reader, agent, &live, here)?.to_string()),
        false => None,
    };
    Ok(BoardRow {
        life,
        reach,
        agent: people::view(reader, agent)?,
        task,
        open_tasks: reader.open_task_count(&agent.id, limits::COUNTED)?,
        owes: mail::owed_count(reader, agent)?,
        sessions,
        seen: seen.map(Time),
    })
}
