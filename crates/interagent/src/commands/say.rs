//! The operator's words to an agent, from any terminal.

use clap::Args;
use interagent_core::authority::OperatorAct;
use interagent_core::name::OPERATOR;
use interagent_core::vocabulary::{Intent, Priority};
use interagent_wire::Answer;
use interagent_wire::answer::BoardRow;
use interagent_wire::request::{MessageSend, StatusBoard};

use super::called::{called, everybody};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::input::text_or_stdin;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Says something to an agent in your name, and tells how soon it is seen.
///
/// It is a message of high priority. A role names whoever has it: `say captain` works whatever the captain is called.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent say captain 'Stop the build, the key leaked.'\n  interagent say all 'Lunch. Nothing urgent until two.'"
)]
pub(crate) struct Say {
    /// A name, a role, or `all`.
    #[arg(value_name = "NAME")]
    to: String,
    /// The words; `-` reads them from standard input.
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    text: Vec<String>,
    /// Makes a repetition of this call safe.
    #[arg(long)]
    key: Option<String>,
}

impl Say {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        session.authorize(OperatorAct::Say, "interagent say").map_err(|error| {
            error.without_hints().with_hint("interagent send --to NAME -m TEXT sends your own")
        })?;
        let body = match self.text.as_slice() {
            [one] => text_or_stdin(one.clone())?,
            words => words.join(" "),
        };
        let to = called(&self.to, &everybody(session)?);
        let sent = MessageSend {
            to: vec![to],
            intent: Some(Intent::Message),
            body: Some(body),
            priority: Some(Priority::High),
            key: self.key,
            ..MessageSend::default()
        };
        let mut reply = session.call(sent)?;
        if session.is_for_people() {
            // Each recipient is told of below.
            reply.notes.clear();
        }
        session.show("message.send", &reply)?;
        if let (true, Answer::Sent(sent)) = (session.is_for_people(), &reply.answer) {
            let names: Vec<String> = sent.to.iter().map(|who| who.name.clone()).collect();
            how_soon(session, &names)?;
        }
        session.conclude(Done::Committed)
    }
}

/// Says of each recipient how soon it sees the words.
fn how_soon(session: &mut Session, names: &[String]) -> Result<(), CliError> {
    let rows = match session.call(StatusBoard {})?.answer {
        Answer::Board(board) => board.rows,
        _ => Vec::new(),
    };
    for row in rows.iter().filter(|row| names.contains(&row.agent.name)) {
        let told = told(row);
        session.printer.line(&[(Role::Name, &row.agent.name), (Role::Plain, ": "), (Role::Plain, &told)]);
    }
    Ok(())
}

fn told(row: &BoardRow) -> String {
    match row.reach.as_deref() {
        None if row.agent.name == OPERATOR => {
            "a person; it waits in your own inbox: interagent inbox".to_owned()
        }
        None => "runs on another replica; sees this after the next sync".to_owned(),
        Some("in a turn") => {
            "in a turn; sees this after its next tool call, or when the turn ends".to_owned()
        }
        Some(reach) => reach.to_owned(),
    }
}
