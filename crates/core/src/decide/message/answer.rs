//! The answer to an escalation. It ends the matter on every step that it came up by, and everybody who waits on one hears it.

use std::collections::BTreeSet;

use super::blocked::end_blocked_status;
use super::{Letter, SendSnapshot, reply};
use crate::decide::draft_settle_for;
use crate::draft::{Context, Draft};
use crate::entity::message::Escalation;
use crate::entity::{Agent, Message};
use crate::event::MessageAnswered;
use crate::ids::{AgentId, EntityRef, MessageId};
use crate::refusal::Refusal;
use crate::rules;
use crate::vocabulary::{Duty, Settlement};

/// A question to somebody above: the message that carries it, and the one it is about.
#[derive(Clone, Debug)]
pub struct Question {
    /// What asks.
    pub carrier: Message,
    /// What could not be settled below. It may carry a question itself, of somebody further down.
    pub matter: Message,
}

impl Question {
    fn escalation(&self) -> Option<&Escalation> {
        self.matter.escalations.iter().find(|e| e.by == self.carrier.id)
    }

    /// The escalation, while it waits for an answer.
    fn waiting(&self) -> Option<&Escalation> {
        self.escalation().filter(|e| e.is_open())
    }

    /// Why it can't be answered any more, and where the answer is.
    fn answered_before(&self) -> Refusal {
        let refusal = Refusal::conflict("answered", format!("{} was answered already", self.carrier.id));
        match self.escalation().and_then(|e| e.answer.as_ref()) {
            None => refusal,
            Some(answer) => refusal.hint(format!("interagent read {answer} shows the answer")),
        }
    }

    /// The messages that carry what ends together with this question: the matter, where it came from further down; what
    /// else asks for the same agent; and what took this question further up. Nothing where it was answered before.
    pub fn leads_to(&self, context: &Context) -> Vec<&MessageId> {
        let Some(escalation) = self.waiting() else { return Vec::new() };
        let is_whole = self.ends_for_all(escalation, context);
        let is_alike = |e: &&Escalation| e.is_open() && (is_whole || e.agent == escalation.agent);
        let alike = self.matter.escalations.iter().filter(is_alike);
        let above = self.carrier.escalations.iter().filter(|e| e.is_open());
        std::iter::once(&self.matter.id).chain(alike.chain(above).map(|e| &e.by)).collect()
    }

    /// Who waits for the answer, besides who was asked: who could not go on, and who asked that one.
    pub fn concerns(&self, context: &Context) -> Vec<&AgentId> {
        self.waiting().map(|e| [self.freed(e, context), vec![&self.matter.from]].concat()).unwrap_or_default()
    }

    /// The agents whose part of the matter ends with the answer: the one that escalated it, or all who owe an answer.
    fn freed<'q>(&'q self, escalation: &'q Escalation, context: &Context) -> Vec<&'q AgentId> {
        if !self.ends_for_all(escalation, context) {
            return vec![&escalation.agent];
        }
        let owing = self.matter.deliveries.iter().filter(|(_, delivery)| delivery.owes().is_some());
        owing.map(|(agent, _)| agent).collect()
    }

    /// Whether the asker has its answer then, so that nobody owes it one any more: where it escalated its own question, and
    /// where a person answers, as in a plain reply to the question.
    fn ends_for_all(&self, escalation: &Escalation, context: &Context) -> bool {
        let asks = matches!(self.matter.intent.duty(), Some(Duty::Answer | Duty::Unblock));
        escalation.agent == self.matter.from || (context.human && asks)
    }

    /// Whether a reply to the message that carries it is its answer: it is when who may answer writes it. Who could not go
    /// on only adds to its own words. After the answer there is no other: a reply would reach the one who asked last, and
    /// not those further down who were told the first one.
    pub fn is_answered_by(&self, member: &Agent, context: &Context) -> Result<bool, Refusal> {
        let of_member = |e: &&Escalation| member.id != e.agent && may_answer(e, member, context);
        match self.escalation().filter(of_member) {
            Some(escalation) if escalation.answer.is_some() => Err(self.answered_before()),
            escalation => Ok(escalation.is_some_and(Escalation::is_open)),
        }
    }
}

