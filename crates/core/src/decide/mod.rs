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
pub mod spec;
pub mod task;

use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message};
use crate::event::{MessageAcknowledged, MessageDelivered, MessageSent, MessageSettled, Reference};
use crate::ids::{AgentId, EntityRef, MessageId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{DeliveryState, Intent, Priority, Settlement, Via};

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
}

/// Adds such a message to a draft. Nothing is posted to nobody, or to its own sender.
pub(crate) fn post(draft: &mut Draft, post: Post<'_>) -> Option<MessageId> {
    let to: Vec<AgentId> = post.to.into_iter().filter(|agent| agent != post.from).collect();
    if to.is_empty() {
        return None;
    }
    let id = MessageId::from_bits(draft.bits());
    draft.add(
        EntityRef::Message(id.clone()),
        MessageSent {
            from: post.from.clone(),
            to,
            addressed: Vec::new(),
            intent: post.intent,
            subject: post.subject,
            body: post.body,
            refs: post.refs,
            thread: id.clone(),
            reply_to: None,
            priority: post.priority,
            expires: None,
            task: post.task.cloned(),
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: Vec::new(),
        },
    );
    Some(id)
}

/// Drafts the missing steps up to acknowledged: no acknowledgement without delivery.
pub(crate) fn draft_read(draft: &mut Draft, message: &Message, agent: &AgentId, via: Via) {
    let Some(delivery) = message.deliveries.get(agent) else { return };
    let entity = || EntityRef::Message(message.id.clone());
    if delivery.state == DeliveryState::Queued {
        draft.add(entity(), MessageDelivered { agent: agent.clone(), via, redelivered: 0 });
    }
    if delivery.is_unread() {
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
    draft_read(draft, message, agent, Via::Read);
    draft.add(EntityRef::Message(message.id.clone()), MessageSettled { agent: agent.clone(), how, by });
}

/// The member who acts, as loaded under the gate.
#[derive(Clone, Debug)]
pub struct Member {
    /// The agent, or the operator.
    pub agent: Agent,
}

impl Member {
    /// A person: acts for themselves, or speaks for the agent.
    pub fn is_human(&self, context: &Context) -> bool {
        context.human || self.agent.is_human()
    }
}
