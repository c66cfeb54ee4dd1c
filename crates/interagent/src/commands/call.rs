//! Any operation by its name, for programs and for what has no command of its own.

use clap::Args;
use interagent_core::refusal::Refusal;
use interagent_operations::catalog::{self, Operation};
use interagent_wire::Request;
use interagent_wire::request::BadRequest;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::input;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};

/// Calls an operation with its parameters as JSON.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent call message.send '{\"to\": [\"kimi\"], \"body\": \"hello\"}'\n  interagent operations"
)]
pub(crate) struct Call {
    /// Its name, such as `task.list`.
    operation: String,
    /// Its parameters; `-` reads them from standard input.
    #[arg(default_value = "{}", value_name = "JSON")]
    params: String,
}

impl Call {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let text = input::text_or_stdin(self.params)?;
        let params: Value = serde_json::from_str(&text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            let sentence = match error.is_eof() {
                true => "the parameters end in the middle of their JSON".to_owned(),
                false => format!("the parameters are not JSON from {place} on"),
            };
            Refusal::usage("bad_request", sentence).hint("they are an object such as {\"limit\": 5}")
        })?;
        session.ask(Request::build(&self.operation, params).map_err(|bad| explain(bad, &self.operation))?)
    }
}

fn explain(bad: BadRequest, operation: &str) -> Refusal {
    match bad {
        BadRequest::NoSuchOperation => {
            Refusal::not_found("no_such_operation", format!("there is no operation `{operation}`"))
                .hint("interagent operations")
        }
        BadRequest::Params(why) => Refusal::usage("bad_request", why)
            .hint(format!("interagent operations --json shows what {operation} takes")),
    }
}

/// Lists every operation; with --json also what each takes.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent operations")]
pub(crate) struct Operations {}

/// Shows the table of operations. No hub is needed for it.
pub(crate) fn list(session: &mut Session) -> Result<ExitCode, CliError> {
    let operations = catalog::all();
    if session.is_for_people() {
        let mut table =
            Table::new([Column::whole("operation"), Column::whole("effect"), Column::text("what it does")]);
        for operation in &operations {
            table.row([
                Cell::new(Role::Name, operation.name),
                effect(operation).into(),
                operation.doc.as_str().into(),
            ]);
        }
        session.printer.table(&table);
    } else {
        let listed: Vec<Value> = operations
            .iter()
            .map(|operation| {
                json!({
                    "name": operation.name,
                    "effect": effect(operation),
                    "doc": operation.doc,
                    "params": operation.params,
                    "answer": operation.answer.schema(),
                })
            })
            .collect();
        session.document(0, &json!({ "operations": listed }));
    }
    session.conclude(Done::Looked)
}

fn effect(operation: &Operation) -> &'static str {
    match operation {
        Operation { read_only: true, .. } => "read",
        Operation { idempotent: true, .. } => "idempotent",
        Operation { .. } => "write",
    }
}
