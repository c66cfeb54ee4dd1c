//! Applying the budget to what an operation decided: which of its messages are held, and what is counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{Budget, Flow, Lately, Sender, hold};
use crate::draft::Draft;
use crate::event::{Event, Fact, MessageHeld, MessageSent};
use crate::ids::{AgentId, EntityRef, MessageId};
use crate::vocabulary::{HoldReason, Intent};

/// What the budget has to know beside the draft.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The person who acts, where one does.
    pub person: Option<&'a AgentId>,
    /// The people among senders and recipients.
    pub people: &'a BTreeSet<AgentId>,
    /// The hops of messages that others caused.
    pub causes: &'a BTreeMap<MessageId, u32>,
    /// The team's budgets.
    pub budget: Budget,
}

/// A message that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which.
    pub message: MessageId,
    /// The agents who don't get it yet.
    pub to: Vec<AgentId>,
    /// Why.
    pub reason: HoldReason,
}

/// What became of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enforced {
    /// The messages that are held.
    pub held: Vec<Held>,
    /// What counts from now on: sender, recipient, and how.
    pub counted: Vec<(AgentId, AgentId, Flow)>,
}

/// Holds what is over the budget. Nothing of the draft is dropped: a message for several agents goes to those who are within
/// it, and a copy for the others is held. What a person is sent is never held.
pub fn enforce(draft: &mut Draft, known: Known<'_>, lately: &mut Lately) -> Enforced {
    let mut enforced = Enforced::default();
    let takes_step = takes_step(draft);
    // Copies are added behind these, and are not judged again.
    for at in 0..draft.facts.len() {
        let Some(fact) = draft.facts.get_mut(at) else { break };
        let EntityRef::Message(id) = &fact.entity else { continue };
        let (id, Event::MessageSent(sent)) = (id.clone(), &mut fact.event) else { continue };
        // What the program writes is bounded by the ladder, and a control message is carried out instead of read.
        if sent.from.is_program() || sent.intent == Intent::Control {
            continue;
        }
        let flow = draft.flows.get(&id).copied().unwrap_or_default();
        let flow = if flow == Flow::Outcome && !takes_step { Flow::Work } else { flow };
        if let Some(hops) = known.causes.get(&id) {
            sent.hops = *hops;
        }
        let (over, sent) = (judge(sent, flow, known, lately, &mut enforced), sent.clone());
        let Some((reason, to)) = over else { continue };
        let message = match is_split(draft, &id, &sent, &to, known) {
            Split::None => id,
            Split::Deliver => continue,
            Split::Copy => split(draft, at, &sent, &to),
        };
        draft.add(EntityRef::Message(message.clone()), MessageHeld { reason });
        enforced.held.push(Held { message, to, reason });
    }
    enforced
}

/// Whether the operation takes a step that can't be taken twice. Without one, its outcome could be told for ever.
fn takes_step(draft: &Draft) -> bool {
    draft.facts.iter().any(|fact| {
        matches!(
            fact.event,
            Event::TaskMoved(_)
                | Event::MessageSettled(_)
                | Event::MessageDeclined(_)
                | Event::DecisionDecided(_)
        )
    })
}

/// The agents that may not have the message yet, with the reason. Counts it for all of them.
fn judge(
    sent: &MessageSent,
    flow: Flow,
    known: Known<'_>,
    lately: &mut Lately,
    enforced: &mut Enforced,
) -> Option<(HoldReason, Vec<AgentId>)> {
    let own = known.people.contains(&sent.from).then_some(&sent.from);
    let sender = known.person.or(own).map_or(Sender::Agent(&sent.from), Sender::Person);
    let (mut reason, mut over) = (None, Vec::new());
    for to in sent.to.iter().filter(|to| !known.people.contains(to)) {
        if let Some(why) = hold(sender, to, (flow, sent.hops), lately, known.budget) {
            reason = reason.or(Some(why));
            over.push(to.clone());
        }
        if flow != Flow::Outcome {
            lately.add(sender.id(), to, flow);
            enforced.counted.push((sender.id().clone(), to.clone(), flow));
        }
    }
    reason.map(|reason| (reason, over))
}

enum Split {
    /// The whole message is held.
    None,
    /// The whole message is delivered.
    Deliver,
    /// Those who are over the budget get a copy, which is held.
    Copy,
}

/// A message that another record of the entry points to can't be divided. It is held for everybody, unless a person is asked.
fn is_split(draft: &Draft, id: &MessageId, sent: &MessageSent, over: &[AgentId], known: Known<'_>) -> Split {
    if over.len() == sent.to.len() {
        return Split::None;
    }
    let is_pointed_to = draft.facts.iter().any(|fact| match &fact.event {
        Event::DecisionOpened(opened) => opened.message.as_ref() == Some(id),
        Event::MessageEscalated(escalated) => escalated.by == *id,
        _ => false,
    });
    match (is_pointed_to, sent.to.iter().any(|to| known.people.contains(to))) {
        (false, _) => Split::Copy,
        (true, true) => Split::Deliver,
        (true, false) => Split::None,
    }
}

/// Takes these recipients out of a message and writes a copy for them, in the same conversation. Answers with its id.
fn split(draft: &mut Draft, at: usize, sent: &MessageSent, over: &[AgentId]) -> MessageId {
    let copy = MessageId::from_bits(draft.bits());
    if let Some(Fact { event: Event::MessageSent(first), .. }) = draft.facts.get_mut(at) {
        first.to.retain(|to| !over.contains(to));
    }
    let held = MessageSent { to: over.to_vec(), aliases: Vec::new(), ..sent.clone() };
    draft.add(EntityRef::Message(copy.clone()), held);
    copy
}
