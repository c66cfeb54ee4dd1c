//! The inbox: a hand-over in two steps, and waiting for mail.
//!
//! Messages are taken before they are shown, and confirmed by the ledger once the answer was written. Asking twice
//! without news writes nothing.

use std::time::{Duration, Instant};

use interagent_core::envelope::Voice;
use interagent_core::name::OPERATOR;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Via;
use interagent_operations::{WaitFor, Waited, Waiting, letters};
use interagent_wire::answer::MailView;
use interagent_wire::request::{MessageInbox, MessageRead, OfferTake};
use interagent_wire::{Answer, Caller, Reply};

use crate::desk::Desk;
use crate::envelope;
use crate::hub::Resident;
use crate::ledger::{Brings, Handed};
use crate::outcome::Outcome;
use crate::render;

/// Messages handed over by one call, unless it asks for another number.
const MESSAGES: u32 = 10;
/// Longest wait. Longer ones meet the clients' own time-outs.
pub(crate) const LONGEST_S: u64 = 600;
/// One stretch of a wait: between two of them progress is told.
pub(crate) const STRETCH: Duration = Duration::from_secs(5);

/// What a look at the inbox found.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) outcome: Outcome,
    /// Something new is in it.
    pub(crate) news: bool,
    pub(crate) caller: Caller,
}

/// A call of `check_inbox`, read.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) me: Option<String>,
    pub(crate) client: Option<String>,
    pub(crate) limit: Option<u32>,
}

/// Hands over what is new.
pub(crate) fn check(desk: &Desk, ask: &Ask) -> Result<Looked, Refusal> {
    let (caller, listed) = desk.act(
        ask.client.as_deref(),
        ask.me.as_deref(),
        MessageInbox { limit: Some(ask.limit.unwrap_or(MESSAGES)), ..MessageInbox::default() },
    )?;
    let Answer::Inbox(inbox) = listed.answer else { return Err(strange()) };
    if inbox.agent.name == OPERATOR && !inbox.items.is_empty() {
        return unread_of_operator(desk, ask, caller);
    }
    if !inbox.waiting {
        let text = render::inbox(&inbox, &[], desk.connection.arrival());
        let outcome = Outcome::of(&Reply { answer: Answer::Inbox(inbox), ..listed }, text);
        return Ok(Looked { outcome, news: false, caller });
    }
    let limit = Some(ask.limit.unwrap_or(MESSAGES));
    let taken = desk.hubs.call(&caller, OfferTake { via: Some(Via::Mcp), limit, ..OfferTake::default() })?;
    let Answer::Handover(mut handover) = taken.answer else { return Err(strange()) };
    let ids: Vec<String> = handover.items.iter().map(|mail| mail.id.clone()).collect();
    let next = shorten(&mut handover.items);
    let voices = voices(&handover.items);
    let inbox = inbox.after(handover);
    let text = render::inbox(&inbox, &next, desk.connection.arrival());
    let mut outcome = Outcome::of(&Reply { answer: Answer::Inbox(inbox), ..taken }, text);
    outcome.says_more_at(None, &voices);
    let news = !ids.is_empty();
    if news {
        outcome.handed = Some(Handed { caller: caller.clone(), brings: Brings::Offered(ids) });
    }
    Ok(Looked { outcome, news, caller })
}

/// Shows the operator what is unread, with its text. Nothing is handed over: it stays unread until it is read or answered.
fn unread_of_operator(desk: &Desk, ask: &Ask, caller: Caller) -> Result<Looked, Refusal> {
    let limit = Some(ask.limit.unwrap_or(MESSAGES));
    let listed = desk.hubs.call(&caller, MessageInbox { limit, bodies: true, ..MessageInbox::default() })?;
    let Answer::Inbox(mut inbox) = listed.answer else { return Err(strange()) };
    let next = shorten(&mut inbox.items);
    let voices = voices(&inbox.items);
    let text = render::inbox(&inbox, &next, desk.connection.arrival());
    let mut outcome = Outcome::of(&Reply { answer: Answer::Inbox(inbox), ..listed }, text);
    outcome.says_more_at(None, &voices);
    Ok(Looked { outcome, news: true, caller })
}

fn voices(items: &[MailView]) -> Vec<Voice> {
    items.iter().map(|mail| letters::label(mail, "", None).voice()).collect()
}

/// Cuts the bodies to what one answer may hold, and says for each where it goes on.
fn shorten(items: &mut [MailView]) -> Vec<Option<usize>> {
    let mut used = 0;
    let mut next = Vec::with_capacity(items.len());
    for mail in items {
        let body = mail.body.take().unwrap_or_default();
        let part = envelope::part(&body, 0, envelope::room(used));
        used += part.text.len();
        next.push(part.next);
        mail.body = Some(part.text.to_owned());
    }
    next
}

/// Shows one message, a part of its text, and who it was for. Reading one's own acknowledges it once it was written.
pub(crate) fn read(desk: &Desk, ask: &Ask, message: String, offset: usize) -> Result<Outcome, Refusal> {
    let (caller, reply) = desk.act(
        ask.client.as_deref(),
        ask.me.as_deref(),
        MessageRead { message, ..MessageRead::default() },
    )?;
    let Answer::Message(mut message) = reply.answer else { return Err(strange()) };
    let to_acknowledge = message.to_acknowledge;
    let body = message.body.take().unwrap_or_default();
    let part = envelope::part(&body, offset, envelope::BODY_BYTES);
    message.body = Some(part.text.to_owned());
    let id = message.id.clone();
    let text = render::message(&message, &part);
    let voice = render::voice(&message);
    let mut outcome = Outcome::of(&Reply { answer: Answer::Message(message), ..reply }, text);
    outcome.says_more_at(part.next, &[voice]);
    if to_acknowledge {
        outcome.handed = Some(Handed { caller, brings: Brings::Read(id) });
    }
    Ok(outcome)
}

/// Notes that the caller's session waits for mail, for as long as the result is kept.
pub(crate) fn note_wait(hub: &dyn Resident, caller: &Caller, deadline: Instant) -> Option<Waiting> {
    let left = deadline.saturating_duration_since(Instant::now());
    hub.waits(caller.session.as_deref()?, left)
}

/// Sleeps on a connection of its own until there is mail, the stretch is over, or the deadline comes.
pub(crate) fn stretch(hub: &mut dyn Resident, caller: &Caller, deadline: Instant) -> Result<Waited, Refusal> {
    let left = deadline.saturating_duration_since(Instant::now()).min(STRETCH);
    if left.is_zero() {
        return Ok(Waited::TimeOver);
    }
    let waited = hub.wait(caller, &WaitFor::Mail { agent: None }, left)?;
    if matches!(waited, Waited::Ready { .. }) {
        hub.collect(caller, deadline.saturating_duration_since(Instant::now()))?;
    }
    Ok(waited)
}

fn strange() -> Refusal {
    Refusal::unavailable("bad_answer", "the hub answered with something else")
}
