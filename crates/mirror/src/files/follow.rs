//! The follower: writes the files of what changed since it last looked.
//!
//! It reads what changed from the log and what to write from the state, so following in any steps ends with the same files as
//! writing all of them at once. The cursor moves behind an entry only when all its files stand; whoever is killed in between
//! is repeated by the next one.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interagent_core::entity::{Agent, Entity, Message, Task};
use interagent_core::entry::Entry;
use interagent_core::event::Event;
use interagent_core::ids::{AgentId, EntityRef, OriginId};
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError};

use super::archive;
use super::cursor::{self, Cursor, Due, Record, Turn};
use super::layout::{Folder, Place, is_pending, shelf_of};
use super::names::Look;
use super::render;
use super::tree::{Extent, Put, Tree, Trouble};
use super::whole;

/// What a command does for files after its answer.
const BRIEF_ENTRIES: u32 = 64;
const BRIEF: Duration = Duration::from_millis(5);
/// So few are what a command wrote itself: their files are complete when it ends, however busy the machine is.
const OWN_ENTRIES: usize = 4;
/// Entries that are followed under one snapshot.
const BATCH_ENTRIES: u32 = 1_000;
/// Behind by more than this, a short command would not be done before it is forgotten: then the files are written whole by
/// a sync or a process that stays.
const FAR_BEHIND: i64 = 1_000;
/// A hub so young is written whole where that is due, also by a short command.
const YOUNG_ENTRIES: i64 = 500;

/// How much is done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// What a command may cost after its answer: some entries, a few milliseconds.
    Brief,
    /// Everything that changed.
    Resident,
    /// Everything that changed; then every file is compared with what it should say.
    Whole,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Another process writes the files, and will look again before it ends.
    pub busy: bool,
    /// Files that were written.
    pub written: u64,
    /// Files that were taken away because their matter stands elsewhere now.
    pub removed: u64,
    /// Changes by hand that were found and are kept under these names.
    pub kept: Vec<String>,
    /// What was not written, and why.
    pub troubles: Vec<String>,
}

/// Why files could not be followed at all.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The log could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cursor could not be read or written.
    #[error("the cursor of the readable files: {0}")]
    Cursor(#[from] io::Error),
}

/// What ends a pass early.
#[derive(Debug)]
pub(super) enum Stop {
    Store(StoreError),
    Disk(Trouble),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Writes the files of what changed.
pub fn follow(store: &mut Store, hub_dir: &Path, bound: Bound) -> Result<Followed, FilesError> {
    let state_dir = state_dir(hub_dir);
    let began = Instant::now();
    let mut followed = Followed::default();
    let Turn::Ours(mut cursor, mut record) = Cursor::take(&state_dir)? else {
        return Ok(Followed { busy: true, ..followed });
    };
    loop {
        record = one_turn(store, hub_dir, &state_dir, record, (bound, began), &mut followed)?;
        cursor.write(&record)?;
        match cursor.give_back()? {
            // What is left is for the next one.
            Some(_) if bound == Bound::Brief && began.elapsed() > BRIEF => return Ok(followed),
            Some(again) => cursor = again,
            None => return Ok(followed),
        }
        record = cursor.read()?;
    }
}

fn one_turn(
    store: &mut Store,
    hub_dir: &Path,
    state_dir: &Path,
    mut record: Record,
    (bound, began): (Bound, Instant),
    followed: &mut Followed,
) -> Result<Record, FilesError> {
    let mut told = record.due.has(Due::OBSTACLE) || record.due.has(Due::BLOCKED);
    let mut tree = match Tree::open(hub_dir) {
        Ok(tree) => Some(tree),
        Err(trouble) => {
            blocked(&mut record, &trouble, followed);
            None
        }
    };
    while let Some(open) = tree.take() {
        let mut pass = Pass::new(open, record, (bound, began));
        let ended = store.read(|reader| pass.run(reader));
        followed.written += pass.written;
        followed.removed += pass.removed;
        followed.kept.append(&mut pass.kept);
        followed.troubles.append(&mut pass.troubles);
        record = pass.record;
        match ended {
            Ok(Progress::There) => {
                record.due.take(Due::BLOCKED);
                if bound == Bound::Brief {
                    // The process ends now, and that closes all of it at once.
                    std::mem::forget(pass.tree);
                }
            }
            Ok(Progress::More) => tree = Some(pass.tree),
            Err(Stop::Store(error)) => return Err(error.into()),
            Err(Stop::Disk(trouble)) => blocked(&mut record, &trouble, followed),
        }
    }
    if !followed.troubles.is_empty() {
        cursor::tell(state_dir, &followed.troubles);
        told = false;
    }
    // Who compared every file knows better than what was noted.
    told |= bound == Bound::Whole && followed.troubles.is_empty();
    if told && !record.due.has(Due::OBSTACLE) && !record.due.has(Due::BLOCKED) {
        cursor::untell(state_dir);
    }
    Ok(record)
}

fn blocked(record: &mut Record, trouble: &Trouble, followed: &mut Followed) {
    if trouble.extent == Extent::Now {
        return;
    }
    record.due.add(Due::BLOCKED);
    followed.troubles.push(sentence(trouble));
}

fn sentence(trouble: &Trouble) -> String {
    format!("{} was not written: {}", trouble.path, trouble.why)
}

/// Whether a pass came to the end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    There,
    More,
}

