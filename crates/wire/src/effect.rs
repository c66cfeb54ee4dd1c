//! What is left to do on the agent's machine once an operation was committed.
//!
//! A hub decides it and whoever is there carries it out, after the answer, as well as it can. It names no file: places and
//! names follow from typed parts, so a hub elsewhere can point to nothing but the signal directory of a workspace.

use std::path::PathBuf;

use interagent_core::event::Micros;
use interagent_core::ids::MessageId;
use interagent_core::signal::{Place, Signal};
use serde::{Deserialize, Serialize};

/// A program on this machine, and the hub it wakes for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waker {
    /// Our own program.
    pub program: PathBuf,
    /// The hub's directory.
    pub hub_dir: PathBuf,
}

/// Something to do on the agent's machine. Doing it twice, late or not at all harms nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LocalEffect {
    /// Mail waits: leave a signal file.
    PutSignal {
        /// Where.
        place: Place,
        /// What it says.
        signal: Signal,
    },
    /// These messages wait no longer: take their signal files away.
    RemoveSignals {
        /// Where.
        place: Place,
        /// Which.
        messages: Vec<MessageId>,
    },
    /// Mail waits and the agent's session is idle: start what wakes it.
    Wake {
        /// Whose session.
        agent: String,
        /// What wakes it, and in which hub; a hub elsewhere names nothing of this machine.
        #[serde(skip)]
        with: Option<Waker>,
    },
    /// Something reached the operator and no supervisor runs: start what notifies them.
    Notify {
        /// The program that notifies them, and the hub. A remote hub names nothing on this machine.
        #[serde(skip)]
        with: Option<Waker>,
    },
    /// Nothing waits: take away what is left of the agent's signal files.
    ClearSignals {
        /// Where.
        place: Place,
        /// When nothing waited, by the wall clock. What was put since then stays.
        at: Micros,
    },
}
