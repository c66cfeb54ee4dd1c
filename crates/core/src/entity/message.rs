//! A message and how far it got with each recipient.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{Event, MessageCarriedOut, MessageSent, Micros, Reference};
use crate::ids::{AgentId, MessageId, TaskId};
use crate::phrasing::Links;
use crate::text::TextHash;
use crate::vocabulary::{
    Auth, Conclusion, ControlOutcome, ControlVerb, DeliveryState, Duty, HoldReason, Intent, Priority,
    Settlement, Via,
};

/// How far the message got with one recipient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// As far as it was observed.
    pub state: DeliveryState,
    /// What the recipient owes, if anything.
    pub duty: Option<Duty>,
    /// When and how it was handed over.
    pub delivered: Option<When>,
    /// By which way.
    pub via: Option<Via>,
    /// Earlier hand-overs that lapsed.
    pub redelivered: u32,
    /// When the recipient said it read it.
    pub acknowledged: Option<When>,
    /// When and how the duty ended.
    pub settled: Option<Settled>,
}

/// The end of a duty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// When.
    pub when: When,
    /// How.
    pub how: Settlement,
    /// The reply that did it.
    pub by: Option<MessageId>,
}

impl Delivery {
    fn queued(duty: Option<Duty>) -> Self {
        Self {
            state: DeliveryState::Queued,
            duty,
            delivered: None,
            via: None,
            redelivered: 0,
            acknowledged: None,
            settled: None,
        }
    }

    /// Not read yet. What asks for nothing is read once it was handed over: nobody has to say so. What obliges, or asks
    /// for an acknowledgement, is unread until the recipient says that it read it.
    pub fn is_unread(&self) -> bool {
        match self.state {
            DeliveryState::Queued => true,
            DeliveryState::Delivered => self.owes().is_some(),
            _ => false,
        }
    }

    /// Whether the recipient may still say that it read it.
    pub fn is_unacknowledged(&self) -> bool {
        matches!(self.state, DeliveryState::Queued | DeliveryState::Delivered)
    }

    /// Something is still owed.
    pub fn owes(&self) -> Option<Duty> {
        self.duty.filter(|_| self.settled.is_none())
    }
}

/// An escalation of a message's matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    /// Who could not go on.
    pub agent: AgentId,
    /// To whom it went.
    pub to: AgentId,
    /// The message that carries it.
    pub by: MessageId,
    /// Why.
    pub reason: TextHash,
    /// Until when an answer helps.
    pub deadline: Option<Micros>,
    /// What happens without one.
    pub default: Option<TextHash>,
    /// When.
    pub when: When,
    /// The message that answered it.
    pub answer: Option<MessageId>,
    /// The program took it up, because the agent was silent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_ladder: bool,
    /// What became of it without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concluded: Option<Concluded>,
}

/// The end of an escalation that nobody answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concluded {
    /// When.
    pub when: When,
    /// How.
    pub how: Conclusion,
}

impl Escalation {
    /// Whether an answer still helps.
    pub fn is_open(&self) -> bool {
        let goes_on = |end: &Concluded| end.how == Conclusion::Waits;
        self.answer.is_none() && self.concluded.as_ref().is_none_or(goes_on)
    }
}

/// A silent agent's matter, before a superior who gets no mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// Who is silent.
    pub agent: AgentId,
    /// Whose matter it is now.
    pub to: AgentId,
    /// When.
    pub when: When,
}

/// What a message makes its recipient's session do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// What.
    pub verb: ControlVerb,
    /// The model it changes to.
    pub model: Option<String>,
    /// What became of it.
    pub carried_out: Option<CarriedOut>,
}

