//! The MCP server as a client meets it: how soon it answers, what a call takes, what it costs while it idles.
//!
//! Every way to reach it is measured alike; a new transport is one more [`Way`]. The older server's figures are those
//! recorded once on a machine of this kind (Node 22, 10,000 messages); it is not started here.

pub(super) mod client;
mod http;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Bench;
use super::budget::Row;
use super::cold::copy_of;
use super::hub::{Hub, READER, SENDER, TEXT, WAITER};
use super::stats::{Samples, ms};
use crate::repo::stdout_of;
use crate::{Result, ui};
use client::{Client, Pipes};
use http::Http;

/// Calls before the clock counts.
const WARM_UP_ROUNDS: usize = 3;
/// A start is slower than a call: fewer of them are enough.
const MOST_STARTS: usize = 50;
/// The agent whose mail waits, and the entries that make 10,000 messages for it: a task is among ten.
const BUSY: &str = "kimi";
const BUSY_ENTRIES: u64 = 11_112;

const START_MS: u64 = 20;
const SEND_BESIDE_COMMIT: Duration = Duration::from_millis(1);
const IDLE_KIB: u64 = 15 * 1024;
const TOKENS: usize = 2_000;
/// What the result of accepting a handoff and of completing a task cost before receipts.
const ACCEPT_TOKENS: usize = 302;
const UPDATE_TOKENS: usize = 214;

/// The older server, as it was recorded.
const OLDER_START: &str = "511 ms";
const OLDER_SEND: &str = "1.6 min, 2.6-4.1 p50 ms";
const OLDER_SEND_P50: Duration = Duration::from_micros(2_600);
const OLDER_INBOX: Duration = Duration::from_millis(6_300);
const OLDER_EMPTY_INBOX: Duration = Duration::from_millis(7_600);
const OLDER_MEMORY: &str = "73-105 MB";

/// A way to reach a server.
#[derive(Debug, Clone, Copy)]
enum Way {
    Stdio,
    Http,
}

impl Way {
    const ALL: [Self; 2] = [Self::Stdio, Self::Http];

    fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        }
    }

    /// What an agent shows to be let in; nothing where its surroundings say who it is.
    fn token(self, bench: &Bench<'_>, hub: &Path, agent: &str) -> Result<String> {
        match self {
            Self::Stdio => Ok(String::new()),
            Self::Http => {
                let printed = stdout_of(&mut bench.product.token(hub, agent))?;
                let document: Value =
                    serde_json::from_str(&printed).map_err(|why| format!("{why}: {printed}"))?;
                let token = document["answer"]["token"].as_str();
                token.map(ToOwned::to_owned).ok_or_else(|| format!("no token: {document}"))
            }
        }
    }

    /// Starts a server for an agent of a hub and connects to it; nothing was said yet.
    fn start(self, bench: &Bench<'_>, hub: &Path, agent: &str, token: &str) -> Result<Box<dyn Client>> {
        match self {
            Self::Stdio => Ok(Box::new(Pipes::start(bench.product.mcp(hub, agent))?)),
            Self::Http => Ok(Box::new(Http::start(bench.product.mcp_over_http(hub), token)?)),
        }
    }

    /// Starts one that has shaken hands and opened its hub.
    fn ready(self, bench: &Bench<'_>, hub: &Path, agent: &str) -> Result<Box<dyn Client>> {
        let token = self.token(bench, hub, agent)?;
        let mut server = self.start(bench, hub, agent, &token)?;
        initialize(server.as_mut())?;
        call(server.as_mut(), "get_agent", json!({ "name": agent }))?;
        Ok(server)
    }
}

pub(super) fn measure(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for way in Way::ALL {
        let busy = backlog(bench, way)?;
        rows.push(start(bench, hub, way)?);
        rows.extend(calls(bench, hub, &busy, way)?);
        rows.push(memory(bench, hub, way)?);
    }
    rows.push(tokens(bench, hub)?);
    rows.extend(result_tokens(bench, hub)?);
    Ok(rows)
}

/// A hub where 10,000 messages wait for one agent.
fn backlog(bench: &Bench<'_>, way: Way) -> Result<PathBuf> {
    let hub = bench.scratch.join(format!("mcp-backlog-{}", way.name()));
    std::fs::create_dir_all(&hub).map_err(|why| format!("cannot make {}: {why}", hub.display()))?;
    stdout_of(&mut bench.product.init(&hub))?;
    bench.product.seed_backlog(&hub, BUSY_ENTRIES)?;
    Ok(hub)
}

