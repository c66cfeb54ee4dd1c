//! The events of every step.

use std::cell::RefCell;

use interagent_core::draft::{Context, Draft};
use interagent_core::entity::Message;
use interagent_core::event::{
    AgentStatus, MessageAcknowledged, MessageDelivered, MessageEscalated, MessageSent, MessageSettled,
    Reference, SkillCandidate, SpecPublished, TaskAssigned, TaskCreated, TaskMoved, TaskNoted, TaskReported,
};
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::limits;
use interagent_core::secrets;
use interagent_core::text::{TextHash, subject_of};
use interagent_core::vocabulary::{AgentState, DeliveryState, Intent, Priority, Settlement, TaskStatus, Via};
use interagent_store::StoreError;
use interagent_store::reader::{Noun, Reader};

use super::people::{ALL, People};
use super::plan::{Act, Plan};
use super::record::{MessageRecord, Progress, Records, ReportRecord};

/// What the events are made of.
#[derive(Debug)]
pub(super) struct Entries<'i> {
    pub(super) people: &'i People,
    pub(super) plan: &'i Plan,
    pub(super) records: &'i Records,
    /// What there is to know besides.
    pub(super) notes: RefCell<Vec<String>>,
}

impl Entries<'_> {
    /// In whose name a step is written.
    pub(super) fn member(&self, act: &Act) -> AgentId {
        let tasks = |place: usize| &self.records.tasks[place];
        match act {
            Act::Create(place) => self.people.who(tasks(*place).assigner.as_deref()),
            Act::Stand(place) => self.people.who(tasks(*place).assignee.as_deref()),
            Act::Report(place) => self.people.who(Some(&self.records.reports[*place].worker)),
            Act::Send(place) => self.people.who(Some(&self.records.messages[*place].from)),
            Act::Advance(place) => match self.records.messages[*place].to.as_str() {
                ALL => self.people.operator.clone(),
                to => self.people.who(Some(to)),
            },
            Act::Publish(place) => self.people.who(self.records.specs[*place].publisher.as_deref()),
            Act::Status(place) => self.people.who(Some(&self.records.agents[*place].name)),
            // Nothing says who wrote a note.
            Act::Note(..) => self.people.operator.clone(),
        }
    }

    /// Drafts a step; an empty draft where it is so already.
    pub(super) fn draft(
        &self,
        reader: &mut Reader<'_>,
        act: &Act,
        context: &Context,
        draft: &mut Draft,
    ) -> Result<(), StoreError> {
        match act {
            Act::Create(place) => self.create(reader, *place, draft),
            Act::Note(place, n) => {
                let id = &self.plan.tasks[*place];
                if reader.task(id)?.is_some() {
                    let note = draft.plain(&self.records.tasks[*place].notes[*n].1);
                    draft.add(EntityRef::Task(id.clone()), TaskNoted { note });
                }
                Ok(())
            }
            Act::Stand(place) => self.stand(reader, *place, draft),
            Act::Report(place) => self.report(reader, &self.records.reports[*place], draft),
            Act::Send(place) => self.send(reader, *place, draft),
            Act::Advance(place) => self.advance(reader, *place, draft),
            Act::Publish(place) => self.publish(reader, *place, draft),
            Act::Status(place) => self.status(reader, *place, context, draft),
        }
    }

    /// The foreign id as an alias, unless it is no word or names something else.
    fn alias(&self, reader: &mut Reader<'_>, foreign: &str, own: &str) -> Result<Vec<String>, StoreError> {
        let odd = |c: char| c.is_whitespace() || c.is_control();
        let veiled = secrets::veiled(foreign);
        let shown = || veiled.chars().take(64).collect::<String>().escape_debug().to_string();
        if let Some(found) = secrets::first(foreign) {
            let told = found.kind.told();
            let note =
                format!("the id `{}` looks like {told} and stays out of the log: it is {own}", shown());
            self.notes.borrow_mut().push(note);
            return Ok(Vec::new());
        }
        if foreign.is_empty() || foreign.len() > limits::KEY_BYTES || foreign.contains(odd) {
            self.notes.borrow_mut().push(format!("`{}` can't be an id here: it is {own}", shown()));
            return Ok(Vec::new());
        }
        let taken = reader.aliased(foreign, Noun::ALL)?;
        if let Some(other) = taken.iter().find(|other| other.to_string() != own) {
            self.notes.borrow_mut().push(format!("`{}` names {other} already: this one is {own}", shown()));
            return Ok(Vec::new());
        }
        Ok(vec![foreign.to_owned()])
    }

    fn create(&self, reader: &mut Reader<'_>, place: usize, draft: &mut Draft) -> Result<(), StoreError> {
        let (id, task) = (&self.plan.tasks[place], &self.records.tasks[place]);
        if reader.task(id)?.is_some() {
            return Ok(());
        }
        let known = |foreign: &Option<String>| foreign.as_deref().and_then(|it| self.plan.task(it)).cloned();
        let parent = known(&task.parent).filter(|parent| parent != id);
        let created = TaskCreated {
            title: draft.plain(task.title.as_deref().unwrap_or_default()),
            description: task.description.as_deref().map(|text| draft.plain(text)),
            assigner: self.people.who(task.assigner.as_deref()),
            priority: task.priority,
            capability: None,
            purpose: task.purpose.as_deref().map(|text| draft.plain(text)),
            requirements: task.requirements.iter().map(|text| draft.plain(text)).collect(),
            acceptance_criteria: task.criteria.iter().map(|text| draft.plain(text)).collect(),
            parent,
            depends_on: self.dependencies(place),
            branch: None,
            files: Vec::new(),
            target_path: task.target_path.clone(),
            echo_message: task.echo_message.as_deref().map(|text| draft.plain(text)),
            redo_of: known(&task.redo_of),
            reassigned_from: known(&task.reassigned_from),
            aliases: self.alias(reader, &task.id, id.as_str())?,
        };
        let entity = EntityRef::Task(id.clone());
        draft.add(entity.clone(), created);
        if let Some(assignee) = &task.assignee {
            let assignee = self.people.who(Some(assignee));
            draft.add(
                entity.clone(),
                TaskAssigned { assignee: assignee.clone(), before: None, claimed: false },
            );
            if task.status == TaskStatus::Pending {
                // Here a task that is somebody's is assigned.
                let (from, to) = (TaskStatus::Pending, TaskStatus::Assigned);
                let assignee = Some(assignee);
                draft.add(
                    entity,
                    TaskMoved { from, to, assignee, reason: None, successor: None, judges: None },
                );
            }
        }
        Ok(())
    }

    /// What the task waits for, without going round in a ring: only what was there before it counts.
    fn dependencies(&self, place: usize) -> Vec<TaskId> {
        let own = &self.plan.tasks[place];
        let mut found: Vec<TaskId> = Vec::new();
        for on in self.records.tasks[place].depends_on.iter().filter_map(|foreign| self.plan.task(foreign)) {
            let is_later = self.plan.tasks.iter().position(|id| id == on).is_some_and(|other| {
                let waits = self.records.tasks[other].depends_on.iter();
                waits.filter_map(|foreign| self.plan.task(foreign)).any(|back| back == own) && other > place
            });
            if on != own && !is_later && !found.contains(on) {
                found.push(on.clone());
            }
        }
        found
    }

    /// The moves that lead to where the task stood. Where it went on here, that stays.
    fn stand(&self, reader: &mut Reader<'_>, place: usize, draft: &mut Draft) -> Result<(), StoreError> {
        let Some(task) = reader.task(&self.plan.tasks[place])? else { return Ok(()) };
        let wanted = self.records.tasks[place].status;
        for (from, to) in way(task.status, wanted) {
            let successor = (to == TaskStatus::Reassigned).then(|| self.successor(place)).flatten();
            let moved = TaskMoved {
                from,
                to,
                assignee: task.assignee.clone(),
                reason: None,
                successor,
                judges: None,
            };
            draft.add(EntityRef::Task(task.id.clone()), moved);
        }
        Ok(())
    }

    fn successor(&self, place: usize) -> Option<TaskId> {
        let own = self.records.tasks[place].id.as_str();
        let next = self.records.tasks.iter().position(|task| task.reassigned_from.as_deref() == Some(own))?;
        Some(self.plan.tasks[next].clone())
    }

    fn report(
        &self,
        reader: &mut Reader<'_>,
        report: &ReportRecord,
        draft: &mut Draft,
    ) -> Result<(), StoreError> {
        let Some(id) = self.plan.task(&report.task) else { return Ok(()) };
        if reader.task(id)?.is_none() {
            return Ok(());
        }
        let mut text = |given: &Option<String>| given.as_deref().map(|given| draft.plain(given));
        let skill = report.skill.as_ref();
        let field = |n: usize| skill.and_then(|skill| skill[n].clone());
        let reported = TaskReported {
            worker: self.people.who(Some(&report.worker)),
            status: report.status,
            notes: text(&report.notes),
            skill_candidate: SkillCandidate {
                found: skill.is_some(),
                name: text(&field(0)),
                description: text(&field(1)),
                reason: text(&field(2)),
            },
            purpose_gap: text(&report.purpose_gap),
            purpose_met: false,
            changed_files: Vec::new(),
            verification: None,
            todo_scan: None,
            commit_info: None,
            files_modified: report.files.clone(),
            summary: draft.plain(&report.summary),
        };
        draft.add(EntityRef::Task(id.clone()), reported);
        Ok(())
    }

    fn recipients(&self, message: &MessageRecord) -> Vec<AgentId> {
        let from = self.people.who(Some(&message.from));
        match message.to.as_str() {
            ALL => self.people.agents().into_iter().filter(|agent| *agent != from).collect(),
            to => vec![self.people.who(Some(to))],
        }
    }

    fn send(&self, reader: &mut Reader<'_>, place: usize, draft: &mut Draft) -> Result<(), StoreError> {
        let (id, message) = (&self.plan.messages[place], &self.records.messages[place]);
        if reader.message(id)?.is_some() {
            return Ok(());
        }
        let reply_to = message.reply_to.as_deref().and_then(|foreign| self.plan.message(foreign));
        let task = message.task.as_deref().and_then(|foreign| self.plan.task(foreign));
        // What is pointed at and is nowhere stays visible by its foreign id.
        let lost =
            [("message", &message.reply_to, reply_to.is_none()), ("task", &message.task, task.is_none())];
        let refs = lost.into_iter().filter(|(.., is_lost)| *is_lost).filter_map(|(kind, foreign, _)| {
            let target = foreign.clone().filter(|foreign| super::people::is_word(foreign))?;
            Some(Reference { kind: kind.to_owned(), target, first_line: None, last_line: None, text: None })
        });
        let sent = MessageSent {
            from: self.people.who(Some(&message.from)),
            to: self.recipients(message),
            addressed: if message.to == ALL { vec![ALL.to_owned()] } else { Vec::new() },
            intent: message.intent,
            subject: draft.plain(message.subject.as_deref().unwrap_or_default()),
            body: message.body.as_deref().map(|body| draft.plain(body)),
            refs: refs.collect(),
            thread: self.plan.threads[place].clone(),
            reply_to: reply_to.filter(|other| *other != id).cloned(),
            priority: message.priority,
            expires: None,
            task: task.cloned(),
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: self.alias(reader, &message.id, id.as_str())?,
        };
        draft.add(EntityRef::Message(id.clone()), sent);
        Ok(())
    }

    /// How far the message got. What was read there is no longer owed here: the old system kept no other account of it.
    fn advance(&self, reader: &mut Reader<'_>, place: usize, draft: &mut Draft) -> Result<(), StoreError> {
        let record = &self.records.messages[place];
        let Some(message) = reader.message(&self.plan.messages[place])? else { return Ok(()) };
        let entity = EntityRef::Message(message.id.clone());
        for (agent, delivery) in &message.deliveries {
            if delivery.state == DeliveryState::Queued {
                let via = Via::Read;
                draft.add(entity.clone(), MessageDelivered { agent: agent.clone(), via, redelivered: 0 });
            }
            if delivery.is_unacknowledged() {
                draft.add(entity.clone(), MessageAcknowledged { agent: agent.clone() });
            }
            let how = match &record.progress {
                Progress::Done(_) => Some(Settlement::Completed),
                Progress::Past => Some(Settlement::Withdrawn),
                Progress::Read(_) => delivery.duty.map(|_| Settlement::Acknowledged),
                Progress::Waiting | Progress::Escalated(..) => None,
            };
            if let Some(how) = how.filter(|_| delivery.settled.is_none()) {
                draft.add(entity.clone(), MessageSettled { agent: agent.clone(), how, by: None });
            }
        }
        if let (Progress::Escalated(_, why), true) = (&record.progress, message.escalations.is_empty()) {
            self.escalate(&message, &self.people.who(Some(&record.to)), why, draft);
        }
        Ok(())
    }

    /// An open escalation reaches the operator here.
    fn escalate(&self, message: &Message, agent: &AgentId, why: &str, draft: &mut Draft) {
        let by = MessageId::from_bits(draft.bits());
        let subject: TextHash = draft.plain(&format!("Escalation of {}: {}", message.id, subject_of(why)));
        let (body, reason) = (draft.plain(why), draft.plain(why));
        let about = Reference {
            kind: "message".to_owned(),
            target: message.id.to_string(),
            first_line: None,
            last_line: None,
            text: None,
        };
        let carrier = MessageSent {
            from: agent.clone(),
            to: vec![self.people.operator.clone()],
            addressed: Vec::new(),
            intent: Intent::Question,
            subject,
            body: Some(body),
            refs: vec![about],
            thread: message.thread.clone(),
            reply_to: None,
            priority: Priority::High,
            expires: None,
            task: message.task.clone(),
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: Vec::new(),
        };
        draft.add(EntityRef::Message(by.clone()), carrier);
        let to = self.people.operator.clone();
        let escalated = MessageEscalated {
            agent: agent.clone(),
            to,
            by,
            reason,
            deadline: None,
            default: None,
            by_ladder: false,
        };
        draft.add(EntityRef::Message(message.id.clone()), escalated);
    }

    fn publish(&self, reader: &mut Reader<'_>, place: usize, draft: &mut Draft) -> Result<(), StoreError> {
        let spec = &self.records.specs[place];
        // What no name can be made of was left behind before.
        let Some(name) = &self.plan.specs[place] else { return Ok(()) };
        let known = reader.spec(name)?;
        let newest = known.as_ref().and_then(|known| known.versions.last());
        if let Some(newest) = newest
            && reader.text_state(&newest.body)?.whole().as_deref() == Some(&spec.body)
        {
            return Ok(());
        }
        let published = SpecPublished {
            version: known.map_or(0, |known| known.version()) + 1,
            body: draft.plain(&spec.body),
            publisher: self.people.who(spec.publisher.as_deref()),
            note: Some(draft.plain(&format!("moved over from {}", spec.file))),
        };
        draft.add(EntityRef::Spec(name.clone()), published);
        Ok(())
    }

    /// What somebody said of itself, unless it has said something since.
    fn status(
        &self,
        reader: &mut Reader<'_>,
        place: usize,
        context: &Context,
        draft: &mut Draft,
    ) -> Result<(), StoreError> {
        let record = &self.records.agents[place];
        let Some((text, _)) = &record.status else { return Ok(()) };
        let id = self.people.who(Some(&record.name));
        let Some(agent) = reader.agent(&id)?.filter(|agent| !agent.is_human()) else { return Ok(()) };
        let is_newer = agent.status.is_some_and(|said| said.since.wall >= draft.wall(context.now));
        if !is_newer {
            let state = text.parse().unwrap_or(AgentState::Working);
            let text = Some(draft.plain(text));
            draft.add(EntityRef::Agent(id), AgentStatus { state, text, context_left: None });
        }
        Ok(())
    }
}

