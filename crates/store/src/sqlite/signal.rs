//! The wake-up: one byte to a file after each commit, watched by whoever waits.
//!
//! A directory of its own, because a watch on the database's directory would also wake for reads and
//! checkpoints. Owns sending and waiting; the cursor in the store stays the truth.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::files::{Layout, open_side_file};
use crate::engine::{Waiter, Woken};
use crate::error::StoreError;
use crate::side::Access;

/// The sending side of one connection.
#[derive(Debug)]
pub(crate) struct Signal {
    path: PathBuf,
    file: Option<File>,
}

impl Signal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Wakes all waiters. The commit is durable already, so a failure is not the writer's failure: waiters
    /// find the change by their sweep.
    pub(crate) fn send(&mut self) {
        if self.file.is_none() {
            self.file = open_side_file(&self.path, Access::Update).ok();
        }
        // Always the same byte at the same place: the file never grows.
        let sent = self.file.as_ref().is_some_and(|file| file.write_at(b"!", 0).is_ok());
        if !sent {
            self.file = None;
        }
    }
}

/// The waiting side. Armed from the moment it is made.
struct SignalWaiter {
    signals: Receiver<()>,
    path: PathBuf,
    /// Dropping it ends the watch.
    _watcher: RecommendedWatcher,
}

/// Starts watching for commits. Wake-ups after this returns are kept for the next `wait`.
pub(crate) fn waiter(layout: &Layout) -> Result<Box<dyn Waiter>, StoreError> {
    watch(layout.signal_dir())
}

/// Starts watching what the files of a directory say.
pub(crate) fn watch(path: PathBuf) -> Result<Box<dyn Waiter>, StoreError> {
    let place = path.clone();
    let trouble = |e: notify::Error| StoreError::Watch { path: place.clone(), detail: e.to_string() };
    // Room for one: any number of commits before the next look are one wake-up.
    let (wake, signals) = sync_channel(1);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Trouble of the watcher (such as an overflow) wakes too: looking once too often is harmless.
        if event.as_ref().map_or(true, is_signal) {
            let _ = wake.try_send(());
        }
    })
    .map_err(trouble)?;
    watcher.watch(&path, RecursiveMode::NonRecursive).map_err(trouble)?;
    Ok(Box::new(SignalWaiter { signals, path, _watcher: watcher }))
}

/// Opening or closing the file happens before the byte is there and must not wake.
fn is_signal(event: &notify::Event) -> bool {
    event.need_rescan()
        || matches!(event.kind, EventKind::Modify(kind) if !matches!(kind, ModifyKind::Metadata(_)))
}

impl Waiter for SignalWaiter {
    fn wait(&mut self, timeout: Duration) -> Result<Woken, StoreError> {
        match self.signals.recv_timeout(timeout) {
            Ok(()) => Ok(Woken::Signal),
            Err(RecvTimeoutError::Timeout) => Ok(Woken::Timeout),
            Err(RecvTimeoutError::Disconnected) => Err(StoreError::Watch {
                path: self.path.clone(),
                detail: "the watching thread ended".to_owned(),
            }),
        }
    }
}
