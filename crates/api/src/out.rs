//! The stream of answers, which several threads write to.

use std::io::Write;
use std::sync::Mutex;
use std::sync::mpsc::SyncSender;

use serde_json::Value;

use crate::lock::lock;
use crate::server::ServerEvent;

/// Whole lines, one at a time.
pub(crate) struct AnswerStream {
    stream: Mutex<Box<dyn Write + Send>>,
    events: SyncSender<ServerEvent>,
}

impl AnswerStream {
    pub(crate) fn new(stream: Box<dyn Write + Send>, events: SyncSender<ServerEvent>) -> Self {
        Self { stream: Mutex::new(stream), events }
    }

    /// Writes one document as a line. A reader that is gone ends the server.
    pub(crate) fn write(&self, document: &Value) {
        let mut line = document.to_string();
        line.push('\n');
        let mut stream = lock(&self.stream);
        if stream.write_all(line.as_bytes()).and_then(|()| stream.flush()).is_err() {
            // A full queue means that the server is awake, and its next answer fails as well.
            let _ = self.events.try_send(ServerEvent::End);
        }
    }
}
