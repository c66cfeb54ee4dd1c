//! Messages: sending, replying, reading, settling, holding, escalating, answering.

mod answer;
mod blocked;
mod climb;
mod control;
mod escalation;
mod hold;
mod reply;
mod verdict;

pub use answer::{Question, answer, carrier_to, hears};
pub use climb::{Climb, cancel, climb, conclude, raise};
pub use control::{Command, carried_out, control, reset};
pub use escalation::{Background, Plea, Step, escalate, tell_sender};
pub use hold::{hold, may_release, release};
pub use reply::{answered_for, is_plain_question_to, joins_in, reply};
pub use verdict::said_verdict;

use std::collections::BTreeSet;

use self::blocked::draft_status;
use self::hold::is_no_mail;
use crate::decide::loop_guard::{self, Newest};
use crate::decide::task::TaskSnapshot;
use crate::decide::{Post, draft_read, draft_settle, post};
use crate::draft::{Context, Draft};
use crate::entity::message::{Delivery, Settled};
use crate::entity::{Agent, Message, Task};
use crate::event::{MessageDeclined, MessageDelivered, MessageSent, Micros, Reference, TaskNoted};
use crate::ids::{AgentId, EntityRef, MessageId, ReviewId};
use crate::limits;
use crate::phrasing::{self, Dialect};
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::{Words, subject_of};
use crate::traffic::Flow;
use crate::vocabulary::{AgentState, DeliveryState, Duty, HoldReason, Intent, Priority, Settlement, Via};

/// What a member wants to say.
#[derive(Clone, Debug)]
pub struct Letter {
    /// What it is for.
    pub intent: Intent,
    /// One line; the first line of the body when absent.
    pub subject: Option<Words>,
    /// Markdown.
    pub body: Option<Words>,
    /// What it points at, with snapshots as texts still to be stored.
    pub refs: Vec<Pointer>,
    /// How urgent.
    pub priority: Priority,
    /// After this it is not worth delivering.
    pub expires: Option<Micros>,
    /// Wants an acknowledgement though the intent owes none.
    pub ack_wanted: bool,
    /// What was written as recipient, when it was not plain names.
    pub addressed: Vec<String>,
    /// Ids in other systems.
    pub aliases: Vec<String>,
}

/// A reference before its snapshot is stored.
#[derive(Clone, Debug)]
pub struct Pointer {
    /// What it points at.
    pub reference: Reference,
    /// The snapshot, for diffs.
    pub snapshot: Option<Words>,
}

/// What sending needs to know.
#[derive(Clone, Debug)]
pub struct SendSnapshot {
    /// The rules.
    pub team: Option<TeamConfig>,
    /// Who speaks.
    pub sender: Agent,
    /// To whom, resolved; nobody twice.
    pub recipients: Vec<Agent>,
    /// The message it answers.
    pub reply_to: Option<Message>,
    /// The conversation it continues without answering a certain message.
    pub thread: Option<MessageId>,
    /// The task it concerns.
    pub task: Option<Task>,
    /// The review that waits for the verdict which the answered message asks for.
    pub open_review: Option<ReviewId>,
    /// The newest message of the conversation.
    pub newest: Option<Newest>,
    /// Those of the recipients who wait for these words, because they took the matter up or asked in the first place.
    pub owed: Vec<AgentId>,
}

