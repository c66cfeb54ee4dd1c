//! What must come back for a line, and what must be in the hub for an answer.
//!
//! Knows the protocol only as far as its promise goes: a request with an id gets one answer with that id, and what is no
//! message at all gets an error without one. Where a line can be read in two ways, either is fine.

use std::collections::HashMap;

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

use crate::support::agent;

/// The longest line the server takes.
const LINE_BYTES: usize = 8 * 1024 * 1024;
/// Messages whose text is compared with what was sent.
const TEXTS_COMPARED: usize = 60;

/// How many answers an id may get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    /// Requests that must be answered.
    due: usize,
    /// Lines that may be.
    optional: usize,
    got: usize,
}

/// The books of a run.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// By the id as JSON; errors without one are under `null`.
    answers: HashMap<String, Count>,
    /// What the server said exists: id, and the text where it was sent by an unharmed call.
    acknowledged: HashMap<String, Option<String>>,
    /// Texts of sends on their way, by request id.
    texts: HashMap<String, String>,
    /// Requests whose call was well formed: they may be refused, but nothing may be wrong inside.
    calls: usize,
}

/// What a line is, as far as anybody can tell from the outside.
enum Line {
    Nothing,
    /// One error without an id.
    Rubbish,
    /// One answer under this id.
    Request(Value),
    /// Perhaps one answer, under this id or none.
    Unclear(Value),
    /// The answer to another request may be left out.
    Cancels(Value),
}

fn read(line: &[u8]) -> Line {
    if line.len() > LINE_BYTES {
        return Line::Rubbish;
    }
    let text = line.trim_ascii();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.is_empty() {
        return Line::Nothing;
    }
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return Line::Rubbish };
    let Some(fields) = value.as_object() else { return Line::Rubbish };
    // The same field twice: which one counts is nobody's promise.
    let twice = |name: &str| {
        let needle = format!("\"{name}\"");
        String::from_utf8_lossy(text).matches(&needle).count() > 1
    };
    let unclear = twice("id") || twice("method") || twice("jsonrpc") || twice("params");
    let id = fields.get("id").filter(|id| id.is_string() || id.is_i64()).cloned();
    match (id, fields.get("method")) {
        (None, Some(method)) if !fields.contains_key("id") && !unclear => match &value["params"]["requestId"]
        {
            Value::Null => Line::Nothing,
            request if method == "notifications/cancelled" => Line::Cancels(request.clone()),
            _ => Line::Nothing,
        },
        (Some(id), Some(method)) if !unclear => match method.as_str() {
            Some(method) if method.starts_with("notifications/") => Line::Unclear(id),
            _ if fields.contains_key("result") || fields.contains_key("error") => Line::Unclear(id),
            _ => Line::Request(id),
        },
        (Some(id), _) => Line::Unclear(id),
        // 1e2 is a hundred to some.
        (None, _) => Line::Unclear(match fields.get("id").and_then(Value::as_f64) {
            Some(number) if number.fract() == 0.0 => json!(number as i64),
            _ => Value::Null,
        }),
    }
}

impl Judge {
    /// A line goes out.
    pub(super) fn sent(&mut self, line: &[u8]) {
        match read(line) {
            Line::Nothing => {}
            Line::Rubbish => self.count(&Value::Null).due += 1,
            Line::Request(id) => {
                self.count(&id).due += 1;
                self.remember_text(&id, line);
            }
            Line::Unclear(id) => {
                self.count(&id).optional += 1;
                self.count(&Value::Null).optional += 1;
            }
            Line::Cancels(id) => {
                let count = self.count(&id);
                count.optional += std::mem::take(&mut count.due);
            }
        }
    }

    fn count(&mut self, id: &Value) -> &mut Count {
        self.answers.entry(id.to_string()).or_default()
    }

    fn remember_text(&mut self, id: &Value, line: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(line.trim_ascii()) else { return };
        let call = &value["params"];
        self.calls += 1;
        // Two calls under one id: whose answer comes first is open.
        let again = self.answers.get(&id.to_string()).is_some_and(|count| count.due + count.optional > 1);
        let text = call["arguments"]["content"].as_str().filter(|_| call["name"] == "send_message" && !again);
        match text {
            Some(text) => drop(self.texts.insert(id.to_string(), text.to_owned())),
            None => drop(self.texts.remove(&id.to_string())),
        }
    }

    /// A message came in.
    #[track_caller]
    pub(super) fn got(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        if message["method"].is_string() {
            assert!(message.get("id").is_none(), "the server asked something: {message}");
            return;
        }
        let (result, error) = (message.get("result"), message.get("error"));
        assert!(result.is_some() != error.is_some(), "{message}");
        assert_ne!(message["error"]["code"], -32603, "something is wrong inside: {message}");
        let document = &message["result"]["structuredContent"];
        let refused = &document["error"];
        assert_ne!(refused["code"], "internal", "{message}");
        assert_ne!(refused["kind"], "unavailable", "{message}");
        let id = message["id"].to_string();
        let count = self.answers.entry(id.clone()).or_default();
        count.got += 1;
        if let Some(made) = document["answer"]["id"].as_str() {
            let text = self.texts.remove(&id).filter(|_| document["answer"]["thread"].is_string());
            let known = self.acknowledged.entry(made.to_owned()).or_default();
            *known = text.or(known.take());
        }
    }

    /// Requests that still wait for their answer.
    pub(super) fn unanswered(&self) -> usize {
        self.answers.values().map(|count| count.due.saturating_sub(count.got)).sum()
    }

    /// Their ids.
    pub(super) fn missing(&self) -> String {
        let open = self.answers.iter().filter(|(_, count)| count.due > count.got);
        open.map(|(id, count)| format!("{id} ({count:?})")).collect::<Vec<_>>().join(", ")
    }

    /// Nothing more can come: no id got too little or too much.
    #[track_caller]
    pub(super) fn connection_is_over(&mut self) {
        for (id, count) in self.answers.drain() {
            let most = count.due + count.optional;
            assert!(count.got >= count.due && count.got <= most, "the id {id}: {count:?}");
        }
        self.texts.clear();
    }

    /// Everything the server said it had made is there, with the text that was sent.
    pub(super) fn nothing_is_lost(&self, sandbox: &Sandbox) {
        assert!(self.calls > 0 && !self.acknowledged.is_empty(), "nothing was ever done");
        let mut reader = agent(sandbox, "reader");
        for id in self.acknowledged.keys() {
            let noun = id.split('-').next().unwrap_or_default();
            match noun {
                "msg" => drop(reader.done("read_message", json!({ "message_id": id }))),
                "task" => drop(reader.done("task", json!({ "action": "show", "task": id }))),
                "rev" => drop(reader.done("review", json!({ "action": "show", "review": id }))),
                "dec" => drop(reader.done("decision", json!({ "action": "show", "decision": id }))),
                "agt" => drop(reader.done("get_agent", json!({ "name": id }))),
                // Leases end by themselves.
                _ => {}
            }
        }
        assert!(reader.leave().success());
        let texts = self.acknowledged.iter().filter_map(|(id, text)| Some((id, text.as_ref()?)));
        for (id, text) in texts.take(TEXTS_COMPARED) {
            let params = json!({ "message": id }).to_string();
            assert_eq!(sandbox.json(&["call", "message.read", &params])["body"], json!(text), "{id}");
        }
    }
}
