//! Drafts: files that somebody put beside ours. They enter the log only when the operator accepts them.
//!
//! Owns what a draft may say: the fields of a task or message file, of which only a title, or a recipient and a text, are
//! needed. Ids, times and states in it are not taken over; an id is kept as another name of what comes of it.

use std::path::Path;

use interagent_core::ids::{MessageId, TaskId, must_be_alias};
use interagent_core::limits;
use interagent_core::vocabulary::{Intent, Priority};
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::layout::{Folder, Place};
use super::tree::{Found, Tree};

/// Longer files are not read: one text has half of it at most, and a draft is mostly one text.
const LONGEST: u64 = 2 * limits::BODY_BYTES as u64;

/// A draft that can be accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum Draft {
    /// Of a task.
    Task(TaskDraft),
    /// Of a message.
    Message(MessageDraft),
}

impl Draft {
    /// Its file, from the hub's directory.
    pub fn path(&self) -> &str {
        match self {
            Self::Task(task) => &task.path,
            Self::Message(message) => &message.path,
        }
    }
}

/// A task that somebody wrote down.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields of a task file")]
pub struct TaskDraft {
    pub path: String,
    /// What it calls itself; its file's name where it does not.
    pub alias: String,
    pub title: String,
    pub description: Option<String>,
    pub assignee: Option<String>,
    pub assigner: Option<String>,
    pub priority: Option<Priority>,
    pub requirements: Vec<String>,
    pub acceptance_criteria: Vec<String>,
    pub notes: Vec<String>,
    bytes: Vec<u8>,
}

/// A message that somebody wrote down.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields of a message file")]
pub struct MessageDraft {
    pub path: String,
    /// What it calls itself; its file's name where it does not.
    pub alias: String,
    pub from: Option<String>,
    pub to: Vec<String>,
    pub subject: Option<String>,
    pub content: Option<String>,
    pub intent: Option<Intent>,
    pub task: Option<String>,
    bytes: Vec<u8>,
}

/// A file that is no draft that could be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// From the hub's directory.
    pub path: String,
    /// What is wrong with it.
    pub why: String,
}

/// The fields of a task file that a draft may have.
#[derive(Deserialize)]
struct TaskFields {
    id: Option<String>,
    title: Option<String>,
    description: Option<String>,
    assignee: Option<String>,
    assigner: Option<String>,
    priority: Option<String>,
    requirements: Option<Vec<String>>,
    acceptance_criteria: Option<Vec<String>>,
    notes: Option<Value>,
}

/// The fields of a message file that a draft may have.
#[derive(Deserialize)]
struct MessageFields {
    id: Option<String>,
    from: Option<String>,
    to: Option<String>,
    subject: Option<String>,
    content: Option<String>,
    r#type: Option<String>,
    task_id: Option<String>,
}

/// Every draft in the hub's folders, and every file there that is none.
pub fn drafts(store: &mut Store, hub_dir: &Path) -> Result<(Vec<Draft>, Vec<Malformed>), StoreError> {
    let Ok(mut tree) = Tree::open(hub_dir) else { return Ok((Vec::new(), Vec::new())) };
    store.read(|reader| {
        let (mut found, mut malformed) = (Vec::new(), Vec::new());
        for folder in [Folder::Active, Folder::Pending] {
            for place in places(&mut tree, folder) {
                match look(&mut tree, reader, &place)? {
                    Seen::Draft(draft) => found.push(*draft),
                    Seen::Malformed(why) => malformed.push(Malformed { path: place.shown(), why }),
                    Seen::Ours | Seen::Edited => {}
                }
            }
        }
        Ok((found, malformed))
    })
}

/// What a file in a folder of drafts turned out to be.
#[derive(Debug)]
pub(super) enum Seen {
    /// A derived file as it was written.
    Ours,
    /// A derived file that was changed by hand.
    Edited,
    Draft(Box<Draft>),
    Malformed(String),
}

/// The files of a folder, without making it.
pub(super) fn places(tree: &mut Tree, folder: Folder) -> Vec<Place> {
    if !tree.has(folder) {
        return Vec::new();
    }
    let names = tree.names(folder).unwrap_or_default();
    let places = names.into_iter().map(|name| Place { folder, name });
    places.filter(|place| place.form().is_some()).collect()
}

/// Judges one file of a folder of drafts.
pub(super) fn look(tree: &mut Tree, reader: &mut Reader<'_>, place: &Place) -> Result<Seen, StoreError> {
    let size = tree.size(place);
    // A file of ours may be as long as its texts together.
    if size > LONGEST && !is_known(reader, place)? {
        return Ok(Seen::Malformed(format!("it has {size} bytes; a draft has at most {LONGEST}")));
    }
    let bytes = match tree.look(place) {
        Ok(Found::Nothing | Found::Ours(_)) => return Ok(Seen::Ours),
        Ok(Found::Other(bytes)) => bytes,
        Err(trouble) => return Ok(Seen::Malformed(trouble.why)),
    };
    if is_known(reader, place)? {
        return Ok(Seen::Edited);
    }
    let stem = place.name.trim_end_matches(".json");
    let read = match place.folder {
        Folder::Active => task(place, stem, bytes).map(Draft::Task),
        _ => message(place, stem, bytes).map(Draft::Message),
    };
    Ok(read.map_or_else(Seen::Malformed, |draft| Seen::Draft(Box::new(draft))))
}

