//! The program from the outside: what people type, what they see, and the exit code.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod conversation;
mod hub;
mod looking_back;
mod mail;
mod output;
mod reports;
mod sending;
mod specs;
mod terminal;
mod together;
mod upkeep;
mod usage;
mod work;
