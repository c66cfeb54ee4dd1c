//! Mail: inboxes, hand-overs, reading, acknowledging, settling.
//!
//! Looking changes nothing. A hand-over has two steps: messages are taken (offered) before they are shown, and
//! confirmed once they were; what is never confirmed goes to the next session that asks. Reading one message works
//! alike: the answer says whether that was the recipient's own, and it is acknowledged once it was written.

mod views;

use std::collections::BTreeSet;

use interagent_core::decide::message::{self, Asked};
use interagent_core::draft::Draft;
use interagent_core::entity::message::Delivery;
use interagent_core::entity::{Agent, Message};
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::limits;
use interagent_core::phrasing::Dialect;
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::{DeliveryState, Duty, Priority, Via};
use interagent_store::reader::{Due, MailRow, MessageFilter, Reader};
#[cfg(feature = "sabotage")]
use interagent_store::sabotage::{self, Sabotage};
use interagent_store::{Appended, StoreError, TextState, Writer};
use interagent_wire::Answer;
use interagent_wire::answer::{ChangedView, HandoverView, Page};
use interagent_wire::request as ask;

use crate::call::{Call, Scene};
use crate::identity::{self, Identity, Known};
use crate::names::{Names, who};
use crate::tasks::access::Access;
use crate::tasks::snapshot::{self, Depth};
use crate::{decisions, letters, messages, resolve, sessions};
use views::view;
pub(crate) use views::{Extent, Viewer, about_task, duties, hold_view, mail_view, owed, owed_count, subject};

/// A holder that no session has: what is offered to anybody is offered elsewhere.
pub(crate) const NOBODY: &str = "";
/// Duties shown beside an inbox.
pub(crate) const DUTIES_SHOWN: u32 = 50;

/// Whether an agent has unread mail that no session was offered.
pub(crate) fn waiting(reader: &mut Reader<'_>, agent: &AgentId) -> Result<bool, Refusal> {
    Ok(!reader.takeable(agent, NOBODY, 1)?.is_empty())
}

/// Shows one message.
pub(crate) fn read(call: &mut Call<'_>, params: &ask::MessageRead) -> Result<Answer, Refusal> {
    let mut note = None;
    let shown = call.read(|reader, known| {
        let message = resolve::message(reader, &params.message)?;
        Access::of(reader, known)?.message(reader, &message)?;
        let bodies = !is_kept_from(&message, known);
        if bodies {
            must_be_whole(reader, &message)?;
        }
        let extent = if bodies { Extent::Text } else { Extent::Subject };
        let mut shown = view(&mut Names::new(reader), &message, extent)?;
        shown.to_acknowledge = match known {
            Known::Bound(identity) if params.as_recipient => {
                let reader_of_it = as_recipient(reader, &message, identity)?;
                note = marks_nobody(&message, identity);
                message::is_read_by(&message, reader_of_it.as_ref().unwrap_or_else(|| identity.member()))
            }
            // Whoever looks in another's name only looks.
            Known::Bound(identity) if identity.behalf.is_none() => {
                message::is_read_by(&message, &identity.actor)
            }
            Known::Bound(_) | Known::Unbound { .. } => false,
        };
        Ok(shown.into())
    })?;
    call.notes.extend(note);
    Ok(shown)
}

/// What to tell the operator, who marks a message to several as read without naming one of them.
fn marks_nobody(message: &Message, identity: &Identity) -> Option<String> {
    let recipients = message.deliveries.len();
    let is_own = identity.behalf.is_some() || message.deliveries.contains_key(&identity.member().id);
    let is_unread = message.held.is_none() && message.deliveries.values().any(Delivery::is_unacknowledged);
    (identity.actor.is_human() && !is_own && is_unread && recipients > 1).then(|| {
        format!(
            "not marked as read: it has {recipients} recipients; interagent msg read {} --from-agent NAME marks it for one",
            message.id
        )
    })
}

/// The only recipient of a message, where the operator marks it as read in that one's place. A message to several has no
/// such recipient: the operator names the one that is meant.
fn as_recipient(
    reader: &mut Reader<'_>,
    message: &Message,
    identity: &Identity,
) -> Result<Option<Agent>, Refusal> {
    let is_part = message.deliveries.contains_key(&identity.member().id);
    if !identity.actor.is_human() || identity.behalf.is_some() || is_part {
        return Ok(None);
    }
    let mut recipients = message.deliveries.keys();
    let (Some(only), None) = (recipients.next(), recipients.next()) else { return Ok(None) };
    match reader.agent(only)? {
        Some(agent) if reader.is_home(&agent.home)? && agent.retired.is_none() => Ok(Some(agent)),
        _ => Ok(None),
    }
}

