//! A model that plays a script over the four protocols that clients speak, and remembers everything it was asked.
//!
//! Tests with real clients use it, and `interagent doctor --canary --client`. It listens on loopback, needs no key and keeps no
//! header of a request, so a key that a client sends is never stored or shown.
//!
//! It does not think: which turn of its script comes next follows from the conversation the client sends, by how many
//! calls are in it. So a request that is sent again gets the same answer, and what a client asks for beside the
//! conversation (titles, summaries: requests without tools) uses up no turn. In a conversation of many prompts a script
//! is played from its cue, a text that somebody says.

mod anthropic;
mod chat;
mod conversation;
mod gemini;
mod http;
mod responses;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use conversation::{By, Conversation, Item, Kind, Tool};

use self::http::{Answer, Asked};

/// What the model does at one point of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Calls a tool by the name the client gives it.
    Call {
        /// The name, with the client's prefix.
        tool: String,
        /// What the tool is called with. `{message: TEXT}` in a string of it becomes the id of the message with this subject or
        /// text, as the model was told it: that is how it learns an id that nobody knew when the script was written.
        arguments: Value,
    },
    /// Says something and ends its turn.
    Say(String),
}

/// What is said after the script, and to requests that are no conversation.
const NOTHING_MORE: &str = "done";

/// Begins the place of a message's id in a script.
const MESSAGE: &str = "{message: ";

/// A protocol a client may speak.
#[derive(Debug, Clone, Copy)]
enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

/// A request that reached the model.
#[derive(Debug, Clone)]
pub struct Request {
    /// Method and path.
    pub line: String,
    /// What it asks to go on with; none for anything but a conversation.
    pub conversation: Option<Conversation>,
}

