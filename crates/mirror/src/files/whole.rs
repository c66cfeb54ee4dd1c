//! Every file there should be, from the state alone: what `sync` compares with what is there.
//!
//! Owns finding what was deleted and what stands where nothing should. A file of ours about something that this hub does not
//! know is left: where the database was lost, it is all that is left.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_core::entity::{Entity, Task};
use interagent_core::ids::{EntityRef, MessageId, SpecName, TaskId};
use interagent_core::limits;
use interagent_store::reader::{PageStart, Reader, TaskFilter};
use interagent_store::{Store, StoreError};

use super::archive::{self, Months};
use super::cursor::Due;
use super::follow::{Bound, FilesError, Followed, Stop, follow};
use super::layout::{Folder, Place, is_pending, shelf_of};
use super::names::Look;
use super::pass::{Care, Pass};
use super::render;
use super::tree::{Found, Touched};
use super::untouched::Untouched;

/// How long one snapshot is used.
const SNAPSHOT: Duration = Duration::from_secs(1);

/// Brings every file up to date.
pub fn write_all(store: &mut Store, hub_dir: &Path) -> Result<Followed, FilesError> {
    follow(store, hub_dir, Bound::Whole)
}

/// A comparison of all files, which takes many snapshots where there are many.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    stage: Stage,
    /// What is still to be written or compared.
    left: Vec<EntityRef>,
    /// Files that need not be read.
    pub(super) untouched: Untouched,
    /// When it began, for the disk.
    began: Touched,
    /// What was in the way of files before it began.
    troubles: usize,
    /// Whether lines of the archive may name what is called otherwise now.
    months: Months,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Before,
    Open,
    Done,
}

impl Comparison {
    pub(super) fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    pub(super) fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }
}

/// Begins to compare every file with what it should say, unless it was compared before and nobody touched it since. What is
/// to be looked at is listed under one snapshot; what changes later has an entry that is followed afterwards.
pub(super) fn begin(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let due = pass.record.due;
    let is_anew = due.has(Due::WHOLE) || due.has(Due::TEXTS) || due.has(Due::OBSTACLE);
    pass.comparison = Comparison {
        stage: Stage::Open,
        left: Vec::new(),
        untouched: if is_anew { Untouched::default() } else { Untouched::since(pass.record.compared) },
        began: pass.tree.now().map_err(Stop::Disk)?,
        troubles: pass.troubles.len(),
        months: if due.has(Due::WHOLE) { Months::All } else { Months::Changed },
    };
    pass.record.due.take(Due::TEXTS);
    for due in [Due::AGENTS, Due::SESSION, Due::DASHBOARD, Due::DECISIONS, Due::GUIDES] {
        pass.record.due.add(due);
    }
    pass.aggregates(look)?;
    specs(pass, look)?;
    pending(pass, look)?;
    tasks(pass, look)
}

/// Goes on for one snapshot, and ends the comparison where nothing is left.
pub(super) fn go_on(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let began = Instant::now();
    while let Some(entity) = pass.comparison.left.pop() {
        match look.reader.entity(&entity)? {
            Some(Entity::Message(message)) => pass.message(look, &message, Care::Thorough)?,
            Some(Entity::Task(task)) => pass.task(look, &task)?,
            Some(Entity::Spec(spec)) => pass.spec(look, &spec)?,
            _ => {}
        }
        if began.elapsed() > SNAPSHOT {
            return Ok(());
        }
    }
    let months = pass.comparison.months;
    archive::roll(pass, look, months)?;
    for (place, text) in [(Place::context(), render::CONTEXT), (Place::architecture(), render::ARCHITECTURE)]
    {
        if let Err(trouble) = pass.tree.begin(&place, text) {
            pass.hindered(trouble)?;
        }
    }
    strays(pass, look)?;
    pass.record.due.take(Due::WHOLE);
    let is_clear = pass.troubles.len() == pass.comparison.troubles;
    if is_clear {
        pass.record.due.take(Due::OBSTACLE);
    }
    pass.record.compared = if is_clear { pass.comparison.began } else { 0 };
    pass.comparison = Comparison { stage: Stage::Done, ..Comparison::default() };
    Ok(())
}

/// Writes the file of every agent, and takes away those of agents that are called otherwise or gone.
pub(super) fn tidy_agents(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let mut expected = HashSet::new();
    for agent in look.reader.agents()? {
        expected.extend(pass.agent(look, &agent)?);
    }
    for place in places(pass, Folder::Agents)? {
        if !expected.contains(&place) {
            remove_ours(pass, &place)?;
        }
    }
    Ok(())
}

