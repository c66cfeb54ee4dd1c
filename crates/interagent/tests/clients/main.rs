//! Real agent clients use the MCP server, each with its own configuration file as the manual shows it, while a scripted
//! model on loopback says what to do. `cargo xtask test` installs them and runs claude and kimi, `--clients` more.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

mod http;
mod stdio;
mod story;