/// Whoever asks for this very message is told plainly that its text is not what was written. In a list only its row says so.
fn must_be_whole(reader: &mut Reader<'_>, message: &Message) -> Result<(), Refusal> {
    let texts = std::iter::once(&message.subject).chain(&message.body);
    for hash in texts.chain(message.refs.iter().filter_map(|reference| reference.text.as_ref())) {
        let lost = reader.text(hash)?.is_none() && reader.text_state(hash)? == TextState::Missing;
        // Texts of other replicas may arrive later than their entries.
        let written_here = match reader.agent(&message.from)? {
            Some(sender) if lost => reader.is_home(&sender.home)?,
            _ => false,
        };
        if written_here {
            return Err(StoreError::MissingText { hash: hash.as_str().to_owned() }.into());
        }
    }
    Ok(())
}

/// A held message keeps its text from the agents it is on its way to.
fn is_kept_from(message: &Message, known: &Known) -> bool {
    let Known::Bound(identity) = known else { return message.held.is_some() };
    let delivery = message.deliveries.get(&identity.member().id);
    message.held.is_some()
        && !identity.actor.is_human()
        && delivery.is_some_and(|delivery| delivery.state == DeliveryState::Queued)
}

/// Shows a conversation, oldest first.
pub(crate) fn thread(call: &mut Call<'_>, params: &ask::MessageThread) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let message = resolve::message(reader, &params.message)?;
        let access = Access::of(reader, known)?;
        access.message(reader, &message)?;
        let filter = MessageFilter { thread: Some(message.thread), ..MessageFilter::default() };
        let limit = resolve::page_limit(params.limit);
        let start = resolve::page_start(params.before.as_deref())?;
        let mut messages = reader.messages(&filter, &start, limit + 1)?;
        // The page before this one, in the order of the conversation.
        let next = resolve::next_page(&mut messages, limit, |m| resolve::page_end(m.sent.at, m.id.as_str()));
        messages.reverse();
        let mut items = Vec::with_capacity(messages.len());
        for message in &messages {
            let most = if is_kept_from(message, known) { Extent::Subject } else { Extent::Text };
            let extent = most.within(reader, &access, message)?;
            items.push(view(&mut Names::new(reader), message, extent)?);
        }
        Ok(Page { items, next }.into())
    })
}

/// Lists messages, newest first.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::MessageList) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let from = params.from.as_deref().map(|name| resolve::agent(reader, name)).transpose()?;
        let to = params.to.as_deref().map(|name| resolve::agent(reader, name)).transpose()?;
        let task = params.task.as_deref().map(|id| resolve::task(reader, id)).transpose()?;
        let thread = params.thread.as_deref().map(|id| resolve::message(reader, id)).transpose()?;
        let filter = MessageFilter {
            from: from.map(|agent| agent.id),
            to: to.map(|agent| agent.id),
            thread: thread.map(|message| message.thread),
            task: task.map(|task| task.id),
            intent: params.intent,
            since: params.since.map(|time| time.0),
            held: params.held,
        };
        let limit = resolve::page_limit(params.limit);
        let mut messages =
            reader.messages(&filter, &resolve::page_start(params.after.as_deref())?, limit + 1)?;
        let next = resolve::next_page(&mut messages, limit, |m| resolve::page_end(m.sent.at, m.id.as_str()));
        let access = Access::of(reader, known)?;
        let mut names = Names::new(reader);
        let mut items = Vec::with_capacity(messages.len());
        for message in &messages {
            let extent = Extent::Subject.within(names.reader, &access, message)?;
            items.push(view(&mut names, message, extent)?);
        }
        Ok(Page { items, next }.into())
    })
}

