//! What the process was given: environment, home, terminal, place in the file system, ancestors.
//!
//! This is the only module that reads any of these. Everything below the binary gets them as plain values, which is
//! what keeps the rest of the program testable without a machine around it. Nothing here judges what it finds:
//! who the caller *is* is decided by the hub.

pub(crate) mod caller;
mod clients;
pub(crate) mod env;
pub(crate) mod facts;
pub(crate) mod git;
pub(crate) mod host;
pub(crate) mod hub;
pub(crate) mod inherited;
pub(crate) mod notify;
pub(crate) mod processes;
pub(crate) mod programs;
#[cfg(feature = "sabotage")]
pub(crate) mod sabotage;
pub(crate) mod signals;
pub(crate) mod surroundings;
pub(crate) mod tmux;
pub(crate) mod trees;
pub(crate) mod trust;
pub(crate) mod variables;
pub(crate) mod viewer;
