//! The API for local programs: the catalog's operations as lines of JSON on two streams.
//!
//! Owns the protocol: requests, answers, waiting, events, and the order in which they are served. It owns no rule of the
//! team: every request becomes a request to the hub. It reads no environment; the binary gathers the facts about the
//! caller once and opens the hub. The protocol is documented in docs/reference/api.md.

mod hub;
mod line;
mod lock;
mod out;
mod protocol;
mod server;
#[cfg(test)]
mod tests;
mod waits;

pub use hub::{HubNeed, HubOpener, ServedHub};
pub use protocol::VERSION;
pub use server::{ApiStreams, ServeOutcome, serve};
