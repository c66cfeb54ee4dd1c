//! The command line: global options and the list of commands.
//!
//! Owns which commands there are. Their arguments stand beside what they do, in `commands`; the doc comments are the
//! help. Every command is built only when it is called (`defer`), because building all of them costs more than opening
//! the store.

#[cfg(test)]
mod reference;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::commands::{
    agent, briefing, call, decision, demo, doctor, inbox, init, lease, log, mcp, msg, purge, read, review,
    search, send, session, spec, status, task, team, wait,
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
///
/// The first line of each stands here too: the list of commands is shown without building them.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Plays a short story of two agents and you, and leaves its hub for you to explore.
    Demo(demo::Demo),
    /// Makes the hub of this project and its team file.
    Init(init::Init),
    #[command(subcommand)]
    Team(team::Team),
    #[command(subcommand)]
    Agent(agent::Agent),
    /// Says who you are here, and how that was decided.
    Whoami(agent::Whoami),
    /// Shows what everybody is doing, or says what you are doing.
    Status(status::Status),
    /// Sends a message.
    Send(send::Send),
    /// Replies to a message; a reply settles a question.
    Reply(send::Reply),
    /// Shows unread messages and what is owed.
    Inbox(inbox::Inbox),
    /// Shows one message with its text and how far it got.
    Read(read::Read),
    /// Marks messages as read by you.
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
    /// Lists entries of the log, follows it, or tells the history of one thing.
    Log(log::Log),
    /// Searches everything that was written.
    Search(search::Search),
    /// Says who an agent is, what its role obliges to, and what is open.
    Briefing(briefing::Briefing),
    /// Sums the team up: tasks, mail, what needs doing by whom.
    Summary(briefing::Summary),
    /// Deletes the texts of an entity everywhere.
    Purge(purge::Purge),
    /// Sleeps until there is new mail.
    Wait(wait::Wait),
    /// Serves an agent's MCP client on standard input and output.
    Mcp(mcp::Mcp),
    /// Calls an operation with its parameters as JSON.
    Call(call::Call),
    /// Lists every operation.
    Operations(call::Operations),
    /// Looks for trouble and names the command that helps.
    Doctor(doctor::Doctor),
    /// Copies the hub's store into a new file.
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
