//! The program from the outside: what people type, what they see, and the exit code.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod canary;
mod compat;
mod completion;
mod conversation;
mod demo;
mod files;
mod guard;
mod holding;
mod hooks;
mod hostile;
mod hub;
mod identity;
mod inbox_write;
mod looking_back;
mod mail;
mod manual;
mod moving;
mod output;
mod pager;
mod reports;
mod robust;
mod run;
mod sending;
mod setup;
mod signals;
mod specs;
mod terminal;
mod together;
mod upkeep;
mod usage;
mod work;
