//! Reading one message, and saying that messages were read.

use clap::Args;
use interagent_core::vocabulary::{DeliveryState, Via};
use interagent_wire::request::{MessageAcknowledge, MessageRead, Whoami};
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
    pub(crate) fn request(self) -> Request {
        MessageRead { message: self.message }.into()
    }

    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let reply = session.call(self.request())?;
        let unread_by_me = unread_by_caller(session, &reply.answer)?;
        session.show("message.read", &reply)?;
        if unread_by_me.is_none() {
            return session.conclude(Done::Looked);
        }
        let written = session.deliver(Done::Looked)?;
        if let (Some(message), Written::Whole) = (unread_by_me, written) {
            session.call(MessageAcknowledge { messages: vec![message], via: Some(Via::Read) })?;
        }
        session.upkeep();
        Ok(ExitCode::Done)
    }
}

/// The message's id, when the caller is a recipient who has not acknowledged it. Whoever looks in another's name only
/// looks.
fn unread_by_caller(session: &mut Session, answer: &Answer) -> Result<Option<String>, CliError> {
    let Answer::Message(message) = answer else { return Ok(None) };
    if session.caller().behalf.is_some() || message.held.is_some() {
        return Ok(None);
    }
    let Answer::Identity(me) = session.call(Whoami {})?.answer else { return Ok(None) };
    let is_mine = message.to.iter().any(|delivery| {
        me.member.as_ref().is_some_and(|member| member.id == delivery.agent.id)
            && matches!(delivery.state, DeliveryState::Queued | DeliveryState::Delivered)
    });
    Ok(is_mine.then(|| message.id.clone()))
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
        MessageAcknowledge { messages: self.messages, via: None }.into()
    }
}