/// Takes the caller's waiting messages for hand-over.
pub(crate) fn take(call: &mut Call<'_>, params: &ask::OfferTake) -> Result<Answer, Refusal> {
    let holder = call.caller.holder();
    let via = params.via.unwrap_or(Via::Inbox);
    let limit = params.limit.unwrap_or(limits::OFFER_MESSAGES).clamp(1, limits::OFFER_MESSAGES) as usize;
    let caller = call.caller;
    let identity = call.read(|_, known| known.clone().bound())?;
    let member = identity.member().clone();
    let handover = call.store.observe(|writer| {
        identity::must_still_hold(&mut writer.look(), caller, &identity)?;
        sessions::end_gone(writer, &member)?;
        // Those of low priority may come first in line and be passed over, so more than the limit are looked at.
        let rows = writer.look().takeable(&member.id, &holder, limits::PAGE_MAX)?;
        #[cfg(feature = "sabotage")]
        let rows = match sabotage::is(Sabotage::OfferToAll) {
            true => writer.look().unread(&member.id, limits::PAGE_MAX)?,
            false => rows,
        };
        let wanted =
            rows.into_iter().filter(|row| !(params.skip_low && row.message.priority == Priority::Low));
        let mut taken: Vec<MailRow> = wanted.take(limit).collect();
        if params.one_prompt {
            let mut look = writer.look();
            let mut names = Names::new(&mut look);
            let views = taken.iter().map(|row| mail_view(&mut names, row, &holder, Extent::Text));
            let views = views.collect::<Result<Vec<_>, _>>()?;
            let fit = letters::letters(&views, Dialect::Shell).len();
            taken.truncate(fit);
        }
        let now = writer.look().now();
        for row in &taken {
            offer(writer, &member.id, row, &holder, via, now)?;
        }
        let mut look = writer.look();
        let reader = &mut look;
        let mut names = Names::new(reader);
        let items = taken
            .iter()
            .map(|row| mail_view(&mut names, row, &holder, Extent::Text))
            .collect::<Result<_, _>>()?;
        let access = Access::unlimited();
        let viewer = Viewer { access: &access, session: caller.session.as_ref().map(|_| holder.as_str()) };
        let duties = duties(reader, &member, &viewer, DUTIES_SHOWN)?;
        Ok(HandoverView {
            agent: who(reader, &member)?,
            unread: reader.unread_count(&member.id, limits::COUNTED)?,
            items,
            owed: owed(reader, &member, &viewer, &duties)?,
            duties,
        }
        .into())
    });
    #[cfg(feature = "sabotage")]
    if sabotage::is(Sabotage::DeliverOnTake) {
        confirm(call, &ask::OfferConfirm { messages: Vec::new() })?;
    }
    handover
}

/// Offers a message to a holder, as a part of the hand-over with a stamp; counts the hand-overs before that lapsed.
pub(crate) fn offer(
    writer: &mut Writer<'_, '_>,
    agent: &AgentId,
    row: &MailRow,
    holder: &str,
    via: Via,
    stamp: i64,
) -> Result<(), Refusal> {
    let clock = writer.look().clock();
    let attempt = match &row.offer {
        Some(offer) if offer.has_lapsed(clock) => {
            let data = serde_json::json!({ "message": row.message.id, "holder": offer.holder, "attempt": offer.attempt });
            writer.trace("offer.lapsed", &data.to_string())?;
            offer.attempt + 1
        }
        Some(offer) => offer.attempt,
        None => 0,
    };
    Ok(writer.offer(&row.message.id, agent, holder, via, attempt, stamp)?)
}

/// Takes the evidence that what a holder was offered has arrived: the offers end, the messages are delivered.
pub(crate) fn arrived(
    scene: &mut Scene<'_, '_, '_>,
    holder: &str,
    is_meant: impl Fn(&MessageId) -> bool,
) -> Result<Draft, Refusal> {
    let mine = scene.member.id.clone();
    let mut evidence = Vec::new();
    for offer in scene.look().offers_to(holder)? {
        if offer.agent != mine || !is_meant(&offer.message) {
            continue;
        }
        if let Some(message) = scene.look().message(&offer.message)? {
            evidence.push((message, offer.via, offer.attempt));
        }
        scene.writer.end_offer(&offer.message, &offer.agent)?;
    }
    let mut draft = scene.draft();
    message::confirm(&evidence, &scene.member, &mut draft);
    Ok(draft)
}

