//! The one door to the terminal.
//!
//! Owns everything a person sees: what is printed, its colours, its width, its words for times. Text that somebody
//! else wrote passes [`harmless`] here, so no caller can forget it. Nothing else in the program prints.

pub(crate) mod harmless;
mod line;
pub(crate) mod look;
pub(crate) mod pager;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod wrap;
