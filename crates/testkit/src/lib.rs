//! Tools for tests: writing facts without operations, exchanging logs, looking at raw view rows, the conformance
//! suite every storage engine must pass, the built program in a world of its own, and what it takes to kill it and to
//! judge what it left. Only ever a dev-dependency. Its helpers fail by panicking.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

pub mod clients;
pub mod conformance;
pub mod crash;
pub mod damage;
pub mod dump;
pub mod exchange;
pub mod facts;
pub mod happenings;
pub mod mcp;
pub mod ntfy;
pub mod older;
pub mod python;
pub mod sandbox;
pub mod terminal;

pub use sandbox::Sandbox;
