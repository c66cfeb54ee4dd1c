//! `session.json`: the team and which tasks there are.

use std::collections::BTreeMap;

use interagent_core::ids::TaskId;
use interagent_core::limits;
use interagent_store::StoreError;
use interagent_store::reader::PageStart;
use serde::Serialize;

use super::json;
use crate::files::layout::{Folder, statuses};
use crate::files::moment::iso;
use crate::files::names::Look;

/// What a hub without a team file is called.
const NAMELESS: &str = "Unnamed Project";

#[derive(Debug, Serialize)]
struct Document {
    id: String,
    name: String,
    created: String,
    updated: String,
    mode: Option<&'static str>,
    principal: Option<String>,
    agents: BTreeMap<String, Seat>,
    active_tasks: Vec<String>,
    completed_tasks: Vec<String>,
    discussions: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Seat {
    role: Option<&'static str>,
    since: String,
}

/// The session. Of tasks and discussions the newest thousand are named, oldest first.
pub(in crate::files) fn session(look: &mut Look<'_, '_>) -> Result<String, StoreError> {
    let team = look.reader.team()?;
    let origins = look.reader.origins()?;
    let created = origins.iter().map(|origin| origin.opened.wall).min().unwrap_or_default();
    let mut updated = team.as_ref().map_or(created, |team| team.changed.wall.max(created));
    let mut agents = BTreeMap::new();
    for agent in look.reader.agents()?.iter().filter(|agent| agent.retired.is_none() && !agent.is_human()) {
        let seat = Seat {
            role: agent.role.map(interagent_core::team::Role::as_str),
            since: iso(agent.registered.wall),
        };
        agents.insert(look.name_of(agent)?, seat);
        updated = updated.max(agent.registered.wall);
    }
    let active = look.reader.task_ids(&statuses(Folder::Active), limits::COUNTED)?;
    let completed = look.reader.task_ids(&statuses(Folder::Completed), limits::COUNTED)?;
    for newest in [active.first(), completed.first()].into_iter().flatten() {
        updated = updated.max(look.reader.task(newest)?.map_or(0, |task| task.created.wall));
    }
    let discussions = look.reader.decisions(true, &PageStart::default(), limits::PAGE_MAX)?;
    let oldest_first = |ids: &[TaskId]| ids.iter().rev().map(ToString::to_string).collect::<Vec<_>>();
    json(&Document {
        id: look.reader.head()?.hub_id,
        name: team.as_ref().map_or_else(|| NAMELESS.to_owned(), |team| team.config.project.clone()),
        created: iso(created),
        updated: iso(updated),
        // The original has no word for a chain of command.
        mode: team.as_ref().map(|team| team.config.mode().map_or("captain", |mode| mode.as_str())),
        principal: team.and_then(|team| team.config.principal).map(|name| name.to_string()),
        agents,
        active_tasks: oldest_first(&active),
        completed_tasks: oldest_first(&completed),
        discussions: discussions.iter().rev().map(|decision| decision.id.to_string()).collect(),
    })
}
