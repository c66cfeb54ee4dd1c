//! Real agent clients as test clients: a scripted model on loopback, one adapter for each client, and a stage with a
//! home and a project of its own on which a client runs without a person.
//!
//! The clients are installed by `cargo xtask test`; what a client is configured with is read from the manual, so that
//! the manual is what is tested.

mod adapters;
mod installed;
mod manual;
mod network;
pub mod relay;
mod session;
mod stage;
mod tmux;

pub use adapters::{Client, Settings, Shows, Terminal, client, names};
pub use installed::Installed;
pub use interagent_mock_model::{By, Conversation, Item, Kind, MockModel, Request, Tool, Turn};
pub use manual::Manual;
pub use network::{Network, within_own_network};
pub use session::Session;
pub use stage::{Place, Server, Stage};
