//! The table of all operations: what MCP, HTTP and the reference are built from.
//!
//! Nothing is written down here: names, effects and answers come from the one table in `wire`, sentences and fields
//! from the schemas of the parameters.

mod markdown;

use interagent_wire::Request;
use interagent_wire::answer::AnswerKind;
use interagent_wire::request::Effect;
use schemars::Schema;

pub use markdown::reference_markdown;

/// One operation, as a surface needs to know it.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name, such as `message.send`.
    pub name: &'static str,
    /// What it does, in a sentence or two.
    pub doc: String,
    /// The schema of its parameters.
    pub params: Schema,
    /// The kind of its answer, whose schema is `answer.schema()`.
    pub answer: AnswerKind,
    /// It changes nothing.
    pub read_only: bool,
    /// The same again has no further effect.
    pub idempotent: bool,
}

/// Every operation, in the order of the table.
pub fn all() -> Vec<Operation> {
    Request::ALL.iter().filter_map(|(name, effect)| operation(name, *effect)).collect()
}

fn operation(name: &'static str, effect: Effect) -> Option<Operation> {
    let params = Request::schema(name)?;
    Some(Operation {
        name,
        doc: text(&params, "description"),
        answer: Request::answer(name)?,
        params,
        read_only: effect == Effect::Read,
        idempotent: effect != Effect::Write,
    })
}

fn text(schema: &Schema, key: &str) -> String {
    schema.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}
