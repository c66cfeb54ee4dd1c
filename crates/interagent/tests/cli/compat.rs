//! InterAgent's command line, word for word: its flags, its prompts, its modes, and every line of its documentation.

mod delegating;
mod documented;
mod flags;
mod modes;
mod overview;
