//! An MCP client of lines and pipes: it sends whatever a test wants, and everything it gets must be JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long any answer may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server and the two ends of its pipes.
#[derive(Debug)]
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    deaf: Arc<AtomicBool>,
    last_id: i64,
}

impl McpClient {
    /// Starts a server and says nothing yet.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        let deaf = Arc::new(AtomicBool::new(false));
        let is_deaf = deaf.clone();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                while is_deaf.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(50));
                }
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, lines, deaf, last_id: 0 }
    }

    /// Starts a server and shakes hands as a client of a name.
    pub fn connect(command: Command, client: &str) -> Self {
        let mut started = Self::start(command);
        started.initialize("2025-11-25", client);
        started
    }

    /// Shakes hands, and gives the server's side of it.
    pub fn initialize(&mut self, version: &str, client: &str) -> Value {
        let params = json!({ "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": client, "version": "1" } });
        let answer = self.request("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer["result"].clone()
    }

    /// The process that was started.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request and gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        self.last_id
    }

    /// The next message, or none when nothing comes in time or the server has left.
    pub fn next(&mut self, patience: Duration) -> Option<Value> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"))),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The answer to a request; what comes before it is dropped.
    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.next(left).unwrap_or_else(|| panic!("request {id} was not answered"));
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool and gives its result, refused or not.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer["result"].is_object(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must do what is asked, and gives the operation's answer.
    #[track_caller]
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"]["answer"].clone()
    }

    /// Calls a tool that must refuse, and gives the error.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"]["error"].clone()
    }

    /// Reads no more, and keeps the pipe open: it fills up.
    pub fn stop_reading(&mut self) {
        self.deaf.store(true, Ordering::Relaxed);
    }

    /// Closes its standard input.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Closes its standard input and waits for its end.
    pub fn leave(mut self) -> ExitStatus {
        self.hang_up();
        self.ended(PATIENCE)
    }

    /// Kills what was started, at once.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end.
    #[track_caller]
    pub fn ended(&mut self, patience: Duration) -> ExitStatus {
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the server did not end within {patience:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.deaf.store(false, Ordering::Relaxed);
        self.stdin = None;
        // A test that failed leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
