//! The server on pipes, with a real hub behind it.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use interagent_core::refusal::Refusal;
use interagent_operations::{Hub, LocalHub, Opening, WaitFor, Waited};
use interagent_wire::request::AgentRegister;
use interagent_wire::{Caller, Reply, Request};
use serde_json::{Value, json};

use crate::{ApiStreams, HubNeed, HubOpener, ServeOutcome, ServedHub, serve};

/// How long any answer may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn opened(dir: &Path) -> Result<LocalHub, Refusal> {
    let opening =
        Opening { hub_dir: dir.to_owned(), create: true, alias: "here".into(), hub_id: None, user_dir: None };
    Ok(LocalHub::open(&opening)?)
}

/// A server and its client's ends of the pipes.
struct Api {
    _dir: tempfile::TempDir,
    to: Option<PipeWriter>,
    answers: Receiver<Value>,
    wish: PipeWriter,
    server: JoinHandle<ServeOutcome>,
}

impl Api {
    fn new() -> Self {
        Self::of(Caller::default())
    }

    fn of(caller: Caller) -> Self {
        let (dir, door) = Self::with_agents();
        Self::through(door, caller, dir)
    }

    fn through(door: Arc<dyn HubOpener>, caller: Caller, dir: tempfile::TempDir) -> Self {
        let (mut api, from) = Self::unread(door, caller, dir);
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines() {
                let Ok(line) = line else { return };
                if send.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        api.answers = answers;
        let hello = api.next();
        assert_eq!((&hello["api"], &hello["interagent"]), (&json!(1), &json!("test")));
        api
    }

    /// A hub with two agents.
    fn with_agents() -> (tempfile::TempDir, Arc<dyn HubOpener>) {
        let dir = tempfile::tempdir().unwrap();
        let mut hub = opened(dir.path()).unwrap();
        for name in ["claude", "kimi"] {
            let register = AgentRegister { name: name.into(), ..AgentRegister::default() };
            hub.call(&Caller::operator(), register.into()).unwrap();
        }
        let place = dir.path().to_owned();
        let door = move |_: HubNeed| Ok::<_, Refusal>(Box::new(opened(&place)?) as Box<dyn ServedHub>);
        (dir, Arc::new(door))
    }

    /// A server whose answers are left to the test.
    fn unread(door: Arc<dyn HubOpener>, caller: Caller, dir: tempfile::TempDir) -> (Self, PipeReader) {
        let ((input, to), (from, output), (wishes, wish)) =
            (pipe().unwrap(), pipe().unwrap(), pipe().unwrap());
        let streams = ApiStreams {
            input: Box::new(input),
            output: Box::new(output),
            wishes_to_end: Some(Box::new(wishes)),
        };
        let server = std::thread::spawn(move || serve("test", streams, door, caller));
        (Self { _dir: dir, to: Some(to), answers: channel().1, wish, server }, from)
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, request: &Value) {
        self.raw(format!("{request}\n").as_bytes());
    }

    fn next(&self) -> Value {
        self.answers.recv_timeout(PATIENCE).unwrap()
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        let answer = self.next();
        assert_eq!(answer["id"], request["id"], "{answer}");
        answer
    }

    /// What an operation answered.
    fn call(&mut self, op: &str, params: Value) -> Value {
        let answer = self.ask(&json!({ "id": op, "op": op, "params": params }));
        assert!(answer["error"].is_null(), "{op}: {answer}");
        answer["answer"].clone()
    }

    /// The code that a request was refused with.
    fn refused(&mut self, request: &Value) -> String {
        let answer = self.ask(request);
        answer["error"]["code"].as_str().unwrap_or_else(|| panic!("not refused: {answer}")).to_owned()
    }

    /// Closes the input and tells how the server ended.
    fn end(mut self) -> ServeOutcome {
        self.to = None;
        self.server.join().unwrap()
    }
}

#[test]
fn calls_are_answered_in_order() {
    let mut api = Api::new();
    let lines: String = (0..200).map(|id| format!("{{\"id\": {id}, \"op\": \"whoami\"}}\r\n\n")).collect();
    api.raw(lines.as_bytes());
    for id in 0..200 {
        let answer = api.next();
        assert_eq!((&answer["id"], &answer["answer"]["auth"]), (&json!(id), &json!("claimed")));
        assert_eq!((&answer["schema"], &answer["seq"]), (&json!(1), &json!(3)));
    }
    assert_eq!(api.end(), ServeOutcome::Read);
}

#[test]
fn every_bad_line_gets_one_sentence() {
    let mut api = Api::new();
    for (line, id, code) in [
        ("hello", Value::Null, "bad_request"),
        ("{\"id\": 1", Value::Null, "bad_request"),
        ("[]", Value::Null, "bad_request"),
        ("null", Value::Null, "bad_request"),
        ("{}", Value::Null, "bad_request"),
        ("{\"id\": 1.5, \"op\": \"whoami\"}", Value::Null, "bad_request"),
        ("{\"id\": [1], \"op\": \"whoami\"}", Value::Null, "bad_request"),
        ("{\"id\": 1}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": 5}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"no.such\"}", json!(1), "no_such_operation"),
        ("{\"id\": 1, \"op\": \"api.nothing\"}", json!(1), "no_such_operation"),
        ("{\"id\": 1, \"op\": \"whoami\", \"params\": []}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"whoami\", \"prams\": {}}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"whoami\", \"agent\": 7}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"task.list\", \"params\": {\"limit\": -1}}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"task.list\", \"key\": \"k\"}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"api.wait\", \"params\": {\"after\": \"x\"}}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"api.wait\", \"key\": \"k\"}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"api.cancel\"}", json!(1), "bad_request"),
        ("{\"id\": 1, \"op\": \"whoami\", \"agent\": \"nobody\"}", json!(1), "no_such_agent"),
    ] {
        api.raw(format!("{line}\n").as_bytes());
        let answer = api.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}: {answer}");
        let sentence = answer["error"]["sentence"].as_str().unwrap();
        assert!(!sentence.contains('\n') && !sentence.is_empty(), "{line}: {sentence}");
    }
    api.call("whoami", json!({}));
    api.raw(&[b"\"".to_vec(), vec![b'x'; crate::line::LINE_BYTES], b"\"\n".to_vec()].concat());
    assert_eq!(api.next()["error"]["code"], "line_too_long");
    api.call("whoami", json!({}));
}

