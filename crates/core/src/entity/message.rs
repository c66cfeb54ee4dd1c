//! A message and how far it got with each recipient.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{Event, MessageSent, Micros, Reference};
use crate::ids::{AgentId, MessageId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{Auth, DeliveryState, Duty, HoldReason, Intent, Priority, Settlement, Via};

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
    /// Ids in other systems.
    pub aliases: Vec<String>,
    /// How far it got, by recipient. Stored in rows of their own.
    #[serde(skip)]
    pub deliveries: BTreeMap<AgentId, Delivery>,
}

impl Message {
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
            spoken_by: (stamp.actor != *from).then(|| stamp.actor.clone()),
            escalations: Vec::new(),
            aliases: sent.aliases.clone(),
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
            }),
            Event::MessageAnswered(answered) => {
                let open =
                    self.escalations.iter_mut().find(|e| e.by == answered.escalation && e.answer.is_none());
                open.ok_or(Void::TooLate("the escalation was answered before"))?.answer =
                    Some(answered.by.clone());
            }
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }

    fn delivery(&mut self, agent: &AgentId) -> Result<&mut Delivery, Void> {
        self.deliveries.get_mut(agent).ok_or(Void::TooLate("it was not sent to this agent"))
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
