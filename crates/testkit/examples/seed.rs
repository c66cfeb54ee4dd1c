//! Fills a hub with so many entries: a conversation of two agents, read as it goes, the last twenty unread; or, as a
//! backlog, mail that nobody reads, with a new task among ten entries.
//!
//! `seed HUB_DIR COUNT [backlog]`. The benchmark uses it; it writes in large transactions, not through operations.

use std::path::PathBuf;
use std::sync::Arc;

use interagent_core::draft::Draft;
use interagent_core::entity::Agent;
use interagent_core::event::{MessageAcknowledged, MessageDelivered, MessageSent, TaskAssigned, TaskCreated};
use interagent_core::ids::{EntityRef, MessageId, TaskId};
use interagent_core::vocabulary::{Auth, Intent, Priority, Via};
use interagent_store::{Founding, NewEntry, OpenMode, SqliteEngine, Store, StoreError, SystemClock};

const BATCH: u64 = 10_000;
const LEFT_UNREAD: usize = 20;
/// Messages that are read together, in one entry.
const READ_TOGETHER: usize = 9;
/// Of so many entries of a backlog one is a task.
const TASK_AMONG: u64 = 10;
const WORDS: &[&str] = &[
    "schema",
    "handler",
    "review",
    "endpoint",
    "cache",
    "token",
    "index",
    "retry",
    "branch",
    "migration",
    "login",
    "avatar",
];

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(hub), Some(count)) = (arguments.next(), arguments.next()) else {
        return Err("usage: seed HUB_DIR COUNT [backlog]".into());
    };
    let count: u64 = count.parse()?;
    let backlog = match arguments.next().as_deref() {
        None => false,
        Some("backlog") => true,
        Some(other) => return Err(format!("there is no `{other}`, only `backlog`").into()),
    };
    let engine = SqliteEngine::open(&PathBuf::from(hub).join("state"), OpenMode::Existing)?;
    let founding = Founding { hub_id: None, alias: "seed".into(), user_dir: None };
    let mut store = Store::open(Box::new(engine), Arc::new(SystemClock::new()), &founding)?;
    let pair: Vec<Agent> = store.read(|reader| {
        let agents = reader.agents()?.into_iter().filter(|agent| !agent.is_human());
        Ok::<_, StoreError>(agents.take(2).collect())
    })?;
    let [one, other] = pair.as_slice() else { return Err("the hub needs two agents".into()) };

    let mut waiting: Vec<(MessageId, usize)> = Vec::new();
    let mut made = 0;
    while made < count {
        let size = BATCH.min(count - made);
        let new = |actor: &Agent| NewEntry {
            actor: actor.id.clone(),
            behalf: None,
            human: false,
            auth: Auth::Session,
            op: "message.send",
            key: None,
        };
        let entries: Vec<NewEntry> = (0..size).map(|n| new(if n % 2 == 0 { one } else { other })).collect();
        let mut n = made;
        store.append_each(entries, |_, context| {
            let mut draft = Draft::new(context);
            if backlog && n.is_multiple_of(TASK_AMONG) {
                give(&mut draft, &pair, n);
            } else if backlog {
                say(&mut draft, &pair, 0, n);
            } else if waiting.len() >= LEFT_UNREAD + READ_TOGETHER {
                for (message, to) in waiting.drain(..READ_TOGETHER) {
                    let agent = pair[to].id.clone();
                    let entity = EntityRef::Message(message);
                    let delivered =
                        MessageDelivered { agent: agent.clone(), via: Via::Inbox, redelivered: 0 };
                    draft.add(entity.clone(), delivered);
                    draft.add(entity, MessageAcknowledged { agent });
                }
            } else {
                let from = usize::from(n % 2 == 1);
                waiting.push((say(&mut draft, &pair, from, n), 1 - from));
            }
            n += 1;
            Ok::<_, interagent_core::refusal::Refusal>(draft)
        })?;
        made += size;
        store.finish()?;
    }
    Ok(())
}

/// A task for the second of the pair.
fn give(draft: &mut Draft, pair: &[Agent], n: u64) {
    let task = EntityRef::Task(TaskId::from_bits(draft.bits()));
    let created = TaskCreated {
        title: draft.plain(&format!("Task {n} of the backlog")),
        description: None,
        assigner: pair[0].id.clone(),
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
    draft.add(task.clone(), created);
    draft.add(task, TaskAssigned { assignee: pair[1].id.clone(), before: None, claimed: false });
}

/// One message of about 600 bytes.
fn say(draft: &mut Draft, pair: &[Agent], from: usize, n: u64) -> MessageId {
    let id = MessageId::from_bits(draft.bits());
    let word =
        |k: u64| WORDS[usize::try_from((n.wrapping_mul(31) + k * 7) % WORDS.len() as u64).unwrap_or(0)];
    let subject = draft.plain(&format!("{} of the {} {n}", word(1), word(2)));
    let body: String = (0..80).map(|k| format!("{} ", word(k))).collect();
    let body = draft.plain(&body);
    let sent = MessageSent {
        from: pair[from].id.clone(),
        to: vec![pair[1 - from].id.clone()],
        addressed: Vec::new(),
        intent: if n.is_multiple_of(10) { Intent::ContextShare } else { Intent::Message },
        subject,
        body: Some(body),
        refs: Vec::new(),
        thread: id.clone(),
        reply_to: None,
        priority: Priority::Medium,
        expires: None,
        task: None,
        hops: 1,
        quiet: false,
        ack_wanted: false,
        aliases: Vec::new(),
    };
    draft.add(EntityRef::Message(id.clone()), sent);
    id
}
