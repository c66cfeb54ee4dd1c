//! A thing as it was at a moment, as people read it.
//!
//! Owns the words for a state that came out of the log: names instead of ids, moments instead of numbers, and nothing of
//! what was not there. It is shown from the log alone: the views that `show` commands use know only how things stand now.

use std::collections::HashMap;

use interagent_wire::Time;
use interagent_wire::answer::{StateView, Who};
use serde_json::{Map, Value};

use super::{INDENT, exactly, moment, plain};
use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// What people look for first; the rest follows by name.
const FIRST: [&str; 11] = [
    "title", "subject", "name", "question", "status", "state", "verdict", "assignee", "assigner", "from",
    "intent",
];
/// Parts that are only there to hold others: what is in them belongs to the thing itself.
const TRANSPARENT: [&str; 2] = ["brief", "config"];
/// Moments that stand alone. Others are written as a pair: the place in the order, and the wall clock.
const MOMENTS: [&str; 2] = ["expires", "deadline"];

pub(super) fn state(printer: &mut Printer<'_>, state: &StateView) {
    let at = format!("  at {}, after {}", moment(state.at), exactly(state.events, "event", "events"));
    let names: HashMap<&str, &str> =
        state.names.iter().map(|Who { id, name, .. }| (id.as_str(), name.as_str())).collect();
    printer.line(&[(Role::Id, &state.entity), (Role::Quiet, &at)]);
    match &state.state {
        None => plain(printer, "it did not exist then"),
        Some(Value::Object(fields)) => {
            let fields: Map<String, Value> =
                fields.iter().filter(|(key, _)| *key != "id").map(|(k, v)| (k.clone(), v.clone())).collect();
            Past { printer, names }.fields(&fields, 0);
        }
        Some(other) => Past { printer, names }.field("state", other, 0),
    }
}

struct Past<'p, 'o, 's> {
    printer: &'p mut Printer<'o>,
    names: HashMap<&'s str, &'s str>,
}

impl Past<'_, '_, '_> {
    fn fields(&mut self, fields: &Map<String, Value>, indent: usize) {
        let place = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
        let mut sorted: Vec<(&String, &Value)> = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            match value {
                Value::Object(inner) if TRANSPARENT.contains(&key.as_str()) => sorted.extend(inner),
                value => sorted.push((key, value)),
            }
        }
        sorted.sort_by_key(|(key, _)| (place(key), key.as_str()));
        sorted.into_iter().for_each(|(key, value)| self.field(key, value, indent));
    }

    fn field(&mut self, key: &str, value: &Value, indent: usize) {
        let label = format!("{:indent$}{}:", "", self.named(key).replace('_', " "));
        match value {
            value if says_nothing(value) => {}
            Value::Object(fields) if stamped(fields).is_none() => {
                self.printer.line(&[(Role::Quiet, &label)]);
                self.fields(fields, indent + INDENT);
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                self.printer.line(&[(Role::Quiet, &label)]);
                for (at, item) in items.iter().enumerate() {
                    self.field(&(at + 1).to_string(), item, indent + INDENT);
                }
            }
            Value::String(text) if text.contains('\n') => {
                self.printer.line(&[(Role::Quiet, &label)]);
                self.printer.text(text, indent + INDENT);
            }
            Value::Number(number) if MOMENTS.contains(&key) => {
                let words = number.as_i64().map_or_else(|| number.to_string(), |at| moment(Time(at)));
                self.line(&label, &words);
            }
            value => {
                let words = self.words(value);
                self.line(&label, &words);
            }
        }
    }

    fn line(&mut self, label: &str, words: &str) {
        self.printer.line(&[(Role::Quiet, label), (Role::Plain, " "), (Role::Plain, words)]);
    }

    fn words(&self, value: &Value) -> String {
        match value {
            Value::String(word) => self.named(word).to_owned(),
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            Value::Array(items) => items.iter().map(|item| self.words(item)).collect::<Vec<_>>().join(", "),
            Value::Object(fields) => stamped(fields).map(moment).unwrap_or_default(),
            other => other.to_string(),
        }
    }

    fn named<'w>(&'w self, word: &'w str) -> &'w str {
        self.names.get(word).copied().unwrap_or(word)
    }
}

/// When, where a pair of times is all there is.
fn stamped(fields: &Map<String, Value>) -> Option<Time> {
    let is_stamp = fields.len() == 2 && fields.contains_key("at");
    fields.get("wall").filter(|_| is_stamp).and_then(Value::as_i64).map(Time)
}

/// Absent, empty, zero and no: what people would not write down.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(says_nothing),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Bool(true) => false,
    }
}
