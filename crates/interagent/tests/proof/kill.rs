//! SIGKILL at any moment: what was acknowledged is there, everything is whole, and the next command works.
//!
//! Promises D1, D2, D3, D6, L2.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use interagent_testkit::crash::{
    Dice, Log, Mail, Running, Signal, StockSqlite, Verdict, Yard, ensure, is_soak, skip,
};

use super::{damage, good, holds};

/// Writers at work when the signal comes.
const WRITERS: usize = 4;
/// The signal comes within this time: several commands take so long together.
const LATEST_MS: u64 = 220;

/// A send that was begun, and what its writer heard of it.
struct Attempt {
    writer: String,
    key: String,
    body: String,
    /// The id, when it was printed before the end.
    acknowledged: Option<String>,
}

impl Attempt {
    fn new(writer: usize, round: u64, n: u64) -> Self {
        let key = format!("kill-{round}-{writer}-{n}");
        // From a line to several pages, so that the moment also falls between writes of one transaction.
        let body = format!("{key} äöü 日本 {}", "x".repeat(((round + n) % 4) as usize * 7_000));
        Self { writer: format!("w{writer}"), key, body, acknowledged: None }
    }

    fn args(&self) -> [&str; 10] {
        ["send", "--to", "reader", "-s", &self.key, "-m", &self.body, "--key", &self.key, "--json"]
    }

    fn id_in(stdout: &str) -> Option<String> {
        let document: serde_json::Value = serde_json::from_str(stdout).ok()?;
        document["answer"]["id"].as_str().map(str::to_owned)
    }

    /// Sends it again with its key, to the end; answers with the id.
    fn repeat(&self, yard: &Yard) -> Result<String, String> {
        let again = yard.run(&self.writer, &self.args());
        ensure(again.code == Some(0), || format!("{} could not be repeated: {again}", self.key))?;
        Self::id_in(&again.stdout).ok_or_else(|| format!("{} has no id: {again}", self.key))
    }
}

/// State shared by the writers of a round and the thread that ends it.
#[derive(Default)]
struct Round {
    /// At least one writer got its answer.
    is_answered: AtomicBool,
    /// Writers kill what they are sending.
    is_over: AtomicBool,
}

/// Several writers send until the moment comes; then all of them are killed.
fn round(yard: &Yard, number: u64, moment: Duration) -> Result<Vec<Attempt>, String> {
    let state = &Round::default();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write_until(yard, number, writer, state)))
            .collect();
        // The first round waits for an answer to check, even on a slow machine; later rounds may end before any write.
        while number == 0
            && !state.is_answered.load(Ordering::SeqCst)
            && !writers.iter().any(ScopedJoinHandle::is_finished)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(moment);
        state.is_over.store(true, Ordering::SeqCst);
        writers.into_iter().try_fold(Vec::new(), |mut all, writer| {
            all.extend(writer.join().unwrap()?);
            Ok(all)
        })
    })
}

