//! Waits, each in a thread of its own, so that none delays a call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use interagent_core::refusal::Refusal;
use interagent_operations::{WaitFor, Waited};
use interagent_wire::{Answer, Caller};
use serde_json::{Value, json};

use crate::hub::{HubPool, ServedHub};
use crate::lock::lock;
use crate::out::AnswerStream;
use crate::protocol::{self, Events, Wait};

/// Waits at once. Each has a thread and a connection.
const WAITS: usize = 32;
/// A wait checks this often whether it was cancelled. New entries wake it at once.
const SLICE: Duration = Duration::from_secs(15);
/// Waiting needs little stack.
const STACK_BYTES: usize = 512 * 1024;

/// The waits that were not answered yet.
#[derive(Clone)]
pub(crate) struct WaitTable {
    pool: HubPool,
    out: Arc<AnswerStream>,
    /// By the id of the request as JSON.
    open: Arc<Mutex<HashMap<String, Arc<AtomicBool>>>>,
}

/// The two kinds of waits.
pub(crate) enum WaitKind {
    Wait(Wait),
    Events(Events),
}

impl WaitTable {
    pub(crate) fn new(pool: HubPool, out: Arc<AnswerStream>) -> Self {
        Self { pool, out, open: Arc::default() }
    }

    /// Begins a wait, or refuses it.
    pub(crate) fn begin(&self, id: Value, caller: Caller, sought: WaitKind) {
        let is_cancelled = match self.admit(&id) {
            Ok(is_cancelled) => is_cancelled,
            Err(refusal) => return self.out.write(&protocol::refusal_answer(id, &refusal)),
        };
        let waits = self.clone();
        let name = id.clone();
        let builder = thread::Builder::new().name("wait".to_owned()).stack_size(STACK_BYTES);
        let begun = builder.spawn(move || {
            let answer = waits.pool.with(|hub| match &sought {
                WaitKind::Wait(wait) => mail_or_log(hub, &caller, wait, &is_cancelled),
                WaitKind::Events(events) => entries(hub, &caller, events, &is_cancelled),
            });
            waits.end(&name, answer);
        });
        if let Err(why) = begun {
            let refusal = Refusal::unavailable("no_thread", format!("the wait can't begin: {why}"));
            self.end(&id, Err(refusal));
        }
    }

    fn admit(&self, id: &Value) -> Result<Arc<AtomicBool>, Refusal> {
        let mut open = lock(&self.open);
        if open.len() >= WAITS {
            let sentence = format!("this process serves at most {WAITS} waits at once");
            return Err(Refusal::conflict("too_many_waits", sentence).hint("cancel one with api.cancel"));
        }
        let name = id.to_string();
        if open.contains_key(&name) {
            return Err(Refusal::conflict("id_in_use", "a wait with this id is not answered yet"));
        }
        let is_cancelled = Arc::new(AtomicBool::new(false));
        open.insert(name, is_cancelled.clone());
        Ok(is_cancelled)
    }

    /// Answers a wait, unless it was cancelled.
    fn end(&self, id: &Value, answer: Result<(i64, Value), Refusal>) {
        if lock(&self.open).remove(&id.to_string()).is_none() {
            return;
        }
        let document = match answer {
            Ok((seq, answer)) => protocol::surface_answer(id.clone(), seq, &answer),
            Err(refusal) => protocol::refusal_answer(id.clone(), &refusal),
        };
        self.out.write(&document);
    }

    /// Answers a wait at once as cancelled. False if there is no such wait.
    pub(crate) fn cancel(&self, id: &Value) -> bool {
        let Some(is_cancelled) = lock(&self.open).remove(&id.to_string()) else { return false };
        is_cancelled.store(true, Ordering::Relaxed);
        let refusal = Refusal::rule("cancelled", "the wait was cancelled");
        self.out.write(&protocol::refusal_answer(id.clone(), &refusal));
        true
    }
}

/// Waits until the hub is ready, the time is over or the wait is cancelled.
fn until(
    hub: &mut dyn ServedHub,
    caller: &Caller,
    wanted: &WaitFor,
    deadline: Instant,
    is_cancelled: &AtomicBool,
) -> Result<Waited, Refusal> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let waited = hub.wait(caller, wanted, left.min(SLICE))?;
        if waited != Waited::TimeOver || left <= SLICE || is_cancelled.load(Ordering::Relaxed) {
            return Ok(waited);
        }
    }
}

fn mail_or_log(
    hub: &mut dyn ServedHub,
    caller: &Caller,
    wait: &Wait,
    is_cancelled: &AtomicBool,
) -> Result<(i64, Value), Refusal> {
    let wanted = match wait.after {
        Some(after) => WaitFor::Entry { after },
        None => WaitFor::Mail { agent: wait.agent.clone() },
    };
    let waited = until(hub, caller, &wanted, Instant::now() + wait.timeout(), is_cancelled)?;
    Ok(match waited {
        Waited::Ready { seq } => (seq, json!({ "ready": true })),
        Waited::TimeOver => (hub.reached(), json!({ "ready": false })),
    })
}

/// Entries after a place, as soon as there are some. `reached` is the place to go on from: entries that the filter left
/// out count as seen.
fn entries(
    hub: &mut dyn ServedHub,
    caller: &Caller,
    events: &Events,
    is_cancelled: &AtomicBool,
) -> Result<(i64, Value), Refusal> {
    let deadline = Instant::now() + events.timeout();
    let mut after = match events.after {
        Some(after) => after,
        None => hub.call(caller, events.page(i64::MAX).into())?.seq,
    };
    loop {
        let wanted = WaitFor::Entry { after };
        if until(hub, caller, &wanted, deadline, is_cancelled)? == Waited::TimeOver {
            return Ok((hub.reached(), json!({ "items": [], "reached": after })));
        }
        let reply = hub.call(caller, events.page(after).into())?;
        let seq = reply.seq;
        let Answer::Entries(page) = reply.answer else {
            return Err(Refusal::unavailable("bad_answer", "the hub did not answer with entries"));
        };
        after = page.next.as_deref().and_then(|next| next.parse().ok()).unwrap_or(seq);
        if !page.items.is_empty() {
            return Ok((seq, json!({ "items": page.items, "reached": after })));
        }
    }
}
