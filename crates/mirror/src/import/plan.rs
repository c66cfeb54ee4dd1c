//! From records to steps: what is written, in the order in which it happened, under ids that are the same wherever and
//! whenever the same thing is taken over.

use std::collections::HashMap;

use interagent_core::event::Micros;
use interagent_core::ids::{EntityRef, MessageId, SpecName, TaskId};
use interagent_core::text::hex;
use interagent_core::vocabulary::{ReportStatus, TaskStatus};
use interagent_store::StoreError;
use interagent_store::reader::{Noun, Reader};
use sha2::{Digest, Sha256};

use super::people::is_word;
use super::record::{MessageRecord, Progress, Records, TaskRecord};
use super::source::System;

/// One entry to be; numbers are places in the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Create(usize),
    Note(usize, usize),
    Stand(usize),
    Report(usize),
    Send(usize),
    Advance(usize),
    Publish(usize),
    Status(usize),
}

/// A step, with when it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// 0 where nothing tells.
    pub(super) time: Micros,
    pub(super) act: Act,
    /// What makes it this step and no other, for the key.
    pub(super) key: String,
}

/// Everything that is to be written, with the ids it gets.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) messages: Vec<MessageId>,
    pub(super) tasks: Vec<TaskId>,
    pub(super) specs: Vec<Option<SpecName>>,
    /// The first message of each message's conversation.
    pub(super) threads: Vec<MessageId>,
    task_ids: HashMap<String, TaskId>,
    message_ids: HashMap<String, MessageId>,
}

