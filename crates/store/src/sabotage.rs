//! Deliberate faults, so that each checker can be seen failing. Compiled only with the feature `sabotage`.
//!
//! Owns the switch. Each fault lives where the honest code lives, behind the same feature.

use std::sync::atomic::{AtomicU8, Ordering};

/// A fault that a durability or delivery checker must catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Sabotage {
    /// Everything works.
    None = 0,
    /// Commits are not flushed to the disk. Takes effect for connections that have not written yet.
    NoFsync = 1,
    /// Waiters are woken before the commit they should see.
    SignalBeforeCommit = 2,
    /// A commit is rolled back and reported as done.
    SkipCommit = 3,
}

static ACTIVE: AtomicU8 = AtomicU8::new(Sabotage::None as u8);

/// Switches a fault on for the whole process; `Sabotage::None` switches it off.
pub fn set(sabotage: Sabotage) {
    ACTIVE.store(sabotage as u8, Ordering::SeqCst);
}

/// True when this fault is on.
#[must_use]
pub fn is(sabotage: Sabotage) -> bool {
    ACTIVE.load(Ordering::SeqCst) == sabotage as u8
}
