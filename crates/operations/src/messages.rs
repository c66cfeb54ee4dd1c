//! Sending: new messages, replies, escalations and their answers.

mod verdict;

use std::collections::BTreeSet;

use interagent_core::decide::loop_guard::Newest;
use interagent_core::decide::message::{
    self, Background, Letter, Plea, Pointer, Question, SendSnapshot, Step,
};
use interagent_core::draft::{Context, Draft};
use interagent_core::entity::{Agent, Message};
use interagent_core::event::{Event, Reference};
use interagent_core::ids::{AgentId, EntityRef, MessageId};
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::text::{Words, subject_of};
use interagent_core::vocabulary::{Intent, Priority};
use interagent_store::Appended;
use interagent_store::reader::{MessageFilter, PageStart, Reader};
use interagent_wire::Answer;
use interagent_wire::answer::SentView;
use interagent_wire::request as ask;

use crate::call::{Call, Scene};
use crate::names::Names;
use crate::tasks::access;
use crate::{decisions, identity, input, mail, repeats, resolve};

/// Sends a message.
pub(crate) fn send(call: &mut Call<'_>, params: &ask::MessageSend) -> Result<Answer, Refusal> {
    let mut letter = letter(
        params.intent,
        params.subject.as_deref(),
        params.body.as_deref(),
        params.priority,
        &params.refs,
    )?;
    letter.expires = params.expires.map(|time| time.0);
    letter.ack_wanted = params.ack;
    letter.aliases = input::aliases(&params.aliases)?;
    let outcome = call.write(
        |scene| {
            let sender = scene.member.clone();
            let mut look = scene.look();
            let (recipients, addressed) = resolve::recipients(&mut look, &params.to, &sender)?;
            letter.addressed = addressed;
            let task = params.task.as_deref().map(|task| resolve::task(&mut look, task)).transpose()?;
            let thread = params.thread.as_deref().map(|id| resolve::message(&mut look, id)).transpose()?;
            resolve::must_be_free(&mut look, &letter.aliases)?;
            let mut snapshot = snapshot(scene, recipients, None)?;
            snapshot.task = task;
            snapshot.thread = thread.map(|message| message.thread);
            snapshot.newest = newest(scene, &snapshot)?;
            let mut draft = scene.draft();
            message::send(&snapshot, &letter, scene.context, &mut draft)?;
            Ok(draft)
        },
        sent,
    );
    trace_refusal(call, outcome)
}

/// Replies to a message: to its sender, or on to its recipients when one's own.
pub(crate) fn reply(call: &mut Call<'_>, params: &ask::MessageReply) -> Result<Answer, Refusal> {
    let mut letter = letter(
        params.intent,
        params.subject.as_deref(),
        params.body.as_deref(),
        params.priority,
        &params.refs,
    )?;
    letter.expires = params.expires.map(|time| time.0);
    let outcome = call.write(
        |scene| {
            let named = resolve::message(&mut scene.look(), &params.message)?;
            access::must_read_message(scene, &named)?;
            let original = repeats::first_of(&mut scene.look(), named)?;
            if let Some(question) = settles_escalation(scene, &original)? {
                return answered(scene, question, letter);
            }
            if let Some(draft) = verdict::given(scene, &original, &letter, params.verdict)? {
                return Ok(draft);
            }
            replied(scene, original, letter, params.complete)
        },
        sent,
    );
    trace_refusal(call, outcome)
}

/// An ordinary reply.
fn replied(
    scene: &mut Scene<'_, '_, '_>,
    original: Message,
    letter: Letter,
    complete: bool,
) -> Result<Draft, Refusal> {
    let snapshot = reply_snapshot(scene, original)?;
    let letter = with_subject(scene, letter, &snapshot)?;
    let mut draft = scene.draft();
    message::reply(&snapshot, &letter, complete, scene.context, &mut draft)?;
    if let Some(original) = &snapshot.reply_to {
        decisions::answered(scene, original, &mut draft)?;
    }
    Ok(draft)
}

/// The escalation that a reply to this message answers: what the message carries, or, for a member that is no part of the
/// conversation, the one that took the message up to it.
fn settles_escalation(
    scene: &mut Scene<'_, '_, '_>,
    original: &Message,
) -> Result<Option<Question>, Refusal> {
    if let Some(question) = carried_by(&mut scene.look(), original.clone())?
        && question.is_answered_by(&scene.member, scene.context)?
    {
        return Ok(Some(question));
    }
    let Some(carrier) = message::carrier_to(original, &scene.member, scene.context).cloned() else {
        return Ok(None);
    };
    let carrier = scene.look().message(&carrier)?;
    Ok(carrier.map(|carrier| Question { carrier, matter: original.clone() }))
}