/// Sends until the end of the round kills a send.
fn write_until(yard: &Yard, round: u64, writer: usize, state: &Round) -> Result<Vec<Attempt>, String> {
    let mut attempts: Vec<Attempt> = Vec::new();
    while attempts.last().is_none_or(|last| last.acknowledged.is_some()) {
        let n = attempts.len() as u64;
        let mut attempt = Attempt::new(writer, round, n);
        let mut running = Running::start(yard.command(&attempt.writer).args(attempt.args()));
        while running.is_alive() {
            if state.is_over.load(Ordering::SeqCst) {
                running.signal(Signal::KILL);
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        let ran = running.finish();
        ran.did_not_panic()?;
        ensure(ran.code == Some(0) || ran.signal == Some(9), || format!("{} ended with {ran}", attempt.key))?;
        attempt.acknowledged = Attempt::id_in(&ran.stdout);
        ensure(ran.code != Some(0) || attempt.acknowledged.is_some(), || {
            format!("exit 0 without an id: {ran}")
        })?;
        state.is_answered.fetch_or(attempt.acknowledged.is_some(), Ordering::SeqCst);
        attempts.push(attempt);
    }
    Ok(attempts)
}

/// Kills writers so many times and compares what they heard with what is stored.
pub(super) fn killed_writers_lose_nothing(yard: &Yard, rounds: u64) -> Verdict {
    let mut dice = Dice::new();
    kill_and_compare(yard, rounds, &mut dice).map_err(|why| format!("{}: {why}", dice.seed()))
}

fn kill_and_compare(yard: &Yard, rounds: u64, dice: &mut Dice) -> Verdict {
    let stock = StockSqlite::find();
    if stock.is_none() {
        skip("no sqlite3 program here for the second opinion on killed stores");
    }
    let mut attempts = Vec::new();
    for number in 0..rounds {
        let moment = Duration::from_millis(3 + dice.below(LATEST_MS));
        attempts.extend(round(yard, number, moment)?);
        // Before any of our own commands touches what the dead left.
        stock.as_ref().map_or(Ok(()), |stock| stock.finds_it_sound(&yard.database()))?;
        let next = yard.run("operator", &["inbox", "--agent", "reader", "--limit", "1", "--json"]);
        ensure(next.code == Some(0), || format!("the command after the kill: {next}"))?;
    }
    yard.is_healthy()?;
    let killed = attempts.iter().filter(|attempt| attempt.acknowledged.is_none()).count();
    let told = attempts.len() - killed;
    ensure(killed > 0 && told > 0, || format!("the moments were no test: {killed} killed, {told} told"))?;
    every_acknowledged_one_is_stored(yard, &attempts)?;
    repeating_leaves_exactly_one(yard, &attempts)?;
    yard.is_healthy()
}

fn every_acknowledged_one_is_stored(yard: &Yard, attempts: &[Attempt]) -> Verdict {
    for attempt in attempts {
        if let Some(id) = attempt.acknowledged.clone() {
            Mail { key: attempt.key.clone(), id, body: attempt.body.clone() }.is_stored(yard)?;
        }
    }
    Ok(())
}

fn repeating_leaves_exactly_one(yard: &Yard, attempts: &[Attempt]) -> Verdict {
    // Every fifth acknowledged attempt, including the first, and all that were killed.
    let told = attempts.iter().filter_map(|attempt| Some((attempt, attempt.acknowledged.as_ref()?)));
    for (attempt, id) in told.step_by(5) {
        let again = attempt.repeat(yard)?;
        ensure(again == *id, || format!("{} was {id} and is now {again}", attempt.key))?;
    }
    for attempt in attempts.iter().filter(|attempt| attempt.acknowledged.is_none()) {
        let id = attempt.repeat(yard)?;
        let (key, body) = (attempt.key.clone(), attempt.body.clone());
        Mail { key, id, body }.is_stored(yard)?;
    }
    let log = Log::read(yard)?;
    log.is_gap_free()?;
    let sent = log.0.iter().filter(|entry| entry.op == "message.send").count();
    let keys = log.keys();
    for attempt in attempts {
        let times = keys.get(attempt.key.as_str()).copied().unwrap_or(0);
        ensure(times == 1, || format!("{} is in the log {times} times", attempt.key))?;
    }
    ensure(sent == attempts.len(), || format!("{sent} messages of {} sends", attempts.len()))
}

/// A hub for this test.
pub(super) fn new_yard(exe: &std::path::Path) -> Yard {
    Yard::with_agents(exe, &["reader", "w0", "w1", "w2", "w3"])
}

#[test]
fn what_was_acknowledged_survives_sigkill_byte_for_byte() {
    let rounds = if is_soak() { 200 } else { 20 };
    holds(killed_writers_lose_nothing(&new_yard(good()), rounds));
}

/// Kills one command at a random moment of its run, several times; `after` judges what is left.
fn kill_in_the_middle(yard: &Yard, args: &[&str], latest_ms: u64, dice: &mut Dice) -> Result<bool, String> {
    let mut running = Running::start(yard.command("operator").args(args));
    std::thread::sleep(Duration::from_micros(dice.below(latest_ms * 1000)));
    let was_alive = running.is_alive();
    if was_alive {
        running.signal(Signal::KILL);
    }
    let ran = running.finish();
    ran.did_not_panic()?;
    ensure(ran.code == Some(0) || ran.signal == Some(9), || format!("{args:?} ended with {ran}"))?;
    Ok(ran.signal.is_some())
}

#[test]
fn a_hub_whose_making_was_killed_can_be_made_again() {
    let mut dice = Dice::new();
    for _ in 0..if is_soak() { 100 } else { 12 } {
        let yard = Yard::bare(good());
        let init = ["init", "--formation", "peers", "--agents", "reader:claude"];
        kill_in_the_middle(&yard, &init, 120, &mut dice).unwrap();
        let again = yard.run("operator", &init);
        assert!(matches!(again.code, Some(0 | 1)), "{again}");
        if again.code == Some(1) {
            let forced = yard.run("operator", &[&init[..], &["--force"]].concat());
            assert_eq!(forced.code, Some(0), "{forced}");
        }
        let sent = yard.run("operator", &["send", "--to", "reader", "-m", "hello"]);
        assert_eq!(sent.code, Some(0), "{sent}");
        holds(yard.is_healthy());
    }
}

#[test]
fn a_killed_rebuild_leaves_the_views_as_they_were() {
    let mut dice = Dice::new();
    let yard = new_yard(good());
    for n in 0..40 {
        let text = format!("message {n}");
        assert_eq!(yard.run("operator", &["send", "--to", "reader", "-m", &text]).code, Some(0));
    }
    let before = yard.run("operator", &["inbox", "--agent", "reader", "--json"]).stdout;
    for _ in 0..if is_soak() { 60 } else { 8 } {
        kill_in_the_middle(&yard, &["doctor", "--rebuild"], 250, &mut dice).unwrap();
        let after = yard.run("operator", &["inbox", "--agent", "reader", "--json"]).stdout;
        assert_eq!(after, before);
        holds(yard.is_healthy());
    }
}

#[test]
fn a_killed_recovery_is_finished_by_the_next() {
    let mut dice = Dice::new();
    for _ in 0..if is_soak() { 40 } else { 6 } {
        let yard = new_yard(good());
        for n in 0..5 {
            let text = format!("message {n}");
            assert_eq!(yard.run("operator", &["send", "--to", "reader", "-m", &text]).code, Some(0));
        }
        damage::zero_the_header(&yard);
        for _ in 0..3 {
            // One that was not killed in time has finished, and the next finds nothing to recover.
            let _ = kill_in_the_middle(&yard, &["doctor", "--recover"], 300, &mut dice);
        }
        let recovered = yard.run("operator", &["doctor", "--recover"]);
        let done = recovered.code == Some(0) || recovered.to_string().contains("the store is sound");
        assert!(done, "{recovered}");
        let inbox = yard.run("operator", &["inbox", "--agent", "reader", "--bodies", "--json"]);
        let items = inbox.answer().unwrap()["items"].as_array().unwrap().len();
        assert_eq!(items, 5, "{inbox}");
        holds(yard.is_healthy());
    }
}
