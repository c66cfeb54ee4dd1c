//! Sleeping until there is something.

use std::time::Duration;

use clap::Args;
use interagent_operations::{WaitFor, Waited};
use interagent_wire::Answer;
use interagent_wire::request::MessageInbox;
use serde_json::json;

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Longest wait: a week. Whoever waits longer wants a supervisor.
const LONGEST_S: u64 = 7 * 24 * 3600;

/// Sleeps until there is new mail, and says how much. Changes nothing; `interagent inbox` hands it over.
///
/// Ends with 0 when there is some, and with 1 when the time is over.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent wait --timeout 300 && interagent inbox\n  interagent wait --log 1207"
)]
pub(crate) struct Wait {
    /// How long at most.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=LONGEST_S))]
    timeout: u64,
    /// For whose mail: a name or id; your own when left out.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Wait for any entry of the log after this place instead.
    #[arg(long, value_name = "SEQ", conflicts_with = "agent")]
    log: Option<i64>,
}

impl Wait {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let wanted = match self.log {
            Some(after) => WaitFor::Entry { after },
            None => WaitFor::Mail { agent: self.agent.clone() },
        };
        match session.wait(&wanted, Duration::from_secs(self.timeout))? {
            Waited::TimeOver => {
                let seq = session.hub()?.store().reached();
                if session.is_for_people() {
                    session.printer.note(Role::Quiet, &format!("nothing came within {} s", self.timeout));
                } else {
                    session.document(seq, &json!({ "ready": false }));
                }
                session.conclude(Done::Looked)?;
                Ok(ExitCode::Refused)
            }
            Waited::Ready { seq } => {
                self.tell(session, seq)?;
                session.conclude(Done::Looked)
            }
        }
    }

    fn tell(self, session: &mut Session, seq: i64) -> Result<(), CliError> {
        if self.log.is_some() {
            match session.is_for_people() {
                true => session.printer.line(&[(Role::Plain, &format!("the log stands at {seq}"))]),
                false => session.document(seq, &json!({ "ready": true })),
            }
            return Ok(());
        }
        let reply =
            session.call(MessageInbox { agent: self.agent, limit: Some(1), ..MessageInbox::default() })?;
        let unread = match &reply.answer {
            Answer::Inbox(inbox) => inbox.unread,
            _ => 0,
        };
        match session.is_for_people() {
            true => session.printer.line(&[(Role::Plain, &format!("{unread} unread"))]),
            false => session.document(reply.seq, &json!({ "ready": true, "unread": unread })),
        }
        Ok(())
    }
}
