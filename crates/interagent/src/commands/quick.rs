//! Delegating in one step: a task, its assignee, the message that announces it, and what to tell the agent.

use clap::Args;
use interagent_core::vocabulary::Priority;
use interagent_wire::request::{TaskCreate, TaskRoute};

use crate::cli::with_short_form;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::input::text_or_stdin;
use crate::session::{Done, Session};

const FOR_WHOM: &str = "Assigner [default: you, or the captain in a captain team]";

/// Gives somebody a task in one step: creates it, assigns it, sends the message, and says what to tell the agent.
///
/// Without --to it goes to whom it fits best: who owns the files it names, is good at what it asks for, has least to do
/// and is there.
#[derive(Debug, Args)]
#[command(
    mut_arg("from_agent", |from| with_short_form(from).help(FOR_WHOM)),
    after_help = "Examples:\n  interagent quick --to kimi \"Design database schema\"\n  interagent quick Implement user auth --priority high\n  interagent quick --explain Review the login change"
)]
pub(crate) struct Quick {
    /// The task in one line; quotes are not needed.
    #[arg(required = true, num_args = 1.., value_name = "TASK")]
    words: Vec<String>,
    #[command(flatten)]
    whom: Whom,
}

impl Quick {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        self.whom.give(session, self.words.join(" "), None)
    }
}

/// Gives somebody a task with a description in one step; `interagent quick` in long.
///
/// Without --to it goes to whom it fits best: who owns the files it names, is good at what it asks for, has least to do
/// and is there.
#[derive(Debug, Args)]
#[command(
    mut_arg("from_agent", |from| with_short_form(from).help(FOR_WHOM)),
    after_help = "Example:\n  interagent delegate --to kimi --task 'Add auth' --description 'No tokens.'"
)]
pub(crate) struct Delegate {
    /// The task in one line.
    #[arg(long, value_name = "TASK")]
    task: String,
    /// The text, in Markdown; `-` reads it from standard input.
    #[arg(short = 'd', long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    #[command(flatten)]
    whom: Whom,
}

impl Delegate {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let description = self.description.map(text_or_stdin).transpose()?;
        self.whom.give(session, self.task, description)
    }
}

// No doc comment here: clap would show it as the help of every command that has it.
#[derive(Debug, Args)]
struct Whom {
    /// Who does it: a name or id; whom it fits best when left out.
    #[arg(short = 't', long, value_name = "NAME")]
    to: Option<String>,
    /// low, medium, high or critical.
    #[arg(long)]
    priority: Option<Priority>,
    /// What it needs somebody to be good at; guessed from the words when left out.
    #[arg(long)]
    capability: Option<String>,
    /// A file it is about; guessed from the words when left out. Once for each.
    #[arg(long = "path", value_name = "PATH")]
    files: Vec<String>,
    /// Only show who would get it and why; creates nothing.
    #[arg(long, conflicts_with = "to")]
    explain: bool,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Whom {
    fn give(
        self,
        session: &mut Session,
        title: String,
        description: Option<String>,
    ) -> Result<ExitCode, CliError> {
        let Self { to, priority, capability, files, explain, key } = self;
        session.speak_for_principal();
        if explain {
            return session.ask(TaskRoute { title, description, capability, files });
        }
        let route = to.is_none();
        let reply = session.call(TaskCreate {
            title,
            description,
            assignee: to,
            route,
            priority,
            capability,
            files,
            key,
            ..TaskCreate::default()
        })?;
        session.show(if route { "quick routed" } else { "quick" }, &reply)?;
        session.conclude(Done::Committed)
    }
}
