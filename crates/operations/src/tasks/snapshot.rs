//! What decisions about a task need to know, loaded under the gate.

use std::collections::BTreeSet;

use interagent_core::decide::task::{BriefWords, Dependent, Reported, Served, TaskSnapshot};
use interagent_core::entity::{Agent, Message, Review, Task};
use interagent_core::ids::TaskId;
use interagent_core::limits;
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::team::TeamConfig;
use interagent_store::reader::{Due, PageStart, Reader, TaskFilter};

use super::access::predecessor;
use crate::call::Scene;
use crate::names::Names;
use crate::{identity, names, resolve};

/// Orders above a task that are looked at; the captain's chain has three levels.
pub(super) const LEVELS: usize = 16;

/// How much a decision looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The task, its worker and what it waits for.
    Task,
    /// Also whom its progress concerns: duties, dependents, reviews, reviewers.
    Circle,
}

/// Loads the task that is named, and what surrounds it.
pub(crate) fn named(
    scene: &mut Scene<'_, '_, '_>,
    given: &str,
    depth: Depth,
) -> Result<TaskSnapshot, Refusal> {
    let task = resolve::task(&mut scene.look(), given)?;
    of(scene, task, depth)
}

/// Loads what surrounds a task.
pub(crate) fn of(scene: &mut Scene<'_, '_, '_>, task: Task, depth: Depth) -> Result<TaskSnapshot, Refusal> {
    let (team, member) = (scene.team.clone(), scene.member.clone());
    let reader = &mut scene.look();
    let assignee = match &task.assignee {
        Some(id) => reader.agent(id)?,
        None => None,
    };
    let giver = reader.agent(&task.brief.assigner)?;
    let mut foreign = Vec::new();
    for agent in [assignee.as_ref(), giver.as_ref(), Some(&member)].into_iter().flatten() {
        if !reader.is_home(&agent.home)? {
            foreign.push((agent.id.clone(), names::who(reader, agent)?.name));
        }
    }
    let mut snapshot = TaskSnapshot {
        duties: Vec::new(),
        dependents: Vec::new(),
        waits_for: reader.waits_for(&task)?,
        open_reviews: Vec::new(),
        judges: Vec::new(),
        unfinished_review: None,
        reviewers: Vec::new(),
        title: title(reader, &task)?,
        brief: BriefWords::default(),
        parts: Vec::new(),
        operator: None,
        origin: None,
        serves: None,
        reported: None,
        foreign: foreign.into_iter().collect(),
        team,
        member,
        task,
        giver,
        assignee,
    };
    if depth == Depth::Circle {
        let due = reader.owed_about(&snapshot.task.id)?;
        snapshot.duties = messages(reader, &due)?;
        snapshot.dependents = dependents(reader, &snapshot.task)?;
        let reviews = reader.reviews_of(&snapshot.task.id)?;
        let open = reviews.iter().filter(|review| review.end.is_none());
        snapshot.open_reviews = open.cloned().collect();
        snapshot.judges = judges(reader, &snapshot.open_reviews)?;
        snapshot.unfinished_review =
            reviews.into_iter().filter(Review::may_go_on).max_by_key(|review| review.opened.at);
        let worker = snapshot.assignee.as_ref().unwrap_or(&snapshot.member).name.clone();
        snapshot.brief = brief(reader, &snapshot.task)?;
        snapshot.parts = parts(reader, &snapshot.task)?;
        snapshot.operator = Some(identity::operator(reader)?);
        snapshot.origin = origin(reader, &snapshot.task)?;
        snapshot.serves = served(reader, &snapshot.task)?;
        snapshot.reported = reported(reader, &snapshot.task)?;
        snapshot.reviewers = reviewers(reader, snapshot.team.as_ref(), &worker)?;
    }
    Ok(snapshot)
}

/// The assigner of the first task in a chain of reassigned or redone tasks.
fn origin(reader: &mut Reader<'_>, task: &Task) -> Result<Option<Agent>, Refusal> {
    let (mut first, mut seen) = (None, BTreeSet::new());
    let mut at = predecessor(task);
    while let Some(id) = at.filter(|id| !seen.contains(id)) {
        let before = reader.task(&id)?;
        at = before.as_ref().and_then(predecessor);
        first = before.or(first);
        seen.insert(id);
    }
    match first {
        Some(first) => Ok(reader.agent(&first.brief.assigner)?),
        None => Ok(None),
    }
}

/// The agents who judged earlier rounds of these reviews, as far as they still take part.
fn judges(reader: &mut Reader<'_>, reviews: &[Review]) -> Result<Vec<Agent>, Refusal> {
    let ids: BTreeSet<_> = reviews.iter().flat_map(|review| &review.verdicts).map(|end| &end.by).collect();
    let mut judges = Vec::with_capacity(ids.len());
    for id in ids {
        judges.extend(reader.agent(id)?.filter(|agent| agent.retired.is_none()));
    }
    Ok(judges)
}

