//! Writing: every step becomes an entry of the operator's, in the name of whom it was, at the time when it was.
//!
//! Steps are written in batches, each of which is durable or not at all. A step has a key, so one that was written before is
//! found again: an import that was cut off is finished by the next one.

use std::cell::RefCell;
use std::collections::HashSet;

use interagent_core::authority::Proof;
use interagent_core::draft::{Context, Draft, Fresh};
use interagent_core::entry::RequestKey;
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Auth;
use interagent_store::reader::Reader;
use interagent_store::{Appended, KeyConflict, NewEntry, Store, StoreError, Writer};

use super::entries::Entries;
use super::people::{self, People};
use super::plan::{Act, Plan, Step};
use super::record::Records;
use super::report::{Count, Report};
use super::sift::sift;
use super::source::System;

/// Entries per transaction: few enough that other writers wait only briefly, enough that a shared page is not
/// written for each of them.
const BATCH: usize = 2_000;

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
    let plan = store.read(|reader| Plan::new(system, &mut records, Some(reader)))?;
    let entries = Entries { people: &people, plan: &plan, records: &records, notes: RefCell::default() };
    let total = plan.steps.len();
    let (mut written, mut tally) = (0, Tally::default());
    store.expect_bulk()?;
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
            |step, appended| {
                let is_new = matches!(appended, Appended::New(_));
                tally.count(step, if is_new { Fate::New } else { Fate::Known });
            },
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
    let mut left = sift(records);
    let mut report = Report {
        left: std::mem::take(&mut records.left),
        notes: std::mem::take(&mut records.notes),
        ..Report::default()
    };
    report.left.append(&mut left);
    report
}

/// What an import would take, with nothing written: the same steps, counted instead of appended.
pub fn preview(
    system: System,
    mut records: Records,
    store: Option<&mut Store>,
) -> Result<Report, ImportError> {
    let mut report = begin(&mut records);
    match store {
        Some(store) => store.read(|reader| foresee(system, &mut records, Some(reader), &mut report))?,
        None => foresee(system, &mut records, None, &mut report)?,
    }
    Ok(report)
}

fn foresee(
    system: System,
    records: &mut Records,
    mut hub: Option<&mut Reader<'_>>,
    report: &mut Report,
) -> Result<(), ImportError> {
    let people = people::foresee(hub.as_deref_mut(), system, records, report)?;
    let plan = Plan::new(system, records, hub.as_deref_mut())?;
    let (mut tally, mut seen) = (Tally::default(), HashSet::new());
    let mut notes = Vec::new();
    match (hub, people) {
        (Some(reader), Some(people)) => {
            let entries = Entries { people: &people, plan: &plan, records, notes: RefCell::default() };
            for step in &plan.steps {
                let is_new = seen.insert(&step.key) && would_write(reader, system, &entries, step)?;
                tally.count(step, if is_new { Fate::New } else { Fate::Known });
            }
            notes = entries.notes.take();
        }
        _ => {
            for step in &plan.steps {
                tally.count(step, if seen.insert(&step.key) { Fate::New } else { Fate::Known });
            }
        }
    }
    report.add(&tally);
    report.notes.append(&mut notes);
    Ok(())
}

/// Whether a step would become an entry.
fn would_write(
    reader: &mut Reader<'_>,
    system: System,
    entries: &Entries<'_>,
    step: &Step,
) -> Result<bool, ImportError> {
    let operator = &entries.people.operator;
    if reader.is_key_used(operator, &key(system, step))? {
        return Ok(false);
    }
    if let Act::Report(place) = step.act {
        // Its task may be among what is taken.
        return Ok(entries.plan.task(&entries.records.reports[place].task).is_some());
    }
    let context = Context {
        now: step.time,
        origin: reader.here()?,
        member: operator.clone(),
        human: true,
        proof: Proof::Claimed,
        fresh: Fresh::new([0; 32]),
    };
    let mut draft = Draft::new(&context);
    entries.draft(reader, &step.act, &context, &mut draft)?;
    Ok(!draft.facts.is_empty())
}

fn key(system: System, step: &Step) -> String {
    format!("import:{system}:{}", step.key)
}

fn new_entry(system: System, people: &People, entries: &Entries<'_>, step: &Step) -> NewEntry {
    let key = key(system, step);
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

/// Whether a step is new to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    New,
    Known,
}

impl Tally {
    fn count(&mut self, step: &Step, fate: Fate) {
        let is_new = fate == Fate::New;
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
