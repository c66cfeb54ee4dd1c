//! Connections to the hub: one for calls, and a few idle ones for waits.

use std::sync::{Arc, Mutex};

use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_operations::{Hub, LocalHub};

use crate::lock::lock;

/// Idle connections that are kept for the next wait. Each holds half a dozen files open.
const IDLE: usize = 4;

/// A hub that this process keeps open between calls.
pub trait ServedHub: Hub + Send {
    /// Upkeep that may run once the caller has its answer.
    fn upkeep(&mut self);

    /// Entries in the log when this connection last looked.
    fn reached(&mut self) -> i64;
}

impl ServedHub for LocalHub {
    fn upkeep(&mut self) {
        // The next call meets the same obstacle, and `doctor` reports it.
        let _ = self.finish();
    }

    fn reached(&mut self) -> i64 {
        self.store().reached()
    }
}

/// Why a connection is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubNeed {
    /// To read: a missing hub is not created.
    Read,
    /// To write.
    Write,
}

/// Opens the hub that the process serves.
pub trait HubOpener: Send + Sync {
    /// Opens one more connection.
    fn open(&self, need: HubNeed) -> Result<Box<dyn ServedHub>, Refusal>;
}

impl<F> HubOpener for F
where
    F: Fn(HubNeed) -> Result<Box<dyn ServedHub>, Refusal> + Send + Sync,
{
    fn open(&self, need: HubNeed) -> Result<Box<dyn ServedHub>, Refusal> {
        self(need)
    }
}

/// Idle connections.
#[derive(Clone)]
pub(crate) struct HubPool {
    door: Arc<dyn HubOpener>,
    idle: Arc<Mutex<Vec<Box<dyn ServedHub>>>>,
}

impl HubPool {
    pub(crate) fn new(door: Arc<dyn HubOpener>) -> Self {
        Self { door, idle: Arc::default() }
    }

    /// Runs something on a connection. One that found the store unusable is closed, so that the next call finds the
    /// store that was repaired or created in between.
    pub(crate) fn with<T>(
        &self,
        run: impl FnOnce(&mut dyn ServedHub) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let idle = lock(&self.idle).pop();
        let mut hub = match idle {
            Some(hub) => hub,
            None => self.door.open(HubNeed::Read)?,
        };
        let done = run(hub.as_mut());
        let is_lost = matches!(&done, Err(refusal) if refusal.kind == RefusalKind::Unavailable);
        let mut idle = lock(&self.idle);
        if !is_lost && idle.len() < IDLE {
            idle.push(hub);
        }
        done
    }
}
