//! The manual pages, made from the same words as the help.

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use serde_json::json;

use crate::cli::Cli;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Everybody on the machine reads manuals.
const DIRECTORY_MODE: u32 = 0o755;

/// Prints the manual page, or writes all of them into a directory.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent man | man -l -\n  interagent man --out ~/.local/share/man/man1"
)]
pub(crate) struct Man {
    /// Write one page for each command into this directory instead.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        // A page for each page of `help` would say everything twice.
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        match self.out {
            None => {
                let page = rendered(command)?;
                match session.is_for_people() {
                    true => session.printer.raw(page.as_bytes()),
                    false => session.document(0, &json!({ "page": page })),
                }
            }
            Some(directory) => {
                let written = write_all(command, &directory)?;
                let shown = directory.display().to_string();
                match session.is_for_people() {
                    true => session.printer.line(&[
                        (Role::Good, "wrote"),
                        (Role::Plain, &format!(" {written} pages to {shown}")),
                    ]),
                    false => session.document(0, &json!({ "directory": shown, "pages": written })),
                }
            }
        }
        session.conclude(Done::Looked)
    }
}

fn write_all(command: clap::Command, directory: &Path) -> Result<usize, CliError> {
    let failed = |what: &Path, source: std::io::Error| {
        CliError::new(ErrorKind::Unavailable, format!("cannot write `{}`", what.display()))
            .with_source(source)
            .with_hint("choose another place with --out DIR")
    };
    files::make_directories(directory, DIRECTORY_MODE).map_err(|source| failed(directory, source))?;
    let mut left = vec![command];
    let mut written = 0;
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().cloned());
        let name = format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()));
        files::write(directory, &name, &rendered(command)?)
            .map_err(|source| failed(&directory.join(&name), source))?;
        written += 1;
    }
    Ok(written)
}

fn rendered(command: clap::Command) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    Page::new(command).manual("interagent").render(&mut bytes).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "the manual page could not be made").with_source(source)
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
