//! Moving over: what other systems left behind becomes entries of the log.
//!
//! Readers turn foreign files into plain records and never fail as a whole; the writer turns records into entries that
//! keep their times, senders and ids. Both can be done again at any time: what was taken before stays as it is.

mod captain;
mod claude;
mod entries;
mod fields;
mod folder;
mod interagent;
mod kavi;
mod original;
mod people;
mod plan;
pub mod record;
mod report;
mod sift;
mod source;
mod write;
mod yaml;

pub use original::{Original, OriginalProblem};
pub use people::suggested;
pub use report::{Count, Renamed, Report};
pub use source::{Source, SourceProblem, System};
pub use write::{ImportError, preview, take};

#[cfg(test)]
mod tests;
