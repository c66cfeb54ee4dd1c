//! What the rules need to know beside the action: leases, whose a file of the hub is, tasks of a branch.

use std::collections::BTreeMap;

use interagent_core::decide::lease::Held;
use interagent_core::entity::Task;
use interagent_core::guard::{Member, Touch, What, Work, WorkMessage, path};
use interagent_core::ids::AgentId;
use interagent_core::limits::COUNTED;
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_core::team::{Guard, Role};
use interagent_core::vocabulary::TaskStatus;
use interagent_store::reader::{PageStart, Reader, TaskFilter};

use crate::tasks::access;
use crate::{leases, resolve};

/// Loaded only where some rule asks for it: most tool calls need nothing of this.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) leases: Vec<Held>,
    pub(super) owners: BTreeMap<String, Work>,
    pub(super) messages: BTreeMap<String, WorkMessage>,
    pub(super) work: Vec<Work>,
    pub(super) has_task: Option<bool>,
}

pub(super) fn load(
    reader: &mut Reader<'_>,
    touches: &[Touch],
    rules: &[Guard],
    member: &Member,
    hub: Option<&str>,
) -> Result<Loaded, Refusal> {
    let mut loaded = Loaded::default();
    let any = |wanted: fn(&What) -> bool| touches.iter().any(|touch| wanted(&touch.what));
    if rules.contains(&Guard::Race001)
        && any(|what| matches!(what, What::Write { .. } | What::CommitFile { .. }))
    {
        loaded.leases = leases::held(reader)?;
    }
    if rules.contains(&Guard::F006) && any(|what| matches!(what, What::Merge { .. })) {
        let tasks = reader.tasks(&TaskFilter::default(), &PageStart::default(), COUNTED)?;
        for task in tasks.iter().filter(|task| task.brief.branch.is_some()) {
            loaded.work.push(work(reader, task)?);
        }
    }
    if rules.contains(&Guard::F003)
        && member.role == Some(Role::Member)
        && any(|what| matches!(what, What::Write { .. } | What::Change { .. }))
        && let Some(id) = &member.id
    {
        // A verdict that is still to come may send completed work back.
        let open = TaskFilter { assignee: Some(id.clone()), open: true, ..TaskFilter::default() };
        loaded.has_task = Some(!reader.tasks(&open, &PageStart::default(), 1)?.is_empty());
    }
    if let Some(hub) = hub.filter(|_| rules.contains(&Guard::F003)) {
        let places = touches.iter().filter_map(|touch| path::below(touch.what.place()?, hub));
        for (kind, file) in places.filter_map(|place| place.split_once('/')) {
            let file = path::file_name(file);
            if kind == "messages" {
                if let Some(about) = message(reader, file, member.id.as_ref())? {
                    loaded.messages.insert(file.to_owned(), about);
                }
            } else if matches!(kind, "tasks" | "reports")
                && let Some(work) = owner(reader, file, member.id.as_ref())?
            {
                loaded.owners.insert(file.to_owned(), work);
            }
        }
    }
    Ok(loaded)
}

fn work(reader: &mut Reader<'_>, task: &Task) -> Result<Work, Refusal> {
    Ok(Work {
        id: task.id.to_string(),
        worker: name(reader, task.assignee.as_ref())?,
        giver: name(reader, Some(&task.brief.assigner))?,
        status: task.status,
        branch: task.brief.branch.clone(),
        is_own_order: false,
        is_asked: false,
    })
}

fn name(reader: &mut Reader<'_>, id: Option<&AgentId>) -> Result<Option<Name>, Refusal> {
    let Some(id) = id else { return Ok(None) };
    Ok(reader.agent(id)?.map(|agent| agent.name))
}

/// A task, with what connects a member with it.
fn work_for(reader: &mut Reader<'_>, task: &Task, member: Option<&AgentId>) -> Result<Work, Refusal> {
    let mut work = work(reader, task)?;
    if let Some(member) = member {
        work.is_own_order = access::is_order_of(reader, member, &task.id)?;
        work.is_asked = access::is_asked(reader, member, &task.id)?;
    }
    Ok(work)
}

/// The message that a file holds, where it is about a task.
fn message(
    reader: &mut Reader<'_>,
    file: &str,
    member: Option<&AgentId>,
) -> Result<Option<WorkMessage>, Refusal> {
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let Ok(message) = resolve::message(reader, stem) else { return Ok(None) };
    let Some(id) = &message.task else { return Ok(None) };
    let Some(task) = reader.task(id)? else { return Ok(None) };
    let mut parties = Vec::new();
    for party in access::parties(&message) {
        parties.extend(name(reader, Some(&party))?);
    }
    Ok(Some(WorkMessage { parties, work: work_for(reader, &task, member)? }))
}

/// Whose a file is: it is called after a task or, where members report under their own name, after an agent.
fn owner(reader: &mut Reader<'_>, file: &str, member: Option<&AgentId>) -> Result<Option<Work>, Refusal> {
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    if let Ok(task) = resolve::task(reader, stem) {
        return Ok(Some(work_for(reader, &task, member)?));
    }
    let named = stem.strip_suffix("_report").unwrap_or(stem);
    let worker = Name::parse(named)
        .ok()
        .filter(|name| reader.agents_named(name.as_str()).is_ok_and(|agents| !agents.is_empty()));
    Ok(worker.map(|worker| Work {
        id: stem.to_owned(),
        worker: Some(worker),
        giver: None,
        status: TaskStatus::InProgress,
        branch: None,
        is_own_order: false,
        is_asked: false,
    }))
}
