//! The SQLite engine against its promises: gate, signal, refusals, migrations, backup, log size, modes.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail like tests")]

#[path = "engine/support.rs"]
mod support;

#[path = "engine/files.rs"]
mod files;
#[path = "engine/gate.rs"]
mod gate;
#[path = "engine/refusals.rs"]
mod refusals;
#[path = "engine/signal.rs"]
mod signal;
#[path = "engine/transactions.rs"]
mod transactions;
