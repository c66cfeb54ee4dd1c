//! Reaching who does not look: terminals in tmux, and what may be typed into them.
//!
//! Owns every call of tmux, and telling the person outside of the terminal. Decides nothing about the team: who is to be reached, and
//! whether, is decided elsewhere.

pub mod control;
pub mod notify;
pub mod nudge;
pub mod process;
pub mod screen;
pub mod tmux;
