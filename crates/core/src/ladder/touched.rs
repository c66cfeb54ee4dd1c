//! Which duties and whose mail an entry concerns: who supervises looks at these and at nothing else.

use crate::event::{Event, Fact};
use crate::ids::{AgentId, EntityRef, MessageId};

/// What a fact may have changed for who supervises. What holds afterwards follows from the state, not from the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched {
    /// What a message asks of these recipients, and whether it waits for them.
    Recipients(MessageId, Vec<AgentId>),
    /// The same for each of its recipients.
    Everybody(MessageId),
    /// The team, or who takes part in it: any duty may go another way now.
    Team,
}

/// What a fact touches.
pub fn touched(fact: &Fact) -> Option<Touched> {
    let EntityRef::Message(id) = &fact.entity else {
        let is_team = matches!(
            fact.event,
            Event::TeamChanged(_) | Event::AgentRetired(_) | Event::AgentSeated(_) | Event::AgentRenamed(_)
        );
        return is_team.then_some(Touched::Team);
    };
    let agents = match &fact.event {
        Event::MessageSent(sent) => sent.to.clone(),
        Event::MessageDelivered(to) => vec![to.agent.clone()],
        Event::MessageSettled(to) => vec![to.agent.clone()],
        Event::MessageDeclined(to) => vec![to.agent.clone()],
        Event::MessageEscalated(up) => vec![up.agent.clone()],
        Event::MessageAnswered(up) => vec![up.agent.clone()],
        Event::MessageReleased(_)
        | Event::MessageHeld(_)
        | Event::MessageControl(_)
        | Event::MessageCarriedOut(_) => return Some(Touched::Everybody(id.clone())),
        _ => return None,
    };
    Some(Touched::Recipients(id.clone(), agents))
}