/// Sends a message; answers with its id.
pub fn send(
    snapshot: &SendSnapshot,
    letter: &Letter,
    context: &Context,
    draft: &mut Draft,
) -> Result<MessageId, Refusal> {
    check_letter(snapshot, letter, context)?;
    let id = MessageId::from_bits(draft.bits());
    let body_text = letter.body.as_ref().map_or("", Words::as_str);
    let subject_text = match &letter.subject {
        Some(subject) => subject.as_str().to_owned(),
        None => subject_of(body_text),
    };
    let hops = loop_guard::hops(snapshot.newest.as_ref(), snapshot.task.as_ref(), context.human);
    let thread = match (&snapshot.reply_to, &snapshot.thread) {
        (Some(original), _) => original.thread.clone(),
        (None, Some(thread)) => thread.clone(),
        (None, None) => id.clone(),
    };
    let mut refs = Vec::with_capacity(letter.refs.len());
    for pointer in &letter.refs {
        let text = draft.maybe(pointer.snapshot.as_ref());
        refs.push(Reference { text, ..pointer.reference.clone() });
    }
    let task = snapshot.task.as_ref().map(|task| task.id.clone());
    let subject = draft.plain(&subject_text);
    let sent = MessageSent {
        from: snapshot.sender.id.clone(),
        to: snapshot.recipients.iter().map(|agent| agent.id.clone()).collect(),
        addressed: letter.addressed.clone(),
        intent: letter.intent,
        subject: subject.clone(),
        body: draft.maybe(letter.body.as_ref()),
        refs,
        thread,
        reply_to: snapshot.reply_to.as_ref().map(|original| original.id.clone()),
        priority: letter.priority,
        expires: letter.expires,
        task: task.or_else(|| snapshot.reply_to.as_ref().and_then(|original| original.task.clone())),
        hops,
        quiet: goes_unnoticed(snapshot, context)
            || (letter.intent.duty().is_none()
                && !answers(snapshot)
                && loop_guard::says_nothing(&subject_text, body_text)),
        ack_wanted: letter.ack_wanted,
        aliases: letter.aliases.clone(),
    };
    draft.add(EntityRef::Message(id.clone()), sent);
    draft.counts_as(&id, if gives_work(letter.intent) { Flow::Work } else { Flow::Words });
    if letter.intent == Intent::Blocked && !snapshot.sender.is_human() {
        draft_status(&snapshot.sender, AgentState::Blocked, Some(subject), draft);
    }
    Ok(id)
}

fn check_letter(snapshot: &SendSnapshot, letter: &Letter, context: &Context) -> Result<(), Refusal> {
    if letter.subject.is_none() && letter.body.is_none() {
        return Err(Refusal::usage("empty_message", "a message needs a subject or a body")
            .hint("give the text with -m, or `-` to read it from standard input"));
    }
    if snapshot.recipients.is_empty() {
        return Err(Refusal::usage("no_recipient", "the message has no recipient").hint("name one with --to"));
    }
    if snapshot.recipients.len() > limits::RECIPIENTS {
        let sentence =
            format!("{} recipients are too many; at most {}", snapshot.recipients.len(), limits::RECIPIENTS);
        return Err(Refusal::usage("too_many_recipients", sentence));
    }
    if letter.refs.len() > limits::REFS {
        let sentence = format!("{} references are too many; at most {}", letter.refs.len(), limits::REFS);
        return Err(Refusal::usage("too_many_refs", sentence));
    }
    if letter.expires.is_some_and(|expires| expires <= context.now) {
        return Err(Refusal::usage("expired", "the message would be expired before it is sent"));
    }
    if let Some(task) = snapshot.task.as_ref().filter(|_| gives_work(letter.intent) && !context.human) {
        may_give(snapshot, task, letter.intent)?;
    }
    for recipient in &snapshot.recipients {
        // The operator speaking for an agent is still the operator: rules for agents do not bind a person.
        if !context.human && !is_owed_to(snapshot, letter, recipient) {
            rules::may_message(snapshot.team.as_ref(), &snapshot.sender, recipient, letter.intent)?;
        }
    }
    Ok(())
}

/// Who was asked may answer, whoever asked: otherwise a duty could never end.
fn is_owed_to(snapshot: &SendSnapshot, letter: &Letter, recipient: &Agent) -> bool {
    let owes = |original: &Message| {
        original.from == recipient.id
            && original.deliveries.get(&snapshot.sender.id).is_some_and(|delivery| delivery.owes().is_some())
    };
    let only_words = letter.intent != Intent::Control && !gives_work(letter.intent);
    only_words && (snapshot.owed.contains(&recipient.id) || snapshot.reply_to.as_ref().is_some_and(owes))
}