/// Takes a matter to the superior or the operator.
pub(crate) fn escalate(call: &mut Call<'_>, params: &ask::MessageEscalate) -> Result<Answer, Refusal> {
    let plea = Plea {
        reason: Words::document("the reason", &params.reason)?,
        deadline: params.deadline.map(|time| time.0),
        default: params.default.as_deref().map(|words| Words::note("the default", words)).transpose()?,
    };
    call.write(
        |scene| {
            let member = scene.member.name.clone();
            let up = rules::escalates_to(scene.team.as_ref(), &member).cloned();
            let original = resolve::message(&mut scene.look(), &params.message)?;
            access::must_read_message(scene, &original)?;
            let mut look = scene.look();
            let to = match up {
                Some(name) => resolve::agent(&mut look, name.as_str())?,
                None => identity::operator(&mut look)?,
            };
            let background = background(&mut look, &original)?;
            let asker = look.agent(&original.from)?;
            let snapshot = snapshot(scene, vec![to], Some(original))?;
            let mut draft = scene.draft();
            message::escalate(&snapshot, &plea, &background, scene.context, &mut draft)?;
            if let Some(asker) = asker {
                message::tell_sender(&snapshot, &asker, &plea, &mut draft);
            }
            Ok(draft)
        },
        sent,
    )
}

/// Where a matter came from: down to the message that carries no other, with the reason of each step up.
fn background(reader: &mut Reader<'_>, matter: &Message) -> Result<Background, Refusal> {
    let mut first = matter.clone();
    let mut steps = Vec::new();
    // Each message is looked at once: a log in which questions go round in a circle ends here too.
    let mut seen = BTreeSet::from([first.id.clone()]);
    while let Some((below, escalation)) = reader.carried(&first)?
        && seen.insert(below.id.clone())
    {
        let mut names = Names::new(reader);
        let (agent, reason) = (names.who(&escalation.agent)?.name, names.line(&escalation.reason)?);
        steps.insert(0, Step { agent, reason, by_ladder: escalation.by_ladder });
        first = below;
    }
    let mut names = Names::new(reader);
    let (from, subject) = (names.who(&first.from)?.name, names.line(&first.subject)?);
    let words = match names.maybe_text(first.body.as_ref())? {
        Some(body) if subject_of(&body) == subject => body,
        Some(body) => format!("{subject}\n{body}"),
        None => subject,
    };
    Ok(Background { first: first.id, from, words, steps })
}

/// Answers an escalation, named by the message that carries it or by the one it is about.
pub(crate) fn answer(call: &mut Call<'_>, params: &ask::MessageAnswer) -> Result<Answer, Refusal> {
    let letter = letter(None, None, Some(&params.body), Some(Priority::High), &[])?;
    call.write(
        |scene| {
            let named = resolve::message(&mut scene.look(), &params.message)?;
            access::must_read_message(scene, &named)?;
            let named = repeats::first_of(&mut scene.look(), named)?;
            let is_carrier = scene.look().carried(&named)?.is_some();
            if !is_carrier && message::is_plain_question_to(&named, &scene.member, scene.context) {
                return replied(scene, named, letter, false);
            }
            let question = escalation(&mut scene.look(), named)?;
            answered(scene, question, letter)
        },
        sent,
    )
}

/// The answer to an escalation. It ends every question that led to this one, and everybody who waits for it hears it, once.
fn answered(scene: &mut Scene<'_, '_, '_>, question: Question, letter: Letter) -> Result<Draft, Refusal> {
    let mut snapshot = reply_snapshot(scene, question.carrier.clone())?;
    let context = scene.context;
    let questions = ending_with(&mut scene.look(), question, context)?;
    for id in questions.iter().flat_map(|question| question.concerns(context)) {
        let concerned = scene.look().agent(id)?;
        if let Some(concerned) = concerned.filter(|agent| message::hears(&snapshot, agent, scene.context)) {
            snapshot.owed.push(concerned.id.clone());
            snapshot.recipients.push(concerned);
        }
    }
    let letter = with_subject(scene, letter, &snapshot)?;
    let mut draft = scene.draft();
    message::answer(&snapshot, &questions, &letter, scene.context, &mut draft)?;
    Ok(draft)
}

