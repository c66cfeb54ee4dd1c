//! A client of a server over HTTP that keeps its connection, as clients do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::client::{Client, resident_kib_of, result_of};
use crate::{Result, repo};

/// What the server says before its address, once it can be reached.
const SERVING: &str = "serving MCP at http://";
const PATH: &str = "/mcp";
const SESSION: &str = "mcp-session-id";

/// A server and the one session with it. It ends when it is dropped.
pub(super) struct Http {
    child: Child,
    stream: BufReader<TcpStream>,
    address: String,
    token: String,
    session: Option<String>,
    last_id: i64,
}

impl Http {
    /// Starts a server and connects to it as the agent that has this token.
    pub(super) fn start(mut command: Command, token: &str) -> Result<Self> {
        let shown = repo::shown(&command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|why| format!("cannot run `{shown}`: {why}"))?;
        let mut said = String::new();
        if let Some(stderr) = child.stderr.take() {
            BufReader::new(stderr).read_line(&mut said).map_err(|why| format!("cannot read: {why}"))?;
        }
        let address = said.trim_end().strip_prefix(SERVING).and_then(|url| url.strip_suffix(PATH));
        let address = address.ok_or_else(|| format!("`{shown}` said `{said}`"))?.to_owned();
        let stream = TcpStream::connect(&address).map_err(|why| format!("cannot connect: {why}"))?;
        stream.set_nodelay(true).map_err(|why| format!("cannot connect: {why}"))?;
        let stream = BufReader::new(stream);
        Ok(Self { child, stream, address, token: token.to_owned(), session: None, last_id: 0 })
    }

    /// Sends a message and gives the body of the answer.
    fn post(&mut self, message: &Value) -> Result<String> {
        let body = message.to_string();
        let session = self.session.as_ref().map(|id| format!("{SESSION}: {id}\r\n")).unwrap_or_default();
        let request = format!(
            "POST {PATH} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).map_err(|why| format!("cannot write: {why}"))?;
        let status = self.line()?;
        let (mut chunked, mut length) = (false, 0);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            let Some((name, value)) = line.split_once(": ") else { break };
            match name {
                "transfer-encoding" => chunked = value == "chunked",
                "content-length" => length = value.parse().map_err(|why| format!("{line}: {why}"))?,
                SESSION => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        let body = if chunked { self.chunks()? } else { self.exactly(length)? };
        match status.split(' ').nth(1) {
            Some("200" | "202") => Ok(body),
            _ => Err(format!("{status}: {body}")),
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => Err("the server closed the connection".to_owned()),
            Ok(_) => Ok(line.trim_end().to_owned()),
            Err(why) => Err(format!("cannot read: {why}")),
        }
    }

    fn exactly(&mut self, length: usize) -> Result<String> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).map_err(|why| format!("cannot read: {why}"))?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    fn chunks(&mut self) -> Result<String> {
        let mut body = String::new();
        loop {
            let line = self.line()?;
            let length = usize::from_str_radix(&line, 16).map_err(|why| format!("`{line}`: {why}"))?;
            body.push_str(&self.exactly(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }
}

impl Client for Http {
    fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        let body = self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        // One document, or a stream of events with the answer last.
        let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
        for text in events.chain([body.as_str()]) {
            if let Ok(answer) = serde_json::from_str::<Value>(text.trim())
                && answer["id"] == id
            {
                return result_of(method, answer);
            }
        }
        Err(format!("{method} was not answered: {body}"))
    }

    fn notify(&mut self, method: &str) -> Result<()> {
        self.post(&json!({ "jsonrpc": "2.0", "method": method })).map(drop)
    }

    fn resident_kib(&self) -> Result<u64> {
        resident_kib_of(&self.child)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
