//! Setting clients up: what is written into which file, what stays, and what is left after an undo.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod golden;
mod kept;
mod property;
mod reference;
mod undo;
mod world;
