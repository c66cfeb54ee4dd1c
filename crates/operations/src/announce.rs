//! What the person is to be told of, once: whatever waits for their answer.
//!
//! Marked before it is said: a supervisor that dies between the two leaves one notice unsaid, and the question stays on
//! the dashboard, in the inbox and with its deadline. The other order would repeat a notice each time it is killed.

use interagent_core::ids::MessageId;
use interagent_core::limits;
use interagent_core::notice::{AnsweredBy, Plea};
use interagent_core::refusal::Refusal;
use interagent_store::reader::Reader;
use interagent_store::{Store, Writer};

use crate::identity;
use crate::names::Names;

/// Marks of what was announced.
const ANNOUNCED: &str = "announced";
/// Where the project's name is not known.
const NAMELESS: &str = "interagent";

/// The oldest question that waits for the person and was not announced; it counts as announced from now on. One at a time,
/// so that whoever is killed while it tells leaves one unsaid and no more. Those that reached nobody a moment ago are passed by.
pub(crate) fn take(store: &mut Store, unheard: &[MessageId]) -> Result<Option<Plea>, Refusal> {
    if store.read(|reader| unannounced(reader, unheard))?.is_none() {
        return Ok(None);
    }
    store.observe(|writer| {
        let Some(plea) = unannounced(&mut writer.look(), unheard)? else { return Ok(None) };
        drop_settled(writer)?;
        writer.put_mark(ANNOUNCED, plea.id.as_str(), "")?;
        let data = serde_json::json!({ "message": plea.id, "from": plea.from });
        writer.trace("notice.announced", &data.to_string())?;
        Ok(Some(plea))
    })
}

/// Whether the person's words with this key were taken before.
pub(crate) fn was_taken(reader: &mut Reader<'_>, key: &str) -> Result<bool, Refusal> {
    let operator = identity::operator(reader)?;
    Ok(reader.is_key_used(&operator.id, key)?)
}

/// What is answered is never announced again: its mark is of no use any more.
fn drop_settled(writer: &mut Writer<'_, '_>) -> Result<(), Refusal> {
    let mut look = writer.look();
    let operator = identity::operator(&mut look)?;
    let mut settled = Vec::new();
    for subject in look.marked(ANNOUNCED)? {
        let carrier = MessageId::parse(&subject).ok().map(|id| look.message(&id)).transpose()?.flatten();
        if carrier.is_none_or(|carrier| carrier.owed_by(&operator.id).is_none()) {
            settled.push(subject);
        }
    }
    for subject in settled {
        writer.drop_mark(ANNOUNCED, &subject)?;
    }
    Ok(())
}

/// Somebody was to be told and no way was open: it counts as not announced.
pub(crate) fn take_back(store: &mut Store, id: &MessageId) -> Result<(), Refusal> {
    store.observe(|writer| Ok::<_, Refusal>(writer.drop_mark(ANNOUNCED, id.as_str())?)).map(drop)
}

/// What waits for the person, oldest first: matters that went up, and what they were asked themselves.
pub(crate) fn open(reader: &mut Reader<'_>) -> Result<Vec<Plea>, Refusal> {
    let operator = identity::operator(reader)?;
    let project = reader.team()?.map_or_else(|| NAMELESS.to_owned(), |team| team.config.project);
    let mut found = Vec::new();
    for due in reader.owed_by(&operator.id, limits::PAGE_MAX)? {
        let Some(message) = reader.message(&due.message)? else { continue };
        let carried = reader.carried(&message)?;
        let carried = carried.filter(|(_, one)| one.is_open() && one.to == operator.id);
        // Who is silent owes the answer; the one who asked needs it.
        let asker = carried.as_ref().map(|(matter, up)| match up.by_ladder {
            true => matter.from.clone(),
            false => up.agent.clone(),
        });
        let up = carried.map(|(_, escalation)| escalation);
        let answered_by = match &up {
            Some(_) => AnsweredBy::Escalation,
            None => AnsweredBy::duty(due.duty, &message.id, due.task.as_ref()),
        };
        let mut names = Names::new(reader);
        found.push(Plea {
            id: message.id.clone(),
            from: names.who(asker.as_ref().unwrap_or(&message.from))?.name,
            project: project.clone(),
            subject: names.line(&message.subject)?,
            asked: message.sent.wall,
            deadline: up.as_ref().and_then(|up| up.deadline),
            default: names.maybe_text(up.as_ref().and_then(|up| up.default.as_ref()))?,
            priority: message.priority,
            answered_by,
        });
    }
    Ok(found)
}

fn unannounced(reader: &mut Reader<'_>, unheard: &[MessageId]) -> Result<Option<Plea>, Refusal> {
    for plea in open(reader)? {
        if !unheard.contains(&plea.id) && reader.mark(ANNOUNCED, plea.id.as_str())?.is_none() {
            return Ok(Some(plea));
        }
    }
    Ok(None)
}
