//! The shape of one line: JSON to request, answer to JSON.

use std::time::Duration;

use interagent_core::refusal::Refusal;
use interagent_wire::request::{BadRequest, LogList};
use interagent_wire::{Reply, Request, SCHEMA};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The version of the protocol. A field or an operation may be added under the same number; none changes its meaning.
pub const VERSION: u32 = 1;
/// The longest wait of one request: a week, as with `interagent wait`.
const WAIT_SECONDS: u64 = 7 * 24 * 3600;
/// The timeout of a wait that names none.
const WAIT_SECONDS_DEFAULT: u64 = 60;
/// The longest id of a request.
const ID_BYTES: usize = 200;
/// The longest part of a parser error that is repeated.
const COMPLAINT_CHARS: usize = 300;

/// A parsed request.
#[derive(Debug)]
pub(crate) struct ApiRequest {
    /// Echoed in the answer.
    pub(crate) id: Value,
    /// The agent to act for.
    pub(crate) agent: Option<String>,
    pub(crate) operation: ApiOperation,
}

/// The operations of this surface.
#[derive(Debug)]
pub(crate) enum ApiOperation {
    /// An operation of the catalog.
    Operation(Box<Request>),
    /// Wait for mail or for the log.
    Wait(Wait),
    /// Wait for entries of the log.
    Events(Events),
    /// Give up a wait.
    Cancel(Value),
}

/// `api.wait`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Wait {
    /// Wait for an entry after this place of the log, instead of mail.
    pub(crate) after: Option<i64>,
    /// Whose mail; the caller's when left out.
    pub(crate) agent: Option<String>,
    timeout_s: Option<f64>,
}

/// `api.events`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Events {
    /// The last place of the log that the caller has seen; now when left out.
    pub(crate) after: Option<i64>,
    kind: Option<String>,
    by: Option<String>,
    entity: Option<String>,
    limit: Option<u32>,
    timeout_s: Option<f64>,
}

/// `api.cancel`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancel {
    request: Value,
}

impl Wait {
    pub(crate) fn timeout(&self) -> Duration {
        timeout(self.timeout_s)
    }
}

impl Events {
    pub(crate) fn timeout(&self) -> Duration {
        timeout(self.timeout_s)
    }

    /// The request for the entries after a place.
    pub(crate) fn page(&self, after: i64) -> LogList {
        LogList {
            after: Some(after),
            before: None,
            kind: self.kind.clone(),
            by: self.by.clone(),
            entity: self.entity.clone(),
            limit: self.limit,
        }
    }
}

/// Reads a timeout in seconds. A negative one or NaN does not wait.
fn timeout(seconds: Option<f64>) -> Duration {
    let longest = Duration::from_secs(WAIT_SECONDS);
    match seconds {
        None => Duration::from_secs(WAIT_SECONDS_DEFAULT),
        Some(seconds) if seconds > 0.0 => {
            Duration::try_from_secs_f64(seconds).unwrap_or(longest).min(longest)
        }
        Some(_) => Duration::ZERO,
    }
}

/// The first line of every server.
pub(crate) fn hello(program: &str) -> Value {
    json!({ "interagent": program, "api": VERSION, "schema": SCHEMA })
}

/// Parses one line. The error has the id of the request if the line has a usable one.
pub(crate) fn parse(line: &[u8]) -> Result<ApiRequest, (Value, Refusal)> {
    let document: Value = serde_json::from_slice(line).map_err(|problem| {
        (Value::Null, bad_line(format!("the line is not JSON: {}", shortened(&problem))))
    })?;
    let Value::Object(mut fields) = document else {
        return Err((Value::Null, bad_line("a request is a JSON object")));
    };
    let id = fields.remove("id").unwrap_or(Value::Null);
    if !is_id(&id) {
        let sentence =
            format!("a request needs an id: a whole number, or a string of up to {ID_BYTES} bytes");
        return Err((Value::Null, bad_line(sentence)));
    }
    let mut text = |name: &str| match fields.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err((id.clone(), bad_line(format!("`{name}` is a string")))),
    };
    let (op, key, agent) = (text("op")?, text("key")?, text("agent")?);
    let Some(op) = op else { return Err((id, bad_line("a request names its operation in `op`"))) };
    let params = match fields.remove("params") {
        None | Some(Value::Null) => json!({}),
        Some(params) => params,
    };
    if let Some(name) = fields.keys().next() {
        let sentence = format!("a request has no field `{}`", shortened(name));
        return Err((id, bad_line(sentence)));
    }
    match operation(&op, params, key) {
        Ok(operation) => Ok(ApiRequest { id, agent, operation }),
        Err(refusal) => Err((id, refusal)),
    }
}

