//! The MCP server: a hub's operations as tools that any MCP client can call.
//!
//! Owns the protocol, the table of tools, who a connection is, and the text a model reads. It owns no rule of the team:
//! every tool becomes a request to the hub. It reads no environment and no clock of the day; the binary gathers the
//! facts about the process and opens the hub.

mod connection;
mod desk;
mod envelope;
mod http;
mod hub;
mod inbox;
mod ledger;
mod lock;
mod outcome;
mod render;
mod server;
mod slim;
mod stdio;
mod tools;
mod transport;

pub use connection::Facts;
pub use http::{HttpAddress, HttpServer};
pub use hub::{Door, Resident};
pub use stdio::serve_stdio;
pub use tools::{names as tool_names, tool_of};
