//! Sending and replying.

use clap::Args;
use interagent_core::vocabulary::{Intent, Priority, Verdict};
use interagent_wire::request::{MessageReply, MessageSend, RefParam};
use interagent_wire::{Request, Time};

use crate::cli::with_short_form;
use crate::editor::{self, Draft};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::git::{self, Change};
use crate::input::Text;
use crate::session::Session;
use crate::values::{Moment, reference};

/// What only a new conversation has: a reply takes it from the message it answers.
const OF_A_NEW_MESSAGE: [&str; 5] = ["to", "task", "thread", "ack", "aliases"];

/// Sends a message. It is on disk once this answers; the recipient gets it by itself.
///
/// Without a text and a subject, on a terminal, it opens VISUAL or EDITOR.
#[derive(Debug, Args)]
#[command(
    mut_arg("from_agent", with_short_form),
    after_help = "Examples:\n  interagent send --to kimi 'Does it keep the last token?' --intent question\n  interagent msg send --to kimi --type review -m 'Please look' --diff main..HEAD\n  make 2>&1 | interagent send --to kimi -s 'The build' -"
)]
pub(crate) struct Send {
    /// Names, `name@origin`, `role:reviewer`, `operator` or `all`; with commas, or once for each.
    #[arg(
        short = 't',
        long,
        required_unless_present = "reply_to",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    to: Vec<String>,
    /// Reply to this message instead; its sender gets it.
    #[arg(long, value_name = "ID", conflicts_with_all = OF_A_NEW_MESSAGE)]
    reply_to: Option<String>,
    /// One line; the first line of the text when left out.
    #[arg(short = 's', long)]
    subject: Option<String>,
    #[command(flatten)]
    text: Text,
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
    #[command(flatten)]
    change: Attached,
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

// No doc comment here: clap would show it as the help of the commands.
#[derive(Debug, Args)]
struct Attached {
    /// Attach a change: a range such as main..HEAD, a FILE with a diff, or `-` for standard input. Without a value, attach
    /// what differs from the last commit. It is a copy, so it stays as it is now.
    #[arg(long, value_name = "RANGE|FILE", num_args = 0..=1)]
    diff: Option<Option<String>>,
}

impl Attached {
    /// The references with the change among them.
    fn beside(self, refs: Vec<RefParam>, session: &Session) -> Result<Vec<RefParam>, CliError> {
        let Some(range) = self.diff else { return Ok(refs) };
        let directory = session.env.cwd.as_deref();
        let change = git::diff(directory, &Change::of(range, directory)?)?;
        Ok(refs.into_iter().chain([change]).collect())
    }
}

impl Send {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let expires = repeatable(self.expires, self.key.as_ref(), "--expires")?;
        let refs = self.change.beside(self.refs, session)?;
        let about = match &self.reply_to {
            Some(message) => format!("A reply to {message}."),
            None => format!("A message to {}.", self.to.join(", ")),
        };
        let (body, draft) = written(self.text, self.subject.as_deref(), &about, session)?;
        let request = match self.reply_to {
            Some(message) => MessageReply {
                message,
                intent: self.intent,
                subject: self.subject,
                body,
                priority: self.priority,
                refs,
                expires,
                complete: false,
                verdict: None,
                key: self.key,
            }
            .into(),
            None => MessageSend {
                to: self.to,
                intent: self.intent,
                subject: self.subject,
                body,
                priority: self.priority,
                refs,
                task: self.task,
                thread: self.thread,
                expires,
                ack: self.ack,
                aliases: self.aliases,
                key: self.key,
            }
            .into(),
        };
        send(request, draft, session)
    }
}

/// The text that was given, or the one that a person writes now.
pub(crate) fn written(
    text: Text,
    subject: Option<&str>,
    about: &str,
    session: &mut Session,
) -> Result<(Option<String>, Option<Draft>), CliError> {
    if text.is_given() || subject.is_some() || !editor::is_possible(session) {
        return Ok((text.read()?, None));
    }
    let draft = editor::compose(session, about)?;
    Ok((Some(draft.text.clone()), Some(draft)))
}

/// Sends what was written; a text that a person wrote is not lost when that is refused.
pub(crate) fn send(
    request: Request,
    draft: Option<Draft>,
    session: &mut Session,
) -> Result<ExitCode, CliError> {
    let outcome = session.ask(request);
    match draft {
        Some(draft) => draft.settle(outcome),
        None => outcome,
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
///
/// Without a text and a subject, on a terminal, it opens VISUAL or EDITOR.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent reply msg-7k3m 'It does, since yesterday.'")]
pub(crate) struct Reply {
    /// The message it answers: its id, a prefix of it, or an alias.
    message_id: String,
    /// One line.
    #[arg(short = 's', long)]
    subject: Option<String>,
    #[command(flatten)]
    text: Text,
    /// What it is for; a plain message when left out.
    #[arg(long, visible_alias = "type")]
    intent: Option<Intent>,
    /// low, medium, high or critical.
    #[arg(long)]
    priority: Option<Priority>,
    /// What it points at.
    #[arg(long = "ref", value_name = "REF", value_parser = reference)]
    refs: Vec<RefParam>,
    #[command(flatten)]
    change: Attached,
    /// After this it is not worth delivering: a length (2h) or a time.
    #[arg(long, value_name = "WHEN")]
    expires: Option<Moment>,
    /// Also settles what the message obliged to.
    #[arg(long)]
    complete: bool,
    /// Give the verdict that a review request asks for: approved, revision_needed or rejected.
    #[arg(long, conflicts_with = "complete")]
    verdict: Option<Verdict>,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Reply {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { message_id, subject, text, intent, priority, refs, change, expires, .. } = self;
        let (complete, verdict, key) = (self.complete, self.verdict, self.key);
        let expires = repeatable(expires, key.as_ref(), "--expires")?;
        let refs = change.beside(refs, session)?;
        let about = format!("A reply to {message_id}.");
        let (body, draft) = written(text, subject.as_deref(), &about, session)?;
        let reply = MessageReply {
            message: message_id,
            intent,
            subject,
            body,
            priority,
            refs,
            expires,
            complete,
            verdict,
            key,
        };
        send(reply.into(), draft, session)
    }
}
