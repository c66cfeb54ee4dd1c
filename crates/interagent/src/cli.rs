//! The command line: global options and the list of commands.
//!
//! Owns which commands there are. Their arguments stand beside what they do, in `commands`; the doc comments are the
//! help. Every command is built only when it is called (`defer`), because building all of them costs more than opening
//! the store.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::commands::{
    agent, briefing, call, decision, doctor, inbox, init, lease, log, msg, purge, read, review, search, send,
    session, spec, status, task, team, wait,
};
use crate::error::{CliError, ErrorKind};
use crate::ui::look::ColourChoice;

/// Turns coding agents and the person who runs them into a team.
///
/// Who you are follows from where you call: an agent's process, its session or INTERAGENT_AGENT; otherwise you are the
/// operator.
#[derive(Debug, Parser)]
#[command(
    name = "interagent",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = "Exit codes: 0 done, 1 refused, 2 usage, 3 not found, 4 conflict, 5 unavailable.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Global {
    /// Answer with one JSON document.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// The hub, or the project that holds it, instead of the one found from here.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) hub: Option<OsString>,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub(crate) color: ColourChoice,
    /// Act in the name of an agent; only for the operator, and the log says so.
    #[arg(long, global = true, value_name = "NAME", help_heading = "Global options")]
    pub(crate) from_agent: Option<String>,
}

/// Every command.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Init(init::Init),
    #[command(subcommand)]
    Team(team::Team),
    #[command(subcommand)]
    Agent(agent::Agent),
    Whoami(agent::Whoami),
    Status(status::Status),
    Send(send::Send),
    Reply(send::Reply),
    Inbox(inbox::Inbox),
    Read(read::Read),
    Ack(read::Ack),
    #[command(subcommand)]
    Msg(msg::Msg),
    #[command(subcommand)]
    Task(task::Task),
    #[command(subcommand)]
    Review(review::Review),
    #[command(subcommand)]
    Spec(spec::Spec),
    #[command(subcommand)]
    Decision(decision::Decision),
    #[command(subcommand)]
    Lease(lease::Lease),
    #[command(subcommand)]
    Session(session::Session),
    Log(log::Log),
    Search(search::Search),
    Briefing(briefing::Briefing),
    Summary(briefing::Summary),
    Purge(purge::Purge),
    Wait(wait::Wait),
    Call(call::Call),
    Operations(call::Operations),
    Doctor(doctor::Doctor),
    Backup(doctor::Backup),
}

/// A wrong command line as an error for programs.
pub(crate) fn usage_error(rendered: &str) -> CliError {
    let mut lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    let sentence =
        lines.next().unwrap_or("the command line is wrong").trim_start_matches("error: ").to_owned();
    lines.fold(CliError::new(ErrorKind::Usage, sentence), CliError::with_hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn leaves(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        let is_callable = !command.is_subcommand_required_set();
        if is_callable {
            found.push((path.to_owned(), command.clone()));
        }
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            leaves(verb, &format!("{path} {}", verb.get_name()), found);
        }
    }

    #[test]
    fn every_command_says_what_it_does_and_shows_an_example() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        let mut found = Vec::new();
        leaves(&cli, "interagent", &mut found);
        assert!(found.len() > 70, "{}", found.len());
        for (path, command) in found {
            assert!(command.get_about().is_some(), "{path} has no help");
            let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.contains(&path), "{path} shows no example of itself: {example}");
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{path} {} has no help", argument.get_id());
            }
        }
    }

    #[test]
    fn a_wrong_command_line_is_one_sentence_and_its_hints() {
        let error = usage_error("error: unexpected argument '--x'\n\nUsage: interagent send\n\nFor more\n");
        insta::assert_snapshot!(error.lines().join("\n"), @r"
        error: unexpected argument '--x'
        hint: Usage: interagent send
        hint: For more
        ");
    }
}