/// Lines that are nearly requests, from a generator with a fixed seed.
#[test]
fn random_lines_are_each_answered_once() {
    let mut api = Api::new();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    };
    let names: Vec<&str> = interagent_wire::Request::ALL.iter().map(|(name, _)| *name).collect();
    let values = [
        "null",
        "true",
        "-1",
        "1e99",
        "\"\\u0000\"",
        "\"kimi\"",
        "[]",
        "[[[]]]",
        "{}",
        "\"\u{202e}\"",
        "9e9",
    ];
    let fields = ["to", "task", "limit", "after", "body", "key", "message", "agent", "bodies", "title", "x"];
    for id in 0..600 {
        let params: Vec<String> = (0..draw(4))
            .map(|_| format!("\"{}\": {}", fields[draw(fields.len())], values[draw(values.len())]))
            .collect();
        let op = names[draw(names.len())];
        let line = format!("{{\"id\": {id}, \"op\": \"{op}\", \"params\": {{{}}}}}", params.join(", "));
        let mut bytes = line.into_bytes();
        if draw(3) == 0 {
            let (place, byte) = (draw(bytes.len()), draw(256));
            let byte = u8::try_from(byte).unwrap();
            bytes[place] = if byte == b'\n' { b'n' } else { byte };
        }
        api.raw(&[bytes.as_slice(), b"\n"].concat());
        let answer = api.next();
        let sentence = answer["error"]["sentence"].as_str().unwrap_or("done");
        assert!(!sentence.contains('\n'), "{}: {answer}", String::from_utf8_lossy(&bytes));
        assert!(answer.get("answer").is_some() != answer.get("error").is_some(), "{answer}");
    }
    api.call("whoami", json!({}));
}

#[test]
fn repeated_key_sends_once() {
    let mut api = Api::new();
    let send = |id: u32, body: &str| json!({ "id": id, "op": "message.send", "key": "k", "params": { "to": ["kimi"], "body": body } });
    let first = api.ask(&send(1, "hello"));
    let again = api.ask(&send(2, "hello"));
    assert_eq!(first["answer"]["id"], again["answer"]["id"]);
    assert_eq!(api.refused(&send(3, "other")), "key_conflict");
    let twice = json!({ "id": 4, "op": "message.send", "key": "k", "params": { "key": "l" } });
    assert_eq!(api.refused(&twice), "bad_request");
    assert_eq!(api.end(), ServeOutcome::Wrote);
}

#[test]
fn operator_acts_for_an_agent_and_agents_for_themselves() {
    let status =
        |agent: &str| json!({ "id": 1, "op": "status.set", "agent": agent, "params": { "text": "here" } });
    let mut operator = Api::new();
    assert_eq!(operator.ask(&status("kimi"))["answer"]["name"], "kimi");
    assert_eq!(operator.call("whoami", json!({}))["member"]["name"], "operator");
    let mut kimi = Api::of(Caller::agent("kimi"));
    assert_eq!(kimi.ask(&status("kimi"))["answer"]["name"], "kimi");
    assert_eq!(kimi.refused(&status("claude")), "not_you");
}