/// Sixty bits that only this thing has.
fn bits(parts: &[&str]) -> u64 {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize()[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn short(parts: &[&str]) -> String {
    hex(&bits(parts).to_be_bytes())
}

fn task_id(system: System, task: &TaskRecord) -> TaskId {
    // Without its time: some systems write another one whenever the task changes.
    TaskId::from_bits(bits(&["task", system.as_str(), &task.id, task.title.as_deref().unwrap_or_default()]))
}

fn message_id(system: System, message: &MessageRecord) -> MessageId {
    let sent = message.sent.unwrap_or_default().to_string();
    MessageId::from_bits(bits(&["message", system.as_str(), &message.id, &sent, &message.from, &message.to]))
}

impl Plan {
    /// Plans everything, for a hub or for one that is yet to be. Tasks that only a report knows are added to the records.
    pub(super) fn new(
        system: System,
        records: &mut Records,
        mut hub: Option<&mut Reader<'_>>,
    ) -> Result<Self, StoreError> {
        let mut task_ids: HashMap<String, TaskId> = HashMap::new();
        let tasks: Vec<TaskId> = records.tasks.iter().map(|task| task_id(system, task)).collect();
        for (task, id) in records.tasks.iter().zip(&tasks) {
            task_ids.entry(task.id.clone()).or_insert_with(|| id.clone());
        }
        let messages: Vec<MessageId> =
            records.messages.iter().map(|message| message_id(system, message)).collect();
        let mut message_ids: HashMap<String, MessageId> = HashMap::new();
        for (message, id) in records.messages.iter().zip(&messages) {
            message_ids.entry(message.id.clone()).or_insert_with(|| id.clone());
        }
        let specs = records.specs.iter().map(|spec| spec_name(&spec.name)).collect();
        let mut plan =
            Self { steps: Vec::new(), messages, tasks, specs, threads: Vec::new(), task_ids, message_ids };
        if let Some(reader) = hub.as_deref_mut() {
            plan.known_before(records, reader)?;
        }
        plan.only_reported(system, records);
        plan.threads = plan.conversations(records, hub)?;
        plan.list(records);
        Ok(plan)
    }

    pub(super) fn task(&self, foreign: &str) -> Option<&TaskId> {
        self.task_ids.get(foreign)
    }

    pub(super) fn message(&self, foreign: &str) -> Option<&MessageId> {
        self.message_ids.get(foreign)
    }

    /// What the records point at and an earlier import took.
    fn known_before(&mut self, records: &Records, reader: &mut Reader<'_>) -> Result<(), StoreError> {
        let of_tasks = records.tasks.iter().flat_map(|task| {
            [&task.parent, &task.redo_of, &task.reassigned_from].into_iter().flatten().chain(&task.depends_on)
        });
        let of_others = records.messages.iter().filter_map(|message| message.task.as_ref());
        for foreign in of_tasks.chain(of_others).chain(records.reports.iter().map(|report| &report.task)) {
            if !self.task_ids.contains_key(foreign)
                && let [EntityRef::Task(id)] = reader.aliased(foreign, &[Noun::Task])?.as_slice()
            {
                self.task_ids.insert(foreign.clone(), id.clone());
            }
        }
        for foreign in records.messages.iter().filter_map(|message| message.reply_to.as_ref()) {
            if !self.message_ids.contains_key(foreign)
                && let [EntityRef::Message(id)] = reader.aliased(foreign, &[Noun::Message])?.as_slice()
            {
                self.message_ids.insert(foreign.clone(), id.clone());
            }
        }
        Ok(())
    }

    /// A member's task file holds only its newest task: what reports speak of was a task too.
    fn only_reported(&mut self, system: System, records: &mut Records) {
        for report in &records.reports {
            if self.task_ids.contains_key(&report.task) {
                continue;
            }
            let status = match report.status {
                ReportStatus::Done => TaskStatus::Completed,
                ReportStatus::Failed => TaskStatus::Failed,
                ReportStatus::Blocked => TaskStatus::Blocked,
            };
            let task = TaskRecord {
                title: Some(report.task.clone()),
                status,
                assignee: Some(report.worker.clone()),
                created: report.when,
                updated: report.when,
                parent: report.parent.clone(),
                ..TaskRecord::new(&report.file, report.task.clone())
            };
            let id = task_id(system, &task);
            self.task_ids.insert(report.task.clone(), id.clone());
            self.tasks.push(id);
            records.tasks.push(task);
        }
    }

    /// Follows every reply to the first message of its conversation.
    fn conversations(
        &self,
        records: &Records,
        mut hub: Option<&mut Reader<'_>>,
    ) -> Result<Vec<MessageId>, StoreError> {
        let places: HashMap<&MessageId, usize> =
            self.messages.iter().enumerate().map(|(place, id)| (id, place)).collect();
        let answered = |place: usize| {
            records.messages[place].reply_to.as_deref().and_then(|foreign| self.message_ids.get(foreign))
        };
        let mut firsts: Vec<Option<MessageId>> = vec![None; self.messages.len()];
        // From which start a message was last passed: a way of a hundred thousand replies is walked once.
        let mut passed: Vec<Option<usize>> = vec![None; self.messages.len()];
        for start in 0..self.messages.len() {
            let mut way = Vec::new();
            let mut at = start;
            let first = loop {
                if let Some(first) = &firsts[at] {
                    break first.clone();
                }
                if passed[at] == Some(start) {
                    // A ring: whoever comes first by its id is the beginning.
                    break way
                        .iter()
                        .map(|place: &usize| &self.messages[*place])
                        .min()
                        .unwrap_or(&self.messages[at])
                        .clone();
                }
                way.push(at);
                passed[at] = Some(start);
                match answered(at) {
                    None => break self.messages[at].clone(),
                    Some(before) => match places.get(before) {
                        Some(place) => at = *place,
                        None => {
                            let known =
                                hub.as_deref_mut().map(|reader| reader.message(before)).transpose()?;
                            break known.flatten().map_or(before.clone(), |known| known.thread);
                        }
                    },
                }
            };
            for place in way {
                firsts[place] = Some(first.clone());
            }
        }
        Ok(firsts
            .into_iter()
            .zip(&self.messages)
            .map(|(first, own)| first.unwrap_or_else(|| own.clone()))
            .collect())
    }

    /// All steps, oldest first. What has no time of its own happened when the thing it belongs to did.
    fn list(&mut self, records: &Records) {
        let mut steps = Vec::new();
        for (place, task) in records.tasks.iter().enumerate() {
            let id = self.tasks[place].as_str();
            let created = task.created.or(task.updated).unwrap_or_default();
            steps.push(Step { time: created, act: Act::Create(place), key: id.to_owned() });
            for (n, (when, note)) in task.notes.iter().enumerate() {
                let time = when.unwrap_or(created).max(created);
                let key = format!("{id}:note:{}", short(&[note, &when.unwrap_or_default().to_string()]));
                steps.push(Step { time, act: Act::Note(place, n), key });
            }
            let time = task.updated.unwrap_or(created).max(created);
            let key = format!("{id}:is:{}", task.status);
            steps.push(Step { time, act: Act::Stand(place), key });
        }
        for (place, message) in records.messages.iter().enumerate() {
            let id = self.messages[place].as_str();
            let sent = message.sent.unwrap_or_default();
            steps.push(Step { time: sent, act: Act::Send(place), key: id.to_owned() });
            let (when, word) = match &message.progress {
                Progress::Waiting => continue,
                Progress::Read(when) => (when, "read"),
                Progress::Done(when) => (when, "done"),
                Progress::Escalated(when, _) => (when, "escalated"),
                Progress::Past => (&None, "past"),
            };
            let time = when.unwrap_or(sent).max(sent);
            steps.push(Step { time, act: Act::Advance(place), key: format!("{id}:{word}") });
        }
        for (place, report) in records.reports.iter().enumerate() {
            let time = report.when.unwrap_or_default();
            let key = short(&["report", &report.task, &report.worker, &time.to_string(), &report.summary]);
            steps.push(Step { time, act: Act::Report(place), key: format!("report:{key}") });
        }
        for (place, spec) in records.specs.iter().enumerate() {
            let key = format!("spec:{}", short(&["spec", &spec.name, &spec.body]));
            steps.push(Step { time: spec.when.unwrap_or_default(), act: Act::Publish(place), key });
        }
        for (place, agent) in records.agents.iter().enumerate() {
            let Some((text, when)) = &agent.status else { continue };
            let key = format!("status:{}", short(&[&agent.name, text]));
            steps.push(Step { time: when.or(agent.since).unwrap_or_default(), act: Act::Status(place), key });
        }
        // Stable: what happened at one moment stays in the order above, a task before its notes and its end.
        steps.sort_by_key(|step| step.time);
        self.steps = steps;
    }
}

/// The name of a spec here: its own where that is allowed, else made of what is allowed in it.
pub(super) fn spec_name(given: &str) -> Option<SpecName> {
    if !is_word(given) {
        return None;
    }
    if let Ok(name) = SpecName::parse(given) {
        return Some(name);
    }
    let allowed: String =
        given.to_ascii_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let joined: Vec<&str> = allowed.split('-').filter(|part| !part.is_empty()).collect();
    let cut: String = joined.join("-").chars().take(100).collect();
    SpecName::parse(cut.trim_end_matches('-')).ok()
}
