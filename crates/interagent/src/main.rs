//! `interagent`: the program that turns coding agents and the person who runs them into a team.
//!
//! Owns the way from the command line to the exit code. What a command does is in `commands`, what it shows in `show`,
//! how that reaches the terminal in `ui`, and what the program takes from its surroundings in `config`.

mod change;
mod cli;
mod commands;
mod completion;
mod config;
mod connect;
mod crew;
mod editor;
mod error;
mod exit_code;
mod files;
mod git;
mod guard;
mod hook;
mod input;
mod instructions;
mod notify;
mod session;
mod show;
mod supervise;
mod team_file;
mod tools;
mod ui;
mod values;
mod watch;

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::ErrorKind as ClapError;
use interagent_wire::SCHEMA;
use serde_json::json;

use cli::topics::{self, Length};
use cli::{Cli, Global};
use config::env::{self, Env};
use config::inherited;
use config::signals;
use exit_code::ExitCode;
use session::Session;
use ui::look::{ColourChoice, Role};
use ui::printer::{Form, Printer};

/// How the usage of the program itself is written, and of no command of it.
const FIRST_USAGE: &str = "Usage: interagent [OPTIONS] <COMMAND>";

fn main() -> std::process::ExitCode {
    #[cfg(feature = "sabotage")]
    if !config::sabotage::arm() {
        return ExitCode::Usage.into();
    }
    signals::survive_the_file_size_limit();
    let env = Env::from_process();
    let arguments = env::arguments();
    if let Some(shell) = &env.completes_for {
        return offer(&env, shell, &arguments).into();
    }
    if let Some(call) = hook::called(&arguments)
        && !env.terminals.stdin
    {
        let goes_nowhere = env.terminals.stdout_is_null;
        return hook::run(env, call).print(goes_nowhere);
    }
    match cli::parse(&arguments) {
        Ok(Cli { global, command }) => run(env, global, command),
        Err(error) => explain(&env, &arguments, &error),
    }
    .into()
}

/// Answers a shell that asks what could be typed next. It is told nothing else, not even of trouble.
fn offer(env: &Env, shell: &str, arguments: &[OsString]) -> ExitCode {
    let mut printer = Printer::for_process(env, Form::People, ColourChoice::Never);
    printer.raw(&completion::answer(env, shell, arguments));
    let _ = printer.finish();
    ExitCode::Done
}

fn run(env: Env, global: Global, command: cli::Command) -> ExitCode {
    let mut session = Session::new(inherited::without_inherited(env), global);
    let code = match commands::run(command, &mut session) {
        Ok(code) => code,
        Err(error) => {
            session.printer.error(&error);
            // Standard error was told already, or there is nobody left to tell.
            let _ = session.printer.flush();
            error.exit_code()
        }
    };
    session.leave();
    code
}

/// Help and version are answers; everything else is a wrong command line.
fn explain(env: &Env, arguments: &[OsString], error: &clap::Error) -> ExitCode {
    // What stands behind `--` is a text, whatever it looks like.
    let options = arguments.iter().take_while(|argument| *argument != "--");
    let form = match options.into_iter().any(|argument| argument == "--json") {
        true => Form::Json,
        false => Form::People,
    };
    let mut printer = Printer::for_process(env, form, ColourChoice::Auto);
    match error.kind() {
        ClapError::DisplayVersion if form == Form::Json => {
            printer.json(
                &json!({ "schema": SCHEMA, "seq": 0, "answer": { "version": env!("CARGO_PKG_VERSION") } }),
            );
            ended(printer)
        }
        ClapError::DisplayHelp | ClapError::DisplayVersion => {
            let text = help(error, &printer);
            let text = if printer.look().colour { text.ansi().to_string() } else { text.to_string() };
            printer.raw(text.as_bytes());
            ended(printer)
        }
        _ => {
            let text = help(error, &printer).to_string();
            match form {
                Form::Json => printer.error(&cli::usage_error(&text)),
                Form::People => text.lines().for_each(|line| printer.note(Role::Plain, line)),
            }
            let _ = printer.finish();
            ExitCode::Usage
        }
    }
}

fn ended(printer: Printer<'_>) -> ExitCode {
    match printer.finish() {
        Ok(_) => ExitCode::Done,
        Err(_) => ExitCode::Unavailable,
    }
}

/// What clap says; its list of all commands becomes our page of topics.
fn help(error: &clap::Error, printer: &Printer<'_>) -> StyledStr {
    let text = error.render();
    let shown = text.to_string();
    let is_help =
        matches!(error.kind(), ClapError::DisplayHelp | ClapError::DisplayHelpOnMissingArgumentOrSubcommand);
    if !is_help || !shown.contains(FIRST_USAGE) {
        return text;
    }
    // Only the longer page speaks of the shorter one.
    let length = if shown.contains("'-h'") { Length::Long } else { Length::Short };
    topics::first_page(length, printer.look().width)
}
