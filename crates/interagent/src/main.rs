//! `interagent`: the program that turns coding agents and the person who runs them into a team.
#![expect(dead_code, reason = "the commands that use these modules come next")]

mod config;
mod error;
mod exit_code;
mod ui;

fn main() {}
