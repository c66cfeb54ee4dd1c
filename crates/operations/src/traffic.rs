//! The traffic budget of one operation: loads what it needs, has the core judge the draft, and counts.
//!
//! Every operation passes here, under the gate and before it is written. Whatever sends a message counts without doing
//! anything for it.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::draft::Draft;
use interagent_core::entity::Message;
use interagent_core::event::{Event, MessageSent};
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::traffic::{Budget, Enforced, Flow, Held, Known, Lately, enforce};
use interagent_core::vocabulary::Intent;
use interagent_store::reader::{MessageFilter, PageStart, Reader};

use crate::call::Scene;
use crate::names::Names;

/// Messages about a task among which the one that caused the next step is looked for.
const LOOKED_AT: u32 = 20;
/// Operations whose answer shows the message they sent, and what holds it.
const SHOWS_HOLD: [&str; 4] = ["message.send", "message.reply", "message.escalate", "message.answer"];

/// Holds what is over the budget and counts the rest. Answers with the messages that are held.
pub(crate) fn budget(
    scene: &mut Scene<'_, '_, '_>,
    actor: &AgentId,
    draft: &mut Draft,
) -> Result<Vec<Held>, Refusal> {
    let sent = messages(draft);
    if sent.is_empty() {
        return Ok(Vec::new());
    }
    let budget = Budget::of(scene.team.as_ref());
    let window_s =
        scene.team.as_ref().map_or(limits::PAIR_WINDOW_S_DEFAULT, |team| i64::from(team.rules.pair_window_s));
    let person = scene.context.human.then_some(actor);
    let mut look = scene.look();
    let people = people(&mut look, &sent)?;
    let causes = match person {
        Some(_) => BTreeMap::new(),
        None => causes(&mut look, draft, &sent)?,
    };
    let mut lately = Lately::default();
    let mut is_busy = false;
    for (_, one) in &sent {
        let from = person.unwrap_or(&one.from);
        for to in one.to.iter().filter(|to| !people.contains(to)) {
            let count = look.pair_count(from, to, window_s)?;
            is_busy |= count.all >= budget.pair_messages;
            lately.put(from.clone(), to.clone(), count);
        }
    }
    if is_busy && person.is_none() {
        for (from, to, count) in look.busy_pairs(budget.pair_messages, window_s)? {
            lately.put(from, to, count);
        }
    }
    let known = Known { person, people: &people, causes: &causes, budget };
    let Enforced { held, counted } = enforce(draft, known, &mut lately);
    for (from, to, flow) in &counted {
        scene.writer.count_pair(from, to, *flow, window_s)?;
    }
    Ok(held)
}

/// What the caller is told of messages that are held. The answer to a message says so of that message itself.
pub(crate) fn remarks(
    scene: &mut Scene<'_, '_, '_>,
    draft: &Draft,
    held: &[Held],
    op: &str,
) -> Result<Vec<String>, Refusal> {
    let (member, team) = (scene.member.clone(), scene.team.clone());
    let answered = match SHOWS_HOLD.contains(&op) {
        true => messages(draft).into_iter().next().map(|(id, _)| id),
        false => None,
    };
    let mut look = scene.look();
    let mut names = Names::new(&mut look);
    let mut remarks = Vec::new();
    for Held { message, to, reason } in held.iter().filter(|held| Some(&held.message) != answered.as_ref()) {
        let to: Vec<String> = names.each(to)?.into_iter().map(|who| who.name).collect();
        let release =
            rules::operator_runs(team.as_ref(), &member, &format!("interagent msg release {message}"));
        remarks.push(format!("{message} to {} is held ({}): {release}", to.join(", "), reason.why()));
    }
    Ok(remarks)
}

/// The messages of a draft that agents send. What the program writes is bounded by the ladder.
fn messages(draft: &Draft) -> Vec<(MessageId, MessageSent)> {
    let sent = draft.facts.iter().filter_map(|fact| match (&fact.entity, &fact.event) {
        (EntityRef::Message(id), Event::MessageSent(sent)) => Some((id.clone(), sent.clone())),
        _ => None,
    });
    sent.filter(|(_, sent)| !sent.from.is_program()).collect()
}

/// The people among senders and recipients.
fn people(reader: &mut Reader<'_>, sent: &[(MessageId, MessageSent)]) -> Result<BTreeSet<AgentId>, Refusal> {
    let all: BTreeSet<&AgentId> = sent.iter().flat_map(|(_, one)| one.to.iter().chain([&one.from])).collect();
    let mut people = BTreeSet::new();
    for id in all {
        if reader.agent(id)?.is_some_and(|agent| agent.is_human()) {
            people.insert(id.clone());
        }
    }
    Ok(people)
}

/// The hops of each message that mail of another agent caused: mail whose obligation it settles, or the newest work about
/// its task that its sender was sent. Words have those of their conversation.
fn causes(
    reader: &mut Reader<'_>,
    draft: &Draft,
    sent: &[(MessageId, MessageSent)],
) -> Result<BTreeMap<MessageId, u32>, Refusal> {
    let mut causes = BTreeMap::new();
    for (id, one) in sent {
        if draft.flows.get(id) == Some(&Flow::Words) {
            continue;
        }
        let mut hops = None;
        for settled in settled_by(draft, &one.from) {
            if let Some(cause) = reader.message(&settled)? {
                hops = hops.max(hops_after(reader, &cause, &one.from)?);
            }
        }
        if let (None, Some(task)) = (hops, &one.task)
            && let Some(cause) = newest_work(reader, task, &one.from)?
        {
            hops = hops_after(reader, &cause, &one.from)?;
        }
        causes.extend(hops.map(|hops| (id.clone(), hops)));
    }
    Ok(causes)
}

/// The messages of which a member's obligation ends.
fn settled_by(draft: &Draft, member: &AgentId) -> Vec<MessageId> {
    let settled = draft.facts.iter().filter_map(|fact| match (&fact.entity, &fact.event) {
        (EntityRef::Message(id), Event::MessageSettled(settled)) => Some((id, &settled.agent)),
        (EntityRef::Message(id), Event::MessageDeclined(declined)) => Some((id, &declined.agent)),
        _ => None,
    });
    settled.filter(|(_, agent)| *agent == member).map(|(id, _)| id.clone()).collect()
}

/// The hops of what a message causes. A person's begin at one again.
fn hops_after(reader: &mut Reader<'_>, cause: &Message, member: &AgentId) -> Result<Option<u32>, Refusal> {
    if cause.from.is_program() || cause.from == *member {
        return Ok(None);
    }
    let by_person =
        cause.spoken_by.is_some() || reader.agent(&cause.from)?.is_some_and(|agent| agent.is_human());
    Ok(Some(if by_person { 1 } else { cause.hops.saturating_add(1) }))
}

/// The newest work about a task that was sent to a member: an assignment, a request for a verdict, a call for help.
fn newest_work(reader: &mut Reader<'_>, task: &TaskId, member: &AgentId) -> Result<Option<Message>, Refusal> {
    let filter = MessageFilter { task: Some(task.clone()), ..MessageFilter::default() };
    let about = reader.messages(&filter, &PageStart::default(), LOOKED_AT)?;
    let is_work = |message: &Message| {
        let intents = [Intent::Delegation, Intent::Handoff, Intent::ReviewRequest, Intent::Blocked];
        intents.contains(&message.intent) && message.deliveries.contains_key(member)
    };
    Ok(about.into_iter().find(is_work))
}
