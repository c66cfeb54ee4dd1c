//! ntfy: a push to the person's phone, and their replies.
//!
//! Notices are published as JSON, so that every language fits. Our own come back on the same topic; they carry a tag and are
//! passed over. Replies come as a stream of lines, which is taken up again where it ended.

use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use interagent_core::backoff::pause_s;
use interagent_core::event::Micros;
use interagent_core::notice::Notice;
use interagent_core::vocabulary::Priority;
use serde::Deserialize;
use serde_json::json;
use ureq::Agent;

/// Marks what we wrote.
const OURS: &str = "interagent";
/// A server that does not take a notice within this time is not there.
const PATIENCE: Duration = Duration::from_secs(10);
/// A stream is taken up anew after this time: one that is cut without a word is noticed then at the latest.
const STREAM: Duration = Duration::from_secs(600);
/// Longest line that is read; ntfy itself cuts messages at 4 KiB.
const LINE_BYTES: u64 = 64 * 1024;

/// Where notices go.
#[derive(Clone, PartialEq, Eq)]
pub struct Ntfy {
    /// The address of the server, without the topic.
    pub server: String,
    /// The topic: whoever knows it can read and reply.
    pub topic: String,
    /// What the server asks for, where it does.
    pub token: Option<String>,
    /// How much of a notice leaves the machine.
    pub detail: Detail,
}

/// How much of a notice leaves the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Who needs what.
    #[default]
    Brief,
    /// All of it, such as the command that waits for a permission.
    Full,
}

impl std::fmt::Debug for Ntfy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let token = self.token.as_ref().map(|_| "set");
        f.debug_struct("Ntfy").field("server", &self.server).field("token", &token).finish_non_exhaustive()
    }
}

/// Why a server could not be used.
#[derive(Debug, thiserror::Error)]
pub enum NtfyError {
    /// It did not answer, or answered with an error.
    #[error("{server} can't be used: {why}")]
    Server {
        /// Its address.
        server: String,
        /// What it said, or what happened on the way.
        why: String,
    },
}

/// Words that somebody wrote on the topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The server's id: where to go on.
    pub id: String,
    /// When the server took it, by its clock and to the second. One that does not say so counts as older than anything.
    pub written: Micros,
    /// What was written; nothing where it was a notice of ours.
    pub words: Option<String>,
}

/// A line of the stream.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    id: String,
    #[serde(default)]
    time: i64,
    #[serde(default)]
    event: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    tags: Vec<String>,
}

fn read(line: &str) -> Option<Heard> {
    let Line { id, time, event, message, tags } = serde_json::from_str(line).ok()?;
    if event != "message" || id.is_empty() {
        return None;
    }
    let is_ours = tags.iter().any(|tag| tag == OURS);
    Some(Heard { id, written: time.saturating_mul(1_000_000), words: (!is_ours).then_some(message) })
}

impl Ntfy {
    fn agent(overall: Duration) -> Agent {
        // A redirect could lead the token elsewhere.
        let config = Agent::config_builder()
            .timeout_global(Some(overall))
            .timeout_connect(Some(PATIENCE))
            .max_redirects(0)
            .build();
        config.into()
    }

    fn failed(&self, error: &ureq::Error) -> NtfyError {
        NtfyError::Server { server: self.server.clone(), why: error.to_string() }
    }

    fn bearer(&self) -> Option<String> {
        self.token.as_ref().map(|token| format!("Bearer {token}"))
    }

    /// Sends a notice.
    pub fn publish(&self, notice: &Notice) -> Result<String, NtfyError> {
        let priority = match notice.priority {
            Priority::Low => 2,
            Priority::Medium => 3,
            Priority::High => 4,
            Priority::Critical => 5,
        };
        let document = json!({
            "topic": self.topic,
            "title": notice.title,
            "message": match self.detail {
                Detail::Brief => &notice.text,
                Detail::Full => notice.whole(),
            },
            "priority": priority,
            "tags": [OURS],
        });
        let mut request = Self::agent(PATIENCE).post(&self.server);
        if let Some(bearer) = self.bearer() {
            request = request.header("Authorization", &bearer);
        }
        let request = request.header("Content-Type", "application/json");
        request.send(document.to_string()).map_err(|error| self.failed(&error))?;
        Ok(format!("pushed through {}", self.server))
    }