/// How an entity's file is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// It can only have moved forward since its file was written.
    Usual,
    /// It may have stood anywhere: what others wrote earlier arrived late.
    Thorough,
}

/// One snapshot, and the files that follow from it.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) tree: Tree,
    pub(super) record: Record,
    bound: Bound,
    began: Instant,
    done: HashSet<EntityRef>,
    /// Agents whose inbox changed: written once, after their messages.
    inboxes: HashSet<AgentId>,
    written: u64,
    pub(super) removed: u64,
    kept: Vec<String>,
    pub(super) troubles: Vec<String>,
}

impl Pass {
    fn new(tree: Tree, record: Record, (bound, began): (Bound, Instant)) -> Self {
        Self {
            tree,
            record,
            bound,
            began,
            done: HashSet::new(),
            inboxes: HashSet::new(),
            written: 0,
            removed: 0,
            kept: Vec::new(),
            troubles: Vec::new(),
        }
    }

    fn run(&mut self, reader: &mut Reader<'_>) -> Result<Progress, Stop> {
        let head = reader.head()?;
        if !self.is_of_this_log(reader)? {
            self.record = Record::unknown();
        }
        let is_far_behind = self.bound == Bound::Brief && head.seq - self.record.seq > FAR_BEHIND;
        if self.record.seq == 0 || is_far_behind {
            // All of the files are to be looked at, so no entry has to be.
            self.record.due.add(Due::WHOLE);
            self.record.seq = head.seq;
            self.record.entry = entry_id(reader, head.seq)?;
        }
        let limit = if self.bound == Bound::Brief { BRIEF_ENTRIES } else { BATCH_ENTRIES };
        let entries = reader.entries_after(self.record.seq, limit)?;
        let mut look = Look::new(reader);
        for stored in &entries {
            self.entry(&mut look, &stored.entry, &head.origin)?;
            self.record.seq = stored.seq;
            self.record.entry.clone_from(&stored.entry.envelope.id);
            if self.is_over() && entries.len() > OWN_ENTRIES {
                break;
            }
        }
        self.inboxes(&mut look)?;
        if self.record.seq < head.seq && self.bound != Bound::Brief {
            return Ok(Progress::More);
        }
        let is_young = head.seq <= YOUNG_ENTRIES;
        let is_due = self.record.due.has(Due::WHOLE) && (is_young || self.bound != Bound::Brief);
        if (is_due || self.bound == Bound::Whole) && self.record.seq == head.seq {
            whole::whole(self, &mut look)?;
        } else if entries.len() <= OWN_ENTRIES || !self.is_over() {
            self.aggregates(&mut look)?;
            if self.bound == Bound::Resident {
                archive::roll_if_full(self, &mut look)?;
            }
        }
        Ok(Progress::There)
    }

    /// Whether a short command has done its part.
    fn is_over(&self) -> bool {
        self.bound == Bound::Brief && self.began.elapsed() > BRIEF
    }

    /// A restored or rebuilt store may have another entry at the cursor's place, or none.
    fn is_of_this_log(&self, reader: &mut Reader<'_>) -> Result<bool, StoreError> {
        Ok(self.record.seq == 0 || entry_id(reader, self.record.seq)? == self.record.entry)
    }

