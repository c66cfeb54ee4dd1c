//! What a client sent, in one shape for all protocols.

use serde_json::Value;

/// A conversation as a client sends it, with the tools it offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// The instructions above it.
    pub system: String,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// What was said, called and answered, in order.
    pub items: Vec<Item>,
}

/// A tool as the client offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The group it is in; only the Responses protocol has those.
    pub namespace: Option<String>,
    /// Its name, in its group.
    pub name: String,
}

impl Tool {
    pub(super) fn named(name: &Value) -> Option<Self> {
        Some(Self { namespace: None, name: name.as_str()?.to_owned() })
    }

    /// The name a permission rule or a prompt would use.
    pub fn full_name(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}__{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// One piece of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// What it says: a text, the arguments of a call, the result of one.
    pub text: String,
}

/// What a piece of a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something that was said, by anyone.
    Text,
    /// The model called a tool.
    Call,
    /// What a tool answered.
    Result,
}

impl Conversation {
    pub(super) fn add(&mut self, kind: Kind, text: String) {
        self.items.push(Item { kind, text });
    }

    /// How many calls were made.
    pub(super) fn calls(&self) -> usize {
        self.items.iter().filter(|item| item.kind == Kind::Call).count()
    }

    /// The tool of a full name.
    pub(super) fn tool(&self, full_name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.full_name() == full_name)
    }

    /// The full names of what is offered.
    pub fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(Tool::full_name).collect()
    }

    /// What the tools answered.
    pub fn results(&self) -> Vec<&str> {
        let results = self.items.iter().filter(|item| item.kind == Kind::Result);
        results.map(|item| item.text.as_str()).collect()
    }
}

/// The list behind a key, or nothing.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// The text of any shape in which the protocols nest texts; what has no text is shown as it is.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => {
            let inner = ["text", "content", "output", "parts"].iter().find_map(|key| object.get(*key));
            match inner {
                Some(inner @ (Value::String(_) | Value::Array(_))) => text(inner),
                _ => value.to_string(),
            }
        }
        other => other.to_string(),
    }
}
