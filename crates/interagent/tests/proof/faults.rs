//! One system call of one send fails, each in turn: the exit code tells the truth, and nothing else breaks.
//!
//! Promises D2, D5, E1, E2, L2. The kernel's side is played by `strace`.

use std::collections::BTreeMap;
use std::path::Path;

use interagent_testkit::crash::{
    Fault, Log, StockSqlite, Syscall, Trace, Verdict, Yard, ensure, is_soak, skip,
};
use serde_json::{Value, json};

use super::{good, holds};

/// Calls that change something: every single one is made to fail.
const WRITING: [&str; 7] = ["write", "pwrite64", "fsync", "fdatasync", "ftruncate", "openat", "open"];
/// Calls that look: every so many of them is made to fail; all of them in the long version.
const LOOKING: [&str; 5] = ["pread64", "statx", "fcntl", "flock", "read"];
const EVERY: usize = 7;

fn trace() -> Option<Trace> {
    let found = Trace::find();
    if found.is_none() {
        skip("strace is not here or may not trace: no faults were injected");
    }
    found
}

fn send(subject: &str) -> [&str; 10] {
    ["send", "--to", "reader", "-s", subject, "-m", "the text of it", "--key", subject, "--json"]
}

/// Which calls of a kind belong to the program itself: the loader's own come before, and are not ours to answer for.
fn ours(calls: &[Syscall], name: &str) -> Vec<usize> {
    let main = calls.iter().position(|call| call.name == "sigaltstack").unwrap_or(0);
    let mut nth = 0;
    let mut found = Vec::new();
    for (place, call) in calls.iter().enumerate().filter(|(_, call)| call.name == name) {
        nth += 1;
        let is_library = [".so", "/proc/", "/dev/tty", "/sys/"].iter().any(|part| call.line.contains(part));
        if place > main && !is_library {
            found.push(nth);
        }
    }
    found
}

/// A send whose `fault` happens either succeeded and is there, or failed in order and is not.
pub(super) fn a_fault_leaves_the_truth(yard: &Yard, trace: &Trace, fault: Fault<'_>) -> Verdict {
    let subject = format!("{}-{}-{}-{}", fault.syscall, fault.error, fault.nth, fault.lasting);
    let ran = trace.inject(yard, "operator", fault, &send(&subject));
    ran.did_not_panic()?;
    let times = stored(yard, &subject)?;
    match ran.code {
        Some(0) => ensure(times == 1, || format!("{fault:?}: exit 0, and it is there {times} times: {ran}"))?,
        Some(5) => {
            ran.failed_in_order()?;
            ensure(times == 0, || format!("{fault:?}: exit 5, and it is there: {ran}"))?;
        }
        _ => return Err(format!("{fault:?}: {ran}")),
    }
    let again = yard.run("operator", &send(&subject));
    ensure(again.code == Some(0), || format!("after {fault:?}: {again}"))?;
    let times = stored(yard, &subject)?;
    ensure(times == 1, || format!("after {fault:?} and a repetition it is there {times} times"))
}

/// How many of the newest messages have this subject.
fn stored(yard: &Yard, subject: &str) -> Result<usize, String> {
    let page = yard.call("operator", "message.list", &json!({ "limit": 3 }))?;
    Ok(page["items"].as_array().into_iter().flatten().filter(|item| item["subject"] == subject).count())
}

fn is_sound(yard: &Yard) -> Verdict {
    yard.is_healthy()?;
    Log::read(yard)?.is_gap_free()?;
    StockSqlite::find().map_or(Ok(()), |stock| stock.finds_it_sound(&yard.database()))
}

/// Each of these calls of one send fails in turn.
fn each_call_fails(names: &[&str], errors: &[&str], every: usize) {
    let Some(trace) = trace() else { return };
    let yard = Yard::with_agents(good(), &["reader"]);
    let (counted, calls) = trace.record(&yard, "operator", &send("counted"));
    assert_eq!(counted.code, Some(0), "{counted}");
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        for nth in ours(&calls, name).into_iter().step_by(every) {
            for error in errors {
                let fault = Fault { syscall: name, error, nth, lasting: false };
                holds(a_fault_leaves_the_truth(&yard, &trace, fault));
                *tried.entry(name).or_default() += 1;
            }
        }
    }
    assert!(tried.len() > 2, "nothing was tried: {tried:?}");
    holds(is_sound(&yard));
}

#[test]
fn a_failing_write_or_flush_of_a_send_is_told_and_leaves_nothing() {
    each_call_fails(&WRITING, &["EIO"], 1);
}

#[test]
fn a_full_disk_at_any_write_of_a_send_is_told_and_leaves_nothing() {
    each_call_fails(&["write", "pwrite64", "ftruncate", "fsync"], &["ENOSPC"], if is_soak() { 1 } else { 3 });
}

