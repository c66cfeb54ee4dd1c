//! Questions that need an outcome.

use clap::Subcommand;
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::commands::send::repeatable;
use crate::error::CliError;
use crate::input::text_or_stdin;
use crate::values::Moment;

/// Decisions: questions, positions, outcomes.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent decision open 'Which store?' --option sqlite --option text\n  interagent decision position dec-7k3m sqlite\n  interagent decision decide dec-7k3m sqlite"
)]
pub(crate) enum Decision {
    /// Opens a question that needs an outcome and asks for positions.
    #[command(
        after_help = "Example:\n  interagent decision open 'Which store?' --option sqlite --option text --to all"
    )]
    Open {
        /// The question.
        #[arg(required_unless_present = "message")]
        question: Option<String>,
        /// The question, as an option.
        #[arg(
            short = 'm',
            long,
            value_name = "TEXT",
            conflicts_with = "question",
            allow_hyphen_values = true
        )]
        message: Option<String>,
        /// What could be chosen; once for each.
        #[arg(long = "option", value_name = "TEXT")]
        options: Vec<String>,
        /// Who is asked: names, ids, roles or `all` [default: everybody you may ask].
        #[arg(long, num_args = 1.., value_delimiter = ',', value_name = "NAME")]
        to: Vec<String>,
        /// Ask nobody; only record the question.
        #[arg(long, conflicts_with = "to")]
        quiet: bool,
        /// A word that names it wherever its id would; once for each.
        #[arg(long = "alias", value_name = "WORD")]
        aliases: Vec<String>,
        /// Until when positions count: a length (2h) or a time.
        #[arg(long, value_name = "WHEN")]
        deadline: Option<Moment>,
        /// The earlier decision it is to replace.
        #[arg(long, value_name = "ID")]
        supersedes: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Takes a position on a question.
    #[command(after_help = "Example:\n  interagent decision position dec-7k3m sqlite --reason 'one file'")]
    Position {
        /// The decision.
        decision: String,
        /// For what.
        position: String,
        /// Why.
        #[arg(short = 'm', long, visible_alias = "message")]
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Decides a question.
    #[command(after_help = "Example:\n  interagent decision decide dec-7k3m sqlite")]
    Decide {
        /// The decision.
        decision: String,
        /// What: one of the options, where there are some.
        outcome: String,
        /// Why.
        #[arg(short = 'm', long, visible_alias = "message")]
        reason: Option<String>,
        /// It is none of the options, and meant to be; needs --reason.
        #[arg(long)]
        other: bool,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Lists decisions, newest first.
    #[command(after_help = "Example:\n  interagent decision list --open")]
    List {
        /// Only those without an outcome.
        #[arg(long)]
        open: bool,
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Shows one decision with its positions.
    #[command(after_help = "Example:\n  interagent decision show dec-7k3m")]
    Show {
        /// Its id.
        decision: String,
    },
}

impl Decision {
    pub(crate) fn request(self) -> Result<Request, CliError> {
        Ok(match self {
            Self::Open { question, message, options, to, quiet, aliases, deadline, supersedes, key } => {
                let deadline = repeatable(deadline, key.as_ref(), "--deadline")?;
                let question = question.or(message).map(text_or_stdin).transpose()?.unwrap_or_default();
                ask::DecisionOpen { question, options, to, quiet, aliases, deadline, supersedes, key }.into()
            }
            Self::Position { decision, position, reason, key } => {
                ask::DecisionPosition { decision, position, reason, key }.into()
            }
            Self::Decide { decision, outcome, reason, other, key } => {
                ask::DecisionDecide { decision, outcome, reason, other, key }.into()
            }
            Self::List { open, after, limit } => ask::DecisionList { open, after, limit }.into(),
            Self::Show { decision } => ask::DecisionShow { decision }.into(),
        })
    }
}
