//! Sending and replying.

use clap::Args;
use interagent_core::vocabulary::{Intent, Priority};
use interagent_wire::request::{MessageReply, MessageSend, RefParam};
use interagent_wire::{Request, Time};

use crate::cli::with_short_form;
use crate::error::{CliError, ErrorKind};
use crate::input::Body;
use crate::values::{Moment, reference};

/// Sends a message. It is on disk once this answers; the recipient gets it by itself.
#[derive(Debug, Args)]
#[command(
    mut_arg("from_agent", with_short_form),
    after_help = "Examples:\n  interagent send --to kimi -s 'Parser' -m 'Does it keep the last token?' --intent question\n  interagent msg send --to kimi --message 'Hello'\n  git diff | interagent send --to role:reviewer -s 'Please look' -m -"
)]
pub(crate) struct Send {
    /// Names, `name@origin`, `role:reviewer`, `operator` or `all`.
    #[arg(short = 't', long, required = true, num_args = 1.., value_delimiter = ',', value_name = "NAME")]
    to: Vec<String>,
    /// One line; the first line of the text when left out.
    #[arg(short = 's', long)]
    subject: Option<String>,
    #[command(flatten)]
    body: Body,
    /// What it is for: message, question, handoff, review_request, blocked, context_share, delegation, discussion,
    /// report or control.
    #[arg(long, visible_alias = "type")]
    intent: Option<Intent>,
    /// low, medium, high or critical.
    #[arg(long)]
    priority: Option<Priority>,
    /// What it points at: PATH, PATH:LINE, PATH:FIRST-LAST, commit:HASH, task:ID, spec:NAME or an address.
    #[arg(long = "ref", value_name = "REF", value_parser = reference)]
    refs: Vec<RefParam>,
    /// The task it concerns.
    #[arg(long, visible_alias = "task-id", value_name = "ID")]
    task: Option<String>,
    /// A message of the conversation it continues.
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    /// After this it is not worth delivering: a length (2h) or a time.
    #[arg(long, value_name = "WHEN")]
    expires: Option<Moment>,
    /// Ask for an acknowledgement.
    #[arg(long)]
    ack: bool,
    /// A word that names it wherever its id would; once for each.
    #[arg(long = "alias", value_name = "WORD")]
    aliases: Vec<String>,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Send {
    pub(crate) fn request(self) -> Result<Request, CliError> {
        let expires = repeatable(self.expires, self.key.as_ref(), "--expires")?;
        let request = MessageSend {
            to: self.to,
            intent: self.intent,
            subject: self.subject,
            body: self.body.read()?,
            priority: self.priority,
            refs: self.refs,
            task: self.task,
            thread: self.thread,
            expires,
            ack: self.ack,
            aliases: self.aliases,
            key: self.key,
        };
        Ok(request.into())
    }
}

/// A request that is repeated with its key must be the same request, and "in two hours" is later every time.
pub(crate) fn repeatable(
    moment: Option<Moment>,
    key: Option<&String>,
    option: &str,
) -> Result<Option<Time>, CliError> {
    match (moment, key) {
        (Some(Moment::Distance { .. }), Some(_)) => {
            let sentence = format!(
                "with --key, {option} must be a time: a length would make each repetition another request"
            );
            Err(CliError::new(ErrorKind::Usage, sentence)
                .with_hint("write a time such as 2026-01-31T09:30:00Z"))
        }
        (moment, _) => Ok(moment.map(Moment::ahead)),
    }
}

/// Replies to a message; a reply settles a question.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent reply msg-7k3m -m 'It does, since yesterday.'")]
pub(crate) struct Reply {
    /// The message it answers: its id, a prefix of it, or an alias.
    message_id: String,
    /// One line.
    #[arg(short = 's', long)]
    subject: Option<String>,
    #[command(flatten)]
    body: Body,
    /// What it is for; a plain message when left out.
    #[arg(long, visible_alias = "type")]
    intent: Option<Intent>,
    /// low, medium, high or critical.
    #[arg(long)]
    priority: Option<Priority>,
    /// What it points at.
    #[arg(long = "ref", value_name = "REF", value_parser = reference)]
    refs: Vec<RefParam>,
    /// Also settles what the message obliged to.
    #[arg(long)]
    complete: bool,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Reply {
    pub(crate) fn request(self) -> Result<Request, CliError> {
        let Self { message_id, subject, body, intent, priority, refs, complete, key } = self;
        let body = body.read()?;
        Ok(MessageReply { message: message_id, intent, subject, body, priority, refs, complete, key }.into())
    }
}
