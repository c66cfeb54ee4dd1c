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
use crate::tasks::access::{self, Access};

/// How much of a message an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The subject and the text.
    Text,
    /// The subject.
    Subject,
    /// Only which task it is about: a subject that its sender did not write is the first line of the text.
    Task,
}

impl Extent {
    /// What a caller is shown of a message in a list that shows this much at most.
    pub(crate) fn within(
        self,
        reader: &mut Reader<'_>,
        access: &Access,
        message: &Message,
    ) -> Result<Self, Refusal> {
        Ok(match access::is_readable(access.message(reader, message))? {
            true => self,
            false => Self::Task,
        })
    }
}

/// The subject of a message as a list shows it to a caller.
pub(crate) fn subject(
    names: &mut Names<'_, '_>,
    access: &Access,
    message: &Message,
) -> Result<String, Refusal> {
    let extent = Extent::Subject.within(names.reader, access, message)?;
    Ok(subject_within(names, message, extent)?.unwrap_or_else(|| PURGED.to_owned()))
}

/// The subject as far as it is shown; `None` where it was purged.
fn subject_within(
    names: &mut Names<'_, '_>,
    message: &Message,
    extent: Extent,
) -> Result<Option<String>, Refusal> {
    match extent {
        Extent::Text | Extent::Subject => names.text(&message.subject),
        Extent::Task => about_task(names, message).map(Some),
    }
}

/// What stands in for the subject of a message that the caller may not read.
pub(crate) fn about_task(names: &mut Names<'_, '_>, message: &Message) -> Result<String, Refusal> {
    let Some(id) = &message.task else { return Ok("message".to_owned()) };
    let title = names.reader.task(id)?.map(|task| task.brief.title);
    let title = title.map_or_else(|| Ok(id.to_string()), |title| names.line(&title))?;
    Ok(format!("message about {title}"))
}

/// A message in somebody's mail, as shown.
pub(crate) fn mail_view(
    names: &mut Names<'_, '_>,
    row: &MailRow,
    holder: &str,
    extent: Extent,
) -> Result<MailView, Refusal> {
    let bodies = extent == Extent::Text;
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
        subject: subject_within(names, message, extent)?.unwrap_or_else(|| PURGED.to_owned()),
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

/// Whose view of an agent's obligations is shown.
pub(crate) struct Viewer<'a> {
    pub(crate) access: &'a Access,
    /// A session of the agent: what another session has on offer is left to that one, with the obligation.
    pub(crate) session: Option<&'a str>,
}

impl<'a> Viewer<'a> {
    /// A viewer that is no session of the agent.
    pub(crate) fn with(access: &'a Access) -> Self {
        Self { access, session: None }
    }
}

/// The obligations that an agent can settle now, oldest first, up to [`COUNTED`].
fn settleable(reader: &mut Reader<'_>, agent: &Agent, session: Option<&str>) -> Result<Vec<Due>, Refusal> {
    let elsewhere = match session {
        Some(session) => reader.offered_to_others(&agent.id, session)?,
        None => BTreeSet::new(),
    };
    let mut now = Vec::new();
    for due in reader.owed_by(&agent.id, COUNTED)? {
        if !elsewhere.contains(&due.message) && !tasks::waits_for_others(reader, due.duty, due.task.as_ref())?
        {
            now.push(due);
        }
    }
    Ok(now)
}

/// How many obligations an agent can settle now, counted up to [`COUNTED`].
pub(crate) fn owed_count(reader: &mut Reader<'_>, agent: &Agent) -> Result<u32, Refusal> {
    Ok(settleable(reader, agent, None)?.len() as u32)
}

/// How much an agent owes in all, where `shown` is the beginning of it.
pub(crate) fn owed(
    reader: &mut Reader<'_>,
    agent: &Agent,
    viewer: &Viewer<'_>,
    shown: &[DutyView],
) -> Result<u32, Refusal> {
    // The whole on one page: counting again would find nothing more.
    match u32::try_from(shown.len()) {
        Ok(few) if few < DUTIES_SHOWN => Ok(few),
        _ => Ok(settleable(reader, agent, viewer.session)?.len() as u32),
    }
}

/// What an agent owes, as it is shown to a viewer.
pub(crate) fn duties(
    reader: &mut Reader<'_>,
    agent: &Agent,
    viewer: &Viewer<'_>,
    limit: u32,
) -> Result<Vec<DutyView>, Refusal> {
    let owed = settleable(reader, agent, viewer.session)?;
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
            subject: subject(&mut names, viewer.access, &message)?,
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
    extent: Extent,
) -> Result<MessageView, Refusal> {
    let bodies = extent == Extent::Text;
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
    let subject = subject_within(names, message, extent)?;
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
        escalations: if extent == Extent::Task { Vec::new() } else { escalations(names, message)? },
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
