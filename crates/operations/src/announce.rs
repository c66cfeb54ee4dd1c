//! What the person is to be told of, once: whatever waits for their answer, and the outcomes of their orders.
//!
//! Marked before it is said: a supervisor that dies between the two leaves one notice unsaid, and the question stays on
//! the dashboard, in the inbox and with its deadline. The other order would repeat a notice each time it is killed.

use std::collections::BTreeSet;

use interagent_core::entity::Message;
use interagent_core::ids::TaskId;
use interagent_core::limits;
use interagent_core::notice::{AnsweredBy, Notice, Plea, of_plea};
use interagent_core::permission::of_permission;
use interagent_core::phrasing::Obligation;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Intent;
use interagent_store::reader::Reader;
use interagent_store::{Store, Writer};

use crate::names::Names;
use crate::{identity, operator};

/// Marks of what was announced.
const ANNOUNCED: &str = "announced";
/// Where the project's name is not known.
const NAMELESS: &str = "interagent";

/// The notice of what waits for the person first and was not announced; it counts as announced from now on. One at a time,
/// so that whoever is killed while it tells leaves one unsaid and no more. Those that reached nobody a moment ago are passed by.
pub(crate) fn take(store: &mut Store, unheard: &[String]) -> Result<Option<Notice>, Refusal> {
    if store.read(|reader| unannounced(reader, unheard))?.is_none() {
        return Ok(None);
    }
    store.observe(|writer| {
        let Some((key, notice)) = unannounced(&mut writer.look(), unheard)? else { return Ok(None) };
        drop_settled(writer)?;
        writer.put_mark(ANNOUNCED, &key, "")?;
        let data = serde_json::json!({ "message": notice.about, "title": notice.title });
        writer.trace("notice.announced", &data.to_string())?;
        Ok(Some(notice))
    })
}

/// Whether the person's words with this key were taken before.
pub(crate) fn was_taken(reader: &mut Reader<'_>, key: &str) -> Result<bool, Refusal> {
    let operator = identity::operator(reader)?;
    Ok(reader.is_key_used(&operator.id, key)?)
}

/// What is answered or read is never announced again: its mark is of no use any more.
fn drop_settled(writer: &mut Writer<'_, '_>) -> Result<(), Refusal> {
    let mut look = writer.look();
    let waiting = keys(&mut look)?;
    let settled: Vec<String> =
        look.marked(ANNOUNCED)?.into_iter().filter(|key| !waiting.contains(key)).collect();
    for key in settled {
        writer.drop_mark(ANNOUNCED, &key)?;
    }
    Ok(())
}

/// The keys of everything that waits for the person.
fn keys(reader: &mut Reader<'_>) -> Result<BTreeSet<String>, Refusal> {
    let prompts = operator::open_prompts(reader)?.into_iter().map(|(row, prompt)| prompt.key(&row.id));
    let mut keys: BTreeSet<String> = prompts.collect();
    keys.extend(open(reader)?.into_iter().map(|plea| plea.id.to_string()));
    keys.extend(outcomes(reader)?.into_iter().map(|message| message.id.to_string()));
    Ok(keys)
}

/// Somebody was to be told and no way was open: it counts as not announced.
pub(crate) fn take_back(store: &mut Store, key: &str) -> Result<(), Refusal> {
    store.observe(|writer| Ok::<_, Refusal>(writer.drop_mark(ANNOUNCED, key)?)).map(drop)
}

/// What waits for the person, oldest first: matters that went up, and what they were asked themselves.
pub(crate) fn open(reader: &mut Reader<'_>) -> Result<Vec<Plea>, Refusal> {
    let operator = identity::operator(reader)?;
    let project = project(reader)?;
    let mut found = Vec::new();
    for due in reader.owed_by(&operator.id, limits::PAGE_MAX)? {
        let Some(message) = reader.message(&due.message)? else { continue };
        let carried = reader.carried(&message)?;
        let carried = carried.filter(|(_, one)| one.is_open() && one.to == operator.id);
        // The silent agent owes the answer; the asker needs it.
        let asker = carried.as_ref().map(|(matter, up)| match up.by_ladder {
            true => matter.from.clone(),
            false => up.agent.clone(),
        });
        let up = carried.map(|(_, escalation)| escalation);
        let answered_by = match &up {
            Some(_) => AnsweredBy::Escalation,
            None => AnsweredBy::obligation(&Obligation {
                duty: due.duty,
                message: message.id.as_str(),
                task: due.task.as_ref().map(TaskId::as_str),
                links: &message.links(),
            }),
        };
        let times = reader.times_asked(&message)?;
        let mut names = Names::new(reader);
        found.push(Plea {
            id: message.id.clone(),
            from: names.who(asker.as_ref().unwrap_or(&message.from))?.name,
            project: project.clone(),
            subject: names.line(&message.subject)?,
            asked: message.sent.wall,
            times,
            deadline: up.as_ref().and_then(|up| up.deadline),
            default: names.maybe_text(up.as_ref().and_then(|up| up.default.as_ref()))?,
            priority: message.priority,
            answered_by,
        });
    }
    Ok(found)
}

fn project(reader: &mut Reader<'_>) -> Result<String, Refusal> {
    Ok(reader.team()?.map_or_else(|| NAMELESS.to_owned(), |team| team.config.project))
}

/// Unread reports to the person, oldest first.
fn outcomes(reader: &mut Reader<'_>) -> Result<Vec<Message>, Refusal> {
    let operator = identity::operator(reader)?;
    let unread = reader.unread(&operator.id, limits::PAGE_MAX)?.into_iter().map(|row| row.message);
    Ok(unread.filter(|message| message.intent == Intent::Report).collect())
}

/// The notice of an outcome, which needs no answer.
fn of_outcome(reader: &mut Reader<'_>, message: &Message) -> Result<Notice, Refusal> {
    let project = project(reader)?;
    let mut names = Names::new(reader);
    Ok(of_plea(&Plea {
        id: message.id.clone(),
        from: names.who(&message.from)?.name,
        project,
        subject: names.line(&message.subject)?,
        asked: message.sent.wall,
        times: 1,
        deadline: None,
        default: None,
        priority: message.priority,
        answered_by: AnsweredBy::Nothing(format!("interagent read {}", message.id)),
    }))
}

/// What waits first, with its key: prompts, which stop an agent, then questions, then outcomes.
fn unannounced(reader: &mut Reader<'_>, unheard: &[String]) -> Result<Option<(String, Notice)>, Refusal> {
    let is_new = |reader: &mut Reader<'_>, key: &String| {
        Ok::<_, Refusal>(!unheard.contains(key) && reader.mark(ANNOUNCED, key)?.is_none())
    };
    for (row, prompt) in operator::open_prompts(reader)? {
        let key = prompt.key(&row.id);
        if is_new(reader, &key)? {
            let project = project(reader)?;
            if let Some(asked) = operator::asked(reader, &project, (row, prompt))? {
                return Ok(Some((key, of_permission(&asked))));
            }
        }
    }
    for plea in open(reader)? {
        let key = plea.id.to_string();
        if is_new(reader, &key)? {
            return Ok(Some((key, of_plea(&plea))));
        }
    }
    for message in outcomes(reader)? {
        let key = message.id.to_string();
        if is_new(reader, &key)? {
            return Ok(Some((key, of_outcome(reader, &message)?)));
        }
    }
    Ok(None)
}
