//! Everything a member can do, once: authorised, decided, stored, answered.
//!
//! Surfaces hold a [`Hub`] and translate; they own no rule. An operation identifies its caller, loads a bounded snapshot
//! inside the write transaction, lets the core decide, and answers from the state after it.

mod announce;
mod authority;
mod board;
mod call;
pub mod catalog;
mod clients;
mod control;
mod decisions;
mod detached;
mod draw;
mod guard;
mod hook;
mod identity;
mod inbox;
mod input;
pub mod ladder;
mod leases;
mod legacy;
pub mod letters;
mod life;
mod local;
mod mail;
mod merge;
mod messages;
mod names;
mod operator;
mod people;
mod reach;
mod record;
mod repeats;
mod replicas;
mod resolve;
mod reviews;
mod scan;
mod seats;
mod sessions;
mod signal_files;
mod signals;
mod skills;
mod specs;
mod tasks;
mod team;
mod tokens;
mod tools;
mod traffic;
mod undecided;
mod wake;
mod workspace;

use std::time::Duration;

use interagent_core::refusal::Refusal;
use interagent_wire::{Caller, Reply, Request};

pub use authority::authority_without_hub;
pub use interagent_store::live::Waiting;
pub use life::{Crew, CrewRow};
pub use local::{LocalHub, Opening};
pub use merge::{AfterTakeIn, Conflict};
pub use operator::Notifier;
pub use replicas::{KnownReplica, known_replicas};
pub use signal_files::carry_out;
pub use workspace::{must_be_ours, must_fit_team};

/// What a waiting caller wants to be woken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitFor {
    /// Any entry after this place of the log.
    Entry {
        /// The last place the caller has seen.
        after: i64,
    },
    /// Messages that may wake an idle session. Nobody asks whether its agent may wait: it is not in a turn.
    Wake {
        /// The client's id for the session.
        session: String,
    },
    /// Unread messages that no session was offered yet.
    Mail {
        /// Whose: a name or id; the caller when left out.
        agent: Option<String>,
    },
}

/// How a wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There is something; the log stands at this place.
    Ready {
        /// Entries in the log.
        seq: i64,
    },
    /// The time is over.
    TimeOver,
}

/// A hub, wherever it is. The only thing a surface talks to.
pub trait Hub {
    /// Carries out one operation for a caller.
    fn call(&mut self, caller: &Caller, request: Request) -> Result<Reply, Refusal>;

    /// Sleeps until there is something for the caller, or the time is over.
    fn wait(&mut self, caller: &Caller, wanted: &WaitFor, timeout: Duration) -> Result<Waited, Refusal>;
}
