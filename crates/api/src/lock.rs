//! The one way this crate locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a holder panicked: no lock here guards a change of more than one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
