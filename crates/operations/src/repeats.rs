//! Repeated questions to the operator: merged into the first when they are written, answered with it.

use interagent_core::draft::Draft;
use interagent_core::entity::Message;
use interagent_core::event::{Event, MessageSent, MessageSettled, Reference};
use interagent_core::ids::{AgentId, EntityRef, MessageId};
use interagent_core::refusal::Refusal;
use interagent_core::repeat::{Asked, REPEATS_REF, is_repeatable, repeated_by};
use interagent_core::text::TextHash;
use interagent_core::vocabulary::Settlement;
use interagent_store::reader::Reader;

use crate::call::Scene;
use crate::names::Names;

/// Open questions to the operator that are compared. More than a person reads.
const COMPARED: u32 = 200;

/// Merges what repeats a question that the operator has not answered: it joins that conversation, points to the first,
/// and obliges nobody.
pub(crate) fn merge(scene: &mut Scene<'_, '_, '_>, draft: &mut Draft) -> Result<(), Refusal> {
    if scene.context.human {
        return Ok(());
    }
    for at in 0..draft.facts.len() {
        let Some(fact) = draft.facts.get(at) else { break };
        let (EntityRef::Message(id), Event::MessageSent(sent)) = (&fact.entity, &fact.event) else {
            continue;
        };
        let (id, sent) = (id.clone(), sent.clone());
        let is_carrier = |fact: &interagent_core::event::Fact| matches!(&fact.event, Event::MessageEscalated(up) if up.by == id);
        if sent.from.is_program() || draft.facts.iter().any(is_carrier) {
            continue;
        }
        for to in &sent.to {
            let Some((first, asked)) = repeated(&mut scene.look(), draft, &sent, to)? else { continue };
            join(draft, at, &id, &first);
            let settled =
                MessageSettled { agent: to.clone(), how: Settlement::Withdrawn, by: Some(first.id.clone()) };
            draft.add(EntityRef::Message(id.clone()), settled);
            draft.remark(format!(
                "{} waits for the answer to the same question: this repeats it (asked {} times)",
                first.id,
                asked + 1
            ));
        }
    }
    Ok(())
}

/// The open question to a person that a message repeats, with how often it was asked so far.
fn repeated(
    reader: &mut Reader<'_>,
    draft: &Draft,
    sent: &MessageSent,
    to: &AgentId,
) -> Result<Option<(Message, u32)>, Refusal> {
    let Some(duty) = sent.intent.duty().filter(|duty| is_repeatable(*duty)) else { return Ok(None) };
    if !reader.agent(to)?.is_some_and(|agent| agent.is_human()) {
        return Ok(None);
    }
    let text =
        |hash: &TextHash| draft.texts.iter().find(|text| text.hash == *hash).map(|text| text.text.as_str());
    let subject = text(&sent.subject).unwrap_or_default();
    let body = sent.body.as_ref().and_then(text);
    let now = Asked { duty, task: sent.task.as_ref(), subject, body };
    for due in reader.owed_by(to, COMPARED)? {
        if due.duty != duty || due.task != sent.task {
            continue;
        }
        let Some(first) = reader.message(&due.message)?.filter(|first| first.from == sent.from) else {
            continue;
        };
        if reader.carried(&first)?.is_some() {
            continue;
        }
        let mut names = Names::new(reader);
        let (subject, body) = (names.line(&first.subject)?, names.maybe_text(first.body.as_ref())?);
        let before = Asked { duty, task: due.task.as_ref(), subject: &subject, body: body.as_deref() };
        if now.repeats(&before) {
            let asked = reader.times_asked(&first)?;
            return Ok(Some((first, asked)));
        }
    }
    Ok(None)
}

/// Makes a message part of the first one's conversation, unless it has another.
fn join(draft: &mut Draft, at: usize, id: &MessageId, first: &Message) {
    let Some(Event::MessageSent(sent)) = draft.facts.get_mut(at).map(|fact| &mut fact.event) else { return };
    if sent.thread == *id {
        sent.thread = first.thread.clone();
    }
    sent.refs.push(Reference {
        kind: REPEATS_REF.to_owned(),
        target: first.id.to_string(),
        first_line: None,
        last_line: None,
        text: None,
    });
}

/// The question whose answer a member gives by answering this one.
pub(crate) fn first_of(reader: &mut Reader<'_>, named: Message) -> Result<Message, Refusal> {
    let Some(id) = repeated_by(&named) else { return Ok(named) };
    Ok(reader.message(&id)?.unwrap_or(named))
}
