//! Waiting and looking cost nothing: few system calls, and not a byte written.
//!
//! Promises V5, and the budget of a wait.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use interagent_testkit::crash::{Running, Signal, Trace, Verdict, Yard, ensure, is_soak, skip};

use super::rebuild::busy_hub;
use super::{good, holds};

/// A file's bytes and the time of its last change.
type Footprint = BTreeMap<std::path::PathBuf, (SystemTime, Vec<u8>)>;

/// Everything under a directory, except SQLite's shared memory: an index of the log that is made anew by the first
/// process that opens the database, and never flushed.
fn footprint(dir: &Path) -> Footprint {
    let mut found = Footprint::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(footprint(&path));
        } else if !path.to_string_lossy().ends_with("-shm") {
            let changed = entry.metadata().unwrap().modified().unwrap();
            found.insert(path.clone(), (changed, std::fs::read(&path).unwrap()));
        }
    }
    found
}

/// Runs a command that may change nothing.
fn changes_nothing(yard: &Yard, who: &str, args: &[&str], codes: &[i32]) -> Verdict {
    let before = footprint(&yard.hub());
    let ran = yard.run(who, args);
    ensure(ran.code.is_some_and(|code| codes.contains(&code)), || format!("{args:?}: {ran}"))?;
    let after = footprint(&yard.hub());
    let changed: Vec<_> =
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
    ensure(changed.is_empty(), || format!("{who} {args:?} changed {changed:?}"))
}

/// An agent that looks and finds nothing new leaves no trace.
pub(super) fn an_idle_check_writes_nothing(yard: &Yard) -> Verdict {
    // What waits is handed over first; from then on there is nothing new.
    for _ in 0..2 {
        let inbox = yard.run("kimi", &["inbox"]);
        ensure(inbox.code == Some(0), || format!("{inbox}"))?;
    }
    changes_nothing(yard, "kimi", &["inbox"], &[0])?;
    changes_nothing(yard, "kimi", &["wait", "--timeout", "0"], &[1])
}

#[test]
fn an_idle_check_writes_not_a_byte() {
    holds(an_idle_check_writes_nothing(&busy_hub(good())));
}

#[test]
fn looking_changes_nothing() {
    let yard = busy_hub(good());
    // Search keeps an index of its own that follows the log: the first one makes it.
    assert_eq!(yard.run("operator", &["search", "parser"]).code, Some(0));
    for args in [
        &["inbox"][..],
        &["inbox", "--agent", "claude", "--bodies"],
        &["log"],
        &["summary"],
        &["msg", "list"],
        &["task", "list"],
        &["agent", "list"],
        &["status"],
        &["search", "parser"],
        &["briefing", "--agent", "kimi"],
        &["quick", "--explain", "Implement the parser"],
        &["doctor"],
        &["wait", "--agent", "claude", "--timeout", "0"],
    ] {
        holds(changes_nothing(&yard, "operator", args, &[0, 1]));
    }
}

/// Counts the system calls of a waiting process during `watched`.
pub(super) fn a_wait_sleeps(yard: &Yard, trace: &Trace, watched: Duration, most: usize) -> Verdict {
    let timeout = (watched.as_secs() + 6).to_string();
    let mut waiting = Running::start(yard.command("kimi").args(["wait", "--timeout", &timeout]));
    // It opens, looks and falls asleep.
    std::thread::sleep(Duration::from_secs(2));
    let out = tempfile::NamedTempFile::new().unwrap();
    let mut tracer: Command = trace.attach(waiting.pid(), out.path());
    let mut tracer = tracer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(watched);
    let was_waiting = waiting.is_alive();
    interagent_testkit::crash::signal(tracer.id(), Signal::INT);
    tracer.wait().unwrap();
    waiting.signal(Signal::KILL);
    waiting.finish();
    ensure(was_waiting, || "it did not wait".to_owned())?;
    let calls = std::fs::read_to_string(out.path()).unwrap().lines().count();
    ensure(calls > 0, || "the tracer saw nothing".to_owned())?;
    ensure(calls < most, || format!("{calls} system calls in {watched:?}"))
}

/// A hub in which nothing comes.
pub(super) fn new_yard(exe: &Path) -> Yard {
    Yard::with_agents(exe, &["kimi"])
}

#[test]
fn a_wait_makes_few_system_calls() {
    let Some(trace) = Trace::find() else {
        return skip("strace is not here or may not trace: nobody counted the calls of a wait");
    };
    let (watched, most) = if is_soak() { (60, 100) } else { (10, 60) };
    holds(a_wait_sleeps(&new_yard(good()), &trace, Duration::from_secs(watched), most));
}
