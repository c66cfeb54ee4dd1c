//! News for a person who watches: the few events of the log that somebody would want to hear of, in sentences.

use interagent_core::event::{Event, Fact};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::line::quoted_line;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::{TaskStatus, Verdict};
use interagent_store::Stored;
use interagent_wire::answer::{NoticeKind, NoticeView, NoticesView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};

use super::describe::describe;
use crate::call::Call;
use crate::names::Names;
use crate::resolve;

/// Characters of a title in a sentence.
const TITLE_CHARS: usize = 80;

/// What is news since a place of the log.
pub(crate) fn notices(call: &mut Call<'_>, params: &ask::LogNotices) -> Result<Answer, Refusal> {
    let limit = resolve::page_limit(params.limit);
    call.read(|reader, _| {
        let head = reader.head()?.seq;
        let after = params.after.unwrap_or(head);
        let mut items = Vec::new();
        let mut reached = after;
        let entries = reader.entries_after(after, limit)?;
        let mut names = Names::new(reader);
        for stored in entries {
            reached = stored.seq;
            of_entry(&mut names, &stored, &mut items)?;
        }
        Ok(NoticesView { items, reached }.into())
    })
}

fn of_entry(names: &mut Names<'_, '_>, stored: &Stored, items: &mut Vec<NoticeView>) -> Result<(), Refusal> {
    let envelope = &stored.entry.envelope;
    let member = envelope.member();
    for (place, fact) in stored.entry.facts.iter().enumerate() {
        let Some(mut news) = news(names, &fact.entity, &fact.event, member)? else { continue };
        // A claim that came second gave nobody anything.
        if names.reader.is_void(stored, place)? {
            continue;
        }
        let holds =
            |other: &&Fact| other.entity == fact.entity && matches!(other.event, Event::MessageHeld(_));
        if let Some(held) = stored.entry.facts.iter().find(holds) {
            let why = describe(&held.event, member, names)?;
            news = News { kind: NoticeKind::Held, sentence: format!("{} ({why})", news.sentence), ..news };
        }
        items.push(NoticeView {
            seq: stored.seq,
            at: Time(envelope.wall),
            kind: news.kind,
            entity: fact.entity.to_string(),
            by: names.who(member)?,
            to: names.each(&news.to)?,
            sentence: news.sentence,
        });
    }
    Ok(())
}

struct News {
    kind: NoticeKind,
    to: Vec<AgentId>,
    sentence: String,
}

fn news(
    names: &mut Names<'_, '_>,
    entity: &EntityRef,
    event: &Event,
    member: &AgentId,
) -> Result<Option<News>, Refusal> {
    let told = |names: &mut Names<'_, '_>| describe(event, member, names);
    Ok(match (event, entity) {
        (Event::MessageSent(sent), _) => {
            Some(News { kind: NoticeKind::Message, to: sent.to.clone(), sentence: told(names)? })
        }
        (Event::MessageEscalated(up), _) => {
            Some(News { kind: NoticeKind::Escalation, to: vec![up.to.clone()], sentence: told(names)? })
        }
        (Event::TaskAssigned(given), EntityRef::Task(task)) => {
            let title = title(names, task)?;
            let name = names.who(&given.assignee)?.name;
            let verb = if given.claimed { "took the task" } else { "has a new task:" };
            let sentence = format!("{name} {verb} {title}");
            Some(News { kind: NoticeKind::Assigned, to: vec![given.assignee.clone()], sentence })
        }
        (Event::TaskMoved(moved), EntityRef::Task(task)) => {
            let (kind, verb) = match moved.to {
                TaskStatus::InProgress => (NoticeKind::Started, "began"),
                TaskStatus::Completed => (NoticeKind::Completed, "completed"),
                _ => return Ok(None),
            };
            let title = title(names, task)?;
            let worker = moved.assignee.as_ref().unwrap_or(member);
            let name = names.who(worker)?.name;
            Some(News { kind, to: vec![worker.clone()], sentence: format!("{name} {verb} {title}") })
        }
        (Event::TaskJudged(judged), EntityRef::Task(task)) => {
            let title = title(names, task)?;
            let worker = names.reader.task(task)?.and_then(|task| task.assignee);
            let name = names.who(&judged.by)?.name;
            let sentence = match judged.verdict {
                Verdict::Approved => format!("{name} approved {title}"),
                Verdict::RevisionNeeded => format!("{name} wants a revision of {title}"),
                Verdict::Rejected => format!("{name} rejected {title}"),
            };
            Some(News { kind: NoticeKind::Verdict, to: worker.into_iter().collect(), sentence })
        }
        _ => None,
    })
}

fn title(names: &mut Names<'_, '_>, id: &TaskId) -> Result<String, Refusal> {
    let title = match names.reader.task(id)? {
        Some(task) => names.line(&task.brief.title)?,
        None => String::new(),
    };
    Ok(quoted_line(&title, TITLE_CHARS))
}
