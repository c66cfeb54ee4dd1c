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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tool {
    /// The group it is in; only the Responses protocol has those.
    pub namespace: Option<String>,
    /// Its name, in its group.
    pub name: String,
    /// All that the client says about it, as JSON.
    pub definition: String,
}

impl Tool {
    pub(super) fn named(name: &Value, definition: &Value) -> Option<Self> {
        Some(Self { namespace: None, name: name.as_str()?.to_owned(), definition: definition.to_string() })
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
    /// Who it is from.
    pub by: By,
    /// What it is.
    pub kind: Kind,
    /// What it says: a text, the arguments of a call, the result of one.
    pub text: String,
}

/// Who a piece of a conversation is from, as the protocol tells the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Whoever runs the model: roles like system and developer.
    System,
    /// Whoever speaks with it.
    User,
    /// The model itself.
    Model,
    /// A tool it called.
    Tool,
}

impl By {
    /// The role of a message in the protocols.
    pub(super) fn role(role: &Value) -> Self {
        match role.as_str() {
            Some("system" | "developer") => Self::System,
            Some("assistant" | "model") => Self::Model,
            Some("tool") => Self::Tool,
            _ => Self::User,
        }
    }
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
    /// Adds what was said.
    pub(super) fn say(&mut self, by: By, text: String) {
        self.items.push(Item { by, kind: Kind::Text, text });
    }

    /// Adds a call of the model.
    pub(super) fn call(&mut self, arguments: String) {
        self.items.push(Item { by: By::Model, kind: Kind::Call, text: arguments });
    }

    /// Adds what a tool answered.
    pub(super) fn answer(&mut self, text: String) {
        self.items.push(Item { by: By::Tool, kind: Kind::Result, text });
    }

    /// How many calls were made after a number of pieces.
    pub(super) fn calls_after(&self, pieces: usize) -> usize {
        self.items.iter().skip(pieces).filter(|item| item.kind == Kind::Call).count()
    }

    /// Where a text was said last, by anyone but the model.
    pub(super) fn last_said(&self, text: &str) -> Option<usize> {
        self.items
            .iter()
            .rposition(|item| item.kind == Kind::Text && item.by != By::Model && item.text.contains(text))
    }

    /// Who told the model a text, if anybody did: the instructions above the conversation count as the system's.
    pub fn told_by(&self, text: &str) -> Option<By> {
        let told = self.items.iter().find(|item| item.by != By::Model && item.text.contains(text));
        told.map(|item| item.by).or_else(|| self.system.contains(text).then_some(By::System))
    }

    /// Whether the model was told a text above the conversation, or after another text was said in it.
    pub fn tells_after(&self, earlier: &str, text: &str) -> bool {
        let start = self.last_said(earlier).map_or(0, |said| said + 1);
        let mut later = self.items.iter().skip(start);
        self.system.contains(text) || later.any(|item| item.by != By::Model && item.text.contains(text))
    }

    /// Whether the model was told a text, by anybody.
    pub fn tells(&self, text: &str) -> bool {
        self.told_by(text).is_some()
    }

    /// The id of the message with a text, as its envelope names it; of several the one that was told last.
    pub(super) fn message_with(&self, text: &str) -> Option<&str> {
        let told = self.items.iter().rev().filter(|item| item.by != By::Model);
        told.flat_map(|item| item.text.match_indices(text).map(|(at, _)| &item.text[..at])).find_map(
            |before| {
                let envelope = &before[before.rfind("--- msg-")?..];
                envelope.split_whitespace().nth(1)
            },
        )
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
