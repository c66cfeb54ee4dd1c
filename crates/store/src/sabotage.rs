//! Deliberate faults, so that each checker can be seen failing. Compiled only with the feature `sabotage`.
//!
//! Owns the switch and the names. Each fault lives where the honest code lives, behind the same feature.

use std::sync::atomic::{AtomicU8, Ordering};

/// A fault that a durability or delivery checker must catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Sabotage {
    /// Everything works.
    None = 0,
    /// Commits are not flushed to the disk. Takes effect for connections that have not written yet.
    NoFsync,
    /// Waiters are woken before the commit they should see.
    SignalBeforeCommit,
    /// A commit is rolled back and reported as done.
    SkipCommit,
    /// Each statement of a write is committed on its own.
    TornCommit,
    /// A commit that failed is reported as done.
    SwallowErrors,
    /// A caller's key is ignored.
    ForgetKeys,
    /// A damaged database is replaced by a new one without a word.
    RepairSilently,
    /// A rebuild leaves something out.
    SloppyRebuild,
    /// Who holds the gate does not say so.
    NamelessGate,
    /// A waiter polls.
    BusyWait,
    /// Messages count as delivered when they are taken.
    DeliverOnTake,
    /// A message that was offered to one session is offered to the next as well.
    OfferToAll,
    /// Looking into an inbox writes.
    IdleWrite,
}

/// The faults by the names that tests use for them.
const NAMES: [(&str, Sabotage); 13] = [
    ("no_fsync", Sabotage::NoFsync),
    ("signal_before_commit", Sabotage::SignalBeforeCommit),
    ("skip_commit", Sabotage::SkipCommit),
    ("torn_commit", Sabotage::TornCommit),
    ("swallow_errors", Sabotage::SwallowErrors),
    ("forget_keys", Sabotage::ForgetKeys),
    ("repair_silently", Sabotage::RepairSilently),
    ("sloppy_rebuild", Sabotage::SloppyRebuild),
    ("nameless_gate", Sabotage::NamelessGate),
    ("busy_wait", Sabotage::BusyWait),
    ("deliver_on_take", Sabotage::DeliverOnTake),
    ("offer_to_all", Sabotage::OfferToAll),
    ("idle_write", Sabotage::IdleWrite),
];

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

impl Sabotage {
    /// The fault of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, fault)| *fault)
    }
}
