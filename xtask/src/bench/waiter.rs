//! A reader that waits in one process while another sends: how soon it has the message, and how much work
//! the waiting itself is.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Bench;
use super::budget::Row;
use super::hub::{Hub, TEXT, WAITER};
use super::product;
use super::stats::{Samples, ms};
use super::timing::run_once;
use crate::{Result, repo, ui};

/// Long enough for a started reader to have settled into its wait, on a busy machine too.
const SETTLE: Duration = Duration::from_millis(250);

/// A waiter that missed its message gives up after this and shows as a huge latency.
const GIVE_UP_SECONDS: u64 = 5;

/// From the *start* of the sending process until the reader printed: an upper bound of the time from the
/// commit, which nobody outside the sender can see.
pub(super) fn latency(bench: &Bench<'_>, hub: &Hub) -> Result<Row> {
    let mut whole = Samples::default();
    for _ in 0..bench.rounds.min(50) {
        drain(bench, hub)?;
        let mut command = bench.product.wait(&hub.folder, WAITER, GIVE_UP_SECONDS);
        let mut waiter = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|why| format!("cannot start the waiter: {why}"))?;
        std::thread::sleep(SETTLE);
        let start = Instant::now();
        let mut sender = bench.product.send_as_operator(&hub.folder, WAITER, TEXT);
        let sending = sender.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut first = [0u8; 1];
        let printed = waiter.stdout.as_mut().map_or(Ok(0), |output| output.read(&mut first));
        let took = start.elapsed();
        if let Ok(mut sending) = sending {
            sending.wait().map_err(|why| format!("cannot wait for the sender: {why}"))?;
        }
        let code =
            waiter.wait_with_output().map_err(|why| format!("cannot wait for the waiter: {why}"))?.status;
        if printed.unwrap_or(0) == 0 {
            return Err(format!("the waiter printed nothing and ended with {code}"));
        }
        whole.add(took);
    }
    let (median, slow) = (whole.median(), whole.percentile(99));
    ui::line(&format!(
        "start of a send until the waiter printed, {} runs: min {} ms, p50 {} ms, p99 {} ms",
        whole.count(),
        ms(whole.min()),
        ms(median),
        ms(slow)
    ));
    let kept = median <= Duration::from_millis(10);
    let shown = format!("{} ms from the start of send", ms(median));
    Ok(Row::new("commit until the waiter has it, p50", "<= 10 ms", Ok((shown, kept))))
}

/// Reads what earlier runs left, so that the next wait really waits.
fn drain(bench: &Bench<'_>, hub: &Hub) -> Result<()> {
    run_once(&mut bench.product.inbox(&hub.folder, WAITER), &[0]).map(|_| ())
}

/// System calls of a long wait beyond those of one that ends at once, which every start needs.
pub(super) fn system_calls(bench: &Bench<'_>, hub: &Hub) -> Result<Row> {
    drain(bench, hub)?;
    let seconds = if bench.quick { 5 } else { 60 };
    let start = count(bench, hub, 0)?;
    let whole = count(bench, hub, seconds)?;
    let waiting = whole.saturating_sub(start);
    ui::line(&format!("system calls of a {seconds} s wait: {whole}, of which {start} also without waiting"));
    let what = format!("system calls of a {seconds} s wait");
    Ok(Row::new(&what, "< 100", Ok((waiting.to_string(), waiting < 100))))
}

fn count(bench: &Bench<'_>, hub: &Hub, seconds: u64) -> Result<usize> {
    if !repo::on_path("strace") {
        return Err("strace is not installed".to_owned());
    }
    let trace = bench.scratch.join("strace.txt");
    let inner = bench.product.wait(&hub.folder, WAITER, seconds);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(&trace).arg("--").arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    run_once(&mut command, product::WAIT_CODES)?;
    let text = fs::read_to_string(&trace).map_err(|why| format!("cannot read {}: {why}", trace.display()))?;
    Ok(calls_in(&text))
}

/// Lines of a trace that are calls: not signals, exits or the second half of an interrupted line.
fn calls_in(trace: &str) -> usize {
    trace.lines().filter(|line| !["+++ ", "--- ", " resumed>"].iter().any(|mark| line.contains(mark))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_call_counts_once() {
        let trace = "1 read(3, <unfinished ...>\n2 close(4) = 0\n1 <... read resumed>\"\", 1) = 0\n2 +++ exited with 0 +++\n1 --- SIGCHLD {} ---\n";
        assert_eq!(calls_in(trace), 2);
    }
}