/// The moves from one place to another, as the life cycle has them.
fn way(from: TaskStatus, to: TaskStatus) -> Vec<(TaskStatus, TaskStatus)> {
    use TaskStatus as S;
    if from == to || from.is_closed() || to == S::Pending {
        return Vec::new();
    }
    let steps = match (from.path_to(to), to) {
        (Some(steps), _) => steps,
        // Work that was sent back had been finished first.
        (None, S::RevisionNeeded) => {
            let mut steps = from.path_to(S::Completed).unwrap_or_default();
            steps.push(to);
            steps
        }
        (None, _) => return Vec::new(),
    };
    let mut at = from;
    let mut moves = Vec::new();
    for step in steps {
        if !at.leads_to(step) {
            return Vec::new();
        }
        moves.push((at, step));
        at = step;
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_reached_from_a_new_task_by_steps_of_the_life_cycle() {
        for to in TaskStatus::ALL.iter().filter(|to| **to != TaskStatus::Pending) {
            for from in [TaskStatus::Pending, TaskStatus::Assigned] {
                let moves = way(from, *to);
                let end = moves.last().map_or(from, |(_, end)| *end);
                assert_eq!(end, *to, "{from} -> {to}");
                assert!(moves.iter().all(|(from, to)| from.leads_to(*to)));
            }
        }
        assert!(way(TaskStatus::Approved, TaskStatus::InProgress).is_empty(), "what is closed stays closed");
        assert!(way(TaskStatus::Completed, TaskStatus::InProgress).is_empty(), "nothing goes back");
    }
}
