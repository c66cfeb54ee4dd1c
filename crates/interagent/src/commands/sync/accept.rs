//! Accepting drafts: each becomes what it describes by the ordinary operations, and its file gives way to the one that is
//! written from the log.
//!
//! Owns who a draft speaks for: the operator accepts, in the name of whom the draft names as its sender or assigner, and the
//! log says so.

use std::path::Path;

use interagent_core::entity::Entity;
use interagent_core::text::{TextHash, hex};
use interagent_mirror::files::{self, Draft, MessageDraft, TaskDraft};
use interagent_store::reader::{Named, Noun, Reader};
use interagent_store::{StoreError, TextState};
use interagent_wire::request::{MessageSend, TaskCreate, TaskNote};
use interagent_wire::{Answer, Caller, Request};
use sha2::{Digest, Sha256};

use crate::error::{CliError, ErrorKind};
use crate::session::Session;

/// What became of one file.
pub(super) struct Outcome {
    pub(super) path: String,
    /// The id of what it became, or why it did not.
    pub(super) id: Result<String, String>,
    /// What the operations said besides, such as that a text is held back.
    pub(super) notes: Vec<String>,
}

impl Outcome {
    fn refused(path: &str, why: String) -> Self {
        Self { path: path.to_owned(), id: Err(why), notes: Vec::new() }
    }
}

/// Accepts the drafts in these files; all of them where none is named.
pub(super) fn accept(session: &mut Session, named: &[String]) -> Result<Vec<Outcome>, CliError> {
    let hub = session.hub()?;
    let hub_dir = hub.state_dir().parent().map(ToOwned::to_owned).unwrap_or_default();
    let (drafts, malformed) = files::drafts(hub.store(), &hub_dir)?;
    let mut outcomes = Vec::new();
    if named.is_empty() {
        for file in malformed {
            outcomes.push(Outcome::refused(&file.path, file.why));
        }
        for draft in &drafts {
            outcomes.push(one(session, &hub_dir, draft));
        }
        return Ok(outcomes);
    }
    for name in named {
        let is_named = |path: &str| is_file(&hub_dir, name, path);
        if let Some(draft) = drafts.iter().find(|draft| is_named(draft.path())) {
            outcomes.push(one(session, &hub_dir, draft));
        } else if let Some(file) = malformed.iter().find(|file| is_named(&file.path)) {
            outcomes.push(Outcome::refused(&file.path, file.why.clone()));
        } else {
            let why = "it is no draft; drafts are files in tasks/active or messages/pending".to_owned();
            outcomes.push(Outcome::refused(name, why));
        }
    }
    Ok(outcomes)
}

/// Whether a file was meant: named from the hub, from here, or by its last part.
fn is_file(hub_dir: &Path, named: &str, path: &str) -> bool {
    let whole = hub_dir.join(path);
    named == path
        || path.rsplit('/').next() == Some(named)
        || (std::fs::canonicalize(named)
            .ok()
            .is_some_and(|given| std::fs::canonicalize(&whole).ok() == Some(given)))
}

fn one(session: &mut Session, hub_dir: &Path, draft: &Draft) -> Outcome {
    let path = draft.path().to_owned();
    let mut notes = Vec::new();
    let id = take(session, draft, &mut notes).and_then(|id| match files::replace(hub_dir, draft) {
        Ok(()) => Ok(id),
        Err(left) => Err(CliError::new(
            ErrorKind::Conflict,
            format!("it became {id}, but the file stays: {}", left.why),
        )),
    });
    let why = |error: CliError| error.lines().join("; ").replacen("error: ", "", 1);
    Outcome { path, id: id.map_err(why), notes }
}

/// Does what the draft says, unless that was done before.
fn take(session: &mut Session, draft: &Draft, notes: &mut Vec<String>) -> Result<String, CliError> {
    let (alias, noun) = match draft {
        Draft::Task(task) => (&task.alias, Noun::Task),
        Draft::Message(message) => (&message.alias, Noun::Message),
    };
    match known(session, alias, noun, draft)? {
        Some(Known::Same(id)) => {
            // Who was interrupted between the task and its notes goes on here.
            if let Draft::Task(task) = draft {
                let caller = speaker(session, task.assigner.as_deref());
                notes.extend(add_notes(session, &caller, task, &id)?);
            }
            return Ok(id);
        }
        Some(Known::Other(id)) => {
            let sentence = format!("`{alias}` is {id} already, which says something else");
            return Err(CliError::new(ErrorKind::Conflict, sentence).with_hint(
                "give the file another name and another id, or change what is there by its command",
            ));
        }
        None => {}
    }
    match draft {
        Draft::Task(task) => create(session, task, notes),
        Draft::Message(message) => send(session, message, notes),
    }
}

/// What a draft of this name became before.
enum Known {
    /// It said the same.
    Same(String),
    Other(String),
}

