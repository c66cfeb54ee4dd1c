//! The hooks of a client: where they are listed, what each event means, and how something is said there.

use serde::Deserialize;
use serde_json::Value;

use crate::plugin;
use crate::profile::{Format, Setting};
use crate::template::{Fill, fill};

/// A client's hooks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hooks {
    /// Of both files.
    pub format: Format,
    /// Below the project's directory.
    pub project: Option<String>,
    /// Begins with `~/`.
    pub user: Option<String>,
    /// What a new file begins with.
    pub base: Option<Value>,
    /// The way to the list that our elements stand in, with `{event}`.
    #[serde(default)]
    pub into: Vec<String>,
    /// Our element, with `{binary}` and `{arguments}`, or with `{command}` where the client starts a shell.
    pub element: Option<Value>,
    /// The file that is put there whole.
    pub file: Option<String>,
    /// What else must be set in the same file.
    #[serde(default)]
    pub also: Vec<Setting>,
    /// What the client does without a question because of it: only our own tools.
    pub allows: Option<String>,
    /// What the user has to confirm in the client, and where.
    pub confirm: Option<String>,
    /// Where the client records which hooks the person trusts; absent where it asks for no trust.
    pub trust: Option<Trust>,
    /// What the client calls the fields of its input.
    #[serde(default)]
    pub fields: Fields,
    /// What happens, and what it means.
    #[serde(default)]
    pub events: Vec<Event>,
}

impl Hooks {
    /// Whether one of them hands messages to the model.
    pub fn bring_mail(&self) -> bool {
        let hands_over =
            |means: Means| matches!(means, Means::Prompt | Means::AfterTool | Means::TurnEnd | Means::Wait);
        self.events.iter().any(|event| hands_over(event.means) && event.say != Say::Nothing)
    }
}

/// Where a client records that the person trusts a hook.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    /// Its file, which begins with `~/`.
    pub user: String,
    /// The format of that file.
    pub format: Format,
    /// The way to the table of trusted hooks.
    pub at: Vec<String>,
    /// How the key of a trusted hook begins, with `{file}` and `{event}` in snake case.
    pub key: String,
}

/// What a client calls the fields of a hook's input.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fields {
    /// Its id of the session.
    pub session: String,
    /// Where it works.
    pub cwd: String,
    /// Why a session begins.
    pub source: String,
    /// The tool.
    pub tool: String,
    /// What the tool is called with.
    pub input: String,
    /// A hook has kept this turn going already.
    pub looping: String,
    /// The subagent in which it happened.
    pub subagent: String,
    /// What the client waits for.
    pub notice: String,
    /// Describes the dialog that a notice is about, with its `title`; absent where the client names the tool itself.
    pub details: Option<String>,
    /// Which part of the context is used, from 0 to 1; absent where it does not say.
    pub context_used: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            session: "session_id".to_owned(),
            cwd: "cwd".to_owned(),
            source: "source".to_owned(),
            tool: "tool_name".to_owned(),
            input: "tool_input".to_owned(),
            looping: "stop_hook_active".to_owned(),
            subagent: "agent_id".to_owned(),
            notice: "notification_type".to_owned(),
            details: None,
            context_used: None,
        }
    }
}

/// One event of a client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// What the client calls it.
    pub name: String,
    /// What it means.
    pub means: Means,
    /// How something is said there.
    #[serde(default)]
    pub say: Say,
    /// The document that says `{text}`.
    pub answer: Option<Value>,
    /// What shows `{text}` to the person at the client, beside the answer.
    pub notice: Option<Value>,
    /// An element of its own.
    pub element: Option<Value>,
    /// Notice types that say that a permission prompt or another dialog is open. Without this list and `idle`, the event
    /// itself says so.
    #[serde(default)]
    pub asking: Vec<String>,
    /// Notice types that say that a dialog was answered.
    #[serde(default)]
    pub answered: Vec<String>,
    /// Notice types that say that the session waits for a prompt. Types in no list change nothing.
    #[serde(default)]
    pub idle: Vec<String>,
    /// The client tells of it once in a turn, also where it kept the turn going.
    #[serde(default)]
    pub once: bool,
}

/// What an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// A session begins, or begins again after it forgot.
    Start,
    /// A person said something.
    Prompt,
    /// A tool is about to be used; what is said denies it.
    BeforeTool,
    /// A tool was used.
    AfterTool,
    /// The turn ends; what is said keeps it going.
    TurnEnd,
    /// The client waits for a person.
    Notice,
    /// The person answered what the client asked.
    Answered,
    /// The conversation is about to be shortened.
    Compact,
    /// The session ends.
    End,
    /// The session is idle: what is said wakes it.
    Wait,
}

impl Means {
    /// The word for it on a command line, where a client's event means two things.
    pub fn is_wait(self) -> bool {
        self == Self::Wait
    }
}

/// What a notice says of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A permission prompt or another dialog is open.
    Asking,
    /// A dialog was answered.
    Answered,
    /// The session waits for a prompt.
    Idle,
    /// Nothing of what the session does.
    Other,
}

/// How something is said at an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Say {
    /// Not at all: nobody listens.
    #[default]
    Nothing,
    /// As plain text.
    Stdout,
    /// As a document on standard output.
    Json,
    /// On standard error, with exit code 2.
    #[serde(rename = "exit_2")]
    Exit2,
}

impl Hooks {
    /// The event of a name; the waiter of that event where `wait` is asked for.
    pub fn event(&self, name: &str, wait: bool) -> Option<&Event> {
        self.events.iter().find(|event| event.name == name && event.means.is_wait() == wait)
    }

    /// Why these hooks can't be used.
    pub(crate) fn problem(&self) -> Option<String> {
        let is_ours = self.format == Format::File;
        if is_ours && self.file.as_deref().and_then(plugin::text).is_none() {
            return Some("its hooks are a file, and it names none that the program has".to_owned());
        }
        for event in &self.events {
            if event.say == Say::Json && event.answer.is_none() {
                return Some(format!("{} says JSON without an answer", event.name));
            }
            if event.notice.is_some() && event.say != Say::Json {
                return Some(format!("{} shows a notice and says no JSON", event.name));
            }
            if !is_ours && event.element.is_none() && self.element.is_none() {
                return Some(format!("{} has no element", event.name));
            }
        }
        None
    }
}

impl Event {
    /// What a notice of this type says; nothing where the event is no notice.
    pub fn notice(&self, kind: Option<&str>) -> Option<Notice> {
        let names = |list: &[String]| kind.is_some_and(|kind| list.iter().any(|word| word == kind));
        match self.means {
            Means::Answered => Some(Notice::Answered),
            Means::Notice if self.asking.is_empty() && self.idle.is_empty() => Some(Notice::Asking),
            Means::Notice if names(&self.asking) => Some(Notice::Asking),
            Means::Notice if names(&self.answered) => Some(Notice::Answered),
            Means::Notice if names(&self.idle) => Some(Notice::Idle),
            Means::Notice => Some(Notice::Other),
            _ => None,
        }
    }

    /// The document that says a text to the model and shows a notice to the person. A client that can't show one gets the
    /// answer alone.
    pub fn document(&self, text: &str, notice: Option<&str>) -> Option<Value> {
        let filled = |form: &Value, text: &str| fill(form, &[("{text}", Fill::Text(text))]);
        let mut document = filled(self.answer.as_ref()?, text);
        let notice = self.notice.as_ref().zip(notice).map(|(form, notice)| filled(form, notice));
        if let (Value::Object(fields), Some(Value::Object(shown))) = (&mut document, notice) {
            fields.extend(shown);
        }
        Some(document)
    }
}
