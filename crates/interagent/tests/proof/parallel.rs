//! Many processes write at once: nothing is lost, nothing refused, nothing there twice.
//!
//! Promises D1, D4, V1, V3, L1, L4.

use std::path::Path;

use interagent_testkit::crash::{Log, Verdict, Yard, ensure, is_soak};
use serde_json::{Value, json};

use super::{good, holds};

/// The log of the database after a command, with room for the last writers that met a reader.
const WAL_LIMIT_BYTES: u64 = 16 * 1024 * 1024;

fn name(writer: usize) -> String {
    format!("w{writer:02}")
}

/// A hub with so many writers.
pub(super) fn new_yard(exe: &Path, writers: usize) -> Yard {
    let names: Vec<String> = (0..writers).map(name).collect();
    Yard::with_agents(exe, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What one writer was told, as far as it must be found again.
#[derive(Debug, Default)]
struct Told {
    /// Keys of entries.
    keys: Vec<String>,
    /// Messages to the neighbour, in the order of their acknowledgement.
    sent: Vec<(String, String)>,
    tasks: Vec<(String, String)>,
    spec_versions: i64,
    acknowledged: Vec<String>,
    won_the_claim: bool,
}

struct Writer<'s> {
    yard: &'s Yard,
    name: String,
    neighbour: String,
    told: Told,
}

impl Writer<'_> {
    fn call(&mut self, op: &str, n: usize, mut params: Value) -> Result<Value, String> {
        let key = format!("{}-{op}-{n}", self.name);
        params["key"] = json!(key);
        let answer = self.yard.call(&self.name, op, &params)?;
        self.told.keys.push(key);
        Ok(answer)
    }

    fn step(&mut self, n: usize, contested: &str) -> Verdict {
        let text = format!("{} says {n} äöü", self.name);
        match n % 10 {
            0 | 5 => {
                let params = json!({ "to": [self.neighbour], "body": text, "subject": text });
                let id = id(&self.call("message.send", n, params)?)?;
                self.told.sent.push((id, text));
            }
            1 => {
                let id =
                    id(&self.call("task.create", n, json!({ "title": text, "assignee": self.name }))?)?;
                self.told.tasks.push((id, text));
            }
            2 => self.claim(contested)?,
            3 => {
                let task = self.last_task();
                self.call("task.note", n, json!({ "task": task, "note": text }))?;
            }
            4 => {
                let params = json!({ "name": format!("spec-{}", self.name), "body": text });
                let spec = self.yard.call(&self.name, "spec.publish", &params)?;
                self.told.spec_versions += 1;
                let version = spec["version"].as_i64();
                ensure(version == Some(self.told.spec_versions), || {
                    format!("the spec has version {version:?}")
                })?;
            }
            6 | 9 => self.read_and_answer(n, &text)?,
            7 => {
                let task = self.last_task();
                self.call("task.update", n, json!({ "task": task, "status": "completed", "note": text }))?;
            }
            _ => {
                let looked = self.yard.run(&self.name, &["summary", "--json"]);
                ensure(looked.code == Some(0), || format!("{looked}"))?;
            }
        }
        Ok(())
    }

    fn last_task(&self) -> String {
        self.told.tasks.last().map_or_else(String::new, |(id, _)| id.clone())
    }

    /// All want the same task: one gets it, the others are told so.
    fn claim(&mut self, contested: &str) -> Verdict {
        let ran = self.yard.run(&self.name, &["task", "claim", contested, "--json"]);
        self.told.won_the_claim |= ran.code == Some(0);
        ensure(matches!(ran.code, Some(0 | 4)), || format!("{} claims: {ran}", self.name))
    }

    fn read_and_answer(&mut self, n: usize, text: &str) -> Verdict {
        let inbox = self.yard.run(&self.name, &["inbox", "--json"]).answer()?;
        let Some(first) = inbox["items"][0]["id"].as_str() else { return Ok(()) };
        let first = first.to_owned();
        self.call("message.reply", n, json!({ "message": first, "body": text }))?;
        let read = self.yard.run(&self.name, &["ack", &first, "--json"]);
        ensure(read.code == Some(0), || format!("{read}"))?;
        self.told.acknowledged.push(first);
        Ok(())
    }
}