#[test]
fn a_failing_look_of_a_send_is_told_and_leaves_nothing() {
    each_call_fails(&LOOKING, &["EIO"], if is_soak() { 1 } else { EVERY });
}

#[test]
fn a_disk_that_stays_broken_does_not_bring_a_refused_send_back() {
    let Some(trace) = trace() else { return };
    let yard = Yard::with_agents(good(), &["reader"]);
    for (syscall, error) in
        [("fsync", "EIO"), ("fdatasync", "EIO"), ("pwrite64", "ENOSPC"), ("pwrite64", "EIO")]
    {
        let fault = Fault { syscall, error, nth: 1, lasting: true };
        holds(a_fault_leaves_the_truth(&yard, &trace, fault));
    }
    holds(is_sound(&yard));
}

/// The log of the database is flushed after its last write and before the answer is given.
pub(super) fn an_answer_comes_after_the_flush(yard: &Yard, trace: &Trace) -> Verdict {
    let (ran, calls) = trace.record(yard, "operator", &send("flushed"));
    ensure(ran.code == Some(0), || format!("{ran}"))?;
    let is_log = |call: &Syscall| call.line.split(',').next().is_some_and(|fd| fd.contains("hub.db-wal>"));
    let answered = calls.iter().position(|call| call.name == "write" && call.line.starts_with("1<"));
    let written = calls.iter().rposition(|call| call.name == "pwrite64" && is_log(call));
    let flushed = calls.iter().rposition(|call| call.name.ends_with("sync") && is_log(call));
    match (written, flushed, answered) {
        (Some(written), Some(flushed), Some(answered)) if written < flushed && flushed < answered => Ok(()),
        places => Err(format!("written, flushed, answered at {places:?}")),
    }
}

#[test]
fn a_send_is_flushed_before_it_is_acknowledged() {
    let Some(trace) = trace() else { return };
    holds(an_answer_comes_after_the_flush(&Yard::with_agents(good(), &["reader"]), &trace));
}

/// A hand-over one of whose calls fails: what was not shown whole comes again.
fn a_broken_hand_over_loses_nothing(yard: &Yard, trace: &Trace, fault: Fault<'_>) -> Verdict {
    let session = format!("{}-{}", fault.syscall, fault.nth);
    let bind = |id: &str| yard.call("operator", "session.bind", &json!({ "session": id, "agent": "reader" }));
    bind(&session)?;
    let sent = yard.call("operator", "message.send", &json!({ "to": ["reader"], "body": session }))?;
    let id = sent["id"].as_str().unwrap_or_default();
    let ran = trace.inject(yard, &format!("reader/{session}"), fault, &["inbox", "--json"]);
    ran.did_not_panic()?;
    ensure(matches!(ran.code, Some(0 | 5)), || format!("{fault:?}: {ran}"))?;
    let was_shown = ran.answer().is_ok_and(|inbox| has_text(&inbox, id));
    let read = yard.call("operator", "message.read", &json!({ "message": id }))?;
    let is_delivered = !read["to"][0]["delivered"].is_null();
    ensure(was_shown || !is_delivered, || format!("{fault:?}: delivered, and never shown: {ran}"))?;
    yard.call("operator", "session.end", &json!({ "session": session }))?;
    bind("next")?;
    let again = yard.run("reader/next", &["inbox", "--json"]).answer()?;
    ensure(is_delivered || has_text(&again, id), || format!("{fault:?}: it did not come again: {again}"))?;
    yard.call("reader/next", "message.acknowledge", &json!({ "messages": [id] }))?;
    yard.call("operator", "session.end", &json!({ "session": "next" }))?;
    Ok(())
}

fn has_text(inbox: &Value, id: &str) -> bool {
    inbox["items"].as_array().into_iter().flatten().any(|mail| mail["id"] == *id && mail["body"].is_string())
}

#[test]
fn a_failing_call_of_a_hand_over_loses_no_message() {
    let Some(trace) = trace() else { return };
    let yard = Yard::with_agents(good(), &["reader"]);
    yard.call("operator", "message.send", &json!({ "to": ["reader"], "body": "counted" })).unwrap();
    let (counted, calls) = trace.record(&yard, "reader", &["inbox", "--json"]);
    assert_eq!(counted.code, Some(0), "{counted}");
    for syscall in ["write", "fsync", "fdatasync", "pwrite64", "fcntl", "pread64"] {
        let every = if is_soak() || syscall.ends_with("sync") { 1 } else { 9 };
        for nth in ours(&calls, syscall).into_iter().step_by(every) {
            let fault = Fault { syscall, error: "EIO", nth, lasting: false };
            holds(a_broken_hand_over_loses_nothing(&yard, &trace, fault));
        }
    }
    holds(Log::read(&yard).and_then(|log| log.hand_overs_are_in_order()));
    holds(is_sound(&yard));
}

/// A hub for the sabotaged build.
pub(super) fn new_yard(exe: &Path) -> Yard {
    Yard::with_agents(exe, &["reader"])
}