fn start(bench: &Bench<'_>, hub: &Hub, way: Way) -> Result<Row> {
    let mut samples = Samples::default();
    let token = way.token(bench, &hub.folder, WAITER)?;
    for round in 0..bench.rounds.min(MOST_STARTS) + WARM_UP_ROUNDS {
        let began = Instant::now();
        let mut server = way.start(bench, &hub.folder, WAITER, &token)?;
        initialize(server.as_mut())?;
        let took = began.elapsed();
        if round >= WARM_UP_ROUNDS {
            samples.add(took);
        }
    }
    tell(way, "spawn until the first answer", &samples, OLDER_START);
    let kept = samples.median() <= Duration::from_millis(START_MS);
    let what = format!("MCP over {}: spawn until the first answer", way.name());
    let limit = format!("<= {START_MS} ms (older server {OLDER_START})");
    Ok(Row::new(&what, &limit, Ok((format!("{} ms", ms(samples.median())), kept))))
}

/// Calls of resident servers; sends in turn with commits of a resident program, so that both meet the same disk.
fn calls(bench: &Bench<'_>, hub: &Hub, busy: &Path, way: Way) -> Result<Vec<Row>> {
    let mut sender = way.ready(bench, &hub.folder, SENDER)?;
    let copy = copy_of(&hub.database, &bench.scratch.join(format!("baseline-commits-{}.db", way.name())))?;
    let mut commits = Pipes::start(bench.baselines.commits(&copy))?;
    let [commit, send] = in_turn(bench, || {
        let send = json!({ "to": READER, "subject": "bench", "content": TEXT });
        Ok([
            timed(|| commits.line(TEXT).map(drop))?,
            timed(|| call(sender.as_mut(), "send_message", send).map(drop))?,
        ])
    })?;
    let mut idle = way.ready(bench, &hub.folder, WAITER)?;
    // Whatever earlier measurements sent is handed over first.
    while !call(idle.as_mut(), "check_inbox", json!({ "limit": 20 }))?["items"]
        .as_array()
        .is_none_or(Vec::is_empty)
    {}
    let [empty] =
        in_turn(bench, || Ok([timed(|| call(idle.as_mut(), "check_inbox", json!({})).map(drop))?]))?;
    let mut full = way.ready(bench, busy, BUSY)?;
    let [waiting] = in_turn(bench, || {
        Ok([timed(|| match call(full.as_mut(), "check_inbox", json!({}))?["items"].as_array() {
            Some(items) if !items.is_empty() => Ok(()),
            _ => Err("no mail waits any more: there were too many rounds".to_owned()),
        })?])
    })?;
    tell(way, "a bare commit beside it", &commit, "");
    tell(way, "send_message", &send, OLDER_SEND);
    tell(way, "check_inbox, no mail", &empty, "7.6 s");
    tell(way, "check_inbox, 10,000 waiting", &waiting, "6.3 s");
    let above = send.median().saturating_sub(commit.median());
    let shown = format!("{} ms = commit {} + {}", ms(send.median()), ms(commit.median()), ms(above));
    // Only the way that starts a process of its own has a budget beside the commit.
    let (limit, kept) = match way {
        Way::Stdio => (
            format!("<= commit + 1 ms (older server {OLDER_SEND}, without a flush)"),
            above <= SEND_BESIDE_COMMIT,
        ),
        Way::Http => {
            (format!("< older server's {OLDER_SEND}, without a flush"), send.median() < OLDER_SEND_P50)
        }
    };
    let row = |what: &str, limit: &str, measured| {
        Row::new(&format!("MCP over {}: {what}", way.name()), limit, Ok(measured))
    };
    let below = |samples: &Samples, older: Duration| {
        (format!("{} ms", ms(samples.median())), samples.median() < older)
    };
    let older = |older: Duration| format!("< {} ms, the older server's", older.as_millis());
    Ok(vec![
        row("send_message", &limit, (shown, kept)),
        row("check_inbox without mail", &older(OLDER_EMPTY_INBOX), below(&empty, OLDER_EMPTY_INBOX)),
        row("check_inbox with 10,000 waiting", &older(OLDER_INBOX), below(&waiting, OLDER_INBOX)),
    ])
}

