//! Which documents an entity's state makes: one for each text that people look for by itself.

use interagent_core::entity::task::Report;
use interagent_core::entity::{Agent, Decision, Entity, Message, Review, Spec, Task, When};
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::text::TextHash;

use crate::error::StoreError;
use crate::reader::Reader;
use crate::search::{Doc, DocKind};

/// A document before its texts were read.
#[derive(Debug)]
pub(super) struct Part<'a> {
    kind: DocKind,
    part: String,
    /// When it was said, as people are told: of what moved over from elsewhere, when that was.
    at: i64,
    /// When its texts last changed, in the order of the log.
    pub(super) changed: i64,
    author: &'a AgentId,
    /// Words that are no text of the log, such as a name.
    plain: Option<&'a str>,
    texts: Vec<&'a TextHash>,
}

impl<'a> Part<'a> {
    fn new(kind: DocKind, part: impl Into<String>, when: &When, author: &'a AgentId) -> Self {
        let (at, changed) = (when.wall, when.at);
        Self { kind, part: part.into(), at, changed, author, plain: None, texts: Vec::new() }
    }

    fn texts(mut self, texts: impl IntoIterator<Item = &'a TextHash>) -> Self {
        self.texts.extend(texts);
        self
    }

    /// Reads the texts. Purged and damaged ones, and those that have not arrived, leave no trace.
    pub(super) fn doc(
        self,
        reader: &mut Reader<'_>,
        entity: &EntityRef,
        state: &Entity,
    ) -> Result<Option<Doc>, StoreError> {
        let mut words: Vec<String> = self.plain.map(ToOwned::to_owned).into_iter().collect();
        let mut refs = Vec::new();
        for hash in self.texts {
            if let Some(text) = reader.text_state(hash)?.whole() {
                words.push(text);
                refs.push(hash.as_str());
            }
        }
        if words.is_empty() {
            return Ok(None);
        }
        let (task, intent, thread) = match state {
            Entity::Message(m) => (m.task.as_ref(), Some(m.intent), Some(&m.thread)),
            Entity::Task(t) => (Some(&t.id), None, None),
            Entity::Review(r) => (r.brief.task.as_ref(), None, None),
            _ => (None, None, None),
        };
        Ok(Some(Doc {
            entity: entity.to_string(),
            kind: self.kind,
            part: self.part,
            at: self.at,
            author: self.author.to_string(),
            audience: audience(state).into_iter().map(ToString::to_string).collect(),
            task: task.map(ToString::to_string),
            intent: intent.map(|intent| intent.as_str().to_owned()),
            thread: thread.map(ToString::to_string),
            text_ref: refs.join("\n"),
            text: words.join("\n"),
        }))
    }
}

fn audience(state: &Entity) -> Vec<&AgentId> {
    match state {
        Entity::Message(m) => m.deliveries.keys().collect(),
        Entity::Task(t) => [Some(&t.brief.assigner), t.assignee.as_ref()].into_iter().flatten().collect(),
        Entity::Review(r) => std::iter::once(&r.brief.author).chain(&r.brief.reviewers).collect(),
        Entity::Decision(d) => std::iter::once(&d.brief.by).chain(d.positions.keys()).collect(),
        Entity::Spec(s) => s.subscribers.iter().collect(),
        Entity::Origin(_) | Entity::Team(_) | Entity::Agent(_) | Entity::Lease(_) | Entity::Skill(_) => {
            Vec::new()
        }
    }
}

/// Every document of an entity.
pub(super) fn parts(state: &Entity) -> Vec<Part<'_>> {
    match state {
        Entity::Message(m) => vec![message(m)],
        Entity::Task(t) => task(t),
        Entity::Review(r) => review(r),
        Entity::Decision(d) => decision(d),
        Entity::Spec(s) => spec(s).into_iter().collect(),
        Entity::Agent(a) => vec![agent(a)],
        Entity::Origin(_) | Entity::Team(_) | Entity::Lease(_) | Entity::Skill(_) => Vec::new(),
    }
}

/// Subject and body together, so that words from both are found together.
fn message(m: &Message) -> Part<'_> {
    Part::new(DocKind::Message, "message", &m.sent, &m.from).texts([&m.subject]).texts(&m.body)
}

fn task(t: &Task) -> Vec<Part<'_>> {
    let brief = Part {
        changed: t.updated.at,
        ..Part::new(DocKind::Task, "brief", &t.created, &t.brief.assigner)
            .texts([&t.brief.title])
            .texts(&t.brief.description)
            .texts(&t.brief.purpose)
            .texts(&t.brief.requirements)
            .texts(&t.brief.acceptance_criteria)
    };
    let notes = t.notes.iter().enumerate().map(|(i, note)| {
        Part::new(DocKind::Task, format!("note {}", i + 1), &note.when, &note.by).texts([&note.note])
    });
    let reports = t.reports.iter().enumerate().map(|(i, Report { when, report, .. })| {
        let skill = &report.skill_candidate;
        Part::new(DocKind::Report, format!("report {}", i + 1), when, &report.worker)
            .texts([&report.summary])
            .texts(&report.notes)
            .texts(&report.purpose_gap)
            .texts([&skill.name, &skill.description, &skill.reason].into_iter().flatten())
    });
    let verdicts = t.judgements.iter().enumerate().map(|(i, judged)| {
        Part::new(DocKind::Task, format!("verdict {}", i + 1), &judged.when, &judged.by).texts(&judged.note)
    });
    std::iter::once(brief).chain(notes).chain(reports).chain(verdicts).collect()
}

fn review(r: &Review) -> Vec<Part<'_>> {
    let title = Part::new(DocKind::Review, "title", &r.opened, &r.brief.author).texts([&r.brief.title]);
    let comments = r.comments.iter().map(|said| {
        let part = said.comment.comment.to_string();
        Part::new(DocKind::Review, part, &said.when, &said.comment.by).texts([&said.comment.body])
    });
    let verdict =
        r.end.iter().map(|end| Part::new(DocKind::Review, "verdict", &end.when, &end.by).texts(&end.note));
    std::iter::once(title).chain(comments).chain(verdict).collect()
}

fn decision(d: &Decision) -> Vec<Part<'_>> {
    let question = Part::new(DocKind::Decision, "question", &d.opened, &d.brief.by)
        .texts([&d.brief.question])
        .texts(&d.brief.options);
    let positions = d.positions.iter().map(|(agent, taken)| {
        Part::new(DocKind::Decision, format!("position {agent}"), &taken.when, agent)
            .texts([&taken.position])
            .texts(&taken.reason)
    });
    let outcome = d.outcome.iter().map(|end| {
        Part::new(DocKind::Decision, "outcome", &end.when, &end.by).texts([&end.outcome]).texts(&end.reason)
    });
    std::iter::once(question).chain(positions).chain(outcome).collect()
}

/// The newest version only: an old one would be found as if it held.
fn spec(s: &Spec) -> Option<Part<'_>> {
    let newest = s.versions.last()?;
    let part = Part::new(DocKind::Spec, "spec", &newest.when, &newest.publisher);
    Some(Part { plain: Some(s.name.as_str()), ..part.texts([&newest.body]).texts(&newest.note) })
}

/// Small, so it is always made again.
fn agent(a: &Agent) -> Part<'_> {
    let part = Part::new(DocKind::Agent, "description", &a.registered, &a.id).texts(&a.description);
    Part { plain: Some(a.name.as_str()), changed: i64::MAX, ..part }
}