/// A question and all others that its answer ends: down to who asked first, and whatever else carries the same matter up.
fn ending_with(
    reader: &mut Reader<'_>,
    first: Question,
    context: &Context,
) -> Result<Vec<Question>, Refusal> {
    // Each message is looked at once, so that a log in which questions go round in a circle ends here too.
    let mut seen = BTreeSet::from([first.carrier.id.clone()]);
    let mut found = vec![first];
    let mut at = 0;
    while let Some(question) = found.get(at) {
        let next: Vec<MessageId> = question.leads_to(context).into_iter().cloned().collect();
        for id in next.into_iter().filter(|id| seen.insert(id.clone())) {
            if let Some(message) = reader.message(&id)? {
                found.extend(carried_by(reader, message)?);
            }
        }
        at += 1;
    }
    Ok(found)
}

/// The question that a message carries, if it carries one.
fn carried_by(reader: &mut Reader<'_>, carrier: Message) -> Result<Option<Question>, Refusal> {
    let carried = reader.carried(&carrier)?;
    Ok(carried.map(|(matter, _)| Question { carrier, matter }))
}

/// The escalation that a message carries, or that it is the matter of.
fn escalation(reader: &mut Reader<'_>, named: Message) -> Result<Question, Refusal> {
    let open = named.escalations.iter().rev().find(|e| e.is_open()).or(named.escalations.last());
    if let Some(open) = open {
        let by = open.by.clone();
        let carrier = resolve::message(reader, by.as_str())?;
        return Ok(Question { carrier, matter: named });
    }
    let id = named.id.clone();
    carried_by(reader, named)?.ok_or_else(|| {
        Refusal::usage("no_escalation", format!("{id} is no escalation"))
            .hint(format!("interagent reply {id} -m ... answers a message"))
    })
}

/// Validates what a message says, before anything is locked.
fn letter(
    intent: Option<Intent>,
    subject: Option<&str>,
    body: Option<&str>,
    priority: Option<Priority>,
    refs: &[ask::RefParam],
) -> Result<Letter, Refusal> {
    let given = |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(ToOwned::to_owned);
    Ok(Letter {
        intent: intent.unwrap_or(Intent::Message),
        subject: given(subject).map(|subject| Words::line("the subject", &subject)).transpose()?,
        body: given(body).map(|body| Words::document("the body", &body)).transpose()?,
        refs: refs.iter().map(pointer).collect::<Result<_, _>>()?,
        priority: priority.unwrap_or(Priority::Medium),
        expires: None,
        ack_wanted: false,
        addressed: Vec::new(),
        aliases: Vec::new(),
    })
}

fn pointer(given: &ask::RefParam) -> Result<Pointer, Refusal> {
    let kind = given.kind.trim().to_lowercase();
    if !ask::REF_KINDS.contains(&kind.as_str()) {
        let sentence = format!("a reference is one of {}", ask::REF_KINDS.join(", "));
        return Err(Refusal::usage("bad_ref", sentence));
    }
    let target = input::word("the target of a reference", &given.target)?;
    if given.first_line == Some(0) {
        return Err(Refusal::usage("bad_ref", format!("the lines of {target} are counted from 1")));
    }
    if given.last_line.is_some_and(|last| given.first_line.is_none_or(|first| first > last)) {
        return Err(Refusal::usage("bad_ref", format!("the lines of {target} end before they begin")));
    }
    let snapshot = given.text.as_deref().map(|text| Words::document("the diff", text)).transpose()?;
    let reference =
        Reference { kind, target, first_line: given.first_line, last_line: given.last_line, text: None };
    Ok(Pointer { reference, snapshot })
}

pub(crate) fn snapshot(
    scene: &mut Scene<'_, '_, '_>,
    recipients: Vec<Agent>,
    reply_to: Option<Message>,
) -> Result<SendSnapshot, Refusal> {
    let task = match reply_to.as_ref().and_then(|original| original.task.clone()) {
        Some(id) => scene.look().task(&id)?,
        None => None,
    };
    let open_review = match &reply_to {
        Some(original) => verdict::open_review(&mut scene.look(), original)?.map(|review| review.id),
        None => None,
    };
    Ok(SendSnapshot {
        team: scene.team.clone(),
        sender: scene.member.clone(),
        recipients,
        reply_to,
        thread: None,
        task,
        open_review,
        newest: None,
        owed: Vec::new(),
    })
}