fn is_id(id: &Value) -> bool {
    match id {
        Value::Number(number) => number.is_i64() || number.is_u64(),
        Value::String(text) => text.len() <= ID_BYTES,
        _ => false,
    }
}

fn operation(op: &str, mut params: Value, key: Option<String>) -> Result<ApiOperation, Refusal> {
    let keyless = |operation| match key {
        Some(_) => Err(bad_line(format!("{op} takes no key"))),
        None => Ok(operation),
    };
    match op {
        "api.wait" => keyless(ApiOperation::Wait(own(op, params)?)),
        "api.events" => keyless(ApiOperation::Events(own(op, params)?)),
        "api.cancel" => keyless(ApiOperation::Cancel(own::<Cancel>(op, params)?.request)),
        _ => {
            if let (Some(key), Some(fields)) = (&key, params.as_object_mut()) {
                match fields.get("key") {
                    None | Some(Value::Null) => fields.insert("key".to_owned(), key.as_str().into()),
                    Some(_) => return Err(bad_line("the idempotency key is given twice")),
                };
            }
            let request = Request::build(op, params).map_err(|bad| match bad {
                BadRequest::NoSuchOperation => {
                    let sentence = format!("there is no operation `{}`", shortened(&op));
                    Refusal::not_found("no_such_operation", sentence).hint("interagent operations")
                }
                BadRequest::Params(why) => Refusal::usage("bad_request", why)
                    .hint(format!("interagent operations --json shows what {op} takes")),
            })?;
            Ok(ApiOperation::Operation(Box::new(request)))
        }
    }
}

/// Parameters of an operation of this surface.
fn own<T: DeserializeOwned>(op: &str, params: Value) -> Result<T, Refusal> {
    let read = T::deserialize(params);
    read.map_err(|why| Refusal::usage("bad_request", format!("{op}: {}", shortened(&why))))
}

fn bad_line(sentence: impl Into<String>) -> Refusal {
    Refusal::usage("bad_request", sentence)
        .hint(r#"a request is one line such as {"id": 1, "op": "task.list", "params": {"limit": 5}}"#)
}

fn shortened(text: &impl ToString) -> String {
    text.to_string().chars().take(COMPLAINT_CHARS).collect()
}

/// The answer to a line that is too long to be read.
pub(crate) fn too_long(limit: usize) -> (Value, Refusal) {
    (Value::Null, Refusal::usage("line_too_long", format!("a line has at most {limit} bytes")))
}

/// The answer of an operation.
pub(crate) fn operation_answer(id: Value, reply: &Reply) -> Value {
    match reply.document() {
        Ok(Value::Object(mut document)) => {
            document.insert("id".to_owned(), id);
            Value::Object(document)
        }
        Ok(_) | Err(_) => {
            refusal_answer(id, &Refusal::unavailable("bad_answer", "the answer can't be written as JSON"))
        }
    }
}

/// The answer of an operation of this surface.
pub(crate) fn surface_answer(id: Value, seq: i64, answer: &Value) -> Value {
    json!({ "id": id, "schema": SCHEMA, "seq": seq, "answer": answer })
}

/// A refusal.
pub(crate) fn refusal_answer(id: Value, refusal: &Refusal) -> Value {
    json!({ "id": id, "error": refusal })
}
