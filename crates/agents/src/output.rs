//! Reading what a client says while it works without a person: progress, its result, its session, why it failed.
//!
//! Which line means what stands in the profile. Lines that mean nothing are passed over.

use serde_json::Value;

use crate::profile::{Headless, Line};

/// Something a client did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It said this.
    Text(String),
    /// It uses this tool.
    Tool(String),
}

/// What was read of a client's output so far.
#[derive(Clone, Debug)]
pub struct Reading<'p> {
    headless: &'p Headless,
    /// Longest result that is kept, in bytes.
    most: usize,
    result: String,
    session: Option<String>,
    failure: Option<String>,
    asked: bool,
    cut: bool,
}

impl<'p> Reading<'p> {
    /// Nothing was read yet; of the result at most so many bytes are kept.
    pub fn new(headless: &'p Headless, most: usize) -> Self {
        Self { headless, most, result: String::new(), session: None, failure: None, asked: false, cut: false }
    }

    /// Takes a line in and says what the client did.
    pub fn take(&mut self, line: &str) -> Vec<Said> {
        if self.headless.result.is_empty() && self.headless.progress.is_empty() {
            return self.take_plain(line);
        }
        let Ok(document) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        let session = self.headless.session.as_deref().and_then(|place| document.pointer(place));
        if let Some(session) = session.and_then(Value::as_str) {
            self.session = Some(session.to_owned());
        }
        if let Some(failed) = self.headless.failure.iter().find(|line| line.fits(&document)) {
            self.failure = Some(failed.text(&document).unwrap_or_default());
            return Vec::new();
        }
        self.take_result(&document);
        let said: Vec<Said> = self.headless.progress.iter().filter_map(|line| line.said(&document)).collect();
        self.asked |= !said.is_empty();
        said
    }

    /// All of it is the result, so nothing is said besides.
    fn take_plain(&mut self, line: &str) -> Vec<Said> {
        if line.trim().is_empty() && self.result.is_empty() {
            return Vec::new();
        }
        self.asked = true;
        self.add(line);
        self.add("\n");
        Vec::new()
    }

    fn take_result(&mut self, document: &Value) {
        for line in self.headless.result.iter().filter(|line| line.fits(document)) {
            let Some(text) = line.text(document) else { continue };
            self.asked = true;
            if !line.pieces {
                self.result.clear();
                self.cut = false;
            }
            self.add(&text);
        }
    }

    fn add(&mut self, text: &str) {
        let mut room = self.most.saturating_sub(self.result.len()).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        self.cut |= room < text.len();
        self.result.push_str(&text[..room]);
    }

    /// Whether the model was asked: what the client was started with has arrived.
    pub fn was_asked(&self) -> bool {
        self.asked
    }

    /// Its last words.
    pub fn result(&self) -> &str {
        self.result.trim_end()
    }

    /// Whether its last words were longer than what is kept of them.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    /// The client's own id of its session.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// What went wrong, where the client says so.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl Line {
    fn fits(&self, document: &Value) -> bool {
        self.when.iter().all(|(way, wanted)| {
            let found = way.split('.').try_fold(document, |value, field| value.get(field));
            match found {
                Some(Value::String(found)) => found == wanted,
                // A number or a yes is written as JSON writes it.
                Some(found) => serde_json::from_str(wanted).is_ok_and(|wanted: Value| wanted == *found),
                None => false,
            }
        })
    }

    fn text(&self, document: &Value) -> Option<String> {
        let text = words(document.pointer(self.text.as_deref()?)?)?;
        (!text.is_empty()).then_some(text)
    }

    fn said(&self, document: &Value) -> Option<Said> {
        if !self.fits(document) {
            return None;
        }
        let tool = self.tool.as_deref().and_then(|place| document.pointer(place)).and_then(Value::as_str);
        match tool {
            Some(tool) => Some(Said::Tool(tool.to_owned())),
            None => self.text(document).map(Said::Text),
        }
    }
}

/// A text, or the texts of a list of parts.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let text = |part: &Value| part.as_str().or_else(|| part.get("text")?.as_str()).map(str::to_owned);
            Some(parts.iter().filter_map(text).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profiles;

    /// Reads lines as the client of a profile, and gives what it did in words.
    fn read(profile: &str, lines: &[&str]) -> (Vec<String>, String, Option<String>, bool) {
        let headless = Profiles::shipped().get(profile).unwrap().headless.unwrap();
        let mut reading = Reading::new(&headless, 40);
        let mut did = Vec::new();
        for line in lines {
            did.extend(reading.take(line).into_iter().map(|said| match said {
                Said::Text(text) => text,
                Said::Tool(tool) => format!("[{tool}]"),
            }));
        }
        let words = reading.failure().map(|why| format!("failed: {why}"));
        let result = words.unwrap_or_else(|| reading.result().to_owned());
        (did, result, reading.session().map(str::to_owned), reading.was_asked())
    }

    #[test]
    fn a_clients_lines_are_read_as_its_profile_says() {
        let (did, result, session, asked) = read(
            "claude",
            &[
                r#"{"type":"system","subtype":"init","session_id":"s-1"}"#,
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I look."}]}}"#,
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}]}}"#,
                "no JSON",
                r#"{"type":"result","result":"Done.","session_id":"s-1"}"#,
            ],
        );
        assert_eq!(did, ["I look.", "[Bash]"]);
        assert_eq!((result.as_str(), session.as_deref(), asked), ("Done.", Some("s-1"), true));
        let pieces = r#"{"type":"message","role":"assistant","content":"ab"}"#;
        assert_eq!(read("gemini", &[pieces, pieces]).1, "abab");
        let last = [r#"{"role":"assistant","content":"one"}"#, r#"{"role":"assistant","content":"two"}"#];
        assert_eq!(read("kimi", &last).1, "two");
    }

    #[test]
    fn a_start_is_no_evidence_and_neither_is_an_error() {
        let started = r#"{"type":"system","subtype":"init","session_id":"s-1"}"#;
        assert!(!read("claude", &[started]).3);
        let refused = r#"{"type":"result","is_error":true,"result":"Invalid API key"}"#;
        let (_, result, _, asked) = read("claude", &[started, refused]);
        assert_eq!((result.as_str(), asked), ("failed: Invalid API key", false));
    }

    #[test]
    fn a_client_without_a_format_says_its_result_plainly_and_bounded() {
        let plain = Headless { arguments: Vec::new(), ..Headless::default() };
        let mut reading = Reading::new(&plain, 7);
        assert_eq!(reading.take(""), []);
        assert!(!reading.was_asked());
        // It is the result, which is shown at the end: not a word of it twice.
        assert_eq!(reading.take("née"), []);
        assert!(!reading.was_cut());
        reading.take("née");
        assert_eq!((reading.result(), reading.was_asked(), reading.was_cut()), ("née\nn", true, true));
    }
}
