//! The command line: global options and the list of commands.
//!
//! Owns which commands there are. Their arguments stand beside what they do, in `commands`; the doc comments are the
//! help. Every command is built only when it is called (`defer`), because building all of them costs more than opening
//! the store.

#[cfg(test)]
mod reference;
pub(crate) mod topics;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    agent, api, attach, briefing, call, completion, control, decision, demo, doctor, down, export, guard,
    hold, hook, import, inbox, inbox_write, init, join, lease, log, man, mcp, msg, notify, ps, purge, quick,
    read, relay, replica, restore, review, run, say, search, send, session, setup, skill, spec, status,
    supervise, sync, task, team, trust, up, wait, wake, watch,
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
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) color: ColourChoice,
    /// Act in the name of an agent; only for the operator, and the log says so.
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true, help_heading = "Global options")]
    pub(crate) from_agent: Option<String>,
    /// Show long answers as they are; without it they go through INTERAGENT_PAGER, PAGER or `less -FRX`.
    #[arg(long, global = true, hide_short_help = true, help_heading = "Global options")]
    pub(crate) no_pager: bool,
}

/// Gives `--from-agent` its short form, in the commands that have it. Not everywhere: `-f` means other things elsewhere.
///
/// For `mut_arg` of a deferred command, which has got its global options by then.
pub(crate) fn with_short_form(from_agent: clap::Arg) -> clap::Arg {
    from_agent.short('f')
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
    /// Connects the coding clients of this machine with the team.
    Setup(setup::Setup),
    /// Trust this project's files after seeing what they do.
    Trust(trust::Trust),
    #[command(subcommand)]
    Team(team::Team),
    #[command(subcommand)]
    Agent(agent::Agent),
    /// Says who you are here, and how that was decided.
    Whoami(agent::Whoami),
    /// Shows what everybody is doing, or says what you are doing.
    #[command(visible_alias = "board")]
    Status(status::Status),
    /// Gives somebody a task in one step and says what to tell the agent.
    Quick(quick::Quick),
    /// Gives somebody a task with a description in one step.
    Delegate(quick::Delegate),
    /// Writes the prompt to paste to an agent: what waits for it, with the commands.
    Relay(relay::Relay),
    /// Runs an agent's client once without a person, with its mail in the prompt.
    Run(run::Run),
    /// Starts the team's clients in tmux, each in a pane of its own.
    Up(up::Up),
    /// Ends the clients that `up` started, and nothing else.
    Down(down::Down),
    /// Starts agents' clients anew, each in the pane it has.
    Restart(up::Restart),
    /// Shows the team's terminals, with one agent's in front.
    Attach(attach::Attach),
    /// Shows who lives and what everybody does, by hook, process and terminal.
    Ps(ps::Ps),
    /// Turns the terminal you are in into an agent of the team.
    Join(join::Join),
    /// Sends a message.
    Send(send::Send),
    /// Says something to an agent in your name, and tells how soon it is seen.
    Say(say::Say),
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
    /// Reports on a task: done completes it, failed closes it, blocked says so.
    Report(Box<task::report::Report>),
    #[command(subcommand)]
    Skill(skill::Skill),
    #[command(subcommand)]
    Review(review::Review),
    #[command(subcommand)]
    Spec(spec::Spec),
    #[command(subcommand)]
    Decision(decision::Decision),
    #[command(subcommand)]
    Lease(lease::Lease),
    #[command(subcommand)]
    Guard(guard::Guard),
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
    /// Writes the prompt that has an agent bring the kickoff template up to date.
    UpdateTemplate(relay::UpdateTemplate),
    #[command(subcommand)]
    Hold(hold::Hold),
    /// Deletes the texts of an entity everywhere.
    Purge(purge::Purge),
    /// Sleeps until there is new mail.
    Wait(wait::Wait),
    /// Tells of messages, tasks and verdicts as they happen.
    #[command(visible_alias = "watchdog")]
    Watch(watch::Watch),
    /// Serves agents' MCP clients, on standard input and output or over HTTP.
    Mcp(mcp::Mcp),
    /// Serve the API for local programs, one JSON document a line.
    Api(api::Api),
    /// Wakes an agent's idle session when mail waits for it.
    Wake(wake::Wake),
    /// Wakes agents and takes what nobody answers up the ladder, for as long as it runs.
    Supervise(supervise::Supervise),
    /// Has an agent's session cleared, changed to another model, stopped or resumed.
    Control(control::Control),
    /// Shows how you are told that something waits for you, tries it, or does it.
    Notify(notify::Notify),
    /// Answers a hook of a coding client.
    Hook(hook::Hook),
    /// Calls an operation with its parameters as JSON.
    Call(call::Call),
    /// Lists every operation.
    Operations(call::Operations),
    /// Looks for trouble and names the command that helps.
    Doctor(doctor::Doctor),
    /// Writes the whole record out: for other tools, or for people to read.
    Export(export::Export),
    /// Copies the hub's store into a new file.
    Backup(doctor::Backup),
    /// Puts a backup in the place of the hub's store, after a loss.
    Restore(restore::Restore),
    /// Keeps the team's history in git, brings clones together, and writes the hub's files.
    Sync(sync::Sync),
    #[command(subcommand)]
    Replica(replica::Replica),
    /// Takes over what InterAgent, the Interagent MCP server, a Captain system or Kavi left.
    Import(import::Import),
    /// Writes to an agent by the words of the Captain system, for its scripts.
    InboxWrite(inbox_write::InboxWrite),
    /// Prints the script that completes commands, names and ids in a shell.
    Completion(completion::Completion),
    /// Prints the manual page, or writes all of them into a directory.
    Man(man::Man),
}