/// What a captain asked for waits for its next turn: nothing but a person's words interrupts the operator's typing.
fn goes_unnoticed(snapshot: &SendSnapshot, context: &Context) -> bool {
    let is_captain = |agent: &Agent| rules::is_captain(snapshot.team.as_ref(), &agent.name);
    !context.human && snapshot.recipients.iter().all(is_captain)
}

/// Whether a member still waits for this answer. Then even a bare "yes" is one.
fn answers(snapshot: &SendSnapshot) -> bool {
    let is_waited_for = |delivery: &Delivery| delivery.owes().is_some_and(Duty::is_settled_by_words);
    snapshot.reply_to.as_ref().is_some_and(|original| original.deliveries.values().any(is_waited_for))
}

/// These intents move a task to who accepts them.
fn gives_work(intent: Intent) -> bool {
    matches!(intent, Intent::Handoff | Intent::Delegation)
}

/// Only who has a task, or wants it done, hands it over, and only to others. What the recipient has already changes no
/// hands: then a handoff tells that its part before is done, and anybody may say so; its assigner may urge it.
fn may_give(snapshot: &SendSnapshot, task: &Task, intent: Intent) -> Result<(), Refusal> {
    let sender = &snapshot.sender;
    let has = |member: &Agent| task.assignee.as_ref() == Some(&member.id) && member.id != sender.id;
    let gave_it = task.brief.assigner == sender.id;
    if (intent == Intent::Handoff || gave_it) && snapshot.recipients.iter().all(has) {
        return Ok(());
    }
    let has_it = task.assignee.as_ref() == Some(&sender.id);
    let wants_it = gave_it && task.assignee.is_none();
    if !has_it && !wants_it {
        return Err(Refusal::rule("F003", format!("{} is not for {} to hand over", task.id, sender.name))
            .hint(format!("interagent task reassign {} --to NAME, by who leads it", task.id)));
    }
    for recipient in &snapshot.recipients {
        if recipient.id == sender.id {
            return Err(Refusal::usage("to_yourself", "work is handed over to somebody else"));
        }
        if !recipient.is_human() {
            rules::may_assign(snapshot.team.as_ref(), sender, recipient)?;
        }
    }
    Ok(())
}

/// The member's own part of a message it has: held ones are on their way to nobody yet.
fn own_delivery<'m>(message: &'m Message, member: &Agent) -> Result<&'m Delivery, Refusal> {
    let Some(delivery) = message.deliveries.get(&member.id) else {
        return Err(Refusal::rule("not_yours", format!("{} was not sent to {}", message.id, member.name))
            .hint(format!("`interagent read {}` shows it without changing anything", message.id)));
    };
    match message.held {
        None => Ok(delivery),
        Some(HoldReason::Control) => Err(is_no_mail(message)),
        Some(reason) => {
            let sentence = format!("{} is held ({}) and not delivered", message.id, reason.why());
            let who =
                if may_release(message).is_some() { "who held it, or the operator" } else { "the operator" };
            Err(Refusal::conflict("held", sentence)
                .hint(format!("{who} lets it go: interagent msg release {}", message.id)))
        }
    }
}

/// Whether showing a message to this member is its recipient reading it for the first time: then it is acknowledged, once
/// it was shown. A held one is on its way to nobody, and looking at somebody else's mail changes nothing.
pub fn is_read_by(message: &Message, member: &Agent) -> bool {
    message.held.is_none() && message.deliveries.get(&member.id).is_some_and(Delivery::is_unacknowledged)
}