/// Whether a file is called like something of this hub.
pub(super) fn is_known(reader: &mut Reader<'_>, place: &Place) -> Result<bool, StoreError> {
    let stem = place.name.trim_end_matches(".json");
    match place.folder {
        Folder::Active => TaskId::parse(stem).map_or(Ok(false), |id| reader.has_task(&id)),
        _ => MessageId::parse(stem).map_or(Ok(false), |id| reader.has_message(&id)),
    }
}

/// Takes an accepted draft away, unless it was changed since it was read.
pub fn replace(hub_dir: &Path, draft: &Draft) -> Result<(), Malformed> {
    let (folder, bytes) = match draft {
        Draft::Task(task) => (Folder::Active, &task.bytes),
        Draft::Message(message) => (Folder::Pending, &message.bytes),
    };
    let name = draft.path().rsplit('/').next().unwrap_or_default().to_owned();
    let (place, failed) = (Place { folder, name }, |why| Malformed { path: draft.path().to_owned(), why });
    let mut tree = Tree::open(hub_dir).map_err(|trouble| failed(trouble.why))?;
    match tree.look(&place) {
        Ok(Found::Other(now)) if now == *bytes => tree.delete(&place).map_err(|trouble| failed(trouble.why)),
        Ok(Found::Nothing | Found::Ours(_)) => Ok(()),
        Ok(Found::Other(_)) => Err(failed("it was changed while it was accepted".to_owned())),
        Err(trouble) => Err(failed(trouble.why)),
    }
}

fn fields<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let document: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("it can't be read: {error}"))?;
    if !document.is_object() {
        return Err("it is no JSON object".to_owned());
    }
    serde_json::from_value(document).map_err(|error| error.to_string())
}

fn task(place: &Place, stem: &str, bytes: Vec<u8>) -> Result<TaskDraft, String> {
    let said: TaskFields = fields(&bytes)?;
    let title = said.title.filter(|title| !title.trim().is_empty()).ok_or("it has no `title`")?;
    Ok(TaskDraft {
        path: place.shown(),
        alias: alias(said.id, stem)?,
        title,
        description: filled(said.description),
        assignee: filled(said.assignee),
        assigner: filled(said.assigner),
        priority: word(said.priority)?,
        requirements: said.requirements.unwrap_or_default(),
        acceptance_criteria: said.acceptance_criteria.unwrap_or_default(),
        notes: notes(said.notes)?,
        bytes,
    })
}

/// The notes of a task: texts, or records with one. Who wrote them and when is not taken.
fn notes(said: Option<Value>) -> Result<Vec<String>, String> {
    let notes = match said {
        None => Vec::new(),
        Some(Value::Array(notes)) => notes,
        Some(note) => vec![note],
    };
    let text = |note: &Value| {
        let told = note
            .as_str()
            .or_else(|| ["note", "text", "content"].iter().find_map(|name| note.get(name)?.as_str()));
        told.map(ToOwned::to_owned).ok_or_else(|| "a note in `notes` has no text".to_owned())
    };
    notes.iter().map(text).collect()
}

fn message(place: &Place, stem: &str, bytes: Vec<u8>) -> Result<MessageDraft, String> {
    let said: MessageFields = fields(&bytes)?;
    let to: Vec<String> =
        said.to.iter().flat_map(|to| to.split(',')).map(|to| to.trim().to_owned()).collect();
    if to.iter().all(String::is_empty) {
        return Err("it has no recipient in `to`".to_owned());
    }
    let (subject, content) = (filled(said.subject), filled(said.content));
    if subject.is_none() && content.is_none() {
        return Err("it has neither `subject` nor `content`".to_owned());
    }
    Ok(MessageDraft {
        path: place.shown(),
        alias: alias(said.id, stem)?,
        from: filled(said.from),
        to,
        subject,
        content,
        intent: word(said.r#type)?,
        task: filled(said.task_id),
        bytes,
    })
}

/// What the draft is called afterwards: its `id`, or its file's name.
fn alias(said: Option<String>, stem: &str) -> Result<String, String> {
    let said = said.filter(|id| !id.is_empty());
    let what = if said.is_some() { "its `id`" } else { "its file's name" };
    let alias = said.unwrap_or_else(|| stem.to_owned());
    must_be_alias(&alias).map_err(|refusal| format!("{what} becomes its alias, and {}", refusal.sentence))?;
    Ok(alias)
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn word<W: std::str::FromStr>(said: Option<String>) -> Result<Option<W>, String>
where
    W::Err: std::fmt::Display,
{
    filled(said).map(|word| word.parse().map_err(|error: W::Err| error.to_string())).transpose()
}