/// Who was asked may answer, and a person always.
fn may_answer(escalation: &Escalation, member: &Agent, context: &Context) -> bool {
    member.id == escalation.to || context.human
}

/// The message that escalated a question to this member, who is not part of the conversation itself. A reply to the question
/// then answers it. A person may answer in place of the agent that was asked.
pub fn carrier_to<'m>(matter: &'m Message, member: &Agent, context: &Context) -> Option<&'m MessageId> {
    let is_part = matter.from == member.id || matter.deliveries.contains_key(&member.id);
    let open = matter.escalations.iter().rev().filter(|e| e.is_open() && e.agent != member.id);
    let to_member = |e: &&Escalation| may_answer(e, member, context);
    open.filter(|_| !is_part).find(to_member).map(|e| &e.by)
}

/// Whether somebody whom a matter concerns hears the answer: unless it does already, speaks itself, or takes part no longer.
/// The matter came up step by step, so its answer may go down all of them at once; only a captain gets no mail but a
/// person's.
pub fn hears(snapshot: &SendSnapshot, concerned: &Agent, context: &Context) -> bool {
    let SendSnapshot { team, sender, recipients, .. } = snapshot;
    let told = concerned.id == sender.id || recipients.iter().any(|other| other.id == concerned.id);
    let allowed = context.human || !rules::is_captain(team.as_ref(), &concerned.name);
    !told && concerned.retired.is_none() && allowed
}

/// Answers an escalation: a reply to the message that carried it, and the end of the matter for everybody who was stuck.
///
/// `questions` are all that end with it. The first is the one that is answered; `snapshot.reply_to` is its carrier.
pub fn answer(
    snapshot: &SendSnapshot,
    questions: &[Question],
    letter: &Letter,
    context: &Context,
    draft: &mut Draft,
) -> Result<MessageId, Refusal> {
    let Some(first @ Question { carrier, .. }) = questions.first() else {
        return Err(Refusal::usage("no_original", "an answer needs the escalation it answers"));
    };
    let Some(escalation) = first.waiting() else {
        return Err(first.answered_before());
    };
    if !may_answer(escalation, &snapshot.sender, context) {
        return Err(Refusal::rule(
            "not_yours",
            format!("{} was not asked to answer {}", snapshot.sender.name, carrier.id),
        )
        .hint("reply in the conversation instead"));
    }
    if letter.subject.is_none() && letter.body.is_none() {
        return Err(Refusal::usage("empty_reply", "an answer needs a text")
            .hint(format!("interagent msg answer {} -m TEXT", carrier.id)));
    }
    let sent = reply(snapshot, letter, true, context, draft)?;
    // The reply ended what its writer owed. Nobody's part of a message ends twice: a matter may be a question as well.
    let mut ended = BTreeSet::from([(&carrier.id, &snapshot.sender.id)]);
    for question in questions {
        let Some(escalation) = question.waiting() else { continue };
        draft.add(
            EntityRef::Message(question.matter.id.clone()),
            MessageAnswered {
                agent: escalation.agent.clone(),
                escalation: question.carrier.id.clone(),
                by: sent.clone(),
            },
        );
        let freed = question.freed(escalation, context).into_iter().map(|agent| (&question.matter, agent));
        for (message, agent) in std::iter::once((&question.carrier, &escalation.to)).chain(freed) {
            // Work is still to be started or accepted: words alone do neither.
            let ends = message.owed_by(agent).is_some() && message.owed_in_words(agent).is_some();
            if ends && ended.insert((&message.id, agent)) {
                draft_settle_for(draft, message, agent, Settlement::Answered);
            }
        }
        end_blocked_status(snapshot, &question.matter, draft);
    }
    Ok(sent)
}
