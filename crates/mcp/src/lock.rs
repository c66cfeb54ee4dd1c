//! The one way this crate locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after whoever held it panicked. What is locked here is taken out while it is worked with, or changed by
/// one assignment at a time, so a panic leaves nothing half done behind it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
