//! Writing: every step becomes an entry of the operator's, in the name of whom it was, at the time when it was.
//!
//! Steps are written in batches, each of which is durable or not at all. A step has a key, so one that was written before is
//! found again: an import that was cut off is finished by the next one.

use std::cell::RefCell;
use std::collections::HashSet;

use interagent_core::draft::{Context, Draft};
use interagent_core::entry::RequestKey;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Auth;
use interagent_store::reader::Reader;
use interagent_store::{Appended, KeyConflict, NewEntry, Store, StoreError, Writer};

use super::entries::Entries;
use super::people::{self, People};
use super::plan::{Act, Plan, Step};
use super::record::Records;
use super::report::{Count, Renamed, Report};
use super::sift::sift;
use super::source::System;

/// Entries of one transaction: few enough that others who write wait for a moment only.
const BATCH: usize = 500;

/// Why an import stopped. What it had written stays, and the next one goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A key belongs to something else.
    #[error("{}", .0.sentence)]
    Refused(Box<Refusal>),
    /// The replica has no person.
    #[error("this replica has no operator: its first entry is missing")]
    NoOperator,
    /// No name is free for somebody.
    #[error("no name is free for `{name}`")]
    NoName {
        /// As it is written there.
        name: String,
    },
}

impl From<KeyConflict> for ImportError {
    fn from(conflict: KeyConflict) -> Self {
        Self::Refused(Box::new(conflict.into()))
    }
}

/// Takes everything in. `progress` hears how many of how many steps are done.
pub fn take(
    store: &mut Store,
    system: System,
    mut records: Records,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, ImportError> {
    let mut report = begin(&mut records);
    let people = people::settle(store, system, &records, &mut report)?;
    let plan = store.read(|reader| Plan::new(system, &mut records, reader))?;
    let entries = Entries { people: &people, plan: &plan, records: &records, notes: RefCell::default() };
    let total = plan.steps.len();
    let (mut written, mut tally) = (0, Tally::default());
    for batch in plan.steps.chunks(BATCH) {
        store.append_batch(
            batch.iter().map(|step| (new_entry(system, &people, &entries, step), step)),
            |writer: &mut Writer<'_, '_>, context: &Context, step| {
                let mut draft = Draft::new(context);
                if step.time > 0 {
                    draft.happened_at(step.time);
                }
                entries.draft(&mut writer.look(), &step.act, context, &mut draft)?;
                Ok::<_, ImportError>(draft)
            },
            |step, appended| tally.count(step, appended),
        )?;
        written += batch.len();
        progress(written, total);
        store.finish()?;
    }
    report.add(&tally);
    report.notes.append(&mut entries.notes.take());
    Ok(report)
}

/// A report of what the readers found, once every text fits.
fn begin(records: &mut Records) -> Report {
    let mut report = Report {
        left: std::mem::take(&mut records.left),
        notes: std::mem::take(&mut records.notes),
        ..Report::default()
    };
    report.left.append(&mut sift(records));
    report
}

/// What an import would take, with nothing written: `reader` is the hub, where there is one.
pub fn preview(
    system: System,
    mut records: Records,
    store: Option<&mut Store>,
) -> Result<Report, ImportError> {
    let mut report = begin(&mut records);
    let count = |records: &Records| Count {
        agents: records.agents.len(),
        messages: records.messages.len(),
        tasks: records.tasks.len(),
        reports: records.reports.len(),
        specs: records.specs.len(),
    };
    for agent in &records.agents {
        if let Some(name) = people::suggested(&agent.name).filter(|name| name.as_str() != agent.name) {
            report.renamed.push(Renamed { was: agent.name.clone(), is: name.to_string() });
        }
    }
    let Some(store) = store else {
        report.taken = count(&records);
        return Ok(report);
    };
    store.read(|reader| {
        let plan = Plan::new(system, &mut records, reader)?;
        let all = count(&records);
        let before = &mut report.taken_before;
        before.messages = known(reader, plan.messages.iter().map(|id| EntityRef::Message(id.clone())))?;
        before.tasks = known(reader, plan.tasks.iter().map(|id| EntityRef::Task(id.clone())))?;
        for agent in &records.agents {
            let there = match people::suggested(&agent.name) {
                Some(name) => !reader.agents_named(name.as_str())?.is_empty(),
                None => true,
            };
            before.agents += usize::from(there);
        }
        report.taken = Count {
            agents: all.agents - before.agents,
            messages: all.messages - before.messages,
            tasks: all.tasks - before.tasks,
            ..all
        };
        Ok::<_, ImportError>(())
    })?;
    Ok(report)
}

fn known(reader: &mut Reader<'_>, entities: impl Iterator<Item = EntityRef>) -> Result<usize, StoreError> {
    let mut known = 0;
    for entity in entities {
        known += usize::from(reader.entity(&entity)?.is_some());
    }
    Ok(known)
}

fn new_entry(system: System, people: &People, entries: &Entries<'_>, step: &Step) -> NewEntry {
    let key = format!("import:{system}:{}", step.key);
    let behalf: AgentId = entries.member(&step.act);
    NewEntry {
        actor: people.operator.clone(),
        behalf: (behalf != people.operator).then_some(behalf),
        human: true,
        auth: Auth::Claimed,
        op: operation(&step.act),
        key: Some(RequestKey { request: key.clone(), key }),
    }
}

fn operation(act: &Act) -> &'static str {
    match act {
        Act::Create(_) | Act::Note(..) | Act::Stand(_) => "import.task",
        Act::Report(_) => "import.report",
        Act::Send(_) | Act::Advance(_) => "import.message",
        Act::Publish(_) => "import.spec",
        Act::Status(_) => "import.agent",
    }
}

/// What became of the steps.
#[derive(Debug, Default)]
struct Tally {
    taken: Count,
    before: Count,
    newer: usize,
    /// Tasks and messages that are new in this import.
    created: (HashSet<usize>, HashSet<usize>),
}

impl Tally {
    fn count(&mut self, step: &Step, appended: &Appended) {
        let is_new = matches!(appended, Appended::New(_));
        let count = if is_new { &mut self.taken } else { &mut self.before };
        match step.act {
            Act::Create(place) => {
                count.tasks += 1;
                self.created.0.extend(is_new.then_some(place));
            }
            Act::Send(place) => {
                count.messages += 1;
                self.created.1.extend(is_new.then_some(place));
            }
            Act::Report(_) => count.reports += 1,
            Act::Publish(_) => count.specs += 1,
            Act::Note(place, _) | Act::Stand(place) => {
                self.newer += usize::from(is_new && !self.created.0.contains(&place));
            }
            Act::Advance(place) => self.newer += usize::from(is_new && !self.created.1.contains(&place)),
            Act::Status(_) => {}
        }
    }
}

impl Report {
    fn add(&mut self, tally: &Tally) {
        let sum = |to: &mut Count, of: &Count| {
            to.messages += of.messages;
            to.tasks += of.tasks;
            to.reports += of.reports;
            to.specs += of.specs;
        };
        sum(&mut self.taken, &tally.taken);
        sum(&mut self.taken_before, &tally.before);
        self.brought_up_to_date += tally.newer;
    }
}