fn tasks(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let mut start = PageStart::default();
    loop {
        let page = look.reader.tasks(&TaskFilter::default(), &start, limits::PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        start = PageStart { at: last.created.at, id: last.id.to_string() };
        for task in &page {
            if !stands_untouched(pass, task)? {
                pass.comparison.left.push(EntityRef::Task(task.id.clone()));
            }
        }
    }
}

fn stands_untouched(pass: &mut Pass, task: &Task) -> Result<bool, Stop> {
    let here = shelf_of(task.status);
    let there = if here == Folder::Active { Folder::Completed } else { Folder::Active };
    if !pass.is_untouched(&Place::task(&task.id, here), Some(&Place::task(&task.id, there)))? {
        return Ok(false);
    }
    for number in 1..=task.reports.len() {
        if !pass.is_untouched(&Place::report(&task.id, number), None)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What somebody has still to read: of most there is only the name to look at.
fn pending(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    for id in unread_by_somebody(look.reader)? {
        let Ok(id) = MessageId::parse(&id) else { continue };
        let [here, there] = [Folder::Pending, Folder::Archive].map(|shelf| Place::message(&id, shelf));
        if !pass.is_untouched(&here, Some(&there))? {
            pass.comparison.left.push(EntityRef::Message(id));
        }
    }
    Ok(())
}

/// The ids of all messages that somebody has still to read.
pub(super) fn unread_by_somebody(reader: &mut Reader<'_>) -> Result<HashSet<String>, StoreError> {
    let mut found = HashSet::new();
    for agent in reader.recipients()? {
        let mut start = PageStart::default();
        loop {
            let page = reader.unread_places(&agent, &start, limits::PAGE_MAX)?;
            let Some(last) = page.last() else { break };
            start = last.clone();
            found.extend(page.into_iter().map(|place| place.id));
        }
    }
    Ok(found)
}

fn specs(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let mut after = String::new();
    loop {
        let page = look.reader.specs(&after, limits::PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.name.to_string();
        for spec in page {
            if !pass.is_untouched(&Place::spec(&spec.name), None)? {
                pass.comparison.left.push(EntityRef::Spec(spec.name));
            }
        }
    }
}

/// Takes away what stands where its matter does not stand, such as what a killed process left.
fn strays(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    for folder in
        [Folder::Active, Folder::Completed, Folder::Pending, Folder::Archive, Folder::Reports, Folder::Specs]
    {
        for place in places(pass, folder)? {
            if !pass.is_untouched(&place, None)? && is_stray(look, &place)? {
                remove_ours(pass, &place)?;
            }
        }
    }
    Ok(())
}

/// Whether a file's matter is known and stands elsewhere.
fn is_stray(look: &mut Look<'_, '_>, place: &Place) -> Result<bool, Stop> {
    let Some((stem, _)) = place.name.rsplit_once('.') else { return Ok(false) };
    let entity = match place.folder {
        Folder::Active | Folder::Completed => TaskId::parse(stem).ok().map(EntityRef::Task),
        Folder::Pending | Folder::Archive => MessageId::parse(stem).ok().map(EntityRef::Message),
        Folder::Specs => SpecName::parse(stem).ok().map(EntityRef::Spec),
        Folder::Reports => report_of(stem).map(|(task, _)| EntityRef::Task(task)),
        _ => None,
    };
    let Some(entity) = entity else { return Ok(false) };
    Ok(match look.reader.entity(&entity)? {
        Some(Entity::Task(task)) if place.folder == Folder::Reports => {
            report_of(stem).is_some_and(|(_, number)| number > task.reports.len())
        }
        Some(Entity::Task(task)) => shelf_of(task.status) != place.folder,
        Some(Entity::Message(message)) => is_pending(&message) != (place.folder == Folder::Pending),
        Some(Entity::Spec(spec)) => spec.versions.is_empty(),
        _ => false,
    })
}

/// The task of a report's file, and which of its reports it is.
fn report_of(stem: &str) -> Option<(TaskId, usize)> {
    if let Ok(task) = TaskId::parse(stem) {
        return Some((task, 1));
    }
    let (task, number) = stem.rsplit_once('-')?;
    Some((TaskId::parse(task).ok()?, number.parse().ok()?))
}

fn places(pass: &mut Pass, folder: Folder) -> Result<Vec<Place>, Stop> {
    let names = match pass.tree.names(folder) {
        Ok(names) => names,
        Err(trouble) => {
            pass.hindered(trouble)?;
            Vec::new()
        }
    };
    let places = names.into_iter().map(|name| Place { folder, name });
    Ok(places.filter(|place| place.form().is_some()).collect())
}

/// Takes away what we wrote; what somebody else wrote stays where it is.
fn remove_ours(pass: &mut Pass, place: &Place) -> Result<(), Stop> {
    let removed = match pass.tree.look(place) {
        Ok(Found::Ours(_)) => pass.tree.delete(place).map(|()| 1),
        Ok(_) => Ok(0),
        Err(trouble) => Err(trouble),
    };
    match removed {
        Ok(number) => pass.removed += number,
        Err(trouble) => pass.hindered(trouble)?,
    }
    Ok(())
}
