//! The time of a call from Python, beside a command of interagent-framework.

use std::time::Duration;

use super::Bench;
use super::budget::Row;
use super::cold::copy_of;
use super::framework;
use super::hub::{Hub, READER, TEXT};
use super::mcp::client::Pipes;
use super::stats::{Samples, ms};
use crate::repo::Repo;
use crate::{Result, ui};

/// The limit of a call beside its commit.
const CALL: Duration = Duration::from_micros(500);
/// Calls before the clock counts.
const WARM_UP_ROUNDS: usize = 5;

/// Makes one call for each line and prints its time in nanoseconds, as the script measures it.
const SCRIPT: &str = r#"
import sys, time
from interagent import Hub

hub = Hub.open()
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    start = time.perf_counter_ns()
    if word == "read":
        hub.whoami()
    else:
        to, _, text = rest.partition(" ")
        hub.message.send(to=to, body=text)
    print(time.perf_counter_ns() - start, flush=True)
"#;

pub(super) fn measure(bench: &Bench<'_>, repo: &Repo, hub: &Hub) -> Result<Vec<Row>> {
    let script = bench.scratch.join("calls.py");
    std::fs::write(&script, SCRIPT).map_err(|why| format!("cannot write {}: {why}", script.display()))?;
    let package = repo.root.join("python");
    let mut calls = Pipes::start(bench.product.python(&hub.folder, &package, &script))?;
    let copy = copy_of(&hub.database, &bench.scratch.join("baseline-commits-python.db"))?;
    let mut commits = Pipes::start(bench.baselines.commits(&copy))?;
    let send = format!("send {READER} {TEXT}");
    let [mut read, mut sent, mut commit] = [(); 3].map(|()| Samples::default());
    for round in 0..bench.rounds + WARM_UP_ROUNDS {
        let (reading, sending) = (took(&calls.line("read")?)?, took(&calls.line(&send)?)?);
        let began = std::time::Instant::now();
        commits.line(TEXT)?;
        let committing = began.elapsed();
        if round >= WARM_UP_ROUNDS {
            read.add(reading);
            sent.add(sending);
            commit.add(committing);
        }
    }
    let theirs = framework::command(bench, repo)?;
    let above = sent.median().saturating_sub(commit.median());
    let shown = format!("{} ms = commit {} + {}", ms(sent.median()), ms(commit.median()), ms(above));
    ui::line(&format!(
        "Python: whoami {} ms, send {shown}; a command of interagent-framework {} ms",
        ms(read.median()),
        ms(theirs.median())
    ));
    let beside = format!("(interagent-framework {} ms)", ms(theirs.median()));
    let row = |what: &str, limit: &str, measured| Row::new(what, &format!("{limit} {beside}"), Ok(measured));
    Ok(vec![
        row(
            "Python: a call that reads",
            "<= 0.5 ms",
            (format!("{} ms", ms(read.median())), read.median() <= CALL),
        ),
        row("Python: a send", "<= commit + 0.5 ms", (shown, above <= CALL)),
    ])
}

fn took(printed: &str) -> Result<Duration> {
    let nanos = printed.trim().parse().map_err(|why| format!("the script printed `{printed}`: {why}"))?;
    Ok(Duration::from_nanos(nanos))
}
