//! Escalations: a matter goes up. How its answer comes back is in `answer.rs`.

use super::{SendSnapshot, own_delivery};
use crate::decide::{Post, post};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message};
use crate::event::{MessageEscalated, MessageSent, Micros, Reference};
use crate::ids::{AgentId, EntityRef, MessageId};
use crate::line::{moment, one_line, quoted_text};
use crate::refusal::Refusal;
use crate::rules;
use crate::text::{Words, subject_of};
use crate::vocabulary::{Intent, Priority};

/// Characters of the question in the subject of its escalation, which leaves room for the reason.
const TITLE_CHARS: usize = 80;
/// Characters of the reason of a step further down.
const REASON_CHARS: usize = 480;

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

/// Where a matter came from, for somebody above who was no part of it.
#[derive(Clone, Debug)]
pub struct Background {
    /// The message that it began with.
    pub first: MessageId,
    /// Who sent that, as shown.
    pub from: String,
    /// Its words, or what stands in their place.
    pub words: String,
    /// How it came up to here, the first step first.
    pub steps: Vec<Step>,
}

/// One step that a matter came up by.
#[derive(Clone, Debug)]
pub struct Step {
    /// Who could not go on, as shown.
    pub agent: String,
    /// Why.
    pub reason: String,
    /// The program took it up, and the reason says so.
    pub by_ladder: bool,
}

/// Takes a matter to the superior or the operator: a question to them that carries it.
pub fn escalate(
    snapshot: &SendSnapshot,
    plea: &Plea,
    background: &Background,
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
    if original.escalations.iter().any(|e| e.agent == member.id && e.is_open()) {
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
    let title = one_line(&subject_of(&background.words), TITLE_CHARS);
    let subject = subject_of(&format!("Escalation: {title} - {}", subject_of(plea.reason.as_str())));
    let body = [case(plea), told(background)].join("\n\n");
    let carrier = Carrier {
        id: &id,
        matter: original,
        agent: &member.id,
        to: &to.id,
        subject: &subject,
        body: &body,
        reason: plea.reason.as_str(),
        deadline: plea.deadline,
        default: plea.default.as_ref().map(Words::as_str),
        by: By::Itself,
    };
    carrier.draft(draft);
    Ok(id)
}

/// Tells the sender of a message that its recipient escalated it, so that they know from whom the answer comes. It wakes
/// nobody: there is nothing to do about it.
pub fn tell_sender(snapshot: &SendSnapshot, sender: &Agent, plea: &Plea, draft: &mut Draft) {
    let (Some(original), Some(to)) = (&snapshot.reply_to, snapshot.recipients.first()) else { return };
    let member = &snapshot.sender;
    let is_part_of_it = sender.id == member.id || sender.id == to.id;
    let takes_mail = !sender.is_human() && !rules::is_captain(snapshot.team.as_ref(), &sender.name);
    if is_part_of_it || sender.retired.is_some() || !takes_mail {
        return;
    }
    let subject = format!("{} escalated {} to {}", member.name, original.id, to.name);
    let (subject, body) = (draft.plain(&subject), draft.plain(plea.reason.as_str()));
    let letter = Post::new(&member.id, vec![sender.id.clone()], Intent::ContextShare, subject, Some(body));
    let about = Reference {
        kind: "message".into(),
        target: original.id.to_string(),
        first_line: None,
        last_line: None,
        text: None,
    };
    post(draft, letter.pointing_at(vec![about]).without_waking());
}

/// Who took a matter up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The agent that could not go on.
    Itself,
    /// The program, because the agent was silent.
    Ladder,
}

/// The message that carries a matter up.
pub(super) struct Carrier<'a> {
    pub(super) id: &'a MessageId,
    pub(super) matter: &'a Message,
    /// Who could not go on, or was silent.
    pub(super) agent: &'a AgentId,
    pub(super) to: &'a AgentId,
    pub(super) subject: &'a str,
    pub(super) body: &'a str,
    pub(super) reason: &'a str,
    pub(super) deadline: Option<Micros>,
    pub(super) default: Option<&'a str>,
    pub(super) by: By,
}

impl Carrier<'_> {
    /// Drafts the question to who decides, and that it was asked.
    pub(super) fn draft(&self, draft: &mut Draft) {
        let (subject, reason) = (draft.plain(self.subject), draft.plain(self.reason));
        let default = self.default.map(|words| draft.plain(words));
        let body = draft.plain(self.body);
        draft.add(
            EntityRef::Message(self.id.clone()),
            MessageSent {
                from: match self.by {
                    By::Itself => self.agent.clone(),
                    By::Ladder => AgentId::program(),
                },
                to: vec![self.to.clone()],
                addressed: Vec::new(),
                intent: Intent::Question,
                subject,
                body: Some(body),
                refs: vec![Reference {
                    kind: "message".into(),
                    target: self.matter.id.to_string(),
                    first_line: None,
                    last_line: None,
                    text: None,
                }],
                thread: self.matter.thread.clone(),
                reply_to: None,
                priority: Priority::High,
                expires: None,
                task: self.matter.task.clone(),
                hops: 0,
                quiet: false,
                ack_wanted: false,
                aliases: Vec::new(),
            },
        );
        draft.add(
            EntityRef::Message(self.matter.id.clone()),
            MessageEscalated {
                agent: self.agent.clone(),
                to: self.to.clone(),
                by: self.id.clone(),
                reason,
                deadline: self.deadline,
                default,
                by_ladder: self.by == By::Ladder,
            },
        );
    }
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

/// What whoever decides reads below: what was said on the way, and what was asked in the first place.
fn told(background: &Background) -> String {
    let mut lines = Vec::new();
    for Step { agent, reason, by_ladder } in &background.steps {
        let reason = one_line(reason, REASON_CHARS);
        lines.push(match by_ladder {
            true => format!("Before that: {reason}"),
            false => format!("Before that, {agent}: {reason}"),
        });
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!("{}, from {}:", background.first, background.from));
    lines.push(quoted_text(&background.words));
    lines.join("\n")
}
