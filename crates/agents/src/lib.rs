//! How to speak to each kind of coding client: one profile per client, as data.
//!
//! Owns what a profile says, how a client is recognised by its process, and the editing of its files. Knows no hub: what is said to a client is
//! composed elsewhere.

mod canary;
mod hooks;
mod marks;
mod output;
mod plugin;
mod profile;
mod screen;
pub mod setup;
mod shipped;
mod template;
mod tools;
mod version;

pub use canary::Canary;
pub use hooks::{Event, Fields, Hooks, Means, Notice, Say, Trust};
pub use marks::{Marks, Seen};
pub use output::{Reading, Said};
pub use profile::{
    Control, Format, Handing, Headless, Launch, Line, Mcp, Place, Profile, ProfileError, Says, Setting, Wake,
    Way,
};
pub use screen::{Composer, Screen};
pub use shipped::{Profiles, shipped_marks};
pub use template::{Fill, fill, fill_words};
pub use tools::Tools;
pub use version::is_newer;