/// A reply goes to the sender; to one's own message it goes on to its recipients.
fn reply_snapshot(scene: &mut Scene<'_, '_, '_>, original: Message) -> Result<SendSnapshot, Refusal> {
    let ids = reached_by_reply(&original, &scene.member, scene.context);
    let mut recipients = Vec::with_capacity(ids.len());
    for id in ids {
        recipients.extend(scene.look().agent(&id)?.filter(|agent| agent.retired.is_none()));
    }
    let mut snapshot = snapshot(scene, recipients, Some(original))?;
    snapshot.newest = newest(scene, &snapshot)?;
    Ok(snapshot)
}

/// The recipients of a reply: the sender, or the recipients of a message of one's own. A person who joins a conversation also
/// reaches the agents whose answer they give.
fn reached_by_reply(original: &Message, member: &Agent, context: &Context) -> Vec<AgentId> {
    if original.from == member.id {
        return original.deliveries.keys().filter(|agent| **agent != member.id).cloned().collect();
    }
    let mut reached = vec![original.from.clone()];
    if message::joins_in(original, member, context) {
        reached.extend(message::answered_for(original).cloned());
    }
    reached
}

/// A reply without a subject repeats that of the conversation. One without a text gets none: it would only seem to say
/// something.
fn with_subject(
    scene: &mut Scene<'_, '_, '_>,
    mut letter: Letter,
    snapshot: &SendSnapshot,
) -> Result<Letter, Refusal> {
    if let (None, Some(_), Some(original)) = (&letter.subject, &letter.body, &snapshot.reply_to)
        && let Some(subject) = reply_subject(scene, original)?
    {
        letter.subject = Some(Words::line("the subject", &subject)?);
    }
    Ok(letter)
}

/// The subject of an answer to a message; none where the message's own was purged.
pub(crate) fn reply_subject(
    scene: &mut Scene<'_, '_, '_>,
    original: &Message,
) -> Result<Option<String>, Refusal> {
    let subject = scene.look().text_state(&original.subject)?.whole();
    Ok(subject.map(|subject| {
        let cut = subject.trim_start_matches("Re: ").chars().take(limits::SUBJECT_CHARS - 4);
        format!("Re: {}", cut.collect::<String>())
    }))
}

/// The newest message of the conversation, which the hops of the next one follow. Nothing where a person speaks.
fn newest(scene: &mut Scene<'_, '_, '_>, snapshot: &SendSnapshot) -> Result<Option<Newest>, Refusal> {
    let answered = snapshot.reply_to.as_ref().map(|original| original.thread.clone());
    let Some(thread) = answered.or_else(|| snapshot.thread.clone()).filter(|_| !scene.context.human) else {
        return Ok(None);
    };
    let filter = MessageFilter { thread: Some(thread), ..MessageFilter::default() };
    let Some(message) = scene.look().messages(&filter, &PageStart::default(), 1)?.pop() else {
        return Ok(None);
    };
    let by_person = message.spoken_by.is_some()
        || scene.look().agent(&message.from)?.is_some_and(|agent| agent.is_human());
    Ok(Some(Newest { message, by_person }))
}

/// The message that an entry sent first: the one its caller asked for.
fn sent(reader: &mut Reader<'_>, appended: &Appended) -> Result<Answer, Refusal> {
    let id = appended.entry().and_then(|entry| {
        entry.facts.iter().find_map(|fact| match (&fact.entity, &fact.event) {
            (EntityRef::Message(id), Event::MessageSent(_)) => Some(id.clone()),
            _ => None,
        })
    });
    let id: MessageId = id.ok_or_else(|| Refusal::unavailable("store_internal", "no message was sent"))?;
    let message = resolve::message(reader, id.as_str())?;
    let mut names = Names::new(reader);
    Ok(SentView {
        id: message.id.to_string(),
        thread: message.thread.to_string(),
        to: names.each(message.deliveries.keys())?,
        held: message.held,
        hold: mail::hold_view(&mut names, &message)?,
    }
    .into())
}

/// A send that a rule refused leaves a line in the trace, so that people see what was tried.
fn trace_refusal(call: &mut Call<'_>, outcome: Result<Answer, Refusal>) -> Result<Answer, Refusal> {
    if let Err(refusal) = &outcome
        && refusal.kind == interagent_core::refusal::RefusalKind::Refused
    {
        let data = serde_json::json!({ "op": call.op, "code": refusal.code, "sentence": refusal.sentence });
        call.store.observe(|writer| writer.trace("send.refused", &data.to_string()))?;
    }
    outcome
}
