//! The MCP server from the outside: the real program on pipes, with clients of our own and the official Python SDK.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

mod compat;
mod events;
mod fuzz;
mod http;
mod http_mail;
mod http_refuse;
mod http_token;
mod identity;
mod mail;
mod operator;
mod parallel;
mod protocol;
mod python_sdk;
mod signals;
mod support;
mod work;
