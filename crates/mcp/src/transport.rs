//! Lines of JSON-RPC over two streams.
//!
//! Owns the framing and what happens to lines that are no messages: each gets an answer, none ends the connection. The
//! SDK's own transport drops such lines in silence, and its client then waits for its time-out. It also tells the ledger
//! when an answer was written whole, because only then has a message arrived.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex as Gate, Notify};
use tokio_util::sync::CancellationToken;

use crate::ledger::Ledger;
use crate::server::METHODS;

/// Longest line that is taken. A body has at most 1 MiB, which JSON can write six times as long.
pub(crate) const LINE_BYTES: usize = 8 * 1024 * 1024;
/// What is kept of the line buffer between messages, so that one long line does not cost memory for ever.
const KEPT_BYTES: usize = 64 * 1024;
/// Requests in work at once. A client that does not read its answers is not read from either.
const IN_FLIGHT: usize = 64;

pub(crate) const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;

/// Requests that were taken and not answered yet.
#[derive(Debug, Default)]
struct Flight {
    ids: Mutex<HashSet<RequestId>>,
    landed: Notify,
}

impl Flight {
    fn start(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
    }

    fn land(&self, id: &RequestId) {
        if self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id) {
            self.landed.notify_one();
        }
    }

    fn is_full(&self) -> bool {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).len() >= IN_FLIGHT
    }
}

/// The two streams of a connection.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that was refused for its length is passed over.
    skipping: bool,
    write: Arc<Gate<W>>,
    flight: Arc<Flight>,
    ledger: Arc<Ledger>,
    /// The other side is gone: whoever waits should stop.
    closing: CancellationToken,
    /// The client chose how it talks to us; before that the SDK takes requests only.
    begun: bool,
}

/// What one look at the stream brought.
enum Step {
    Line,
    TooLong,
    More,
    End,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W, ledger: Arc<Ledger>, closing: CancellationToken) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            write: Arc::new(Gate::new(write)),
            flight: Arc::default(),
            ledger,
            closing,
            begun: false,
        }
    }

    /// Takes what is there of a line. Nothing is lost when this is dropped while it waits: all state is in `self`.
    async fn step(&mut self) -> Step {
        let available = match self.read.fill_buf().await {
            Ok(available) if !available.is_empty() => available,
            // The half of a line that stands before the end is nobody's message.
            Ok(_) | Err(_) => return Step::End,
        };
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.map_or(available.len(), |place| place + 1);
        let too_long = !self.skipping && self.line.len() + taken > LINE_BYTES;
        if too_long {
            self.line = Vec::new();
        } else if !self.skipping {
            self.line.extend_from_slice(&available[..taken]);
        }
        self.read.consume(taken);
        let was_skipping = self.skipping;
        self.skipping = (was_skipping || too_long) && newline.is_none();
        match newline {
            _ if too_long => Step::TooLong,
            Some(_) if !was_skipping => Step::Line,
            _ => Step::More,
        }
    }

    /// The message in the line, or nothing when it was none; then it was answered.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let message = if text.is_empty() { None } else { self.parse(text) };
        line.clear();
        if line.capacity() <= KEPT_BYTES {
            self.line = line;
        }
        message.filter(|message| self.is_welcome(message))
    }

    fn parse(&self, text: &[u8]) -> Option<ClientJsonRpcMessage> {
        let problem = match serde_json::from_slice(text) {
            Ok(message) => return Some(message),
            Err(problem) => problem,
        };
        match serde_json::from_slice::<Value>(text) {
            Err(_) => self.refuse(Value::Null, PARSE_ERROR, &format!("not JSON: {problem}")),
            Ok(Value::Array(_)) => {
                self.refuse(Value::Null, INVALID_REQUEST, "batches are not taken: send one message a line");
            }
            // A notification nobody here knows wants no answer.
            Ok(value) if value.get("id").is_none() && value.get("method").is_some() => {}
            Ok(value) => {
                let id = value.get("id").filter(|id| id.is_string() || id.is_i64()).cloned();
                let why = "not a JSON-RPC 2.0 message; an id is a string or a whole number";
                self.refuse(id.unwrap_or(Value::Null), INVALID_REQUEST, why);
            }
        }
        None
    }

    /// Before a client has begun, anything but a request would end the SDK's handshake.
    fn is_welcome(&mut self, message: &ClientJsonRpcMessage) -> bool {
        let ClientJsonRpcMessage::Request(request) = message else { return self.begun };
        if let (ClientRequest::CustomRequest(unknown), false) = (&request.request, self.begun)
            && !METHODS.contains(&unknown.method.as_str())
        {
            // The SDK would ask for metadata first; a client that only probes wants a plain no.
            let id = request.id.clone().into_json_value();
            self.refuse(id, METHOD_NOT_FOUND, &format!("there is no method {}", unknown.method));
            return false;
        }
        self.begun = self.begun
            || match &request.request {
                ClientRequest::InitializeRequest(_) => true,
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                other => {
                    let meta = other.get_meta();
                    let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
                    meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                        && meta.protocol_version().is_some_and(known)
                }
            };
        true
    }

    /// Answers a line that is no message. Not awaited: this runs inside a read that may be dropped at any time.
    fn refuse(&self, id: Value, code: i32, why: &str) {
        let why: String = why.chars().take(300).collect();
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } });
        let (write, closing) = (self.write.clone(), self.closing.clone());
        tokio::spawn(async move {
            if write_line(&write, &answer.to_string()).await.is_err() {
                closing.cancel();
            }
        });
    }

    fn note(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => self.flight.start(&request.id),
            ClientJsonRpcMessage::Notification(notification) => {
                // A cancelled request gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.flight.land(id);
                    self.ledger.forget(id);
                }
            }
            _ => {}
        }
    }
}

async fn write_line<W: AsyncWrite + Unpin>(write: &Gate<W>, text: &str) -> io::Result<()> {
    let mut write = write.lock().await;
    write.write_all(text.as_bytes()).await?;
    write.write_all(b"\n").await?;
    write.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (write, flight, ledger) = (self.write.clone(), self.flight.clone(), self.ledger.clone());
        let closing = self.closing.clone();
        async move {
            let id = match &item {
                ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
                ServerJsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            // Held until it is confirmed: the next call sees what this answer has brought as delivered.
            let handing = match &id {
                Some(id) => ledger.begin(id).await,
                None => None,
            };
            let text = serde_json::to_string(&item)?;
            let written = write_line(&write, &text).await;
            if let Some(id) = &id {
                flight.land(id);
            }
            match (&written, handing) {
                (Ok(()), Some(handing)) => handing.arrived().await,
                (Ok(()), None) => {}
                // Nobody reads any more. What was handed over lapses and is handed over again.
                (Err(_), _) => closing.cancel(),
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let closing = self.closing.clone();
        let flight = self.flight.clone();
        loop {
            let step = tokio::select! {
                () = closing.cancelled() => Step::End,
                () = flight.landed.notified(), if flight.is_full() => continue,
                step = self.step(), if !flight.is_full() => step,
            };
            match step {
                Step::More => {}
                Step::TooLong => {
                    let why = format!("a message has at most {} MiB", LINE_BYTES / 1024 / 1024);
                    self.refuse(Value::Null, INVALID_REQUEST, &why);
                }
                Step::Line => {
                    if let Some(message) = self.message() {
                        self.note(&message);
                        return Some(message);
                    }
                }
                Step::End => {
                    closing.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.closing.cancel();
        Ok(())
    }
}
