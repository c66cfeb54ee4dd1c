//! A short talk with an MCP server: hello, and what is in the inbox.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process;

/// Longest line of an answer.
const LINE_BYTES: u64 = 1024 * 1024;
/// After its input is closed a server ends by itself.
const FAREWELL: Duration = Duration::from_secs(2);
/// The number of the call whose answer counts.
const ASKED: u64 = 2;

/// Asks for the inbox; answers with what the server said, and how long that took from its start.
pub(super) fn inbox(mut command: Command, limit: Duration) -> Result<(String, Duration), String> {
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| process::cannot_start(&command, &error))?;
    let (tell, told) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut lines = BufReader::new(output);
            let mut line = String::new();
            while lines.by_ref().take(LINE_BYTES).read_line(&mut line).is_ok_and(|count| count > 0) {
                if tell.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
    }
    let mut stdin = child.stdin.take();
    if let Some(stdin) = &mut stdin {
        let words: String = talk().iter().map(|message| format!("{message}\n")).collect();
        let _ = stdin.write_all(words.as_bytes()).and_then(|()| stdin.flush());
    }
    let answer = loop {
        let left = limit.saturating_sub(began.elapsed());
        match told.recv_timeout(left) {
            Ok(line) if is_answer(&line) => break Ok((line, began.elapsed())),
            Ok(_) => {}
            Err(_) => break Err(format!("it gave no answer within {} s", limit.as_secs())),
        }
    };
    // It confirms what it has said before it leaves.
    drop(stdin);
    if !process::ends_within(&mut child, FAREWELL) {
        process::kill(&mut child);
    }
    answer
}

fn talk() -> [Value; 3] {
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "interagent-doctor", "version": env!("CARGO_PKG_VERSION") } });
    [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": ASKED, "method": "tools/call",
            "params": { "name": "check_inbox", "arguments": {} } }),
    ]
}

fn is_answer(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|answer| answer["id"] == ASKED)
}
