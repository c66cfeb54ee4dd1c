//! Reading one message, and saying that messages were read.

use clap::Args;
use interagent_core::vocabulary::Via;
use interagent_wire::request::{MessageAcknowledge, MessageRead};
use interagent_wire::{Answer, Request};

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::printer::Written;

/// Shows one message with its text and how far it got. Reading your own mail acknowledges it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent read msg-7k3m\n  interagent msg read msg-7k3m")]
pub(crate) struct Read {
    /// Its id, a prefix of it, or an alias.
    message: String,
}

impl Read {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        self.shown(session, Reader::Caller)
    }

    /// InterAgent's `msg read`: the operator marks the message as read for its recipient.
    pub(super) fn marked(self, session: &mut Session) -> Result<ExitCode, CliError> {
        self.shown(session, Reader::Recipient)
    }

    fn shown(self, session: &mut Session, reader: Reader) -> Result<ExitCode, CliError> {
        let as_recipient = reader == Reader::Recipient;
        let reply = session.call(MessageRead { message: self.message, as_recipient })?;
        session.show("message.read", &reply)?;
        let Answer::Message(message) = reply.answer else { return session.conclude(Done::Looked) };
        if !message.to_acknowledge {
            return session.conclude(Done::Looked);
        }
        // Only after it was written: what nobody saw was not read.
        if session.deliver(Done::Looked)? == Written::Whole {
            let messages = vec![message.id];
            session.call(MessageAcknowledge { messages, via: Some(Via::Read), as_recipient })?;
        }
        session.upkeep();
        Ok(ExitCode::Done)
    }
}

/// Whose reading counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The caller's own.
    Caller,
    /// By the operator: the recipient's.
    Recipient,
}

/// Marks messages as read by you.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent ack msg-7k3m msg-9zyx")]
pub(crate) struct Ack {
    /// Their ids.
    #[arg(required = true, value_name = "ID")]
    messages: Vec<String>,
}

impl Ack {
    pub(crate) fn request(self) -> Request {
        MessageAcknowledge { messages: self.messages, ..MessageAcknowledge::default() }.into()
    }
}
