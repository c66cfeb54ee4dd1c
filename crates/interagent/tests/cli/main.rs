//! The program from the outside: what people type, what they see, and the exit code.

mod hub;
mod mail;
mod output;
mod upkeep;
mod usage;
mod work;