/// What a task asks for, in words.
fn brief(reader: &mut Reader<'_>, task: &Task) -> Result<BriefWords, Refusal> {
    let mut names = Names::new(reader);
    Ok(BriefWords {
        description: names.maybe_text(task.brief.description.as_ref())?,
        purpose: names.maybe_text(task.brief.purpose.as_ref())?,
        requirements: names.lines(&task.brief.requirements)?,
        acceptance_criteria: names.lines(&task.brief.acceptance_criteria)?,
    })
}

/// The tasks that a task was divided into.
fn parts(reader: &mut Reader<'_>, task: &Task) -> Result<Vec<Task>, Refusal> {
    let filter = TaskFilter { parent: Some(task.id.clone()), ..TaskFilter::default() };
    Ok(reader.tasks(&filter, &PageStart::default(), limits::PAGE_MAX)?)
}

/// What was reported of a task last. A text that was purged is repeated by nobody.
fn reported(reader: &mut Reader<'_>, task: &Task) -> Result<Option<Reported>, Refusal> {
    let Some(last) = task.reports.last().map(|report| &report.report) else { return Ok(None) };
    let mut names = Names::new(reader);
    Ok(Some(Reported {
        status: last.status,
        summary: names.text(&last.summary)?.unwrap_or_default(),
        skill: names.maybe_text(last.skill_candidate.name.as_ref())?,
    }))
}

/// The purpose a task serves: its own, or that of the nearest one above it.
pub(super) fn served(reader: &mut Reader<'_>, task: &Task) -> Result<Option<Served>, Refusal> {
    let mut at = Some(task.clone());
    for _ in 0..LEVELS {
        let Some(level) = at else { break };
        if let Some(purpose) = &level.brief.purpose {
            let mut names = Names::new(reader);
            return Ok(Some(Served {
                purpose: names.line(purpose)?,
                acceptance_criteria: names.lines(&level.brief.acceptance_criteria)?,
                order: level.id,
            }));
        }
        at = match &level.brief.parent {
            Some(parent) => reader.task(parent)?,
            None => None,
        };
    }
    Ok(None)
}

/// The task with this id and all that it is a part of.
pub(super) fn above(reader: &mut Reader<'_>, parent: Option<&TaskId>) -> Result<BTreeSet<TaskId>, Refusal> {
    let (mut found, mut at) = (BTreeSet::new(), parent.cloned());
    while let Some(id) = at.filter(|id| !found.contains(id)) {
        at = reader.task(&id)?.and_then(|task| task.brief.parent);
        found.insert(id);
    }
    Ok(found)
}

fn title(reader: &mut Reader<'_>, task: &Task) -> Result<String, Refusal> {
    Names::new(reader).line(&task.brief.title)
}

/// The open task that redoes this one.
pub(super) fn open_redo(reader: &mut Reader<'_>, task: &Task) -> Result<Option<TaskId>, Refusal> {
    let filter = TaskFilter { open: true, ..TaskFilter::default() };
    let mut start = PageStart::default();
    loop {
        let page = reader.tasks(&filter, &start, limits::PAGE_MAX)?;
        // Newest first, and a redo is never older than its original.
        let Some(last) = page.last() else { return Ok(None) };
        start = PageStart { at: last.created.at, id: last.id.to_string() };
        let is_older = last.created.at < task.created.at;
        if let Some(again) = page.into_iter().find(|other| other.brief.redo_of.as_ref() == Some(&task.id)) {
            return Ok(Some(again.id));
        }
        if is_older {
            return Ok(None);
        }
    }
}

/// The messages behind duties, each once.
pub(crate) fn messages(reader: &mut Reader<'_>, due: &[Due]) -> Result<Vec<Message>, Refusal> {
    let ids: BTreeSet<_> = due.iter().map(|due| &due.message).collect();
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(reader.message(id)?);
    }
    Ok(found)
}

fn dependents(reader: &mut Reader<'_>, task: &Task) -> Result<Vec<Dependent>, Refusal> {
    let mut found = Vec::new();
    for dependent in reader.dependents(&task.id)? {
        let title = title(reader, &dependent.task)?;
        let concerned = dependent.task.assignee.as_ref().unwrap_or(&dependent.task.brief.assigner);
        let contact = reader.agent(concerned)?;
        found.push(Dependent { task: dependent.task, waits_for: dependent.waits_for, title, contact });
    }
    Ok(found)
}

/// The agents here whom the rules name as reviewers of a worker.
pub(crate) fn reviewers(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    worker: &Name,
) -> Result<Vec<Agent>, Refusal> {
    let mut found = Vec::new();
    for name in team.map(|team| rules::reviewers(team, worker)).unwrap_or_default() {
        for agent in reader.agents_named(name.as_str())? {
            if reader.is_home(&agent.home)? {
                found.push(agent);
            }
        }
    }
    Ok(found)
}

/// Somebody who can be given work.
pub(super) fn worker(reader: &mut Reader<'_>, given: &str) -> Result<Agent, Refusal> {
    let agent = resolve::agent(reader, given)?;
    if agent.retired.is_some() {
        return Err(resolve::retired(reader, &agent)?);
    }
    Ok(agent)
}