#[test]
fn wait_ends_with_mail_and_delays_no_call() {
    let mut api = Api::new();
    let wait = |id: &str, timeout_s: f64| json!({ "id": id, "op": "api.wait", "params": { "agent": "kimi", "timeout_s": timeout_s } });
    assert_eq!(api.ask(&wait("now", 0.0))["answer"], json!({ "ready": false }));
    api.send(&wait("mail", 600.0));
    api.call("whoami", json!({}));
    api.send(&json!({ "id": 7, "op": "message.send", "params": { "to": ["kimi"], "body": "hello" } }));
    let (one, other) = (api.next(), api.next());
    let wait = if one["id"] == "mail" { one } else { other };
    assert_eq!(wait["answer"], json!({ "ready": true }));
}

#[test]
fn events_follow_the_log_without_a_gap() {
    let mut api = Api::new();
    let events = |after: &Value, kind: &str| json!({ "id": "e", "op": "api.events", "params": { "after": after, "kind": kind, "timeout_s": 600 } });
    let now = api.call("api.events", json!({ "timeout_s": 0 }));
    assert_eq!(now, json!({ "items": [], "reached": 3 }));
    api.call("status.set", json!({ "text": "busy" }));
    api.send(&events(&now["reached"], "message"));
    api.call("status.set", json!({ "text": "still busy" }));
    api.send(&json!({ "id": 7, "op": "message.send", "params": { "to": ["kimi"], "body": "hello" } }));
    let (one, other) = (api.next(), api.next());
    let event = if one["id"] == "e" { one } else { other };
    let items = event["answer"]["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["op"]), (1, &json!("message.send")));
    assert_eq!(event["answer"]["reached"], 6);
    let missed = api.call("api.events", json!({ "after": 3, "limit": 2 }));
    assert_eq!((missed["items"].as_array().unwrap().len(), &missed["reached"]), (2, &json!(5)));
}

#[test]
fn cancelled_wait_is_answered_at_once() {
    let mut api = Api::new();
    api.send(&json!({ "id": "w", "op": "api.wait", "params": { "agent": "kimi", "timeout_s": 600 } }));
    assert_eq!(api.refused(&json!({ "id": "w", "op": "api.wait" })), "id_in_use");
    api.send(&json!({ "id": 2, "op": "api.cancel", "params": { "request": "w" } }));
    assert_eq!(api.next()["error"]["code"], "cancelled");
    assert_eq!(api.next()["answer"], json!({ "cancelled": true }));
    assert_eq!(api.call("api.cancel", json!({ "request": "w" })), json!({ "cancelled": false }));
}

#[test]
fn waits_are_bounded() {
    let mut api = Api::new();
    for id in 0..32 {
        api.send(&json!({ "id": id, "op": "api.wait", "params": { "agent": "kimi", "timeout_s": 600 } }));
    }
    assert_eq!(api.refused(&json!({ "id": 99, "op": "api.wait" })), "too_many_waits");
    // The end of the input ends all of them.
    assert_eq!(api.end(), ServeOutcome::Read);
}

#[test]
fn server_ends_when_it_is_told_to() {
    let mut api = Api::new();
    api.call("whoami", json!({}));
    api.wish.write_all(b"x").unwrap();
    assert_eq!(api.server.join().unwrap(), ServeOutcome::Read);
}

#[test]
fn server_ends_when_nobody_reads_its_answers() {
    let (dir, door) = Api::with_agents();
    let (mut api, from) = Api::unread(door, Caller::default(), dir);
    drop(from);
    api.send(&json!({ "id": 1, "op": "whoami" }));
    assert_eq!(api.server.join().unwrap(), ServeOutcome::Read);
}

/// A connection whose store is gone.
struct Unusable;

impl Hub for Unusable {
    fn call(&mut self, _: &Caller, _: Request) -> Result<Reply, Refusal> {
        Err(Refusal::unavailable("store_gone", "the store is gone"))
    }

    fn wait(&mut self, _: &Caller, _: &WaitFor, _: Duration) -> Result<Waited, Refusal> {
        Err(Refusal::unavailable("store_gone", "the store is gone"))
    }
}

impl ServedHub for Unusable {
    fn upkeep(&mut self) {}

    fn reached(&mut self) -> i64 {
        0
    }
}

#[test]
fn unusable_connection_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let (place, opened_before) = (dir.path().to_owned(), AtomicU32::new(0));
    // The first connection for calls and the first one for waits find the store unusable.
    let door = move |need: HubNeed| {
        let number = opened_before.fetch_add(1, Ordering::Relaxed);
        assert_eq!(need, HubNeed::Read, "nothing here writes");
        Ok::<_, Refusal>(match number % 2 {
            0 => Box::new(Unusable) as Box<dyn ServedHub>,
            _ => Box::new(opened(&place)?),
        })
    };
    let mut api = Api::through(Arc::new(door), Caller::default(), dir);
    for op in ["whoami", "api.events"] {
        let params = if op == "whoami" { json!({}) } else { json!({ "timeout_s": 0 }) };
        let request = json!({ "id": 1, "op": op, "params": params });
        assert_eq!(api.refused(&request), "store_gone");
        assert!(api.ask(&request)["error"].is_null(), "{op}");
        assert!(api.ask(&request)["error"].is_null(), "{op}");
    }
}