/// Repeats what is to be compared, one after the other, until there are enough samples of each.
fn in_turn<const N: usize>(
    bench: &Bench<'_>,
    mut round: impl FnMut() -> Result<[Duration; N]>,
) -> Result<[Samples; N]> {
    let mut samples = [(); N].map(|()| Samples::default());
    for number in 0..bench.rounds + WARM_UP_ROUNDS {
        let took = round()?;
        if number >= WARM_UP_ROUNDS {
            samples.iter_mut().zip(took).for_each(|(samples, took)| samples.add(took));
        }
    }
    Ok(samples)
}

/// What a server holds in memory after the handshake and one call.
fn memory(bench: &Bench<'_>, hub: &Hub, way: Way) -> Result<Row> {
    let server = way.ready(bench, &hub.folder, WAITER)?;
    let kib = server.resident_kib()?;
    let what = format!("MCP over {}: memory of an idle server", way.name());
    let limit = format!("<= {} MiB (older server {OLDER_MEMORY})", IDLE_KIB / 1024);
    Ok(Row::new(&what, &limit, Ok((format!("{:.1} MiB", kib as f64 / 1024.0), kib <= IDLE_KIB))))
}

/// What the list of tools costs a model that has it in its context all the time.
fn tokens(bench: &Bench<'_>, hub: &Hub) -> Result<Row> {
    let mut server = Pipes::start(bench.product.mcp(&hub.folder, WAITER))?;
    initialize(&mut server)?;
    let listed = server.request("tools/list", json!({}))?.to_string();
    let count = bench.baselines.tokens(&listed)?;
    let limit = format!("<= {TOKENS}");
    Ok(Row::new("MCP tools/list, tokens", &limit, Ok((count.to_string(), count <= TOKENS))))
}

/// What the results of two common calls cost a model that reads its conversation again and again.
fn result_tokens(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    // Use agents that have not written to each other: the loop guard would hold the handoff after the sends above.
    let (mut giver, mut worker) =
        (Way::Stdio.ready(bench, &hub.folder, WAITER)?, Way::Stdio.ready(bench, &hub.folder, SENDER)?);
    let create =
        json!({ "action": "create", "title": "Build profile UI", "assignee": WAITER, "quiet": true });
    let task = call(giver.as_mut(), "task", create)?["id"].clone();
    let handoff =
        json!({ "to": SENDER, "subject": "Profile API", "content": TEXT, "intent": "handoff", "task": task });
    let message = call(giver.as_mut(), "send_message", handoff)?["id"].clone();
    let calls = [
        ("accept a handoff", json!({ "action": "accept", "message": message }), ACCEPT_TOKENS),
        (
            "complete a task",
            json!({ "action": "update", "task": task, "status": "completed" }),
            UPDATE_TOKENS,
        ),
    ];
    let mut rows = Vec::new();
    for (what, arguments, before) in calls {
        let result = worker.request("tools/call", json!({ "name": "task", "arguments": arguments }))?;
        if result["isError"] != false {
            return Err(format!("task was refused: {result}"));
        }
        let count = bench.baselines.tokens(&result["structuredContent"].to_string())?;
        let limit = format!("< {before}, the cost in 0.1.0");
        rows.push(Row::new(
            &format!("MCP result, {what}, tokens"),
            &limit,
            Ok((count.to_string(), count < before)),
        ));
    }
    Ok(rows)
}

fn initialize(server: &mut dyn Client) -> Result<()> {
    let client = json!({ "name": "bench", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    server.request("initialize", params)?;
    server.notify("notifications/initialized")
}

/// Calls a tool that must do what is asked, and gives the operation's answer.
fn call(server: &mut dyn Client, tool: &str, arguments: Value) -> Result<Value> {
    let mut result = server.request("tools/call", json!({ "name": tool, "arguments": arguments }))?;
    match result["isError"].as_bool() {
        Some(false) => Ok(result["structuredContent"]["answer"].take()),
        _ => Err(format!("{tool} was refused: {result}")),
    }
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

fn tell(way: Way, what: &str, samples: &Samples, older: &str) {
    let beside = if older.is_empty() { String::new() } else { format!("; older server {older}") };
    let (name, runs, min, median) = (way.name(), samples.count(), ms(samples.min()), ms(samples.median()));
    ui::line(&format!("MCP over {name}, {what}, {runs} runs: min {min} ms, median {median} ms{beside}"));
}
