//! Messages as they are shown.

use std::collections::{BTreeSet, VecDeque};

use interagent_core::decide::message::may_release;
use interagent_core::entity::message::Delivery;
use interagent_core::entity::{Agent, Message};
use interagent_core::limits::COUNTED;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::{ControlOutcome, DeliveryState, Duty, HoldReason};
use interagent_store::reader::{Due, MailRow, Reader};
use interagent_wire::Time;
use interagent_wire::answer::{
    DeliveryView, DutyView, EscalationView, HoldView, MailView, MessageView, RefView,
};

use super::DUTIES_SHOWN;
use crate::identity;
use crate::names::{Names, PURGED};
use crate::tasks;

/// A message in somebody's mail, as shown.
pub(crate) fn mail_view(
    names: &mut Names<'_, '_>,
    row: &MailRow,
    holder: &str,
    bodies: bool,
) -> Result<MailView, Refusal> {
    let clock = names.reader.clock();
    let MailRow { message, delivery, offer } = row;
    let standing = offer.as_ref().filter(|offer| !offer.has_lapsed(clock));
    let lapsed = offer.as_ref().filter(|offer| offer.has_lapsed(clock)).map_or(0, |offer| offer.attempt + 1);
    Ok(MailView {
        id: message.id.to_string(),
        from: names.who(&message.from)?,
        auth: message.auth,
        spoken_by: names.maybe_who(message.spoken_by.as_ref())?,
        human: message.spoken_by.is_some() || names.is_human(&message.from)?,
        intent: message.intent,
        subject: names.line(&message.subject)?,
        body: if bodies { Some(names.maybe_text(message.body.as_ref())?.unwrap_or_default()) } else { None },
        refs: refs(names, message, bodies)?,
        priority: message.priority,
        thread: message.thread.to_string(),
        reply_to: message.reply_to.as_ref().map(ToString::to_string),
        task: message.task.as_ref().map(ToString::to_string),
        sent: Time(message.sent.wall),
        state: delivery.state,
        duty: due_now(names.reader, message, delivery)?,
        redelivered: delivery.redelivered.max(standing.map_or(lapsed, |offer| offer.attempt)),
        offered_elsewhere: standing.is_some_and(|offer| offer.holder != holder),
        quiet: message.quiet,
        hops: message.hops,
        asked: 1,
    })
}

/// The obligation that a recipient can settle now. Nobody can start a task that waits for another one.
fn due_now(reader: &mut Reader<'_>, message: &Message, delivery: &Delivery) -> Result<Option<Duty>, Refusal> {
    let Some(duty) = delivery.owes() else { return Ok(None) };
    let waits = tasks::waits_for_others(reader, duty, message.task.as_ref())?;
    Ok((!waits).then_some(duty))
}

fn refs(names: &mut Names<'_, '_>, message: &Message, bodies: bool) -> Result<Vec<RefView>, Refusal> {
    let mut shown = Vec::with_capacity(message.refs.len());
    for reference in &message.refs {
        shown.push(RefView {
            kind: reference.kind.clone(),
            target: reference.target.clone(),
            first_line: reference.first_line,
            last_line: reference.last_line,
            text: if bodies { names.maybe_text(reference.text.as_ref())? } else { None },
        });
    }
    Ok(shown)
}