    /// Reads what is written on the topic after `since` until the stream ends: an id of the server, or a time in seconds.
    fn listen(&self, since: &str, mut hear: impl FnMut(Option<Heard>) -> Flow) -> Result<Flow, NtfyError> {
        let address = format!("{}/{}/json?since={since}", self.server.trim_end_matches('/'), self.topic);
        let mut request = Self::agent(STREAM).get(address);
        if let Some(bearer) = self.bearer() {
            request = request.header("Authorization", &bearer);
        }
        let answer = request.call().map_err(|error| self.failed(&error))?;
        let mut lines = BufReader::new(answer.into_body().into_reader());
        loop {
            let mut line = String::new();
            let read_bytes = std::io::Read::take(&mut lines, LINE_BYTES).read_line(&mut line);
            match read_bytes {
                // The end of the stream, or of its time: it is taken up anew.
                Ok(0) | Err(_) => return Ok(Flow::GoOn),
                Ok(_) => {}
            }
            if hear(read(line.trim_end())) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
    }
}

/// Whether a listener goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    GoOn,
    /// Nobody takes what it hears any more.
    Stop,
}

/// Listens to a topic from a thread of its own, until nobody takes what it hears, or this is gone.
#[derive(Debug)]
pub struct Listener {
    is_over: Arc<AtomicBool>,
}

impl Listener {
    /// Begins after `since`. A server that is away is tried again, less and less often.
    pub fn start(ntfy: Ntfy, since: String, mut hear: impl FnMut(Heard) -> Flow + Send + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let has_ended = Arc::clone(&is_over);
        let listen = move || {
            let mut since = since;
            let mut failures = 0;
            while !has_ended.load(Ordering::SeqCst) {
                let outcome = ntfy.listen(&since.clone(), |heard| {
                    // Also asked at the lines by which a server shows that it is there.
                    if has_ended.load(Ordering::SeqCst) {
                        return Flow::Stop;
                    }
                    let Some(heard) = heard else { return Flow::GoOn };
                    failures = 0;
                    since.clone_from(&heard.id);
                    hear(heard)
                });
                if matches!(outcome, Ok(Flow::Stop)) {
                    return;
                }
                // Also after a stream that ended by itself: a server that ends each at once is not asked without pause.
                std::thread::sleep(Duration::from_secs(pause_s(failures)));
                failures += 1;
            }
        };
        std::thread::spawn(listen);
        Self { is_over }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_stream_are_words_of_the_person_or_our_own() {
        let heard = |line: &str| read(line).map(|heard| (heard.id, heard.written, heard.words));
        let theirs = r#"{"id":"a1","time":3,"event":"message","topic":"t","message":"yes"}"#;
        assert_eq!(heard(theirs), Some(("a1".into(), 3_000_000, Some("yes".into()))));
        let ours = r#"{"id":"a2","event":"message","message":"needs an answer","tags":["interagent"]}"#;
        assert_eq!(heard(ours), Some(("a2".into(), 0, None)));
        for silent in [r#"{"id":"a3","event":"keepalive"}"#, r#"{"event":"open"}"#, "", "no json", "[1]"] {
            assert_eq!(heard(silent), None, "{silent}");
        }
    }

    #[test]
    fn neither_topic_nor_token_is_told() {
        let ntfy = Ntfy {
            server: "https://ntfy.sh".into(),
            topic: "guess-me".into(),
            token: Some("tk_1".into()),
            detail: Detail::Brief,
        };
        assert_eq!(format!("{ntfy:?}"), r#"Ntfy { server: "https://ntfy.sh", token: Some("set"), .. }"#);
    }
}
