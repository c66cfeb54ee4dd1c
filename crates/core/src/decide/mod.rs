//! Decisions: a bounded snapshot and a request become facts, or a refusal. Pure, total, deterministic.
//!
//! One file per noun. A decision never trusts the caller for what the snapshot can say, and validates everything
//! before the first fact is drafted.

pub mod agent;
pub mod decision;
pub mod lease;
pub mod loop_guard;
pub mod message;
pub mod review;
pub mod skill;
pub mod spec;
pub mod task;

use crate::draft::Draft;
use crate::entity::Message;
use crate::event::{
    Event, MessageAcknowledged, MessageDelivered, MessageSent, MessageSettled, Reference, TaskMoved,
};
use crate::ids::{AgentId, EntityRef, MessageId, TaskId};
use crate::text::TextHash;
use crate::traffic::Flow;
use crate::vocabulary::{DeliveryState, Intent, Priority, Settlement, TaskStatus, Via};

/// A message the program writes as part of another decision: a review request, "this is ready now".
pub(crate) struct Post<'a> {
    pub from: &'a AgentId,
    pub to: Vec<AgentId>,
    pub intent: Intent,
    pub subject: TextHash,
    pub body: Option<TextHash>,
    pub task: Option<&'a TaskId>,
    pub priority: Priority,
    pub refs: Vec<Reference>,
    pub quiet: bool,
    pub answers: Option<&'a Message>,
    pub flow: Flow,
}

impl<'a> Post<'a> {
    /// A message of ordinary urgency about nothing in particular.
    pub(crate) fn new(
        from: &'a AgentId,
        to: Vec<AgentId>,
        intent: Intent,
        subject: TextHash,
        body: Option<TextHash>,
    ) -> Self {
        let (priority, refs) = (Priority::Medium, Vec::new());
        let (quiet, flow) = (false, Flow::Work);
        Self { from, to, intent, subject, body, task: None, priority, refs, quiet, answers: None, flow }
    }

    /// About a task, as urgent as that.
    pub(crate) fn about(self, task: &'a TaskId, priority: Priority) -> Self {
        Self { task: Some(task), priority, ..self }
    }

    /// Waits for the recipient's next turn instead of starting one.
    pub(crate) fn without_waking(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// The outcome of what somebody else started.
    pub(crate) fn telling_outcome(self) -> Self {
        Self { flow: Flow::Outcome, ..self }
    }

    /// What a member said.
    pub(crate) fn saying(self) -> Self {
        Self { flow: Flow::Words, ..self }
    }

    /// In the conversation of a message that it answers.
    pub(crate) fn answering(self, original: &'a Message) -> Self {
        Self { answers: Some(original), ..self }
    }

    /// With what it points at.
    pub(crate) fn pointing_at(self, refs: Vec<Reference>) -> Self {
        Self { refs, ..self }
    }
}

/// Adds such a message to a draft. Nothing is posted to nobody, or to its own sender.
pub(crate) fn post(draft: &mut Draft, mut post: Post<'_>) -> Option<MessageId> {
    post.to.retain(|agent| agent != post.from);
    if post.to.is_empty() {
        return None;
    }
    Some(post_to_all(draft, post))
}

/// The same, also to its own sender: what follows for one's own other work is easily overlooked.
pub(crate) fn post_to_all(draft: &mut Draft, post: Post<'_>) -> MessageId {
    let id = MessageId::from_bits(draft.bits());
    draft.add(
        EntityRef::Message(id.clone()),
        MessageSent {
            from: post.from.clone(),
            to: post.to,
            addressed: Vec::new(),
            intent: post.intent,
            subject: post.subject,
            body: post.body,
            refs: post.refs,
            thread: post.answers.map_or_else(|| id.clone(), |original| original.thread.clone()),
            reply_to: post.answers.map(|original| original.id.clone()),
            priority: post.priority,
            expires: None,
            task: post.task.cloned(),
            hops: 0,
            quiet: post.quiet,
            ack_wanted: false,
            aliases: Vec::new(),
        },
    );
    draft.counts_as(&id, post.flow);
    id
}

/// Drafts the missing steps up to acknowledged: no acknowledgement without delivery.
pub(crate) fn draft_read(draft: &mut Draft, message: &Message, agent: &AgentId, via: Via) {
    let Some(delivery) = message.deliveries.get(agent) else { return };
    let entity = || EntityRef::Message(message.id.clone());
    if delivery.state == DeliveryState::Queued {
        draft.add(entity(), MessageDelivered { agent: agent.clone(), via, redelivered: 0 });
    }
    if delivery.is_unacknowledged() {
        draft.add(entity(), MessageAcknowledged { agent: agent.clone() });
    }
}

/// Drafts the end of a duty, with the missing steps before it.
pub(crate) fn draft_settle(
    draft: &mut Draft,
    message: &Message,
    agent: &AgentId,
    how: Settlement,
    by: Option<MessageId>,
) {
    draft_read(draft, message, agent, Via::Action);
    draft.add(EntityRef::Message(message.id.clone()), MessageSettled { agent: agent.clone(), how, by });
}

/// Drafts the end of somebody else's duty: nothing is known of whether they read the message.
pub(crate) fn draft_settle_for(draft: &mut Draft, message: &Message, agent: &AgentId, how: Settlement) {
    let settled = MessageSettled { agent: agent.clone(), how, by: None };
    draft.add(EntityRef::Message(message.id.clone()), settled);
}

/// Drafts one move of a task, with the assignee it has at that point of the draft.
pub(crate) fn draft_move(
    draft: &mut Draft,
    task: &TaskId,
    assignee: Option<&AgentId>,
    (from, to): (TaskStatus, TaskStatus),
    reason: Option<TextHash>,
    successor: Option<TaskId>,
) {
    let entity = EntityRef::Task(task.clone());
    let assigned = draft.facts.iter().rev().find_map(|fact| match &fact.event {
        Event::TaskAssigned(assigned) if fact.entity == entity => Some(assigned.assignee.clone()),
        _ => None,
    });
    let assignee = assigned.or_else(|| assignee.cloned());
    draft.add(entity, TaskMoved { from, to, assignee, reason, successor, judges: None });
}