/// The obligations that an agent can settle now, oldest first, up to [`COUNTED`].
fn settleable(reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<Due>, Refusal> {
    let mut now = Vec::new();
    for due in reader.owed_by(&agent.id, COUNTED)? {
        if !tasks::waits_for_others(reader, due.duty, due.task.as_ref())? {
            now.push(due);
        }
    }
    Ok(now)
}

/// How many obligations an agent can settle now, counted up to [`COUNTED`].
pub(crate) fn owed_count(reader: &mut Reader<'_>, agent: &Agent) -> Result<u32, Refusal> {
    Ok(settleable(reader, agent)?.len() as u32)
}

/// How much an agent owes in all, where `shown` is the beginning of it.
pub(crate) fn owed(reader: &mut Reader<'_>, agent: &Agent, shown: &[DutyView]) -> Result<u32, Refusal> {
    // The whole on one page: counting again would find nothing more.
    match u32::try_from(shown.len()) {
        Ok(few) if few < DUTIES_SHOWN => Ok(few),
        _ => owed_count(reader, agent),
    }
}

/// What an agent owes, as shown.
pub(crate) fn duties(reader: &mut Reader<'_>, agent: &Agent, limit: u32) -> Result<Vec<DutyView>, Refusal> {
    let owed = settleable(reader, agent)?;
    let is_person = agent.is_human();
    let mut names = Names::new(reader);
    let mut shown = Vec::new();
    for due in owed.into_iter().take(limit as usize) {
        let Some(message) = names.reader.message(&due.message)? else { continue };
        shown.push(DutyView {
            duty: due.duty,
            agent: names.who(&due.agent)?,
            message: due.message.to_string(),
            from: names.who(&message.from)?,
            subject: names.line(&message.subject)?,
            task: due.task.map(|task| task.to_string()),
            refs: refs(&mut names, &message, false)?,
            since: Time(due.since),
            asked: if is_person { names.reader.times_asked(&message)? } else { 1 },
        });
    }
    Ok(shown)
}

/// A message as shown.
pub(crate) fn view(
    names: &mut Names<'_, '_>,
    message: &Message,
    bodies: bool,
) -> Result<MessageView, Refusal> {
    let expired = message.is_expired(names.reader.now());
    let mut offered = Vec::new();
    for agent in message.deliveries.keys() {
        let offer = names.reader.offer_of(&message.id, agent)?;
        if offer.is_some_and(|offer| !offer.has_lapsed(names.reader.clock())) {
            offered.push(agent.clone());
        }
    }
    let mut to = Vec::with_capacity(message.deliveries.len());
    for (agent, delivery) in &message.deliveries {
        let queued = delivery.state == DeliveryState::Queued;
        to.push(DeliveryView {
            agent: names.who(agent)?,
            state: delivery.state,
            expired: expired && queued,
            offered: queued && offered.contains(agent),
            duty: delivery.duty,
            owed: due_now(names.reader, message, delivery)?.is_some() && !expired,
            delivered: delivery.delivered.as_ref().map(|when| Time(when.wall)),
            via: delivery.via,
            redelivered: delivery.redelivered,
            acknowledged: delivery.acknowledged.as_ref().map(|when| Time(when.wall)),
            settled: delivery.settled.as_ref().map(|settled| Time(settled.when.wall)),
            how: delivery.settled.as_ref().map(|settled| settled.how),
        });
    }
    let subject = names.text(&message.subject)?;
    let body = match &message.body {
        Some(hash) if bodies => names.text(hash)?,
        _ => None,
    };
    let purged = subject.is_none() || (bodies && message.body.is_some() && body.is_none());
    Ok(MessageView {
        id: message.id.to_string(),
        from: names.who(&message.from)?,
        auth: message.auth,
        spoken_by: names.maybe_who(message.spoken_by.as_ref())?,
        human: message.spoken_by.is_some() || names.is_human(&message.from)?,
        to,
        addressed: message.addressed.clone(),
        intent: message.intent,
        subject: subject.unwrap_or_else(|| PURGED.to_owned()),
        body,
        purged,
        refs: refs(names, message, bodies)?,
        thread: message.thread.to_string(),
        reply_to: message.reply_to.as_ref().map(ToString::to_string),
        priority: message.priority,
        expires: message.expires.map(Time),
        task: message.task.as_ref().map(ToString::to_string),
        hops: message.hops,
        quiet: message.quiet,
        held: message.held,
        hold: hold_view(names, message)?,
        not_carried_out: not_carried_out(names, message)?,
        sent: Time(message.sent.wall),
        escalations: escalations(names, message)?,
        aliases: message.aliases.clone(),
        to_acknowledge: false,
    })
}

/// Why a control message could not be carried out.
fn not_carried_out(names: &mut Names<'_, '_>, message: &Message) -> Result<Option<String>, Refusal> {
    let end = message.control.as_ref().and_then(|control| control.carried_out.as_ref());
    let Some(end) = end.filter(|end| end.outcome == ControlOutcome::Failed) else { return Ok(None) };
    let why = names.maybe_text(end.note.as_ref())?;
    Ok(Some(why.unwrap_or_else(|| "no reason was given".to_owned())))
}

/// What holds a message, and who lets it go.
pub(crate) fn hold_view(names: &mut Names<'_, '_>, message: &Message) -> Result<Option<HoldView>, Refusal> {
    // Control messages wait for the supervisor: nobody releases them.
    let Some(reason) = message.held.filter(|reason| *reason != HoldReason::Control) else { return Ok(None) };
    let operator = identity::operator(names.reader)?.id;
    let holder = may_release(message).filter(|holder| **holder != operator);
    let released_by = names.each(holder.into_iter().chain([&operator]))?;
    Ok(Some(HoldView { why: reason.why().to_owned(), released_by }))
}

/// How far a message went up: what it was taken up by, and then where whoever was asked took that.
fn escalations(names: &mut Names<'_, '_>, message: &Message) -> Result<Vec<EscalationView>, Refusal> {
    let mut shown = Vec::with_capacity(message.escalations.len());
    let mut steps = VecDeque::from(message.escalations.clone());
    // Each is followed once: a log in which questions go round in a circle ends here too.
    let mut seen = BTreeSet::new();
    while let Some(escalation) = steps.pop_front() {
        if !seen.insert(escalation.by.clone()) {
            continue;
        }
        // One that can't be read hides what is above it, and never the message that is asked for.
        if let Ok(Some(carrier)) = names.reader.message(&escalation.by) {
            steps.extend(carrier.escalations);
        }
        shown.push(EscalationView {
            agent: names.who(&escalation.agent)?,
            to: names.who(&escalation.to)?,
            by: escalation.by.to_string(),
            reason: names.text(&escalation.reason)?,
            deadline: escalation.deadline.map(Time),
            default: names.maybe_text(escalation.default.as_ref())?,
            at: Time(escalation.when.wall),
            answer: escalation.answer.as_ref().map(ToString::to_string),
            by_ladder: escalation.by_ladder,
            concluded: escalation.concluded.as_ref().map(|end| end.how),
        });
    }
    Ok(shown)
}
