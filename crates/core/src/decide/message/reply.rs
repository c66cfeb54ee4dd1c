//! Replies: what they settle, for the one who writes them and for those in whose place a person answers.

use super::blocked::end_blocked_status;
use super::verdict::says_rejected;
use super::{Letter, SendSnapshot, own_delivery, send};
use crate::decide::{draft_read, draft_settle};
use crate::draft::{Context, Draft};
use crate::entity::message::Delivery;
use crate::entity::{Agent, Message};
use crate::event::{MessageReleased, MessageSettled};
use crate::ids::{AgentId, EntityRef, MessageId};
use crate::phrasing::{Dialect, Step};
use crate::refusal::Refusal;
use crate::rules;
use crate::vocabulary::{Duty, Intent, Settlement, Via};

/// Replies to a message and settles what the reply settles.
pub fn reply(
    snapshot: &SendSnapshot,
    letter: &Letter,
    complete: bool,
    context: &Context,
    draft: &mut Draft,
) -> Result<MessageId, Refusal> {
    let Some(original) = &snapshot.reply_to else {
        return Err(Refusal::usage("no_original", "a reply needs the message it answers"));
    };
    must_say_something(letter, original)?;
    must_reach_somebody(snapshot, original)?;
    if !original.deliveries.contains_key(&snapshot.sender.id) {
        let sent = send(snapshot, letter, context, draft)?;
        if joins_in(original, &snapshot.sender, context) || is_asked_through_operator(snapshot, original) {
            answer_for_others(original, &sent, draft);
            end_blocked_status(snapshot, original, draft);
            remind_of_declined(original, draft);
        }
        return Ok(sent);
    }
    let delivery = own_delivery(original, &snapshot.sender)?;
    let sent = send(snapshot, letter, context, draft)?;
    let needs_verdict = needs_verdict(snapshot, original);
    // Words to whoever answered last decide nothing.
    let undecided = original.links().decide.filter(|_| delivery.owes() == Some(Duty::Answer));
    let by_reply = original
        .owed_in_words(&snapshot.sender.id)
        .is_some_and(|duty| undecided.is_none() && !(needs_verdict && duty == Duty::Verdict));
    let is_declined = is_open_refusal(original);
    if by_reply || (complete && delivery.settled.is_none() && !is_declined) {
        let how = if by_reply { Settlement::Replied } else { Settlement::Completed };
        draft_settle(draft, original, &snapshot.sender.id, how, Some(sent.clone()));
        end_blocked_status(snapshot, original, draft);
    } else {
        draft_read(draft, original, &snapshot.sender.id, Via::Action);
    }
    if let (Some(decision), false) = (&undecided, complete) {
        let step = Dialect::Shell.say(&Step::decide(decision));
        draft.remark(format!("{decision} still needs your decision: {step}"));
    }
    remind_of_declined(original, draft);
    let is_settled = by_reply || complete || delivery.settled.is_some();
    remind_of_verdict(snapshot, letter, is_settled, draft);
    Ok(sent)
}

/// Whether the message declines a task that still needs another assignment.
fn is_open_refusal(original: &Message) -> bool {
    original.task.as_ref().is_some_and(|task| original.declines(task))
}

/// Names the step that settles a refusal: no words do.
fn remind_of_declined(original: &Message, draft: &mut Draft) {
    if let Some(task) = original.task.as_ref().filter(|_| is_open_refusal(original)) {
        let step = Dialect::Shell.say(&Step::reassign_task(task.as_str()));
        draft.remark(format!(
            "{task} is declined and needs an assignee, another one or the same again: {step}"
        ));
    }
}