fn known(session: &mut Session, alias: &str, noun: Noun, draft: &Draft) -> Result<Option<Known>, CliError> {
    let says = |reader: &mut Reader<'_>, hash: Option<&TextHash>, given: Option<&str>| {
        let Some(hash) = hash else { return Ok(given.is_none()) };
        let there = match reader.text_state(hash)? {
            TextState::Whole(text) => Some(text),
            _ => None,
        };
        // What was left out was made up; what was purged can't be compared.
        Ok::<_, StoreError>(given.is_none() || there.as_deref().map(str::trim) == given.map(str::trim))
    };
    let lists = |reader: &mut Reader<'_>, hashes: &[TextHash], given: &[String]| {
        let mut is_same = given.is_empty() || given.len() == hashes.len();
        for (hash, given) in hashes.iter().zip(given) {
            is_same &= says(reader, Some(hash), Some(given))?;
        }
        Ok::<_, StoreError>(is_same)
    };
    let found = session.hub()?.store().read(|reader| {
        let Named::One(entity) = reader.resolve(alias, &[noun])? else { return Ok(None) };
        // The beginning of another id is no alias.
        let (aliases, is_same) = match (reader.entity(&entity)?, draft) {
            (Some(Entity::Task(task)), Draft::Task(draft)) => {
                let title = says(reader, Some(&task.brief.title), Some(&draft.title))?;
                let described = says(reader, task.brief.description.as_ref(), draft.description.as_deref())?;
                let needs = lists(reader, &task.brief.requirements, &draft.requirements)?;
                let accepted = lists(reader, &task.brief.acceptance_criteria, &draft.acceptance_criteria)?;
                (task.brief.aliases, title && described && needs && accepted)
            }
            (Some(Entity::Message(message)), Draft::Message(draft)) => {
                let subject = says(reader, Some(&message.subject), draft.subject.as_deref())?;
                let body = says(reader, message.body.as_ref(), draft.content.as_deref())?;
                (message.aliases, subject && body)
            }
            _ => (Vec::new(), false),
        };
        let id = entity.to_string();
        let is_alias = aliases.iter().any(|known| known == alias);
        Ok::<_, StoreError>(is_alias.then_some(if is_same { Known::Same(id) } else { Known::Other(id) }))
    });
    Ok(found?)
}

fn create(session: &mut Session, draft: &TaskDraft, notes: &mut Vec<String>) -> Result<String, CliError> {
    let request = TaskCreate {
        title: draft.title.clone(),
        description: draft.description.clone(),
        assignee: draft.assignee.clone(),
        priority: draft.priority,
        requirements: draft.requirements.clone(),
        acceptance_criteria: draft.acceptance_criteria.clone(),
        aliases: vec![draft.alias.clone()],
        key: Some(key(&draft.path, &draft.alias)),
        ..TaskCreate::default()
    };
    let caller = speaker(session, draft.assigner.as_deref());
    let reply = session.call_for(&caller, request.into())?;
    let Answer::Task(task) = reply.answer else { return Err(unexpected()) };
    notes.extend(reply.notes);
    let said = add_notes(session, &caller, draft, &task.id)?;
    notes.extend(said);
    Ok(task.id)
}

/// Each note once, however often the draft is accepted; and what was said about them.
fn add_notes(
    session: &mut Session,
    caller: &Caller,
    draft: &TaskDraft,
    task: &str,
) -> Result<Vec<String>, CliError> {
    let mut said = Vec::new();
    for (number, note) in draft.notes.iter().enumerate() {
        let key = Some(key(&draft.path, &format!("{} {number}", draft.alias)));
        let request = TaskNote { task: task.to_owned(), note: note.clone(), key };
        said.extend(session.call_for(caller, request.into())?.notes);
    }
    Ok(said)
}

fn send(session: &mut Session, draft: &MessageDraft, notes: &mut Vec<String>) -> Result<String, CliError> {
    let request: Request = MessageSend {
        to: draft.to.clone(),
        intent: draft.intent,
        subject: draft.subject.clone(),
        body: draft.content.clone(),
        task: draft.task.clone(),
        aliases: vec![draft.alias.clone()],
        key: Some(key(&draft.path, &draft.alias)),
        ..MessageSend::default()
    }
    .into();
    let caller = speaker(session, draft.from.as_deref());
    let reply = session.call_for(&caller, request)?;
    notes.extend(reply.notes);
    match reply.answer {
        Answer::Sent(sent) => Ok(sent.id),
        _ => Err(unexpected()),
    }
}

/// The operator, in the name of whoever wrote the draft.
fn speaker(session: &Session, named: Option<&str>) -> Caller {
    let behalf = named.filter(|name| !name.eq_ignore_ascii_case("operator")).map(ToOwned::to_owned);
    Caller { behalf, principal: false, ..session.caller().clone() }
}

/// The same draft twice is one.
fn key(path: &str, alias: &str) -> String {
    let digest = Sha256::digest(format!("{path}\n{alias}").as_bytes());
    format!("draft:{}", &hex(&digest)[..32])
}

fn unexpected() -> CliError {
    CliError::new(ErrorKind::Unavailable, "the hub answered with something else")
}