/// A running model.
#[derive(Debug)]
pub struct MockModel {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Told of every request, and when answers are let go.
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while_held(&self) {
        let waited = self.changed.wait_while(self.state(), |state| state.held);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

#[derive(Debug, Default)]
struct State {
    /// Played from the beginning of a conversation in which no cue was given.
    script: Vec<Turn>,
    /// What is played from a cue on.
    cues: Vec<(String, Vec<Turn>)>,
    requests: Vec<Request>,
    /// Answers wait.
    held: bool,
    /// They wait from the request on that tells this.
    hold_at: Option<String>,
}

impl MockModel {
    /// Listens on loopback until the process ends.
    pub fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let answering = shared.clone();
        let url = http::serve(move |asked| {
            let answer = answering.state().answer(&asked);
            answering.changed.notify_all();
            answering.wait_while_held();
            answer
        })?;
        Ok(Self { url, shared })
    }

    /// Where it listens, without a path.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Plays this from now on, and forgets what it was asked before.
    pub fn play(&self, script: Vec<Turn>) {
        *self.shared.state() = State { script, ..State::default() };
    }

    /// Plays this whenever somebody but the model said the text, from there on; of several cues the one said last counts.
    pub fn cue(&self, text: &str, script: Vec<Turn>) {
        self.shared.state().cues.push((text.to_owned(), script));
    }

    /// Ends whatever is played when somebody says the text, unless it is a cue already. A client that shortens a conversation
    /// drops calls and keeps old prompts, which would be played again.
    pub fn cue_if_none(&self, text: &str) {
        let mut state = self.shared.state();
        if !state.cues.iter().any(|(cue, _)| cue == text) {
            state.cues.push((text.to_owned(), Vec::new()));
        }
    }

    /// Thinks until it is let go: it takes requests, and answers none.
    pub fn hold(&self) {
        self.shared.state().held = true;
    }

    /// Thinks as soon as it is told a text: the request that tells it gets no answer until it is let go.
    pub fn hold_at(&self, text: &str) {
        self.shared.state().hold_at = Some(text.to_owned());
    }

    /// Answers again.
    pub fn let_go(&self) {
        self.shared.state().held = false;
        self.shared.changed.notify_all();
    }

    /// Everything it was asked.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// The first request of a conversation that is as wanted, once there is one.
    pub fn wait_for(
        &self,
        wanted: impl Fn(&Conversation) -> bool,
        patience: Duration,
    ) -> Option<Conversation> {
        let until = Instant::now() + patience;
        let mut state = self.shared.state();
        loop {
            if let Some(found) = state.conversations().find(|conversation| wanted(conversation)) {
                return Some(found.clone());
            }
            let left = until.checked_duration_since(Instant::now())?;
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The requests of the conversation itself: those that offer tools.
    pub fn conversations(&self) -> Vec<Conversation> {
        self.shared.state().conversations().cloned().collect()
    }
}

impl State {
    fn conversations(&self) -> impl Iterator<Item = &Conversation> {
        let conversations = self.requests.iter().filter_map(|request| request.conversation.as_ref());
        conversations.filter(|conversation| !conversation.tools.is_empty())
    }

    fn answer(&mut self, asked: &Asked) -> Answer {
        let line = format!("{} {}", asked.method, asked.path);
        let body = match &asked.encoding {
            None => serde_json::from_slice(&asked.body).unwrap_or(Value::Null),
            Some(_) => Value::Null,
        };
        let Some((api, wants)) = meaning(asked) else {
            self.requests.push(Request { line: line.clone(), conversation: None });
            return side_answer(asked, &line);
        };
        let conversation = match api {
            Api::Anthropic => anthropic::read(&body),
            Api::Chat => chat::read(&body),
            Api::Responses => responses::read(&body),
            Api::Gemini => gemini::read(&body),
        };
        if self.hold_at.take_if(|text| conversation.tells(text)).is_some() {
            self.held = true;
        }
        let act = self.act(&conversation);
        let number = self.requests.len();
        self.requests.push(Request { line, conversation: Some(conversation) });
        let reply = Reply { act, number, model: body["model"].clone(), stream: wants.stream(&body) };
        match api {
            Api::Anthropic => anthropic::reply(&reply),
            Api::Chat => chat::reply(&reply),
            Api::Responses => responses::reply(&reply),
            Api::Gemini => gemini::reply(&reply),
        }
    }

    fn act(&self, conversation: &Conversation) -> Act {
        if conversation.tools.is_empty() {
            return Act::Say(NOTHING_MORE.to_owned());
        }
        let given = self.cues.iter().filter_map(|(cue, script)| Some((conversation.last_said(cue)?, script)));
        let (start, script) = given.max_by_key(|(said, _)| *said).unwrap_or((0, &self.script));
        match script.get(conversation.calls_after(start)) {
            None => Act::Say(NOTHING_MORE.to_owned()),
            Some(Turn::Say(text)) => Act::Say(text.clone()),
            Some(Turn::Call { tool, arguments }) => match conversation.tool(tool) {
                Some(offered) => {
                    Act::Call { tool: offered.clone(), arguments: fill_in(arguments, conversation) }
                }
                // The record shows what was missing; here the client only has to come to its end.
                None => Act::Say(format!("the tool {tool} is not offered")),
            },
        }
    }
}

/// Puts ids of messages in their places. One that the model was never told stays open, and the call fails by it.
fn fill_in(arguments: &Value, conversation: &Conversation) -> Value {
    match arguments {
        Value::String(text) => Value::String(filled_in(text, conversation)),
        Value::Array(list) => list.iter().map(|value| fill_in(value, conversation)).collect(),
        Value::Object(fields) => {
            let filled = fields.iter().map(|(key, value)| (key.clone(), fill_in(value, conversation)));
            Value::Object(filled.collect())
        }
        other => other.clone(),
    }
}

fn filled_in(text: &str, conversation: &Conversation) -> String {
    let place = text.split_once(MESSAGE).and_then(|(before, rest)| {
        let (wanted, after) = rest.split_once('}')?;
        Some((before, conversation.message_with(wanted)?, after))
    });
    match place {
        Some((before, id, after)) => format!("{before}{id}{}", filled_in(after, conversation)),
        None => text.to_owned(),
    }
}

/// What is to be said in the client's protocol.
#[derive(Debug)]
struct Reply {
    act: Act,
    /// Makes ids differ.
    number: usize,
    model: Value,
    stream: bool,
}

#[derive(Debug, PartialEq)]
enum Act {
    Call { tool: Tool, arguments: Value },
    Say(String),
}

/// Whether the answer shall be a stream.
#[derive(Debug, Clone, Copy)]
enum Wants {
    AsTheBodySays,
    Stream,
    Whole,
}

impl Wants {
    fn stream(self, body: &Value) -> bool {
        match self {
            Self::AsTheBodySays => body["stream"] == true,
            Self::Stream => true,
            Self::Whole => false,
        }
    }
}

fn meaning(asked: &Asked) -> Option<(Api, Wants)> {
    if asked.method != "POST" || asked.encoding.is_some() {
        return None;
    }
    let ends = [
        ("/messages", Api::Anthropic, Wants::AsTheBodySays),
        ("/chat/completions", Api::Chat, Wants::AsTheBodySays),
        ("/responses", Api::Responses, Wants::AsTheBodySays),
        (":streamGenerateContent", Api::Gemini, Wants::Stream),
        (":generateContent", Api::Gemini, Wants::Whole),
    ];
    ends.iter().find(|(end, _, _)| asked.path.ends_with(end)).map(|(_, api, wants)| (*api, *wants))
}

/// What clients ask for beside conversations.
fn side_answer(asked: &Asked, line: &str) -> Answer {
    if asked.path.ends_with("/count_tokens") {
        return json_answer(200, &json!({ "input_tokens": 100 }));
    }
    if asked.path.ends_with(":countTokens") {
        return json_answer(200, &json!({ "totalTokens": 100 }));
    }
    if asked.path.ends_with("/models") {
        let model = json!({ "id": "mock-model", "object": "model", "type": "model", "display_name": "mock" });
        return json_answer(200, &json!({ "object": "list", "data": [model], "has_more": false }));
    }
    let why = match &asked.encoding {
        Some(encoding) => format!("the scripted model can't unpack {encoding}"),
        None => format!("the scripted model has no {line}"),
    };
    json_answer(404, &json!({ "error": { "type": "not_found_error", "message": why } }))
}

fn json_answer(status: u16, body: &Value) -> Answer {
    Answer { status, content_type: "application/json", body: body.to_string() }
}

/// A stream of events; those of one protocol are named, those of the others only typed.
fn stream_answer(events: &[(Option<&str>, Value)]) -> Answer {
    let mut body = String::new();
    for (name, data) in events {
        if let Some(name) = name {
            body.push_str(&format!("event: {name}\n"));
        }
        body.push_str(&format!("data: {data}\n\n"));
    }
    Answer { status: 200, content_type: "text/event-stream", body }
}

#[cfg(test)]
mod tests;
