//! A server over HTTP and clients of it, byte by byte: nothing between the test and the wire hides a header.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

/// How long any answer may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server.
pub(crate) struct HttpServer {
    child: Child,
    pub(crate) address: String,
}

impl HttpServer {
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        Self::at(sandbox, "127.0.0.1:0")
    }

    /// Starts it, and takes its address from what it says.
    pub(crate) fn at(sandbox: &Sandbox, address: &str) -> Self {
        let mut command = sandbox.start().command(&["mcp", "--http", address]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = said.next().unwrap().unwrap();
        let url = first.strip_prefix("serving MCP at http://").unwrap_or_else(|| panic!("{first}"));
        let address = url.strip_suffix("/mcp").unwrap().to_owned();
        assert!(said.next().unwrap().unwrap().contains("interagent agent token NAME"));
        Self { child, address }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Ends it with a signal, and gives how and what it wrote to standard output.
    pub(crate) fn end(mut self, signal: &str) -> (ExitStatus, String) {
        self.signal(signal);
        let until = Instant::now() + PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "the server did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut written = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut written).unwrap();
        (self.child.wait().unwrap(), written)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // A test that failed leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A token of an agent, made by the operator.
pub(crate) fn token(sandbox: &Sandbox, agent: &str) -> String {
    sandbox.operator().json(&["agent", "token", agent])["token"].as_str().unwrap().to_owned()
}

/// A request that is being prepared. Without a change it is one that begins a session.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(address: &str, token: &str) -> Self {
        let headers = [
            ("Host", address.to_owned()),
            ("Authorization", format!("Bearer {token}")),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ];
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "raw", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let headers = headers.map(|(name, value)| (name.to_owned(), value)).into();
        Self { line: "POST /mcp HTTP/1.1".to_owned(), headers, body: body.to_string().into_bytes() }
    }

    pub(crate) fn line(mut self, line: &str) -> Self {
        self.line = line.to_owned();
        self
    }

    /// Sets a header; an empty value takes it away.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        if value.is_empty() { self } else { self.and(name, value) }
    }

    /// Adds a header, also one that is there.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn message(self, message: &Value) -> Self {
        self.body(message.to_string())
    }

    /// Sends it on a connection of its own.
    pub(crate) fn open(&self, address: &str) -> Open {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{}\r\n", self.line);
        self.headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        head.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses need not read the rest.
        let _ = stream.write_all(&self.body);
        Open { stream: BufReader::new(stream) }
    }

    /// Sends it, and reads the whole answer.
    #[track_caller]
    pub(crate) fn send(&self, address: &str) -> Answer {
        self.open(address).answer()
    }
}

/// A request that was sent.
pub(crate) struct Open {
    stream: BufReader<TcpStream>,
}

impl Open {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn head(&mut self) -> (u16, Vec<(String, String)>) {
        let first = self.line();
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let mut headers = Vec::new();
        while let Some((name, value)) = self.line().split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        (status.unwrap_or_else(|| panic!("no answer: {first:?}")), headers)
    }

    /// The next piece of a body whose length nobody knows; none at its end.
    fn piece(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.line(), 16).unwrap();
        let mut piece = vec![0; length + 2];
        self.stream.read_exact(&mut piece).unwrap();
        piece.truncate(length);
        (length > 0).then(|| String::from_utf8(piece).unwrap())
    }

    /// The messages that come, one by one: what a client does that waits.
    pub(crate) fn messages(mut self) -> impl Iterator<Item = Value> {
        std::iter::from_fn(move || self.piece()).filter_map(|event| {
            let data = event.lines().find_map(|line| line.strip_prefix("data:"))?.trim().to_owned();
            serde_json::from_str(&data).ok()
        })
    }

    /// Waits until the server has begun to answer.
    pub(crate) fn begun(mut self) -> Self {
        assert_eq!(self.head().0, 200);
        self
    }

    #[track_caller]
    pub(crate) fn answer(mut self) -> Answer {
        let (status, headers) = self.head();
        let header =
            |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let body = match (header("transfer-encoding"), header("content-length")) {
            (Some("chunked"), _) => std::iter::from_fn(|| self.piece()).collect(),
            (_, Some(length)) => {
                let mut body = vec![0; length.parse().unwrap()];
                self.stream.read_exact(&mut body).unwrap();
                String::from_utf8(body).unwrap()
            }
            _ => String::new(),
        };
        Answer { status, headers, body }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// The document, or the last message of a stream.
    pub(crate) fn document(&self) -> Value {
        let whole = serde_json::from_str(&self.body).ok();
        let last = || self.body.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
        whole.or_else(|| serde_json::from_str(last()?.trim()).ok()).unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// A client with a session.
pub(crate) struct HttpClient {
    address: String,
    token: String,
    pub(crate) session: String,
    last_id: i64,
}

impl HttpClient {
    pub(crate) fn connect(server: &HttpServer, token: &str) -> Self {
        let answer = Ask::new(&server.address, token).send(&server.address);
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let client = Self { address: server.address.clone(), token: token.to_owned(), session, last_id: 1 };
        client.notify("notifications/initialized", json!({}));
        client
    }

    pub(crate) fn ask(&self) -> Ask {
        Ask::new(&self.address, &self.token)
            .header("Mcp-Session-Id", &self.session)
            .header("Mcp-Protocol-Version", "2025-11-25")
    }

    #[track_caller]
    pub(crate) fn notify(&self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        assert_eq!(self.ask().message(&message).send(&self.address).status, 202);
    }

    /// Begins a call of a tool and gives its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value, meta: Value) -> (i64, Open) {
        self.last_id += 1;
        let mut params = json!({ "name": tool, "arguments": arguments });
        if !meta.is_null() {
            params["_meta"] = meta;
        }
        let message =
            json!({ "jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": params });
        (self.last_id, self.ask().message(&message).open(&self.address))
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.begin(tool, arguments, Value::Null).1.answer();
        assert_eq!(answer.status, 200, "{tool}: {answer:?}");
        answer.document()["result"].clone()
    }

    /// Calls a tool that must do what is asked, and gives the operation's answer.
    #[track_caller]
    pub(crate) fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"]["answer"].clone()
    }

    /// Calls a tool that must refuse, and gives the error.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"]["error"].clone()
    }
}
