//! The hub behind a connection: opened at the first call that needs it, and kept.
//!
//! A hub that can't be used is let go of, so that the next call finds the one that was repaired or made meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_operations::{Hub, LocalHub, Waiting, carry_out};
use interagent_wire::{Caller, LocalEffect, Reply, Request};

use crate::lock::lock;

/// A hub that a resident process keeps open.
pub trait Resident: Hub + Send {
    /// Upkeep that may run once the caller has its answer.
    fn upkeep(&mut self);

    /// Notes that a session waits for mail, at most so long and for as long as the result is kept.
    fn waits(&self, _session: &str, _longest: Duration) -> Option<Waiting> {
        None
    }

    /// Lets mail that only informs the caller wait for company, as it does before it wakes an idle session.
    fn collect(&mut self, _caller: &Caller, _limit: Duration) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Resident for LocalHub {
    fn upkeep(&mut self) {
        // Whatever hinders it is met again by the next call, and shown by `doctor`.
        let _ = self.finish();
    }

    fn waits(&self, session: &str, longest: Duration) -> Option<Waiting> {
        Waiting::note(self.state_dir(), session, longest)
    }

    fn collect(&mut self, caller: &Caller, limit: Duration) -> Result<(), Refusal> {
        self.collect_for(caller, limit)
    }
}

/// Opens the hub that the server was started for.
pub trait Door: Send + Sync + 'static {
    /// One more connection to it.
    fn open(&self) -> Result<Box<dyn Resident>, Refusal>;
}

impl<F> Door for F
where
    F: Fn() -> Result<Box<dyn Resident>, Refusal> + Send + Sync + 'static,
{
    fn open(&self) -> Result<Box<dyn Resident>, Refusal> {
        self()
    }
}

/// The connection that all calls share.
pub(crate) struct Hubs {
    door: Arc<dyn Door>,
    open: Mutex<Option<Box<dyn Resident>>>,
    /// What replies left to do on this machine.
    effects: Mutex<Vec<LocalEffect>>,
    /// Held while they are carried out, so that they keep their order.
    carrying_out: Mutex<()>,
}

impl Hubs {
    pub(crate) fn new(door: Arc<dyn Door>) -> Self {
        Self { door, open: Mutex::new(None), effects: Mutex::default(), carrying_out: Mutex::default() }
    }

    /// Carries out one operation.
    pub(crate) fn call(&self, caller: &Caller, request: impl Into<Request>) -> Result<Reply, Refusal> {
        let mut open = lock(&self.open);
        let mut hub = match open.take() {
            Some(hub) => hub,
            None => self.door.open()?,
        };
        let mut reply = hub.call(caller, request.into());
        if let Ok(reply) = &mut reply {
            lock(&self.effects).append(&mut reply.effects);
        }
        let lost = matches!(&reply, Err(refusal) if refusal.kind == RefusalKind::Unavailable);
        if !lost {
            *open = Some(hub);
        }
        reply
    }

    /// A connection of its own for somebody who waits: nobody else is held up by it.
    pub(crate) fn another(&self) -> Result<Box<dyn Resident>, Refusal> {
        self.door.open()
    }

    pub(crate) fn upkeep(&self) {
        self.carry_out();
        if let Some(hub) = lock(&self.open).as_mut() {
            hub.upkeep();
        }
    }

    /// Does what replies left to do on this machine; nobody waits for it.
    pub(crate) fn carry_out(&self) {
        let _turn = lock(&self.carrying_out);
        let effects = std::mem::take(&mut *lock(&self.effects));
        carry_out(&effects);
    }
}

impl std::fmt::Debug for Hubs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hubs").finish_non_exhaustive()
    }
}
