//! The first page of help: the commands by topic, so that a newcomer finds the few that matter first.
//!
//! Owns which command belongs to which topic. What a command says of itself comes from the list of commands.

use std::fmt::Write;

use clap::CommandFactory;
use clap::builder::StyledStr;

use super::Cli;
use crate::ui::wrap::wrap;

/// Topics in the order in which people need them; the commands of one, too.
const TOPICS: [(&str, &[&str]); 6] = [
    ("Start", &["demo", "setup", "init", "quick", "relay", "run", "summary", "status", "watch", "whoami"]),
    ("Talk", &["send", "say", "inbox", "reply", "read", "ack", "msg", "wait", "wake"]),
    ("Team", &["up", "ps", "attach", "restart", "down", "join", "control", "notify"]),
    ("Work", &["task", "report", "delegate", "review", "decision", "spec", "skill", "lease"]),
    ("Know", &["log", "search", "briefing", "operations", "man", "completion"]),
    (
        "Keep",
        &[
            "agent",
            "team",
            "guard",
            "session",
            "supervise",
            "trust",
            "mcp",
            "api",
            "hook",
            "doctor",
            "export",
            "backup",
            "restore",
            "sync",
            "replica",
            "import",
            "inbox-write",
            "hold",
            "purge",
            "update-template",
            "call",
        ],
    ),
];
/// What is in no topic yet is shown all the same.
const REST: &str = "More";

/// Wider lines are harder to read.
const WIDEST: usize = 100;
const INDENT: usize = 2;

/// Which help was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Long,
}

/// The first page of help, for a screen of this width.
pub(crate) fn first_page(length: Length, width: usize) -> StyledStr {
    // Not built: the list needs the first lines only.
    let command = Cli::command();
    let about = match length {
        Length::Short => "{about}\n",
        Length::Long => "{about-with-newline}",
    };
    let template = format!(
        "{about}\n{{usage-heading}} {{usage}}\n\n{}{{all-args}}{{after-help}}",
        commands(&command, width)
    );
    // What stands under its topic is not listed again.
    let mut command = command
        .help_template(template)
        .override_usage("interagent [OPTIONS] <COMMAND>")
        .mut_subcommands(|verb| verb.hide(true));
    match length {
        Length::Short => command.render_help(),
        Length::Long => command.render_long_help(),
    }
}

fn commands(command: &clap::Command, width: usize) -> String {
    let heading = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let all: Vec<&clap::Command> = command.get_subcommands().filter(|verb| !verb.is_hide_set()).collect();
    let column = all.iter().map(|verb| verb.get_name().len()).max().unwrap_or(0) + 2 * INDENT;
    let mut page = String::new();
    let mut section = |topic: &str, members: &[&&clap::Command]| {
        if members.is_empty() {
            return;
        }
        // Writing into a string can't fail.
        let _ = writeln!(page, "{heading}{topic}:{heading:#}");
        for verb in members {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let about = wrap(&about, width.min(WIDEST), column);
            let gap = column - INDENT - verb.get_name().len();
            let about = about.get(column..).unwrap_or_default();
            let _ = writeln!(page, "  {literal}{}{literal:#}{:gap$}{about}", verb.get_name(), "");
        }
        page.push('\n');
    };
    for (topic, names) in TOPICS {
        let members: Vec<_> =
            names.iter().filter_map(|name| all.iter().find(|verb| verb.get_name() == *name)).collect();
        section(topic, &members);
    }
    let rest: Vec<_> = all.iter().filter(|verb| !has_topic(verb.get_name())).collect();
    section(REST, &rest);
    page
}

fn has_topic(name: &str) -> bool {
    TOPICS.iter().any(|(_, names)| names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_topic_and_every_topic_only_commands() {
        let command = Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        for name in &names {
            assert!(has_topic(name), "{name} has no topic: add it to TOPICS");
        }
        for name in TOPICS.iter().flat_map(|(_, names)| *names) {
            assert!(names.contains(name), "there is no command {name}");
        }
    }
}
