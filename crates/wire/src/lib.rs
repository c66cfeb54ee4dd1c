//! Every JSON shape the outside sees: requests, answers, callers. Versioned, self-contained, without rules.
//!
//! CLI `--json`, MCP, HTTP and the Python package speak these shapes. Texts are whole strings, times are RFC 3339 in
//! UTC, agents are an id and a name. A field may be added; none changes its meaning under the same schema number.

pub mod answer;
pub mod caller;
pub mod effect;
pub mod report;
pub mod request;
mod time;

pub use answer::{Answer, Reply};
pub use caller::{Caller, CallerProcess};
pub use effect::{LocalEffect, Waker};
pub use request::Request;
pub use time::Time;

/// The number of this set of shapes.
pub const SCHEMA: u32 = 1;

/// Declares shapes: structs with the derives every shape needs.
macro_rules! shapes {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty),* $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty),* }
    )+};
}
pub(crate) use shapes;
