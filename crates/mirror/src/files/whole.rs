//! Every file there should be, from the state alone: what `sync` compares with what is there.
//!
//! Owns finding what was deleted and what stands where nothing should. A file of ours about something that this hub does not
//! know is left: where the database was lost, it is all that is left.

use std::collections::HashSet;
use std::path::Path;

use interagent_core::entity::Entity;
use interagent_core::ids::{EntityRef, MessageId, SpecName, TaskId};
use interagent_core::limits;
use interagent_store::Store;
use interagent_store::reader::{PageStart, Shelf, TaskFilter};

use super::archive;
use super::cursor::Due;
use super::follow::{Bound, Care, FilesError, Followed, Pass, Stop, follow};
use super::layout::{Folder, Place, is_pending, shelf_of};
use super::names::Look;
use super::render;
use super::tree::Found;

/// Brings every file up to date.
pub fn write_all(store: &mut Store, hub_dir: &Path) -> Result<Followed, FilesError> {
    follow(store, hub_dir, Bound::Whole)
}

/// Compares every file with what it should say.
pub(super) fn whole(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let names_changed = pass.record.due.has(Due::WHOLE);
    let before = pass.troubles.len();
    for due in [Due::AGENTS, Due::SESSION, Due::DASHBOARD, Due::DECISIONS, Due::GUIDES] {
        pass.record.due.add(due);
    }
    pass.aggregates(look)?;
    tasks(pass, look)?;
    pending(pass, look)?;
    archive::roll(pass, look, if names_changed { archive::Months::All } else { archive::Months::Changed })?;
    specs(pass, look)?;
    for (place, text) in
        [(Place::context(), render::context()), (Place::architecture(), render::architecture())]
    {
        if let Err(trouble) = pass.tree.begin(&place, text) {
            pass.hindered(trouble)?;
        }
    }
    strays(pass, look)?;
    pass.record.due.take(Due::WHOLE);
    if pass.troubles.len() == before {
        pass.record.due.take(Due::OBSTACLE);
    }
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
            pass.task(look, task)?;
        }
    }
}

fn pending(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let mut start = PageStart::default();
    loop {
        let page = look.reader.shelved(Shelf::Pending, &start, limits::PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        start = PageStart { at: last.sent.at, id: last.id.to_string() };
        for message in &page {
            pass.message(look, message, Care::Thorough)?;
        }
    }
}

fn specs(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let mut after = String::new();
    loop {
        let page = look.reader.specs(&after, limits::PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.name.to_string();
        for spec in &page {
            if let Some(text) = render::spec(look, spec)? {
                pass.put(&Place::spec(&spec.name), &text)?;
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
            if is_stray(look, &place)? {
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
