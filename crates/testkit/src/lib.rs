//! Tools for tests: writing facts without operations, exchanging logs, looking at raw view rows, and the conformance
//! suite every storage engine must pass. Only ever a dev-dependency. Its helpers fail by panicking.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

pub mod conformance;
pub mod dump;
pub mod exchange;
pub mod facts;
pub mod sandbox;

pub use sandbox::Sandbox;
