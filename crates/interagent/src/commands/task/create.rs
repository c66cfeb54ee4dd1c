//! Creating a task.

use clap::Args;
use interagent_core::vocabulary::Priority;
use interagent_wire::Request;
use interagent_wire::request::TaskCreate;

use crate::error::{CliError, ErrorKind};
use crate::input::{Body, text_or_stdin};

/// Creates a task and, with an assignee, gives it to them.
#[derive(Debug, Args)]
#[command(
    mut_arg("from_agent", |from_agent| from_agent.visible_alias("assigner")),
    after_help = "Examples:\n  interagent task create 'Keep the last token' --assignee kimi\n  interagent task create --title Login --criteria 'tests pass' 'no warnings'"
)]
pub(crate) struct Create {
    /// One line.
    title: Option<String>,
    /// The same as an option.
    #[arg(short = 't', long = "title", id = "title_option", value_name = "TITLE", conflicts_with = "title")]
    title_option: Option<String>,
    #[command(flatten)]
    body: Body,
    /// The text, in Markdown, as --message.
    #[arg(short = 'd', long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["message", "file"])]
    description: Option<String>,
    /// Who does it: a name or id.
    #[arg(short = 'a', long, visible_alias = "to", value_name = "NAME")]
    assignee: Option<String>,
    /// Give it to whom it fits best: by the paths they own, what they are good at, load and liveness.
    #[arg(long, conflicts_with = "assignee")]
    route: bool,
    /// low, medium, high or critical.
    #[arg(long)]
    priority: Option<Priority>,
    /// What it needs somebody to be good at.
    #[arg(long)]
    capability: Option<String>,
    /// Why it exists.
    #[arg(long)]
    purpose: Option<String>,
    /// What must be; once for each.
    #[arg(long = "requirement", value_name = "TEXT")]
    requirement: Vec<String>,
    /// What must be, several at once.
    #[arg(long, num_args = 1.., value_name = "TEXT")]
    requirements: Vec<String>,
    /// How one sees that it is done; once for each.
    #[arg(long = "criterion", value_name = "TEXT")]
    criterion: Vec<String>,
    /// How one sees that it is done, several at once.
    #[arg(long, num_args = 1.., value_name = "TEXT")]
    criteria: Vec<String>,
    /// The order or task it is part of.
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// What must be finished first.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "ID")]
    depends_on: Vec<String>,
    /// The branch to work on.
    #[arg(long)]
    branch: Option<String>,
    /// The files it is about.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "PATH")]
    files: Vec<String>,
    /// Where the result goes.
    #[arg(long, value_name = "PATH")]
    target_path: Option<String>,
    /// The cheerful line at its end.
    #[arg(long, value_name = "TEXT")]
    echo_message: Option<String>,
    /// A word that names it wherever its id would, such as its number in another system; once for each.
    #[arg(long = "alias", value_name = "WORD")]
    aliases: Vec<String>,
    /// Do not notify the assignee.
    #[arg(long)]
    quiet: bool,
    /// Accepted for older scripts: the assignee is notified by default.
    #[arg(long, hide = true, conflicts_with = "quiet")]
    announce: bool,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Create {
    pub(super) fn request(self) -> Result<Request, CliError> {
        let description = match self.description {
            Some(text) => Some(text_or_stdin(text)?),
            None => self.body.read()?,
        };
        let title = self.title.or(self.title_option).ok_or_else(|| {
            CliError::new(ErrorKind::Usage, "a task needs a title")
                .with_hint("interagent task create 'Keep the last token' --assignee kimi")
        })?;
        let request = TaskCreate {
            title,
            description,
            assignee: self.assignee,
            route: self.route,
            priority: self.priority,
            capability: self.capability,
            purpose: self.purpose,
            requirements: [self.requirement, self.requirements].concat(),
            acceptance_criteria: [self.criterion, self.criteria].concat(),
            parent: self.parent,
            depends_on: self.depends_on,
            branch: self.branch,
            files: self.files,
            target_path: self.target_path,
            echo_message: self.echo_message,
            aliases: self.aliases,
            quiet: self.quiet,
            announce: self.announce,
            key: self.key,
        };
        Ok(request.into())
    }
}