/// Confirms what was taken: the messages are delivered.
pub(crate) fn confirm(call: &mut Call<'_>, params: &ask::OfferConfirm) -> Result<Answer, Refusal> {
    let holder = call.caller.holder();
    let identity = call.read(|_, known| known.clone().bound())?;
    let mine = identity.member().id.clone();
    let offers = call.store.read(|reader| reader.offers_to(&holder))?;
    if !offers.iter().any(|offer| offer.agent == mine) {
        return Ok(ChangedView { changed: Vec::new(), unchanged: params.messages.clone() }.into());
    }
    call.write_as(
        &identity,
        |scene| {
            arrived(scene, &holder, |id| {
                params.messages.is_empty() || params.messages.iter().any(|asked| asked == id.as_str())
            })
        },
        |_, appended| Ok(changed(appended)),
    )
    .map(|done| of_asked(done, &params.messages))
}

/// Which messages an entry touched.
fn changed(appended: &Appended) -> Vec<String> {
    let mut changed: Vec<String> = Vec::new();
    for fact in appended.entry().map(|entry| entry.facts.as_slice()).unwrap_or_default() {
        let id = fact.entity.to_string();
        if !changed.contains(&id) {
            changed.push(id);
        }
    }
    changed
}

/// What was asked for and not touched was so already.
fn of_asked(changed: Vec<String>, asked: &[String]) -> Answer {
    let unchanged = asked.iter().filter(|id| !changed.contains(id)).cloned().collect();
    ChangedView { changed, unchanged }.into()
}

/// Marks messages as read by the caller.
pub(crate) fn acknowledge(call: &mut Call<'_>, params: &ask::MessageAcknowledge) -> Result<Answer, Refusal> {
    if params.messages.is_empty() {
        return Err(Refusal::usage("no_message", "name at least one message"));
    }
    if params.messages.len() > limits::PAGE_MAX as usize {
        return Err(Refusal::usage("too_many", format!("at most {} messages at once", limits::PAGE_MAX)));
    }
    let via = params.via.unwrap_or(Via::Action);
    let mut named = Vec::new();
    let identity = call.read(|reader, known| {
        let identity = known.clone().bound()?;
        let recipient = match params.messages.as_slice() {
            [one] if params.as_recipient => {
                let message = resolve::message(reader, one)?;
                as_recipient(reader, &message, &identity)?
            }
            _ => None,
        };
        Ok(match recipient {
            Some(recipient) => Identity { behalf: Some(recipient), ..identity },
            None => identity,
        })
    })?;
    call.write_as(
        &identity,
        |scene| {
            let member = scene.member.id.clone();
            let mut messages: Vec<Message> = Vec::new();
            for id in &params.messages {
                let message = resolve::message(&mut scene.look(), id)?;
                if !messages.iter().any(|other| other.id == message.id) {
                    messages.push(message);
                }
            }
            let mut offered = BTreeSet::new();
            for message in &messages {
                let offer = scene.look().offer_of(&message.id, &member)?;
                offered.extend(offer.map(|_| message.id.clone()));
            }
            let mut draft = scene.draft();
            message::acknowledge(&messages, &offered, &scene.member, via, &mut draft)?;
            end_offers(scene, &messages)?;
            named.extend(messages.iter().map(|message| message.id.to_string()));
            Ok(draft)
        },
        |_, appended| Ok(changed(appended)),
    )
    .map(|done| of_asked(done, &named))
}

/// What was read needs no offer any more.
fn end_offers(scene: &mut Scene<'_, '_, '_>, messages: &[Message]) -> Result<(), Refusal> {
    for message in messages {
        scene.writer.end_offer(&message.id, &scene.member.id)?;
    }
    Ok(())
}

