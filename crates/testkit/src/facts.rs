//! Writing facts straight into a store, without the rules that operations check before.

use interagent_core::draft::{Context, Draft};
use interagent_core::entity::Entity;
use interagent_core::entry::RequestKey;
use interagent_core::event::{AgentRegistered, MessageSent, TaskCreated, TextPurged};
use interagent_core::ids::{AgentId, EntityRef, MessageId, TaskId};
use interagent_core::name::Name;
use interagent_core::text::TextHash;
use interagent_core::vocabulary::{Auth, Intent, Priority};
use interagent_store::{Appended, KeyConflict, NewEntry, Store, StoreError, Stored, Writer};

/// Why an append did not happen.
#[derive(Debug)]
pub enum Failed {
    /// The store failed.
    Store(StoreError),
    /// The key belongs to another request.
    Key(KeyConflict),
    /// The decision was a refusal.
    Refused,
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<KeyConflict> for Failed {
    fn from(conflict: KeyConflict) -> Self {
        Self::Key(conflict)
    }
}

/// An entry of this actor, with or without a key.
pub fn entry_of(actor: &AgentId, key: Option<(&str, &str)>) -> NewEntry {
    NewEntry {
        actor: actor.clone(),
        behalf: None,
        human: false,
        auth: Auth::Session,
        op: "test.write",
        key: key.map(|(key, request)| RequestKey { key: key.to_owned(), request: request.to_owned() }),
    }
}

/// Appends what `decide` drafts.
pub fn try_append(
    store: &mut Store,
    new: NewEntry,
    decide: impl FnOnce(&mut Writer<'_, '_>, &mut Draft) -> Result<(), Failed>,
) -> Result<Appended, Failed> {
    store.append(
        new,
        |writer, context: &Context| {
            let mut draft = Draft::new(context);
            decide(writer, &mut draft)?;
            Ok(draft)
        },
        |_, appended| Ok(appended.clone()),
    )
}

/// Appends facts of an actor and answers with the entry.
pub fn append(store: &mut Store, actor: &AgentId, build: impl FnOnce(&mut Draft)) -> Stored {
    let appended = try_append(store, entry_of(actor, None), |_, draft| {
        build(draft);
        Ok(())
    });
    match appended.unwrap() {
        Appended::New(stored) => *stored,
        other => panic!("nothing new was written: {other:?}"),
    }
}

/// The human of this replica.
pub fn operator(store: &mut Store) -> AgentId {
    let origin = store.head().unwrap().origin;
    let known = store.read(|r| r.entity(&EntityRef::Origin(origin))).unwrap();
    match known {
        Some(Entity::Origin(origin)) => origin.operator,
        other => panic!("this replica has no origin: {other:?}"),
    }
}

/// Registers an agent.
pub fn register(store: &mut Store, name: &str) -> AgentId {
    let actor = operator(store);
    let name = Name::parse(name).unwrap();
    let mut id = None;
    append(store, &actor, |draft| {
        let new = AgentId::from_bits(draft.bits());
        draft.add(EntityRef::Agent(new.clone()), AgentRegistered { name, profile: "claude".to_owned() });
        id = Some(new);
    });
    id.unwrap()
}

/// A message with these texts, ready to be changed further.
pub fn message(
    draft: &mut Draft,
    from: &AgentId,
    to: &[AgentId],
    subject: &str,
    body: &str,
) -> (MessageId, MessageSent) {
    let id = MessageId::from_bits(draft.bits());
    let sent = MessageSent {
        from: from.clone(),
        to: to.to_vec(),
        addressed: Vec::new(),
        intent: Intent::Question,
        subject: draft.plain(subject),
        body: Some(draft.plain(body)),
        refs: Vec::new(),
        thread: id.clone(),
        reply_to: None,
        priority: Priority::Medium,
        expires: None,
        task: None,
        hops: 0,
        quiet: false,
        ack_wanted: false,
        aliases: Vec::new(),
    };
    (id, sent)
}

/// Sends a question.
pub fn send(store: &mut Store, from: &AgentId, to: &AgentId, subject: &str, body: &str) -> MessageId {
    let mut id = None;
    append(store, from, |draft| {
        let (new, sent) = message(draft, from, std::slice::from_ref(to), subject, body);
        draft.add(EntityRef::Message(new.clone()), sent);
        id = Some(new);
    });
    id.unwrap()
}

/// A task with this title, ready to be changed further.
pub fn task(draft: &mut Draft, assigner: &AgentId, title: &str) -> (TaskId, TaskCreated) {
    let id = TaskId::from_bits(draft.bits());
    let created = TaskCreated {
        title: draft.plain(title),
        description: None,
        assigner: assigner.clone(),
        priority: Priority::Medium,
        capability: None,
        purpose: None,
        requirements: Vec::new(),
        acceptance_criteria: Vec::new(),
        parent: None,
        depends_on: Vec::new(),
        branch: None,
        files: Vec::new(),
        target_path: None,
        echo_message: None,
        redo_of: None,
        reassigned_from: None,
        aliases: Vec::new(),
    };
    (id, created)
}

/// Creates a task.
pub fn create_task(store: &mut Store, assigner: &AgentId, title: &str) -> TaskId {
    let mut id = None;
    append(store, assigner, |draft| {
        let (new, created) = task(draft, assigner, title);
        draft.add(EntityRef::Task(new.clone()), created);
        id = Some(new);
    });
    id.unwrap()
}

/// Purges a text.
pub fn purge(store: &mut Store, actor: &AgentId, hash: &TextHash) -> Stored {
    append(store, actor, |draft| draft.add(EntityRef::Text(hash.clone()), TextPurged { reason: None }))
}
