//! What differs between clients: how they are told where the model is, and how they run without a person.
//!
//! Each adapter writes the fewest settings that make its client use the scripted model and ask nobody. How our
//! server is configured is not here: that is read from the manual.

mod claude;
mod codex;
mod copilot;
mod droid;
mod gemini;
mod goose;
mod kimi;
mod kimi_cli;
mod opencode;
mod qwen;

use std::fmt::Debug;
use std::path::Path;

use interagent_mock_model::Turn;
use serde_json::Value;

use super::stage::Stage;

/// One kind of client.
pub trait Client: Debug + Sync {
    /// What the cache and the tests call it.
    fn name(&self) -> &'static str;

    /// What the manual calls it.
    fn title(&self) -> &'static str;

    /// The profile of an agent that is such a client.
    fn profile(&self) -> &'static str {
        self.name()
    }

    /// What of a tool's result it shows the model.
    fn shows(&self) -> Shows;

    /// Variables it needs, beside the usual ones.
    fn variables(&self, stage: &Stage<'_>) -> Vec<(&'static str, String)>;

    /// Files it needs, below `~` or in the project.
    fn settings(&self, _stage: &Stage<'_>) -> Vec<(String, Settings)> {
        Vec::new()
    }

    /// The arguments with which it works on a prompt and ends.
    fn arguments(&self, prompt: &str) -> Vec<String>;

    /// How a person uses it.
    fn terminal(&self, stage: &Stage<'_>) -> Terminal;

    /// Ends what it left behind for this home.
    fn leave(&self, _home: &Path) {}

    /// Its model runs a command.
    fn shell(&self, command: &str) -> Turn;

    /// Its model writes a file.
    fn write(&self, path: &Path, content: &str) -> Turn;
}

/// What a client at a terminal looks like.
#[derive(Debug)]
pub struct Terminal {
    /// The arguments with which it starts and waits for a person.
    pub arguments: Vec<String>,
    /// Whether a screen has a line to type in, and no dialog in which Enter would mean something else.
    pub ready: fn(&str) -> bool,
    /// Whether a screen says that a turn goes on.
    pub busy: fn(&str) -> bool,
    /// Questions at the start that no setting answers, with the keys a person would press.
    pub dialogs: &'static [(&'static str, &'static [&'static str])],
    /// The command that clears the conversation.
    pub clear: &'static str,
    /// The command that shortens it.
    pub compact: &'static str,
}

/// What of a tool's result a client shows its model. We answer with both, because clients differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// The text.
    Text,
    /// The structured answer.
    Document,
    /// Both of them.
    Both,
}

/// The content of a configuration file.
#[derive(Debug, Clone, PartialEq)]
pub enum Settings {
    /// As a document.
    Json(Value),
    /// As text.
    Text(String),
}

impl Settings {
    /// Adds what the manual shows to what the adapter needs.
    pub(super) fn merge(&mut self, more: Self) {
        match (self, more) {
            (Self::Json(own), Self::Json(more)) => merge(own, more),
            (Self::Text(own), Self::Text(more)) => own.push_str(&more),
            (own, more) => panic!("one file, two formats: {own:?} {more:?}"),
        }
    }

    /// Fills in what the manual can't know.
    pub(super) fn fill_in(&self, places: &[(&str, &str)]) -> Self {
        let filled =
            |text: &str| places.iter().fold(text.to_owned(), |text, (place, with)| text.replace(place, with));
        match self {
            // Neither an address nor a token has a character that JSON would write otherwise.
            Self::Json(document) => Self::Json(serde_json::from_str(&filled(&document.to_string())).unwrap()),
            Self::Text(text) => Self::Text(filled(text)),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Json(document) => format!("{document:#}\n"),
            Self::Text(text) => text.clone(),
        }
    }
}

fn merge(own: &mut Value, more: Value) {
    match (own, more) {
        (Value::Object(own), Value::Object(more)) => {
            for (key, value) in more {
                merge(own.entry(key).or_insert(Value::Null), value);
            }
        }
        (own, more) => *own = more,
    }
}

/// Every client there is a test for.
const CLIENTS: [&dyn Client; 10] = [
    &claude::Claude,
    &kimi::Kimi,
    &codex::Codex,
    &gemini::Gemini,
    &opencode::OpenCode,
    &qwen::Qwen,
    &copilot::Copilot,
    &kimi_cli::KimiCli,
    &goose::Goose,
    &droid::Droid,
];

/// The names of all clients there is a test for.
pub fn names() -> impl Iterator<Item = &'static str> {
    CLIENTS.into_iter().map(Client::name)
}

/// The client of a name.
pub fn client(name: &str) -> &'static dyn Client {
    let found = CLIENTS.into_iter().find(|client| client.name() == name);
    found.unwrap_or_else(|| panic!("there is no client {name}"))
}

/// Whether a line begins with one of the characters that take turns while both clients of Kimi work.
fn shows_spinner(line: &str) -> bool {
    let spins =
        |first: char| ('\u{2800}'..='\u{28ff}').contains(&first) || "🌑🌒🌓🌔🌕🌖🌗🌘".contains(first);
    line.trim_start().chars().next().is_some_and(spins)
}

/// A call of a tool.
fn call(tool: &str, arguments: Value) -> Turn {
    Turn::Call { tool: tool.to_owned(), arguments }
}

/// A list of words, owned.
fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(ToOwned::to_owned).to_vec()
}