/// Loads a message under the gate and lets the core decide about it.
fn about(
    call: &mut Call<'_>,
    id: &str,
    decide: impl FnOnce(&mut Scene<'_, '_, '_>, &Message, &mut Draft) -> Result<(), Refusal>,
) -> Result<Answer, Refusal> {
    let found = call.read(|reader, _| resolve::message(reader, id))?.id;
    call.write(
        |scene| {
            let message = resolve::message(&mut scene.look(), found.as_str())?;
            let mut draft = scene.draft();
            decide(scene, &message, &mut draft)?;
            Ok(draft)
        },
        |reader, _| {
            let message = resolve::message(reader, found.as_str())?;
            Ok(view(&mut Names::new(reader), &message, Extent::Text)?.into())
        },
    )
}

/// The id of a message to accept or decline. If a task is given instead, the hint names the message that offers it.
fn offering(call: &mut Call<'_>, given: &str, verb: &str) -> Result<String, Refusal> {
    call.read(|reader, known| {
        let refusal = match resolve::message(reader, given) {
            Ok(message) => return Ok(message.id.to_string()),
            Err(refusal) => refusal,
        };
        let Ok(task) = resolve::task(reader, given) else { return Err(refusal) };
        let member = match known {
            Known::Bound(identity) => Some(identity.member().id.clone()),
            Known::Unbound { .. } => None,
        };
        let offers =
            |due: &Due| matches!(due.duty, Duty::Start | Duty::Accept) && member.as_ref() == Some(&due.agent);
        Err(match reader.owed_about(&task.id)?.into_iter().find(offers) {
            Some(due) => refusal.hint(format!("interagent msg {verb} {}", due.message)),
            None => refusal,
        })
    })
}

/// The subject of an answer to a message, and who gets it; the program reads none.
fn answer_to(scene: &mut Scene<'_, '_, '_>, message: &Message) -> Result<(String, Option<Agent>), Refusal> {
    let subject = messages::reply_subject(scene, message)?.unwrap_or_else(|| "Your message".to_owned());
    let sender = if message.from.is_program() { None } else { scene.look().agent(&message.from)? };
    Ok((subject, sender))
}

/// Says that what a message obliged to is done.
pub(crate) fn settle(call: &mut Call<'_>, params: &ask::MessageSettle) -> Result<Answer, Refusal> {
    about(call, &params.message, |scene, message, draft| {
        let (subject, sender) = answer_to(scene, message)?;
        let operator = identity::operator(&mut scene.look())?;
        let (sender, operator, team) = (sender.as_ref(), Some(&operator), scene.team.as_ref());
        let asked = Asked { message, subject: &subject, sender, operator, team };
        message::settle(&asked, &scene.member, scene.context, draft)?;
        end_offers(scene, std::slice::from_ref(message))
    })
}

/// Accepts a handoff or a delegation.
pub(crate) fn accept(call: &mut Call<'_>, params: &ask::MessageAccept) -> Result<Answer, Refusal> {
    let id = offering(call, &params.message, "accept")?;
    about(call, &id, |scene, message, draft| {
        let task = match &message.task {
            Some(id) => scene.look().task(id)?,
            None => None,
        };
        let task = task.map(|task| snapshot::of(scene, task, Depth::Circle)).transpose()?;
        message::accept(message, task.as_ref(), &scene.member, scene.context, draft)?;
        end_offers(scene, std::slice::from_ref(message))
    })
}

/// Declines what a message asks for.
pub(crate) fn decline(call: &mut Call<'_>, params: &ask::MessageDecline) -> Result<Answer, Refusal> {
    let reason = params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?;
    let id = offering(call, &params.message, "decline")?;
    about(call, &id, |scene, message, draft| {
        let (subject, sender) = answer_to(scene, message)?;
        let operator = identity::operator(&mut scene.look())?;
        let (sender, operator, team) = (sender.as_ref(), Some(&operator), scene.team.as_ref());
        let asked = Asked { message, subject: &subject, sender, operator, team };
        message::decline(&asked, &scene.member, reason.as_ref(), scene.context, draft)?;
        decisions::answered(scene, message, draft)?;
        end_offers(scene, std::slice::from_ref(message))
    })
}

/// Holds a message back.
pub(crate) fn hold(call: &mut Call<'_>, params: &ask::MessageHold) -> Result<Answer, Refusal> {
    about(call, &params.message, |scene, message, draft| {
        message::hold(message, &scene.member, scene.context, draft)
    })
}

/// Lets a held message go.
pub(crate) fn release(call: &mut Call<'_>, params: &ask::MessageRelease) -> Result<Answer, Refusal> {
    about(call, &params.message, |scene, message, draft| {
        message::release(scene.team.as_ref(), message, &scene.member, scene.context, draft)?;
        if scene.context.human {
            // A person stepped in: what was counted against the pair begins anew.
            for recipient in message.deliveries.keys() {
                scene.writer.reset_pairs(&message.from, recipient)?;
            }
        }
        Ok(())
    })
}
