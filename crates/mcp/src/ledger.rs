//! Which answer hands over which messages, until it was written.
//!
//! `delivered` needs evidence: the messages of an answer are confirmed after its last byte was written, and not when
//! the answer was cancelled or the client is gone. Then they lapse and are handed over again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Via;
use interagent_wire::request::{MessageAcknowledge, OfferConfirm};
use interagent_wire::{Caller, Request};
use rmcp::model::RequestId;
use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

use crate::hub::Hubs;
use crate::lock::lock;

/// What an answer brings to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Brings {
    /// Messages of its inbox, taken before.
    Offered(Vec<String>),
    /// One message it asked for by its id.
    Read(String),
}

/// Something that counts once it has arrived.
#[derive(Clone, Debug)]
pub(crate) struct Handed {
    pub(crate) caller: Caller,
    pub(crate) brings: Brings,
}

impl Handed {
    fn request(&self) -> Request {
        match &self.brings {
            Brings::Offered(messages) => OfferConfirm { messages: messages.clone() }.into(),
            Brings::Read(message) => MessageAcknowledge {
                messages: vec![message.clone()],
                via: Some(Via::Read),
                ..MessageAcknowledge::default()
            }
            .into(),
        }
    }
}

/// The open hand-overs of one connection.
#[derive(Debug)]
pub(crate) struct Ledger {
    hubs: Arc<Hubs>,
    open: Mutex<HashMap<RequestId, Handed>>,
    /// Written, but the hub could not be told yet.
    late: Mutex<Vec<Handed>>,
    /// Held while the hub is told.
    telling: Mutex<()>,
    /// Held from before an answer is written until it is confirmed.
    writing: Arc<Gate<()>>,
}

impl Ledger {
    pub(crate) fn new(hubs: Arc<Hubs>) -> Self {
        Self {
            hubs,
            open: Mutex::default(),
            late: Mutex::default(),
            telling: Mutex::default(),
            writing: Arc::default(),
        }
    }

    /// The answer to this request will hand something over.
    pub(crate) fn expect(&self, id: RequestId, handed: Handed) {
        lock(&self.open).insert(id, handed);
    }

    /// The request was cancelled: its answer is never written.
    pub(crate) fn forget(&self, id: &RequestId) {
        lock(&self.open).remove(id);
    }

    /// Called before an answer is written. Whoever holds the result says whether it arrived.
    pub(crate) async fn begin(self: &Arc<Self>, id: &RequestId) -> Option<Handing> {
        let handed = lock(&self.open).remove(id)?;
        let turn = self.writing.clone().lock_owned().await;
        Some(Handing { ledger: self.clone(), handed, turn })
    }

    /// Its last byte was written, and whoever says so can't wait. The next call does.
    pub(crate) fn written(self: Arc<Self>, handed: Handed) {
        lock(&self.late).push(handed);
        tokio::spawn(async move { self.settle().await });
    }

    /// Waits until everything that was written is confirmed, and tries again what could not be.
    pub(crate) async fn settle(self: &Arc<Self>) {
        let turn = self.writing.clone().lock_owned().await;
        let is_settled = lock(&self.late).is_empty();
        if !is_settled {
            let ledger = self.clone();
            // A panic in there loses the evidence: the messages lapse and come again.
            let _ = tokio::task::spawn_blocking(move || ledger.confirm()).await;
        }
        drop(turn);
    }

    /// Confirms everything that was written. When it returns nobody else is about to: what was offered may be ended then.
    /// Blocks.
    pub(crate) fn confirm(&self) {
        let _turn = lock(&self.telling);
        // Taken here and not by whoever asks for it, because a runtime that ends drops what it has not begun.
        let late = std::mem::take(&mut *lock(&self.late));
        if late.is_empty() {
            return;
        }
        for handed in late {
            if let Err(refusal) = self.hubs.call(&handed.caller, handed.request())
                && is_worth_repeating(&refusal)
            {
                lock(&self.late).push(handed);
            }
        }
        self.hubs.carry_out();
    }
}

/// A rule says the same again; a store that was busy does not.
fn is_worth_repeating(refusal: &Refusal) -> bool {
    refusal.kind == interagent_core::refusal::RefusalKind::Unavailable
}

/// An answer that is being written.
pub(crate) struct Handing {
    ledger: Arc<Ledger>,
    handed: Handed,
    turn: OwnedMutexGuard<()>,
}

impl Handing {
    /// Its last byte was written.
    pub(crate) async fn arrived(self) {
        let Self { ledger, handed, turn } = self;
        lock(&ledger.late).push(handed);
        let _ = tokio::task::spawn_blocking(move || ledger.confirm()).await;
        drop(turn);
    }
}
