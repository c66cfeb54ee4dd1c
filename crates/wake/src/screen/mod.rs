//! What stands on a client's screen: the capture, and the reader that fails closed.

mod capture;
mod reader;

pub use capture::{Capture, Cell, Colour, Row};
pub use reader::{Held, Reading, Seen, read};