fn id(answer: &Value) -> Result<String, String> {
    answer["id"].as_str().map(str::to_owned).ok_or_else(|| format!("no id in {answer}"))
}

/// So many writers do so many things each, all at once; then everything they were told is looked for.
pub(super) fn parallel_writers_lose_nothing(yard: &Yard, writers: usize, steps: usize) -> Verdict {
    let contested = id(&yard.call("operator", "task.create", &json!({ "title": "whose is it?" }))?)?;
    let told: Vec<Result<Told, String>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..writers)
            .map(|n| {
                let (name, neighbour) = (name(n), name((n + 1) % writers));
                let mut writer = Writer { yard, name, neighbour, told: Told::default() };
                let contested = contested.as_str();
                scope.spawn(move || {
                    (0..steps).try_for_each(|n| writer.step(n, contested)).map(|()| writer.told)
                })
            })
            .collect();
        running.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let told = told.into_iter().collect::<Result<Vec<_>, _>>()?;
    let wal = std::fs::metadata(yard.state().join("hub.db-wal")).map_or(0, |wal| wal.len());
    ensure(wal <= WAL_LIMIT_BYTES, || format!("the write-ahead log has {wal} bytes"))?;
    yard.is_healthy()?;
    ensure(told.iter().filter(|told| told.won_the_claim).count() == 1, || {
        "not one winner of a claim".to_owned()
    })?;
    everything_told_is_there(yard, &told)
}

fn everything_told_is_there(yard: &Yard, told: &[Told]) -> Verdict {
    let log = Log::read(yard)?;
    log.is_gap_free()?;
    log.hand_overs_are_in_order()?;
    let keys = log.keys();
    let entries_of = |op: &str| log.0.iter().filter(|entry| entry.op == op).count();
    let mut specs = 0;
    for (n, told) in told.iter().enumerate() {
        for key in &told.keys {
            let times = keys.get(key.as_str()).copied().unwrap_or(0);
            ensure(times == 1, || format!("{key} is in the log {times} times"))?;
        }
        specs += usize::try_from(told.spec_versions).unwrap_or(0);
        sent_in_order(yard, &name(n), told)?;
        for (task, title) in &told.tasks {
            let shown = yard.call("operator", "task.show", &json!({ "task": task }))?;
            ensure(shown["title"] == *title, || format!("{task} is {shown}"))?;
        }
    }
    ensure(entries_of("spec.publish") == specs, || format!("{specs} specs were published"))?;
    let expected: usize = told.iter().map(|told| told.keys.len()).sum();
    let found = keys.len();
    ensure(found == expected, || format!("{expected} keys were acknowledged, {found} are in the log"))
}

/// Messages of one sender to one recipient are shown in the order they were acknowledged, byte for byte.
fn sent_in_order(yard: &Yard, from: &str, told: &Told) -> Verdict {
    let page = yard.call("operator", "message.list", &json!({ "from": from, "limit": 200 }))?;
    let mut shown: Vec<&str> = page["items"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|message| message["reply_to"].is_null())
        .filter_map(|message| message["id"].as_str())
        .filter(|id| told.sent.iter().any(|(sent, _)| sent == id))
        .collect();
    shown.reverse();
    let sent: Vec<&str> = told.sent.iter().map(|(id, _)| id.as_str()).collect();
    ensure(shown == sent, || format!("{from} sent {sent:?}, shown are {shown:?}"))?;
    for (id, text) in &told.sent {
        let read = yard.call("operator", "message.read", &json!({ "message": id }))?;
        ensure(read["body"].as_str() == Some(text), || format!("{id} holds {}", read["body"]))?;
    }
    Ok(())
}

#[test]
fn thirty_two_processes_lose_nothing_and_nobody_is_refused() {
    let (writers, steps) = if is_soak() { (50, 50) } else { (32, 12) };
    holds(parallel_writers_lose_nothing(&new_yard(good(), writers), writers, steps));
}
