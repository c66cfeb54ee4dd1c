//! The tools: one static table, and the way from a call's arguments to a request.

mod arguments;
mod schema;
mod table;

use interagent_core::refusal::Refusal;
use interagent_operations::catalog;
use interagent_wire::Request;
use interagent_wire::request::{BadRequest, Effect};
use serde_json::{Map, Value};

pub(crate) use arguments::Arguments;
pub(crate) use schema::listed;
pub(crate) use table::{TABLE, Tool};

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// Registers the agent and binds the connection.
    Register,
    /// Hands the inbox over.
    Inbox,
    /// Shows a message and acknowledges it.
    Read,
    /// Shows a spec, part by part, and on wish subscribes to it.
    Spec,
    /// One operation.
    Operation(&'static str),
    /// One of several operations: the word in `action`, and what it stands for. The first one goes without saying
    /// where the tool does not ask for an action.
    Action(&'static [(&'static str, &'static str)]),
}

/// How a value is read, and what of it the schema says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Flag,
    /// A list of texts; one text is a list of one.
    List,
    /// Recipients: one text with commas, or a list.
    People,
    /// References, as texts or objects.
    Refs,
    /// An object, passed on as it is.
    Object,
    /// The caller's own name: never sent on, compared with who the caller is.
    Me,
}

/// Whether a call must say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Must,
    May,
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    /// What the operation calls it.
    pub(crate) field: &'static str,
    pub(crate) kind: Kind,
    pub(crate) need: Need,
    pub(crate) about: &'static str,
}

/// The names of all tools, for permission rules and documents.
pub fn names() -> Vec<&'static str> {
    TABLE.iter().map(|tool| tool.name).collect()
}

/// The tool that carries out an operation, and the action it takes for that, where it takes one.
pub fn tool_of(operation: &str) -> Option<(&'static str, Option<&'static str>)> {
    TABLE.iter().find_map(|tool| match tool.does {
        Does::Register => (operation == "agent.register").then_some((tool.name, None)),
        Does::Inbox => ["message.inbox", "offer.take"].contains(&operation).then_some((tool.name, None)),
        Does::Read => (operation == "message.read").then_some((tool.name, None)),
        Does::Spec => ["spec.show", "spec.subscribe"].contains(&operation).then_some((tool.name, None)),
        Does::Operation(own) => (own == operation).then_some((tool.name, None)),
        Does::Action(actions) => {
            let (action, _) = actions.iter().find(|(_, own)| *own == operation)?;
            Some((tool.name, Some(*action)))
        }
    })
}

/// The tool of a name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TABLE.iter().find(|tool| tool.name == name)
}

/// Builds a tool's request for an operation.
pub(crate) fn request(tool: &Tool, operation: &str, fields: Map<String, Value>) -> Result<Request, Refusal> {
    Request::build(operation, Value::Object(fields)).map_err(|bad| match bad {
        BadRequest::NoSuchOperation => {
            Refusal::unavailable("no_such_operation", format!("there is no operation {operation}"))
        }
        BadRequest::Params(why) => {
            let takes = match tool.does {
                Does::Action(actions) => format!(
                    "{}({}) takes {}",
                    tool.name,
                    actions
                        .iter()
                        .find(|(_, op)| *op == operation)
                        .map_or(String::new(), |(word, _)| format!("action=\"{word}\"")),
                    fields_of(operation)
                ),
                _ => format!("{} takes {}", tool.name, tool.takes()),
            };
            // The hint lists them in our order; the long list of the parser says the same again.
            let why = why.split(", expected one of").next().unwrap_or_default();
            Refusal::usage("bad_request", format!("the parameters do not fit: {why}")).hint(takes)
        }
    })
}

/// What an operation takes, from the catalog.
fn fields_of(operation: &str) -> String {
    let Some(operation) = catalog::all().into_iter().find(|known| known.name == operation) else {
        return String::new();
    };
    let fields = operation.params.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = fields.into_iter().flat_map(|fields| fields.keys().map(String::as_str)).collect();
    if names.is_empty() { "nothing more".to_owned() } else { names.join(", ") }
}

/// Whether an operation changes nothing.
pub(crate) fn only_looks(operation: &str) -> bool {
    Request::ALL.iter().any(|(name, effect)| *name == operation && *effect == Effect::Read)
}
