//! Escalations: a matter goes up, and its answer comes back.

use super::{Letter, SendSnapshot, own_delivery, reply};
use crate::decide::draft_settle_for;
use crate::draft::{Context, Draft};
use crate::entity::message::Escalation;
use crate::entity::{Agent, Message};
use crate::event::{MessageAnswered, MessageEscalated, MessageSent, Micros, Reference};
use crate::ids::{EntityRef, MessageId};
use crate::line::moment;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::{Words, subject_of};
use crate::vocabulary::{HoldReason, Intent, Priority, Settlement};

/// What an escalation says.
#[derive(Clone, Debug)]
pub struct Plea {
    /// Why, and what was tried.
    pub reason: Words,
    /// Until when an answer helps.
    pub deadline: Option<Micros>,
    /// What happens without one.
    pub default: Option<Words>,
}

/// Takes a matter to the superior or the operator: a question to them that carries it.
pub fn escalate(
    snapshot: &SendSnapshot,
    plea: &Plea,
    context: &Context,
    draft: &mut Draft,
) -> Result<MessageId, Refusal> {
    let (Some(original), Some(to)) = (&snapshot.reply_to, snapshot.recipients.first()) else {
        return Err(Refusal::usage("no_original", "an escalation needs the message it is about"));
    };
    let member = &snapshot.sender;
    if to.id == member.id {
        return Err(Refusal::rule(
            "nobody_above",
            format!("there is nobody above {} to take it to", member.name),
        )
        .hint(format!("answer it: interagent reply {} -m TEXT", original.id)));
    }
    if original.from != member.id && !context.human {
        own_delivery(original, member)?;
    }
    if original.escalations.iter().any(|e| e.agent == member.id && e.answer.is_none()) {
        return Err(Refusal::conflict(
            "escalated",
            format!("{} waits for an answer from {} already", original.id, to.name),
        ));
    }
    if is_settled(original, member) {
        return Err(Refusal::conflict("settled", format!("{} is settled: nobody waits for it", original.id))
            .hint(format!("what was said: interagent msg thread {}", original.id)));
    }
    if plea.deadline.is_some_and(|deadline| deadline <= context.now) {
        return Err(Refusal::usage(
            "past_deadline",
            "the deadline is over already: no answer could come in time",
        )
        .hint("--deadline takes a length (2h) or a time to come"));
    }
    let id = MessageId::from_bits(draft.bits());
    let subject = format!("Escalation of {}: {}", original.id, subject_of(plea.reason.as_str()));
    let subject = draft.plain(&subject);
    let reason = draft.text(&plea.reason);
    let default = draft.maybe(plea.default.as_ref());
    let body = draft.plain(&case(plea));
    draft.add(
        EntityRef::Message(id.clone()),
        MessageSent {
            from: member.id.clone(),
            to: vec![to.id.clone()],
            addressed: Vec::new(),
            intent: Intent::Question,
            subject,
            body: Some(body),
            refs: vec![Reference {
                kind: "message".into(),
                target: original.id.to_string(),
                first_line: None,
                last_line: None,
                text: None,
            }],
            thread: original.thread.clone(),
            reply_to: None,
            priority: Priority::High,
            expires: None,
            task: original.task.clone(),
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: Vec::new(),
        },
    );
    draft.add(
        EntityRef::Message(original.id.clone()),
        MessageEscalated {
            agent: member.id.clone(),
            to: to.id.clone(),
            by: id.clone(),
            reason,
            deadline: plea.deadline,
            default,
        },
    );
    Ok(id)
}

/// Whether nothing is left of a matter that could go up: for who got it, once its own part ended; for who sent it, once it
/// went up and was answered. A reply, or that somebody declined, may well leave the sender stuck.
fn is_settled(matter: &Message, member: &Agent) -> bool {
    match matter.deliveries.get(&member.id) {
        Some(own) => own.settled.is_some(),
        None => matter.escalations.iter().any(|e| e.answer.is_some()),
    }
}

/// What the person who decides reads: why, until when an answer helps, and what happens without one.
fn case(plea: &Plea) -> String {
    let until = plea.deadline.map(moment);
    let default = plea.default.as_ref().map(Words::as_str);
    let terms = match (until, default) {
        (None, None) => return plea.reason.as_str().to_owned(),
        (Some(until), None) => format!("An answer helps until {until}."),
        (Some(until), Some(default)) => format!("Without an answer by {until}: {default}"),
        (None, Some(default)) => format!("Without an answer: {default}"),
    };
    format!("{}\n\n{terms}", plea.reason.as_str().trim_end())
}

/// The escalation that a message carries, while it waits for an answer.
fn waiting<'m>(matter: &'m Message, carrier: &MessageId) -> Option<&'m Escalation> {
    matter.escalations.iter().find(|e| e.by == *carrier && e.answer.is_none())
}

/// Who was asked may answer, and a person always.
fn may_answer(escalation: &Escalation, member: &Agent, context: &Context) -> bool {
    member.id == escalation.to || context.human
}

/// Whether a reply to the message that carries an escalation is its answer: it is when who may answer writes it. Who could
/// not go on only adds to its own words.
pub fn reply_answers(matter: &Message, carrier: &MessageId, member: &Agent, context: &Context) -> bool {
    waiting(matter, carrier).is_some_and(|e| member.id != e.agent && may_answer(e, member, context))
}

/// Whether who asked in the first place hears the answer too: unless it does already, speaks itself, takes part no longer,
/// or the rules keep the answerer from writing to it. Who was stuck can pass the answer on then.
pub fn asker_hears(snapshot: &SendSnapshot, asker: &Agent, letter: &Letter, context: &Context) -> bool {
    let SendSnapshot { team, sender, recipients, .. } = snapshot;
    let told = asker.id == sender.id || recipients.iter().any(|other| other.id == asker.id);
    let allowed = || context.human || rules::may_message(team.as_ref(), sender, asker, letter.intent).is_ok();
    !told && asker.retired.is_none() && allowed()
}

/// Answers an escalation: a reply to the message that carried it, the end of the matter for who was stuck.
///
/// `snapshot.reply_to` is the carrying message, `matter` the one it was about.
pub fn answer(
    snapshot: &SendSnapshot,
    matter: &Message,
    letter: &Letter,
    context: &Context,
    draft: &mut Draft,
) -> Result<(MessageId, Option<HoldReason>), Refusal> {
    let Some(carrier) = &snapshot.reply_to else {
        return Err(Refusal::usage("no_original", "an answer needs the escalation it answers"));
    };
    let Some(escalation) = waiting(matter, &carrier.id) else {
        return Err(Refusal::conflict("answered", format!("{} was answered already", carrier.id)));
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
    draft.add(
        EntityRef::Message(matter.id.clone()),
        MessageAnswered {
            agent: escalation.agent.clone(),
            escalation: carrier.id.clone(),
            by: sent.0.clone(),
        },
    );
    if matter.deliveries.get(&escalation.agent).is_some_and(|d| d.owes().is_some()) {
        draft_settle_for(draft, matter, &escalation.agent, Settlement::Answered);
    }
    // A person answered in the place of who was asked, who owes nothing any more.
    let asked = carrier.deliveries.get(&escalation.to).filter(|_| escalation.to != snapshot.sender.id);
    if asked.is_some_and(|delivery| delivery.owes().is_some()) {
        draft_settle_for(draft, carrier, &escalation.to, Settlement::Answered);
    }
    Ok(sent)
}