/// The end of a control message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedOut {
    /// When.
    pub when: When,
    /// How.
    pub outcome: ControlOutcome,
    /// Why it failed, or what was seen.
    pub note: Option<TextHash>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Who speaks.
    pub from: AgentId,
    /// What was written as recipient.
    pub addressed: Vec<String>,
    /// What it is for.
    pub intent: Intent,
    /// One line.
    pub subject: TextHash,
    /// Markdown.
    pub body: Option<TextHash>,
    /// What it points at.
    pub refs: Vec<Reference>,
    /// The first message of the conversation.
    pub thread: MessageId,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// How urgent.
    pub priority: Priority,
    /// After this it is not worth delivering.
    pub expires: Option<Micros>,
    /// The task it concerns.
    pub task: Option<TaskId>,
    /// Messages between agents since a human spoke or the task moved.
    pub hops: u32,
    /// Wakes nobody.
    pub quiet: bool,
    /// Why it waits, while it does.
    pub held: Option<HoldReason>,
    /// Who held it.
    pub held_by: Option<AgentId>,
    /// When it was sent.
    pub sent: When,
    /// How the program knew its sender.
    pub auth: Auth,
    /// Who spoke in the sender's name, where the operator did.
    pub spoken_by: Option<AgentId>,
    /// Where its matter went.
    pub escalations: Vec<Escalation>,
    /// Where it came without a message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raised: Vec<Raised>,
    /// Ids in other systems.
    pub aliases: Vec<String>,
    /// What it makes its recipient's session do, where it is for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// How far it got, by recipient. Stored in rows of their own.
    #[serde(skip)]
    pub deliveries: BTreeMap<AgentId, Delivery>,
}

impl Message {
    /// The records that it points at and at which an obligation can be settled.
    pub fn links(&self) -> Links {
        Links::of(self.refs.iter().map(|one| (one.kind.as_str(), one.target.as_str())))
    }

    /// What a recipient still owes and words settle. A declined task needs another assignment, whatever is said about it.
    pub fn owed_in_words(&self, agent: &AgentId) -> Option<Duty> {
        let needs_assignment = |duty: Duty| duty == Duty::Unblock && self.links().declined.is_some();
        let owed = self.deliveries.get(agent)?.owes()?;
        (owed.is_settled_by_words() && !needs_assignment(owed)).then_some(owed)
    }

    /// Whether this message declines the task and its recipient still has to react.
    pub fn declines(&self, task: &TaskId) -> bool {
        let is_open = self.deliveries.values().any(|delivery| delivery.owes() == Some(Duty::Unblock));
        is_open && self.links().declined.as_deref() == Some(task.as_str())
    }