    fn entry(&mut self, look: &mut Look<'_, '_>, entry: &Entry, here: &OriginId) -> Result<(), Stop> {
        let care = if entry.envelope.origin == *here { Care::Usual } else { Care::Thorough };
        for fact in &entry.facts {
            match (&fact.entity, &fact.event) {
                (EntityRef::Text(hash), Event::TextPurged(_)) => {
                    for entity in look.reader.pointing_to(hash)? {
                        self.entity(look, &entity, Care::Thorough)?;
                    }
                    self.record.due.add(Due::DASHBOARD);
                    self.record.due.add(Due::DECISIONS);
                    // It may stand in a month of the archive.
                    self.record.due.add(Due::WHOLE);
                }
                (entity, event) => {
                    self.note(entity, event, care);
                    self.entity(look, entity, care)?;
                }
            }
        }
        Ok(())
    }

    /// Notes which files of the whole hub an event changes.
    fn note(&mut self, entity: &EntityRef, event: &Event, care: Care) {
        let due = &mut self.record.due;
        match (entity, event) {
            (EntityRef::Origin(_), _) | (_, Event::AgentRenamed(_)) => due.add(Due::WHOLE),
            (_, Event::AgentRegistered(_)) if care == Care::Thorough => due.add(Due::WHOLE),
            (_, Event::AgentRetired(_)) => {
                due.add(Due::AGENTS);
                due.add(Due::SESSION);
            }
            (EntityRef::Agent(_), Event::AgentStatus(_) | Event::AgentDescribed(_)) => {}
            (EntityRef::Agent(_), _) => due.add(Due::SESSION),
            (EntityRef::Team, _) => {
                due.add(Due::GUIDES);
                due.add(Due::SESSION);
                due.add(Due::DASHBOARD);
            }
            (EntityRef::Task(_), Event::TaskCreated(_) | Event::TaskMoved(_)) => {
                due.add(Due::SESSION);
                due.add(Due::DASHBOARD);
            }
            (EntityRef::Task(_) | EntityRef::Spec(_), _) => due.add(Due::DASHBOARD),
            (EntityRef::Decision(_), _) => {
                due.add(Due::DECISIONS);
                due.add(Due::SESSION);
                due.add(Due::DASHBOARD);
            }
            _ => {}
        }
        if care == Care::Thorough {
            // A fold that came out otherwise may have moved anything.
            due.add(Due::SESSION);
            due.add(Due::DASHBOARD);
        }
    }

    /// Writes the files of one entity, once in a pass.
    fn entity(&mut self, look: &mut Look<'_, '_>, entity: &EntityRef, care: Care) -> Result<(), Stop> {
        if !self.done.insert(entity.clone()) {
            return Ok(());
        }
        match look.reader.entity(entity)? {
            Some(Entity::Message(message)) => {
                self.message(look, &message, care)?;
                if !self.record.due.has(Due::DASHBOARD) && render::concerns(look, &message)? {
                    self.record.due.add(Due::DASHBOARD);
                }
                self.inboxes.extend(message.deliveries.into_keys());
            }
            Some(Entity::Task(task)) => self.task(look, &task)?,
            Some(Entity::Agent(agent)) => {
                self.inboxes.insert(agent.id);
            }
            Some(Entity::Spec(spec)) => match render::spec(look, &spec)? {
                Some(text) => self.put(&Place::spec(&spec.name), &text)?,
                None => self.remove(&Place::spec(&spec.name))?,
            },
            _ => {}
        }
        Ok(())
    }

    /// Writes a message where it stands, and takes it away where it stood.
    pub(super) fn message(
        &mut self,
        look: &mut Look<'_, '_>,
        message: &Message,
        care: Care,
    ) -> Result<(), Stop> {
        let text = render::message(look, message)?;
        let is_pending = is_pending(message);
        let [pending, archived] =
            [Folder::Pending, Folder::Archive].map(|folder| Place::message(&message.id, folder));
        let (here, there) = if is_pending { (pending, archived) } else { (archived, pending) };
        self.put(&here, &text)?;
        // What this replica wrote itself never comes back from the archive.
        if !is_pending || care == Care::Thorough {
            self.remove(&there)?;
        }
        Ok(())
    }

