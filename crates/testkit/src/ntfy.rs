//! A small ntfy server on loopback: takes what is published, and streams a topic's lines to whoever listens.
//!
//! It speaks as much of the protocol as the program uses: publishing as JSON, and `TOPIC/json?since=` as an open stream of
//! lines that goes on after what was there already.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// How long a test waits for something to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Default)]
struct State {
    /// Everything that was published, as lines of the stream.
    lines: Vec<Value>,
    /// What requests showed to be allowed.
    tokens: Vec<String>,
    /// The streams that are open.
    streams: Vec<TcpStream>,
    /// How often somebody began to listen, and after what.
    listened: Vec<String>,
}

/// The server; it ends with the process.
#[derive(Clone)]
pub struct NtfyServer {
    url: String,
    state: Arc<(Mutex<State>, Condvar)>,
    /// How long it thinks before it takes what is published.
    pause: Duration,
}

impl std::fmt::Debug for NtfyServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NtfyServer").field("url", &self.url).finish_non_exhaustive()
    }
}

impl NtfyServer {
    /// Begins to serve.
    pub fn start() -> Self {
        Self::slow(Duration::ZERO)
    }

    /// Begins to serve, and takes its time before it takes what is published.
    pub fn slow(pause: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, state: Arc::default(), pause };
        let serving = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = serving.clone();
                std::thread::spawn(move || serving.serve(stream));
            }
        });
        server
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap()
    }

    /// A person writes on a topic from their phone.
    pub fn say(&self, topic: &str, text: &str) {
        self.add(&json!({ "topic": topic, "message": text }));
    }

    /// What was published on a topic, oldest first.
    pub fn published(&self, topic: &str) -> Vec<Value> {
        self.state().lines.iter().filter(|line| line["topic"] == topic).cloned().collect()
    }

    /// The tokens that requests showed.
    pub fn tokens(&self) -> Vec<String> {
        self.state().tokens.clone()
    }

    /// After what somebody began to listen, each time.
    pub fn listened(&self) -> Vec<String> {
        self.state().listened.clone()
    }

    /// Waits until the lines of a topic are as wanted.
    pub fn wait_until(&self, topic: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let until = Instant::now() + PATIENCE;
        let mut state = self.state();
        loop {
            let lines: Vec<Value> =
                state.lines.iter().filter(|line| line["topic"] == topic).cloned().collect();
            if wanted(&lines) {
                return lines;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "nothing more arrived: {lines:?}");
            state = self.state.1.wait_timeout(state, left).unwrap().0;
        }
    }

    /// Waits until somebody has begun to listen so often.
    pub fn wait_for_listener(&self, times: usize) {
        let until = Instant::now() + PATIENCE;
        let mut state = self.state();
        while state.listened.len() < times {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "nobody listens: {:?}", state.listened);
            state = self.state.1.wait_timeout(state, left).unwrap().0;
        }
    }

    /// Cuts every stream, as a network does.
    pub fn cut(&self) {
        self.state().streams.drain(..).for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }

    fn add(&self, published: &Value) {
        let mut state = self.state();
        let mut line = published.clone();
        line["id"] = format!("n{}", state.lines.len() + 1).into();
        line["time"] = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().into();
        line["event"] = "message".into();
        state.lines.push(line);
        self.state.1.notify_all();
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut first = String::new();
        if reader.read_line(&mut first).is_err() {
            return;
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "authorization" => self.state().tokens.push(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut words = first.split(' ');
        match (words.next(), words.next()) {
            (Some("POST"), Some("/")) => {
                let mut body = vec![0; length];
                if reader.read_exact(&mut body).is_ok() {
                    std::thread::sleep(self.pause);
                    self.add(&serde_json::from_slice(&body).unwrap());
                    answer(&stream, "200 OK", "{}");
                }
            }
            (Some("GET"), Some(path)) if path.contains("/json?since=") => {
                let (topic, since) = path.trim_start_matches('/').split_once("/json?since=").unwrap();
                self.stream(stream, topic, since);
            }
            _ => answer(&stream, "404 Not Found", "{}"),
        }
    }

    /// Lines after `since`, then those that come, until the other side leaves.
    fn stream(&self, stream: TcpStream, topic: &str, since: &str) {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";
        if (&stream).write_all(head.as_bytes()).is_err() {
            return;
        }
        let mut state = self.state();
        // A time is from now on: no line of these tests is older than the listening.
        let known = state.lines.iter().position(|line| line["id"] == since).map(|place| place + 1);
        let mut sent = known.unwrap_or_else(|| state.lines.len());
        state.listened.push(since.to_owned());
        state.streams.push(stream.try_clone().unwrap());
        self.state.1.notify_all();
        let _ = (&stream).write_all(b"{\"event\":\"open\"}\n");
        loop {
            for line in &state.lines[sent..] {
                if line["topic"] == topic && (&stream).write_all(format!("{line}\n").as_bytes()).is_err() {
                    return;
                }
            }
            sent = state.lines.len();
            state = self.state.1.wait_timeout(state, Duration::from_secs(1)).unwrap().0;
            if sent == state.lines.len() && (&stream).write_all(b"{\"event\":\"keepalive\"}\n").is_err() {
                return;
            }
        }
    }
}

fn answer(mut stream: &TcpStream, status: &str, body: &str) {
    let whole = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(whole.as_bytes());
}
