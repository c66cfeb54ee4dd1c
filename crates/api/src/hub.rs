//! Connections to the hub: one for calls, and a few idle ones for waits.

use std::sync::{Arc, Mutex};

use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_operations::{Hub, LocalHub};

use crate::lock::lock;

/// Idle connections that are kept for the next wait. Each holds half a dozen files open.
const IDLE: usize = 4;

/// A hub that this process keeps open between calls.
pub trait Served: Hub + Send {
    /// Upkeep that may run once the caller has its answer.
    fn upkeep(&mut self);

    /// Entries in the log when this connection last looked.
    fn reached(&mut self) -> i64;
}

impl Served for LocalHub {
    fn upkeep(&mut self) {
        // The next call meets the same obstacle, and `doctor` reports it.
        let _ = self.finish();
    }

    fn reached(&mut self) -> i64 {
        self.store().reached()
    }
}

/// What a connection is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To look: a hub that is not there is not made.
    Read,
    /// To write.
    Write,
}

/// Opens the hub that the process serves.
pub trait Door: Send + Sync {
    /// Opens one more connection.
    fn open(&self, need: Need) -> Result<Box<dyn Served>, Refusal>;
}

impl<F> Door for F
where
    F: Fn(Need) -> Result<Box<dyn Served>, Refusal> + Send + Sync,
{
    fn open(&self, need: Need) -> Result<Box<dyn Served>, Refusal> {
        self(need)
    }
}

/// Connections that nobody uses at the moment.
#[derive(Clone)]
pub(crate) struct Pool {
    door: Arc<dyn Door>,
    idle: Arc<Mutex<Vec<Box<dyn Served>>>>,
}

impl Pool {
    pub(crate) fn new(door: Arc<dyn Door>) -> Self {
        Self { door, idle: Arc::default() }
    }

    /// Runs something on a connection. One that found the store unusable is closed, so that the next call finds the
    /// store that was repaired or created in between.
    pub(crate) fn with<T>(
        &self,
        run: impl FnOnce(&mut dyn Served) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let idle = lock(&self.idle).pop();
        let mut hub = match idle {
            Some(hub) => hub,
            None => self.door.open(Need::Read)?,
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
