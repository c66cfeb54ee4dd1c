//! `interagent`: the program that turns coding agents and the person who runs them into a team.
//!
//! Owns the way from the command line to the exit code. What a command does is in `commands`, what it shows in `show`,
//! how that reaches the terminal in `ui`, and what the program takes from its surroundings in `config`.

mod cli;
mod commands;
mod config;
mod editor;
mod error;
mod exit_code;
mod files;
mod git;
mod input;
mod session;
mod show;
mod ui;
mod values;

use std::ffi::OsString;

use clap::Parser;
use clap::error::ErrorKind as ClapError;

use cli::{Cli, Global};
use config::env::{self, Env};
use exit_code::ExitCode;
use session::Session;
use ui::look::{ColourChoice, Role};
use ui::printer::{Form, Printer};

fn main() -> std::process::ExitCode {
    #[cfg(feature = "sabotage")]
    if !config::sabotage::arm() {
        return ExitCode::Usage.into();
    }
    let env = Env::from_process();
    let arguments = env::arguments();
    match Cli::try_parse_from(&arguments) {
        Ok(Cli { global, command }) => run(env, global, command),
        Err(error) => explain(&env, &arguments, &error),
    }
    .into()
}

fn run(env: Env, global: Global, command: cli::Command) -> ExitCode {
    let mut session = Session::new(env, global);
    match commands::run(command, &mut session) {
        Ok(code) => code,
        Err(error) => {
            session.printer.error(&error);
            // Standard error was told already, or there is nobody left to tell.
            let _ = session.printer.flush();
            error.exit_code()
        }
    }
}

/// Help and version are answers; everything else is a wrong command line.
fn explain(env: &Env, arguments: &[OsString], error: &clap::Error) -> ExitCode {
    let form = match arguments.iter().any(|argument| argument == "--json") {
        true => Form::Json,
        false => Form::People,
    };
    let mut printer = Printer::for_process(env, form, ColourChoice::Auto);
    match error.kind() {
        ClapError::DisplayHelp | ClapError::DisplayVersion => {
            let text = error.render();
            let text = if printer.look().colour { text.ansi().to_string() } else { text.to_string() };
            printer.raw(text.as_bytes());
            match printer.finish() {
                Ok(_) => ExitCode::Done,
                Err(_) => ExitCode::Unavailable,
            }
        }
        _ => {
            let text = error.to_string();
            match form {
                Form::Json => printer.error(&cli::usage_error(&text)),
                Form::People => text.lines().for_each(|line| printer.note(Role::Plain, line)),
            }
            let _ = printer.finish();
            ExitCode::Usage
        }
    }
}