    /// Writes a task where it stands with its reports, and takes it away where it stood.
    pub(super) fn task(&mut self, look: &mut Look<'_, '_>, task: &Task) -> Result<(), Stop> {
        let text = render::task(look, task)?;
        let here = shelf_of(task.status);
        let there = if here == Folder::Active { Folder::Completed } else { Folder::Active };
        self.put(&Place::task(&task.id, here), &text)?;
        self.remove(&Place::task(&task.id, there))?;
        for (number, report) in task.reports.iter().enumerate() {
            let text = render::report(look, task, report)?;
            self.put(&Place::report(&task.id, number + 1), &text)?;
        }
        Ok(())
    }

    fn inboxes(&mut self, look: &mut Look<'_, '_>) -> Result<(), Stop> {
        let mut inboxes: Vec<AgentId> = std::mem::take(&mut self.inboxes).into_iter().collect();
        inboxes.sort();
        for id in inboxes {
            if let Some(agent) = look.reader.agent(&id)? {
                self.agent(look, &agent)?;
            }
        }
        Ok(())
    }

    /// Writes an agent's file; one that takes no part has none.
    pub(super) fn agent(&mut self, look: &mut Look<'_, '_>, agent: &Agent) -> Result<Option<Place>, Stop> {
        if agent.retired.is_some() {
            return Ok(None);
        }
        let name = look.name_of(agent)?;
        let (place, text) = (Place::agent(&name), render::agent(look, agent, &name)?);
        self.put(&place, &text)?;
        Ok(Some(place))
    }

    /// Writes the files of the whole hub that are due.
    pub(super) fn aggregates(&mut self, look: &mut Look<'_, '_>) -> Result<(), Stop> {
        if self.record.due.has(Due::AGENTS) {
            whole::tidy_agents(self, look)?;
            self.record.due.take(Due::AGENTS);
        }
        if self.record.due.has(Due::SESSION) {
            let text = render::session(look)?;
            self.put(&Place::session(), &text)?;
            self.record.due.take(Due::SESSION);
        }
        if self.record.due.has(Due::DASHBOARD) {
            let text = render::dashboard(look)?;
            self.put(&Place::dashboard(), &text)?;
            self.record.due.take(Due::DASHBOARD);
        }
        if self.record.due.has(Due::DECISIONS) {
            let text = render::decisions(look)?;
            self.put(&Place::decisions(), &text)?;
            self.record.due.take(Due::DECISIONS);
        }
        if self.record.due.has(Due::GUIDES) {
            let (readme, guide) = (render::readme(look)?, render::agents_guide(look)?);
            self.put(&Place::readme(), &readme)?;
            self.put(&Place::agents_guide(), &guide)?;
            self.record.due.take(Due::GUIDES);
        }
        Ok(())
    }

    /// Lets a file say this. What is in the way of one file is named and does not hinder the others.
    pub(super) fn put(&mut self, place: &Place, text: &str) -> Result<(), Stop> {
        match self.tree.put(place, text) {
            Ok(Put::Same) => {}
            Ok(Put::Written) => self.written += 1,
            Ok(Put::Kept(name)) => {
                self.written += 1;
                self.kept.push(name);
            }
            Err(trouble) => self.hindered(trouble)?,
        }
        Ok(())
    }

    /// Takes a file away.
    pub(super) fn remove(&mut self, place: &Place) -> Result<(), Stop> {
        match self.tree.remove(place) {
            Ok(kept) => self.kept.extend(kept),
            Err(trouble) => self.hindered(trouble)?,
        }
        Ok(())
    }

    pub(super) fn hindered(&mut self, trouble: Trouble) -> Result<(), Stop> {
        if trouble.extent != Extent::One {
            return Err(Stop::Disk(trouble));
        }
        self.record.due.add(Due::OBSTACLE);
        let told = sentence(&trouble);
        if !self.troubles.contains(&told) {
            self.troubles.push(told);
        }
        Ok(())
    }
}

/// The id of the entry at a place; nothing where there is none.
fn entry_id(reader: &mut Reader<'_>, seq: i64) -> Result<String, StoreError> {
    Ok(reader.entry(seq)?.map(|stored| stored.entry.envelope.id).unwrap_or_default())
}

/// The store's directory of a hub.
pub(super) fn state_dir(hub_dir: &Path) -> PathBuf {
    hub_dir.join("state")
}