/// Marks messages as read by their recipient. Those that were are left as they are. Who acts on a message has it, but the
/// answer says if none of these ways brought it there: `offered` are those that were offered to a session.
pub fn acknowledge(
    messages: &[Message],
    offered: &BTreeSet<MessageId>,
    member: &Agent,
    via: Via,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    for message in messages {
        let delivery = own_delivery(message, member)?;
        let is_blind = via == Via::Action && delivery.state == DeliveryState::Queued;
        if is_blind && !offered.contains(&message.id) {
            let (id, name) = (&message.id, &member.name);
            draft.remark(format!("{id} had not been handed over to {name}: interagent read {id} shows it"));
        }
        if delivery.owes() == Some(Duty::Acknowledge) {
            draft_settle(draft, message, &member.id, Settlement::Acknowledged, None);
        } else {
            draft_read(draft, message, &member.id, via);
        }
    }
    Ok(())
}

/// Records that a session has what it was offered.
pub fn confirm(messages: &[(Message, Via, u32)], member: &Agent, draft: &mut Draft) {
    for (message, via, redelivered) in messages {
        let queued = message.deliveries.get(&member.id).is_some_and(|d| d.state == DeliveryState::Queued);
        if queued {
            draft.add(
                EntityRef::Message(message.id.clone()),
                MessageDelivered { agent: member.id.clone(), via: *via, redelivered: *redelivered },
            );
        }
    }
}

/// Settles an obligation as complete, and tells a sender who expects an answer that none will come.
pub fn settle(
    asked: &Asked<'_>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let message = asked.message;
    let delivery = own_delivery(message, member)?;
    match (delivery.owes(), &delivery.settled) {
        (None, Some(end)) => draft.is_so_already(format!("{} was settled before ({})", message.id, end.how)),
        (None, None) => return Err(asks_nothing(message)),
        (Some(Duty::Verdict), _) if message.task.is_some() => return Err(verdict_needed(message)),
        (Some(Duty::Unblock), _) if message.links().declined.is_some() => {
            return Err(assignee_needed(message));
        }
        (Some(duty), _) => {
            draft_settle(draft, message, &member.id, Settlement::Completed, None);
            if matches!(duty, Duty::Answer | Duty::Unblock) {
                asked.tell_sender(member, Intent::ContextShare, "Settled without an answer.", context, draft);
            }
        }
    }
    Ok(())
}

/// What never obliged anybody can't be settled, accepted or declined.
fn asks_nothing(message: &Message) -> Refusal {
    let sentence = format!("{} asks for nothing: nobody owes anything for it", message.id);
    Refusal::rule("nothing_owed", sentence).hint(format!(
        "interagent ack {0} says that you read it; interagent reply {0} -m TEXT answers it",
        message.id
    ))
}

fn verdict_needed(message: &Message) -> Refusal {
    let task = message.task.as_ref().map(ToString::to_string).unwrap_or_default();
    Refusal::rule("verdict_needed", format!("{} asks for a verdict on {task}", message.id))
        .hint(format!("interagent task verdict {task} approved"))
}

fn assignee_needed(message: &Message) -> Refusal {
    let task = message.task.as_ref().map(ToString::to_string).unwrap_or_default();
    Refusal::rule("assignee_needed", format!("{task} is declined and needs an assignee"))
        .hint(Dialect::Shell.say(&phrasing::Step::reassign_task(&task)))
}

fn settled_before(message: &Message, end: &Settled) -> Refusal {
    Refusal::conflict("settled", format!("{} was settled before ({})", message.id, end.how))
        .hint(format!("interagent reply {} -m TEXT still reaches who sent it", message.id))
}

/// Accepts a handoff (the task changes hands) or any other duty that can be accepted.
pub fn accept(
    message: &Message,
    task: Option<&TaskSnapshot>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let delivery = own_delivery(message, member)?;
    match delivery.owes() {
        Some(Duty::Accept | Duty::Start) => {}
        Some(_) => {
            return Err(Refusal::rule(
                "nothing_to_accept",
                format!("{} is not an offer of work", message.id),
            )
            .hint(format!("reply to it: interagent reply {} -m ...", message.id)));
        }
        None => match &delivery.settled {
            Some(end) if end.how == Settlement::Accepted => {
                draft.is_so_already(format!("{} was accepted before", message.id));
                return Ok(());
            }
            Some(end) => return Err(settled_before(message, end)),
            None => return Err(asks_nothing(message)),
        },
    }
    draft_settle(draft, message, &member.id, Settlement::Accepted, None);
    match task {
        Some(task) => task.take_over(message, context, draft),
        None => Ok(()),
    }
}

