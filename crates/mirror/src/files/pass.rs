//! What changed, and the files of it: what changed is read from the log, what to write from the state. So following in any
//! steps ends with the same files as writing all of them at once.

use std::collections::HashSet;
use std::time::Instant;

use interagent_core::entity::{Agent, Entity, Message, Spec, Task};
use interagent_core::entry::Entry;
use interagent_core::event::Event;
use interagent_core::ids::{AgentId, EntityRef, OriginId};
use interagent_store::StoreError;
use interagent_store::reader::Reader;

use super::archive;
use super::cursor::{Due, Record};
use super::follow::{BRIEF, Bound, Followed, Stop, sentence};
use super::layout::{Folder, Place, is_pending, shelf_of};
use super::names::Look;
use super::render;
use super::tree::{Extent, Put, Tree, Trouble};
use super::whole::{self, Comparison};

/// What a command does for files after its answer.
const BRIEF_ENTRIES: u32 = 64;
/// So few are what a command wrote itself: their files are complete when it ends, however busy the machine is.
const OWN_ENTRIES: usize = 4;
/// Entries that are followed under one snapshot.
const BATCH_ENTRIES: u32 = 1_000;
/// Behind by more than this, a short command would not be done before it is forgotten: then the files are written whole by
/// a sync or a process that stays.
const FAR_BEHIND: i64 = 1_000;
/// A hub so young is written whole where that is due, also by a short command.
const YOUNG_ENTRIES: i64 = 500;

/// Whether a pass came to the end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
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

/// Snapshots one after the other, and the files that follow from them.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) tree: Tree,
    pub(super) record: Record,
    bound: Bound,
    began: Instant,
    /// A comparison of all files, as far as it got.
    pub(super) comparison: Comparison,
    done: HashSet<EntityRef>,
    /// Agents whose inbox changed: written once, after their messages.
    inboxes: HashSet<AgentId>,
    written: u64,
    pub(super) removed: u64,
    kept: Vec<String>,
    moved: Vec<String>,
    pub(super) troubles: Vec<String>,
}

impl Pass {
    pub(super) fn new(tree: Tree, record: Record, (bound, began): (Bound, Instant)) -> Self {
        Self {
            tree,
            record,
            bound,
            began,
            comparison: Comparison::default(),
            done: HashSet::new(),
            inboxes: HashSet::new(),
            written: 0,
            removed: 0,
            kept: Vec::new(),
            moved: Vec::new(),
            troubles: Vec::new(),
        }
    }

    /// What was done goes to the report, how far it got to the cursor.
    pub(super) fn end(self, bound: Bound, followed: &mut Followed) -> Record {
        followed.written += self.written;
        followed.removed += self.removed;
        followed.kept.extend(self.kept);
        followed.moved.extend(self.moved);
        followed.troubles.extend(self.troubles);
        if bound == Bound::Brief {
            // The process ends now, and that closes all of it at once.
            std::mem::forget(self.tree);
        }
        self.record
    }

    /// Goes on for one snapshot.
    pub(super) fn run(&mut self, reader: &mut Reader<'_>) -> Result<Progress, Stop> {
        let mut look = Look::new(reader);
        let ended = self.look_through(&mut look);
        if look.lacks_text {
            self.record.due.add(Due::TEXTS);
        }
        ended
    }

    fn look_through(&mut self, look: &mut Look<'_, '_>) -> Result<Progress, Stop> {
        if self.comparison.is_open() {
            whole::go_on(self, look)?;
            return Ok(Progress::More);
        }
        self.done.clear();
        let head = look.reader.head()?;
        if !self.is_of_this_log(look.reader)? {
            self.record = Record::unknown();
        }
        let is_far_behind = self.bound == Bound::Brief && head.seq - self.record.seq > FAR_BEHIND;
        if self.record.seq == 0 || is_far_behind {
            // All of the files are to be looked at, so no entry has to be.
            self.record.due.add(Due::WHOLE);
            self.record.seq = head.seq;
            self.record.entry = entry_id(look.reader, head.seq)?;
        }
        let limit = if self.bound == Bound::Brief { BRIEF_ENTRIES } else { BATCH_ENTRIES };
        let entries = look.reader.entries_after(self.record.seq, limit)?;
        for stored in &entries {
            self.entry(look, &stored.entry, &head.origin)?;
            self.record.seq = stored.seq;
            self.record.entry.clone_from(&stored.entry.envelope.id);
            if self.is_over() && entries.len() > OWN_ENTRIES {
                break;
            }
        }
        self.inboxes(look)?;
        if self.record.seq < head.seq && self.bound != Bound::Brief {
            return Ok(Progress::More);
        }
        let is_young = head.seq <= YOUNG_ENTRIES;
        let is_due = self.record.due.has(Due::WHOLE) && (is_young || self.bound != Bound::Brief);
        let is_asked = self.bound == Bound::Whole && !self.comparison.is_done();
        if (is_due || is_asked) && self.record.seq == head.seq {
            whole::begin(self, look)?;
            return Ok(Progress::More);
        }
        if entries.len() <= OWN_ENTRIES || !self.is_over() {
            self.aggregates(look)?;
            if self.bound == Bound::Resident {
                archive::roll_if_full(self, look)?;
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
            (EntityRef::Task(_) | EntityRef::Spec(_) | EntityRef::Skill(_), _) => due.add(Due::DASHBOARD),
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
                if care == Care::Thorough {
                    // Two replicas may have sent under one id. Whom the other of the two went to does not have it any more.
                    let sent = look.reader.history(entity)?.into_iter().filter_map(|placed| {
                        match placed.fact.event {
                            Event::MessageSent(sent) => Some(sent.to),
                            _ => None,
                        }
                    });
                    self.inboxes.extend(sent.flatten());
                }
            }
            Some(Entity::Task(task)) => self.task(look, &task)?,
            Some(Entity::Agent(agent)) => {
                if render::speaks_there(look, &agent)? {
                    self.record.due.add(Due::DASHBOARD);
                }
                self.inboxes.insert(agent.id);
            }
            Some(Entity::Spec(spec)) => self.spec(look, &spec)?,
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

    /// Writes a spec's newest text; one without any has no file.
    pub(super) fn spec(&mut self, look: &mut Look<'_, '_>, spec: &Spec) -> Result<(), Stop> {
        match render::spec(look, spec)? {
            Some(text) => self.put(&Place::spec(&spec.name), &text),
            None => self.remove(&Place::spec(&spec.name)),
        }
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
            Ok(Put::Moved) => {
                self.written += 1;
                self.moved.push(place.shown());
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

    /// Whether a comparison may pass by a file, which stands here and not there.
    pub(super) fn is_untouched(&mut self, here: &Place, there: Option<&Place>) -> Result<bool, Stop> {
        let Self { comparison, tree, .. } = self;
        let untouched = &mut comparison.untouched;
        let answer = match there {
            Some(there) => untouched.has_only(tree, here, there),
            None => untouched.has(tree, here),
        };
        match answer {
            Ok(is_untouched) => Ok(is_untouched),
            Err(trouble) => self.hindered(trouble).map(|()| false),
        }
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