/// Understands the command line.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    match parse_called(arguments) {
        Some(cli) => Ok(cli),
        None => Cli::try_parse_from(arguments),
    }
}

/// The quick way: only the command that is called takes part in parsing, because the global options are copied into each
/// that does. Whatever does not fit at once, mistakes and help among it, goes the whole way.
fn parse_called(arguments: &[OsString]) -> Option<Cli> {
    let called = called(arguments.get(1)?.to_str()?)?;
    let mut command = Global::augment_args(clap::Command::new("interagent")).subcommand(called);
    let parsed = command.try_get_matches_from_mut(arguments).ok();
    let cli = parsed.and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches).ok());
    // Taking it apart costs as much as parsing, for a process that ends soon.
    std::mem::forget(command);
    cli
}

/// One command of the list. Those that hooks, scripts and agents run all day are made without making the list.
fn called(name: &str) -> Option<clap::Command> {
    type Build = fn(clap::Command) -> clap::Command;
    const OFTEN: [(&str, Build); 6] = [
        ("ack", read::Ack::augment_args),
        ("inbox", inbox::Inbox::augment_args),
        ("read", read::Read::augment_args),
        ("reply", send::Reply::augment_args),
        ("send", send::Send::augment_args),
        ("wait", wait::Wait::augment_args),
    ];
    if let Some((name, build)) = OFTEN.iter().find(|(often, _)| *often == name) {
        return Some(clap::Command::new(name).defer(*build));
    }
    let all = Cli::command();
    let found = all.find_subcommand(name).cloned();
    std::mem::forget(all);
    found
}

/// A wrong command line as an error for programs.
pub(crate) fn usage_error(rendered: &str) -> CliError {
    let mut lines = rendered.lines().map(str::trim);
    let mut sentence =
        lines.next().unwrap_or("the command line is wrong").trim_start_matches("error: ").to_owned();
    if sentence.ends_with(':') {
        // What is missing stands below, one on each line: it is what the sentence is about.
        let named: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        sentence = format!("{sentence} {}", named.join(", "));
    }
    lines.filter(|line| !line.is_empty()).fold(CliError::new(ErrorKind::Usage, sentence), CliError::with_hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Every command and every group of commands.
    fn below(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            let path = format!("{path} {}", verb.get_name());
            below(verb, &path, found);
            found.push((path, verb.clone()));
        }
    }

    #[test]
    fn every_command_says_what_it_does_and_shows_an_example() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        let mut found = Vec::new();
        below(&cli, "interagent", &mut found);
        assert!(found.len() > 80, "{}", found.len());
        for (path, command) in found {
            assert!(command.get_about().is_some(), "{path} has no help");
            let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.contains(&path), "{path} shows no example of itself: {example}");
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{path} {} has no help", argument.get_id());
            }
        }
    }

    /// The words of a command line as a shell reads them, up to where another command begins.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars() {
            match (quote, c) {
                (None, '|' | '>' | '<' | '&') => break,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (Some(open), c) if c == open => quote = None,
                (None, ' ') => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    #[test]
    fn every_example_in_the_help_is_understood() {
        let mut cli = Cli::command();
        cli.build();
        let mut found = Vec::new();
        below(&cli, "interagent", &mut found);
        let mut examples = 0;
        for (path, command) in found {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().map(str::trim).filter(|line| line.starts_with("interagent ")) {
                let understood = Cli::try_parse_from(words(line));
                assert!(understood.is_ok(), "{path}: {line}: {}", understood.unwrap_err());
                examples += 1;
            }
            // A line that is broken can't be copied.
            let widest = help.lines().map(str::len).max().unwrap_or_default();
            assert!(widest <= 80, "{path} has an example that a screen of 80 columns breaks: {help}");
        }
        assert!(examples > 90, "{examples}");
    }

    #[test]
    fn a_command_made_alone_is_the_one_of_the_list() {
        let mut list = Cli::command();
        list.build();
        for command in list.get_subcommands().filter(|command| command.get_name() != "help") {
            let mut alone = Global::augment_args(clap::Command::new("interagent"));
            alone = alone.subcommand(called(command.get_name()).unwrap());
            alone.build();
            let alone = alone.find_subcommand(command.get_name()).unwrap();
            let described = |command: &clap::Command| {
                command.get_arguments().map(|argument| format!("{argument:?}")).collect::<Vec<_>>()
            };
            assert_eq!(described(alone), described(command), "{}", command.get_name());
        }
    }

    #[test]
    fn the_short_form_on_behalf_is_the_global_option() {
        for line in
            ["msg send -f claude --to kimi -m hello", "--from-agent claude msg send --to kimi -m hello"]
        {
            let words = std::iter::once("interagent").chain(line.split(' '));
            assert_eq!(
                Cli::try_parse_from(words).unwrap().global.from_agent.as_deref(),
                Some("claude"),
                "{line}"
            );
        }
        assert!(Cli::try_parse_from(["interagent", "log", "-f"]).unwrap().global.from_agent.is_none());
    }

    #[test]
    fn a_wrong_command_line_is_one_sentence_and_its_hints() {
        let error = usage_error("error: unexpected argument '--x'\n\nUsage: interagent send\n\nFor more\n");
        insta::assert_snapshot!(error.lines().join("\n"), @r"
        error: unexpected argument '--x'
        hint: Usage: interagent send
        hint: For more
        ");
        let missing = "error: the following required arguments were not provided:\n  --to <NAME>\n  <TEXT>\n\nUsage: x\n";
        insta::assert_snapshot!(usage_error(missing).lines().join("\n"), @r"
        error: the following required arguments were not provided: --to <NAME>, <TEXT>
        hint: Usage: x
        ");
    }
}
