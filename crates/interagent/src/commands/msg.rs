//! Everything about messages; sending and reading have short forms of their own.

use clap::Subcommand;
use interagent_core::vocabulary::Intent;
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::commands::read;
use crate::commands::send::{self, repeatable};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::input::Text;
use crate::session::Session;
use crate::values::Moment;

/// Messages: send, read, threads, lists, holding, and what they oblige to.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent msg list --from kimi\n  interagent msg thread msg-7k3m\n  interagent msg accept msg-7k3m"
)]
pub(crate) enum Msg {
    /// Sends a message; `interagent send` in short.
    Send(send::Send),
    /// Show a message and mark it as read, for its recipient if you are the operator.
    Read(read::Read),
    /// Shows a conversation, oldest first.
    #[command(after_help = "Example:\n  interagent msg thread msg-7k3m")]
    Thread {
        /// Any message of it.
        message: String,
        /// Those before this place, as the page after it says.
        #[arg(long, value_name = "PLACE")]
        before: Option<String>,
        /// At most so many, the newest.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Lists messages, newest first.
    #[command(after_help = "Example:\n  interagent msg list --from kimi --intent question --since 2d")]
    List {
        /// From this member.
        #[arg(long, value_name = "NAME")]
        from: Option<String>,
        /// To this member.
        #[arg(long, value_name = "NAME")]
        to: Option<String>,
        /// With this intent: message, question, handoff, review_request, ...
        #[arg(long, visible_alias = "type")]
        intent: Option<Intent>,
        /// About this task.
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        /// In the conversation of this message.
        #[arg(long, value_name = "ID")]
        thread: Option<String>,
        /// Sent then or later: a length (2d ago) or a time.
        #[arg(long, value_name = "WHEN")]
        since: Option<Moment>,
        /// Only those that are held.
        #[arg(long)]
        held: bool,
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Holds a message back before anybody has it.
    #[command(after_help = "Example:\n  interagent msg hold msg-7k3m")]
    Hold {
        /// Its id.
        message: String,
    },
    /// Lets a held message go on its way.
    #[command(after_help = "Example:\n  interagent msg release msg-7k3m")]
    Release {
        /// Its id.
        message: String,
    },
    /// Accepts a handoff or a delegation; the task changes hands.
    #[command(after_help = "Example:\n  interagent msg accept msg-7k3m")]
    Accept {
        /// Its id.
        message: String,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Declines what a message asks for.
    #[command(after_help = "Example:\n  interagent msg decline msg-7k3m --reason 'not my part'")]
    Decline {
        /// Its id.
        message: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Says that what a message obliged to is done.
    #[command(after_help = "Example:\n  interagent msg settle msg-7k3m")]
    Settle {
        /// Its id.
        message: String,
    },
    /// Takes a matter to the superior or the operator when you can't go on.
    #[command(
        after_help = "Example:\n  interagent msg escalate msg-7k3m --reason 'no access there' --deadline 2h"
    )]
    Escalate {
        /// The message it is about.
        message: String,
        /// Why, and what was tried.
        #[arg(long)]
        reason: String,
        /// Until when an answer helps: a length (2h) or a time.
        #[arg(long, value_name = "WHEN")]
        deadline: Option<Moment>,
        /// What happens without one.
        #[arg(long, value_name = "TEXT")]
        default: Option<String>,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Answers an escalation; the matter is settled and the agent told.
    #[command(after_help = "Example:\n  interagent msg answer msg-7k3m 'Use the second server.'")]
    Answer {
        /// The escalation, or the message it is about.
        message_id: String,
        #[command(flatten)]
        text: Text,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
}

impl Msg {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let request: Request = match self {
            Self::Send(send) => return send.run(session),
            Self::Read(read) => return read.marked(session),
            Self::Thread { message, before, limit } => ask::MessageThread { message, before, limit }.into(),
            Self::List { from, to, intent, task, thread, since, held, after, limit } => {
                let since = since.map(Moment::ago);
                let wanted = ask::MessageList { from, to, intent, task, thread, since, held, after, limit };
                let all = ask::MessageList { limit, ..ask::MessageList::default() };
                return if wanted == all { session.ask(all) } else { session.ask_for_part(wanted) };
            }
            Self::Hold { message } => ask::MessageHold { message }.into(),
            Self::Release { message } => ask::MessageRelease { message }.into(),
            Self::Accept { message, key } => ask::MessageAccept { message, key }.into(),
            Self::Decline { message, reason, key } => ask::MessageDecline { message, reason, key }.into(),
            Self::Settle { message } => ask::MessageSettle { message }.into(),
            Self::Escalate { message, reason, deadline, default, key } => {
                let deadline = repeatable(deadline, key.as_ref(), "--deadline")?;
                ask::MessageEscalate { message, reason, deadline, default, key }.into()
            }
            Self::Answer { message_id, text, key } => {
                let about = format!("An answer to {message_id}.");
                let (body, draft) = send::written(text, None, &about, session)?;
                let body = body.unwrap_or_default();
                return send::send(
                    ask::MessageAnswer { message: message_id, body, key }.into(),
                    draft,
                    session,
                );
            }
        };
        session.ask(request)
    }
}