/// Reminds a member that was asked for a verdict and gave none, for as long as one is missing. Its first word is no
/// rejection, because that closes the work, and it may have meant one.
fn remind_of_verdict(snapshot: &SendSnapshot, letter: &Letter, is_settled: bool, draft: &mut Draft) {
    if snapshot.reply_to.as_ref().is_none_or(|original| original.intent != Intent::ReviewRequest) {
        return;
    }
    let task = snapshot.task.as_ref().filter(|task| task.status.awaits_verdict());
    let (id, step) = match (task, &snapshot.open_review) {
        (Some(task), _) => (task.id.as_str(), Step::judge_task(task.id.as_str())),
        (None, Some(review)) => (review.as_str(), Step::judge_review(review.as_str())),
        (None, None) => return,
    };
    if letter.body.as_ref().is_some_and(|body| says_rejected(body.as_str())) {
        let step = Dialect::Shell.say(&step.rejecting());
        draft.remark(format!("this reply rejects nothing, because a rejection closes {id}: {step}"));
        return;
    }
    let needs = if is_settled { "still has no verdict" } else { "still needs your verdict" };
    draft.remark(format!("{id} {needs}: {}", Dialect::Shell.say(&step)));
}

/// Whether a person answers what one agent asked another.
pub fn joins_in(original: &Message, sender: &Agent, context: &Context) -> bool {
    context.human && sender.id != original.from && !original.deliveries.contains_key(&sender.id)
}

/// Whether a captain helps with blocked work for which the operator was asked: a captain gets no mail.
fn is_asked_through_operator(snapshot: &SendSnapshot, original: &Message) -> bool {
    let leads = rules::is_captain(snapshot.team.as_ref(), &snapshot.sender.name);
    leads
        && snapshot.task.as_ref().is_some_and(|task| original.task.as_ref() == Some(&task.id))
        && original.intent == Intent::Blocked
}

/// Whether a message that nobody escalated asks this member something, or asks somebody for whom a person may answer.
pub fn is_plain_question_to(message: &Message, member: &Agent, context: &Context) -> bool {
    let is_asked = matches!(message.owed_by(&member.id), Some(Duty::Answer | Duty::Unblock));
    let may_answer_for = joins_in(message, member, context) && answered_for(message).next().is_some();
    message.escalations.is_empty() && (is_asked || may_answer_for)
}

/// Those in whose place a person answers: they owe an answer or help.
pub fn answered_for(original: &Message) -> impl Iterator<Item = &AgentId> {
    let is_owed = |delivery: &Delivery| matches!(delivery.owes(), Some(Duty::Answer | Duty::Unblock));
    original.deliveries.iter().filter(move |(_, delivery)| is_owed(delivery)).map(|(agent, _)| agent)
}

fn answer_for_others(original: &Message, answer: &MessageId, draft: &mut Draft) {
    let mut settled =
        answered_for(original).filter(|agent| original.owed_in_words(agent).is_some()).peekable();
    // An answered question has nothing left to hold.
    if original.held.is_some() && settled.peek().is_some() {
        draft.add(EntityRef::Message(original.id.clone()), MessageReleased {});
    }
    for agent in settled {
        let (agent, by) = (agent.clone(), Some(answer.clone()));
        let settled = MessageSettled { agent, how: Settlement::Answered, by };
        draft.add(EntityRef::Message(original.id.clone()), settled);
    }
}

/// The program reads no mail: a reply to one of its messages goes to nobody, unless it answers what the message carries.
fn must_reach_somebody(snapshot: &SendSnapshot, original: &Message) -> Result<(), Refusal> {
    if !original.from.is_program() || !snapshot.recipients.is_empty() {
        return Ok(());
    }
    let sentence = format!("{} was written by interagent itself, which reads no replies", original.id);
    Err(Refusal::rule("no_reply", sentence).hint(format!("interagent ack {} marks it as read", original.id)))
}

/// Whether only a verdict ends a review request: where a review is open, or a task's approval depends on one.
fn needs_verdict(snapshot: &SendSnapshot, original: &Message) -> bool {
    if snapshot.open_review.is_some() {
        return true;
    }
    let is_open = snapshot.task.as_ref().is_some_and(|task| !task.status.is_closed());
    original.task.is_some() && is_open && rules::approval_needs_verdict(snapshot.team.as_ref())
}

/// Rejects empty replies: they would settle the obligation without telling the sender anything.
fn must_say_something(letter: &Letter, original: &Message) -> Result<(), Refusal> {
    if letter.subject.is_some() || letter.body.is_some() {
        return Ok(());
    }
    Err(Refusal::usage("empty_reply", "a reply needs a text")
        .hint(format!("interagent reply {} -m TEXT", original.id)))
}
