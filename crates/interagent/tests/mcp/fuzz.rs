//! Random lines and random arguments: each is answered or passed over, and none ends the connection.

use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

use crate::support::agent;

/// How long each of the two runs; `INTERAGENT_SOAK` runs them for ten minutes.
fn time() -> Duration {
    match std::env::var_os("INTERAGENT_SOAK") {
        Some(_) => Duration::from_secs(600),
        None => Duration::from_secs(3),
    }
}

/// A small generator: the same seed gives the same lines.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 9 } else { 11 }) {
            0 => Value::Null,
            1 => json!(self.next().is_multiple_of(2)),
            2 => json!(self.next()),
            3 => json!(-1.5e300),
            4 => json!(""),
            5 => json!("\u{0}\u{1b}\u{202e}\u{e0041}"),
            6 => json!("kimi"),
            7 => json!("x".repeat(self.below(5_000))),
            8 => json!("../../\u{ff0f}etc"),
            9 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => json!({ "action": self.value(depth - 1), "kind": self.value(depth - 1) }),
        }
    }
}

#[test]
fn random_lines_end_nothing() {
    let sandbox = Sandbox::with_team();
    let mut client = agent(&sandbox, "target");
    let seeds = include_str!("lines.jsonl");
    let lines: Vec<&[u8]> = seeds.lines().map(str::as_bytes).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let until = Instant::now() + time();
    while Instant::now() < until {
        let mut line = random.pick(&lines).to_vec();
        for _ in 0..random.below(6) {
            let place = random.below(line.len());
            match random.below(4) {
                0 => line[place] = random.next().to_le_bytes()[0],
                1 => line.truncate(place.max(1)),
                2 => line.insert(place, *random.pick(b"{}[]\":,0-e\\\xff")),
                _ => {
                    let copied = line[place..].to_vec();
                    line.extend(copied);
                }
            }
        }
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        client.raw(&line);
        while client.next(Duration::ZERO).is_some() {}
    }
    client.send(&json!({ "jsonrpc": "2.0", "id": "still here", "method": "ping" }));
    let answered = (0..100_000)
        .any(|_| client.next(Duration::from_secs(20)).is_some_and(|message| message["id"] == "still here"));
    assert!(answered);
    assert!(client.leave().success());
    sandbox.run(&["doctor"]).success();
}

#[test]
fn random_arguments_are_answered_by_every_tool() {
    let sandbox = Sandbox::with_team();
    let mut client = agent(&sandbox, "target");
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().unwrap();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let until = Instant::now() + time();
    let mut calls = 0;
    while Instant::now() < until {
        let tool = &tools[calls % tools.len()];
        calls += 1;
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        let mut arguments = serde_json::Map::new();
        for (name, schema) in properties {
            // A wait would only pass the time.
            if name == "wait" || random.below(3) == 0 {
                continue;
            }
            let words = schema["enum"].as_array();
            let value = match words {
                Some(words) if random.below(8) > 0 => random.pick(words).clone(),
                _ => random.value(2),
            };
            arguments.insert(name.clone(), value);
        }
        let result = client.call(tool["name"].as_str().unwrap(), Value::Object(arguments.clone()));
        assert!(result["isError"].is_boolean(), "{tool} {arguments:?}: {result}");
        if result["isError"] == true {
            let error = &result["structuredContent"]["error"];
            assert_ne!(error["code"], "internal", "{tool} {arguments:?}: {error}");
            assert_ne!(error["kind"], "unavailable", "{tool} {arguments:?}: {error}");
        }
    }
    assert!(calls > tools.len(), "{calls} calls");
    sandbox.run(&["doctor"]).success();
}