    pub(super) fn create(id: &MessageId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::MessageSent(sent) = event else { return Err(Void::Absent) };
        let MessageSent { from, to, intent, ack_wanted, .. } = sent;
        let duty = intent.duty().or(ack_wanted.then_some(Duty::Acknowledge));
        Ok(Self {
            id: id.clone(),
            from: from.clone(),
            addressed: sent.addressed.clone(),
            intent: *intent,
            subject: sent.subject.clone(),
            body: sent.body.clone(),
            refs: sent.refs.clone(),
            thread: sent.thread.clone(),
            reply_to: sent.reply_to.clone(),
            priority: sent.priority,
            expires: sent.expires,
            task: sent.task.clone(),
            hops: sent.hops,
            quiet: sent.quiet,
            held: None,
            held_by: None,
            sent: stamp.into(),
            auth: stamp.auth,
            spoken_by: (stamp.actor != *from && !from.is_program()).then(|| stamp.actor.clone()),
            escalations: Vec::new(),
            raised: Vec::new(),
            aliases: sent.aliases.clone(),
            control: None,
            deliveries: to.iter().map(|agent| (agent.clone(), Delivery::queued(duty))).collect(),
        })
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        match event {
            Event::MessageSent(_) => return Err(Void::Exists),
            Event::MessageHeld(held) => {
                if self.held.is_some() {
                    return Err(Void::TooLate("it is held already"));
                }
                if self.deliveries.values().all(|d| d.state != DeliveryState::Queued) {
                    return Err(Void::TooLate("it was delivered before"));
                }
                self.held = Some(held.reason);
                self.held_by = Some(stamp.member.clone());
            }
            Event::MessageReleased(_) => {
                self.held.take().ok_or(Void::TooLate("it is not held"))?;
            }
            Event::MessageDelivered(delivered) => {
                let delivery = self.delivery(&delivered.agent)?;
                if delivery.state != DeliveryState::Queued {
                    return Err(Void::TooLate("it was delivered before"));
                }
                delivery.state = DeliveryState::Delivered;
                delivery.delivered = Some(stamp.into());
                delivery.via = Some(delivered.via);
                delivery.redelivered = delivered.redelivered;
                // It was on its way into a session when somebody held it: there is nothing left to hold.
                if self.deliveries.values().all(|d| d.state != DeliveryState::Queued) {
                    self.held = None;
                }
            }
            Event::MessageAcknowledged(acknowledged) => {
                let delivery = self.delivery(&acknowledged.agent)?;
                if delivery.state != DeliveryState::Delivered {
                    return Err(Void::TooLate("it was not delivered, or acknowledged before"));
                }
                delivery.state = DeliveryState::Acknowledged;
                delivery.acknowledged = Some(stamp.into());
            }
            Event::MessageSettled(settled) => {
                let end = Settled { when: stamp.into(), how: settled.how, by: settled.by.clone() };
                self.settle(&settled.agent, end, DeliveryState::Done)?;
            }
            Event::MessageDeclined(declined) => {
                let end = Settled { when: stamp.into(), how: Settlement::Declined, by: None };
                self.settle(&declined.agent, end, DeliveryState::Refused)?;
            }
            Event::MessageEscalated(escalated) => self.escalations.push(Escalation {
                agent: escalated.agent.clone(),
                to: escalated.to.clone(),
                by: escalated.by.clone(),
                reason: escalated.reason.clone(),
                deadline: escalated.deadline,
                default: escalated.default.clone(),
                when: stamp.into(),
                answer: None,
                by_ladder: escalated.by_ladder,
                concluded: None,
            }),
            Event::MessageAnswered(answered) => {
                let open =
                    self.escalations.iter_mut().find(|e| e.by == answered.escalation && e.answer.is_none());
                open.ok_or(Void::TooLate("the escalation was answered before"))?.answer =
                    Some(answered.by.clone());
            }
            Event::MessageConcluded(concluded) => {
                let open = self.escalations.iter_mut().find(|e| e.by == concluded.escalation && e.is_open());
                open.ok_or(Void::TooLate("the escalation came to its end before"))?.concluded =
                    Some(Concluded { when: stamp.into(), how: concluded.how });
            }
            Event::MessageRaised(raised) => {
                if self.was_raised(&raised.agent, &raised.to) {
                    return Err(Void::TooLate("it came there before"));
                }
                let (agent, to) = (raised.agent.clone(), raised.to.clone());
                self.raised.push(Raised { agent, to, when: stamp.into() });
            }
            Event::MessageControl(control) => {
                if self.control.is_some() || self.deliveries.values().any(|d| !d.is_unread()) {
                    return Err(Void::TooLate("it was read before"));
                }
                self.control =
                    Some(Control { verb: control.verb, model: control.model.clone(), carried_out: None });
                self.held = Some(HoldReason::Control);
            }
            Event::MessageCarriedOut(carried) => self.carry_out(carried, stamp)?,
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }

    fn delivery(&mut self, agent: &AgentId) -> Result<&mut Delivery, Void> {
        self.deliveries.get_mut(agent).ok_or(Void::TooLate("it was not sent to this agent"))
    }

    /// The words of a clear go on their way once the conversation is forgotten; nothing else is left to read.
    fn carry_out(&mut self, carried: &MessageCarriedOut, stamp: &Stamp) -> Result<(), Void> {
        let control = self.control.as_mut().ok_or(Void::TooLate("it is for no session"))?;
        if control.carried_out.is_some() {
            return Err(Void::TooLate("it was carried out before"));
        }
        let goes_on = control.verb == ControlVerb::Clear
            && carried.outcome == ControlOutcome::Done
            && self.body.is_some();
        control.carried_out =
            Some(CarriedOut { when: stamp.into(), outcome: carried.outcome, note: carried.note.clone() });
        self.held = self.held.filter(|reason| *reason != HoldReason::Control);
        if goes_on {
            return Ok(());
        }
        let state = match carried.outcome {
            ControlOutcome::Done => DeliveryState::Done,
            ControlOutcome::Failed => DeliveryState::Refused,
        };
        self.delivery(&carried.agent)?.state = state;
        Ok(())
    }

    /// Whether an agent's silence came to somebody without a message.
    pub fn was_raised(&self, agent: &AgentId, to: &AgentId) -> bool {
        self.raised.iter().any(|raised| raised.agent == *agent && raised.to == *to)
    }

    /// What it makes a session do, while that is still to be done.
    pub fn open_control(&self) -> Option<&Control> {
        self.control.as_ref().filter(|control| control.carried_out.is_none())
    }

    fn settle(&mut self, agent: &AgentId, end: Settled, state: DeliveryState) -> Result<(), Void> {
        let delivery = self.delivery(agent)?;
        if delivery.settled.is_some() {
            return Err(Void::TooLate("it was settled before"));
        }
        delivery.settled = Some(end);
        delivery.state = state;
        Ok(())
    }

    /// What a recipient owes now. A held message obliges nobody who does not have it yet.
    pub fn owed_by(&self, agent: &AgentId) -> Option<Duty> {
        let delivery = self.deliveries.get(agent)?;
        let kept_back = self.held.is_some() && delivery.state == DeliveryState::Queued;
        delivery.owes().filter(|_| !kept_back)
    }

    /// Past its expiry at the given moment.
    pub fn is_expired(&self, now: Micros) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::OrderKey;
    use crate::event::MessageControl;
    use crate::ids::OriginId;

    fn stamp(at: Micros) -> Stamp {
        let member = AgentId::from_bits(1);
        Stamp {
            order: OrderKey { at, origin: OriginId::from_bits(1), oseq: at },
            wall: at,
            member: member.clone(),
            actor: member,
            auth: Auth::Terminal,
        }
    }

    /// A control message to one agent, and what became of it.
    fn after(verb: ControlVerb, body: Option<&str>, outcome: ControlOutcome) -> (Message, DeliveryState) {
        let (id, agent) = (MessageId::from_bits(1), AgentId::from_bits(2));
        let sent = MessageSent {
            from: AgentId::from_bits(1),
            to: vec![agent.clone()],
            addressed: Vec::new(),
            intent: Intent::Control,
            subject: TextHash::of("", "clear"),
            body: body.map(|body| TextHash::of("", body)),
            refs: Vec::new(),
            thread: id.clone(),
            reply_to: None,
            priority: Priority::High,
            expires: None,
            task: None,
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: Vec::new(),
        };
        let message = Message::create(&id, &sent.into(), &stamp(1)).unwrap();
        let asked = message.apply(&MessageControl { verb, model: None }.into(), &stamp(2)).unwrap();
        assert_eq!(asked.held, Some(HoldReason::Control), "nobody reads it before it is carried out");
        assert!(asked.open_control().is_some());
        let carried = Event::from(MessageCarriedOut { agent: agent.clone(), outcome, note: None });
        let done = asked.apply(&carried, &stamp(3)).unwrap();
        assert!(done.open_control().is_none() && done.held.is_none());
        assert!(done.clone().apply(&carried, &stamp(4)).is_err(), "it is carried out once");
        let state = done.deliveries[&agent].state;
        (done, state)
    }

    #[test]
    fn the_words_of_a_clear_go_on_their_way_once_it_is_done_and_nothing_else_does() {
        use {ControlOutcome as O, ControlVerb as V, DeliveryState as D};
        assert_eq!(after(V::Clear, Some("begin here"), O::Done).1, D::Queued);
        assert_eq!(after(V::Clear, None, O::Done).1, D::Done);
        assert_eq!(after(V::Clear, Some("begin here"), O::Failed).1, D::Refused);
        assert_eq!(after(V::Model, Some("words"), O::Done).1, D::Done);
        assert_eq!(after(V::Stop, None, O::Failed).1, D::Refused);
    }
}