/// What a message asks of a member.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The message that asks for something.
    pub message: &'a Message,
    /// The subject of the answer.
    pub subject: &'a str,
    /// Its sender; none where the program sent it.
    pub sender: Option<&'a Agent>,
    /// The person of this replica, who hears what would go to a captain.
    pub operator: Option<&'a Agent>,
    /// The team, where there is one.
    pub team: Option<&'a TeamConfig>,
}

impl Asked<'_> {
    /// Answers in the member's name, in the same conversation.
    fn tell_sender(&self, member: &Agent, intent: Intent, said: &str, context: &Context, draft: &mut Draft) {
        let Some(sender) = self.reader(intent) else { return };
        let (subject, body) = (draft.plain(self.subject), draft.plain(said));
        let mut letter = Post::new(&member.id, vec![sender.id.clone()], intent, subject, Some(body));
        letter.task = self.message.task.as_ref();
        letter.priority = self.message.priority;
        if let (Intent::Blocked, Some(task)) = (intent, letter.task) {
            let (kind, target) = (DECLINED_REF.to_owned(), task.to_string());
            letter.refs = vec![Reference { kind, target, first_line: None, last_line: None, text: None }];
        }
        // As with replies: nothing but a person's words starts a captain's turn.
        letter.quiet = !context.human && rules::is_captain(self.team, &sender.name);
        post(draft, letter.answering(self.message).telling_outcome());
    }

    /// The member that reads the answer. A captain can't be obliged to find another worker, because no mail goes to it: the
    /// operator is, also where it declined in the agent's place, because the task waits for an assignment.
    fn reader(&self, intent: Intent) -> Option<&Agent> {
        let sender = self.sender.filter(|sender| sender.retired.is_none())?;
        match intent == Intent::Blocked && rules::is_captain(self.team, &sender.name) {
            true => self.operator,
            false => Some(sender),
        }
    }
}

/// The kind of a reference to a task that its assignee declined.
pub const DECLINED_REF: &str = "declined";

/// Declines what was asked and tells the sender. Work that its worker declines is blocked: the sender has to give it to
/// somebody else.
pub fn decline(
    asked: &Asked<'_>,
    member: &Agent,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let message = asked.message;
    let delivery = own_delivery(message, member)?;
    let duty = match delivery.owes() {
        None => match &delivery.settled {
            Some(end) if end.how == Settlement::Declined => {
                draft.is_so_already(format!("{} was declined before", message.id));
                return Ok(());
            }
            Some(end) => return Err(settled_before(message, end)),
            None => return Err(asks_nothing(message)),
        },
        Some(Duty::Verdict) if message.task.is_some() => return Err(verdict_needed(message)),
        Some(duty) => duty,
    };
    draft_read(draft, message, &member.id, Via::Action);
    let declined = MessageDeclined { agent: member.id.clone(), reason: draft.maybe(reason) };
    draft.add(EntityRef::Message(message.id.clone()), declined);
    let intent = if duty == Duty::Start { Intent::Blocked } else { Intent::ContextShare };
    let said =
        reason.map_or_else(|| "Declined.".to_owned(), |reason| format!("Declined: {}", reason.as_str()));
    if let (Duty::Start, Some(task)) = (duty, &message.task) {
        // The task itself shows the reason, so its readers need not search the mail.
        let note = draft.plain(&said);
        draft.add(EntityRef::Task(task.clone()), TaskNoted { note });
    }
    asked.tell_sender(member, intent, &said, context, draft);
    Ok(())
}
