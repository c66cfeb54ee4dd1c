//! A writer that is stopped while it holds the gate: others say whose fault it is, readers go on, and all recover.
//!
//! Promises L1, L5.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::crash::{Ran, Running, Signal, Verdict, Yard, ensure};

use super::{good, holds};

/// Every command succeeds or fails within this time.
const PROMISED: Duration = Duration::from_secs(30);
/// A rebuild may be over before it is stopped; so often it is tried.
const TRIES: usize = 200;

/// A hub with enough in it that a rebuild holds the gate for a while.
pub(super) fn new_yard(exe: &Path) -> Yard {
    let yard = Yard::with_agents(exe, &["reader"]);
    for n in 0..30 {
        let sent = yard.run("operator", &["send", "--to", "reader", "-m", &format!("message {n}")]);
        assert_eq!(sent.code, Some(0), "{sent}");
    }
    yard
}

/// Stops a rebuild while it holds the gate.
fn stopped_inside_the_gate(yard: &Yard) -> Running {
    for _ in 0..TRIES {
        let mut running = Running::start(yard.command("operator").args(["doctor", "--rebuild"]));
        while running.is_alive() {
            if is_held(yard) {
                running.signal(Signal::STOP);
                // It may have been over in that moment.
                std::thread::sleep(Duration::from_millis(20));
                if running.is_alive() && is_held(yard) {
                    return running;
                }
                running.signal(Signal::CONT);
            }
        }
        assert_eq!(running.finish().code, Some(0));
    }
    panic!("a rebuild could not be stopped inside the gate in {TRIES} tries");
}

fn is_held(yard: &Yard) -> bool {
    let gate = File::open(yard.state().join("gate")).unwrap();
    // Shared: two lookers do not see each other.
    matches!(gate.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn send(yard: &Yard) -> Running {
    Running::start(yard.command("operator").args(["send", "--to", "reader", "-m", "while it is stopped"]))
}

/// Others fail in time and name the process; who only looks is not in the way.
pub(super) fn a_stopped_writer_is_named(yard: &Yard) -> Verdict {
    let stopped = stopped_inside_the_gate(yard);
    let pid = stopped.pid();
    let verdict = others_are_told(yard, pid);
    stopped.signal(Signal::CONT);
    let ended = stopped.finish();
    verdict?;
    ensure(ended.code == Some(0), || format!("the stopped one went on and ended with {ended}"))?;
    works_again(yard)
}

fn others_are_told(yard: &Yard, pid: u32) -> Verdict {
    let waiting: Vec<Running> = (0..3).map(|_| send(yard)).collect();
    let begun = Instant::now();
    let looked = [&["inbox", "--agent", "reader"][..], &["log"], &["summary"], &["search", "message"]]
        .map(|args| yard.run("operator", args));
    let looking_took = begun.elapsed();
    let doctor = yard.run("operator", &["doctor"]);
    let told: Vec<Ran> = waiting.into_iter().map(Running::finish).collect();
    for ran in looked {
        ensure(ran.code == Some(0), || format!("a look while a writer is stopped: {ran}"))?;
    }
    ensure(looking_took < PROMISED, || format!("looking took {looking_took:?}"))?;
    ensure(doctor.stdout.contains(&pid.to_string()), || format!("the doctor does not name {pid}: {doctor}"))?;
    for ran in told {
        ran.failed_in_order()?;
        ensure(ran.code == Some(5), || format!("{ran}"))?;
        ensure(ran.stderr.contains(&pid.to_string()), || format!("process {pid} is not named: {ran}"))?;
        ensure(ran.took < PROMISED, || format!("it took {:?}: {ran}", ran.took))?;
    }
    Ok(())
}

fn works_again(yard: &Yard) -> Verdict {
    let sent = send(yard).finish();
    ensure(sent.code == Some(0), || format!("afterwards: {sent}"))?;
    yard.is_healthy()
}

#[test]
fn a_writer_stopped_inside_the_gate_is_named_and_all_goes_on_when_it_does() {
    holds(a_stopped_writer_is_named(&new_yard(good())));
}

#[test]
fn who_waits_for_a_stopped_writer_goes_on_when_it_is_killed() {
    let yard = new_yard(good());
    let stopped = stopped_inside_the_gate(&yard);
    let waiting: Vec<Running> = (0..3).map(|_| send(&yard)).collect();
    std::thread::sleep(Duration::from_millis(300));
    stopped.signal(Signal::KILL);
    stopped.finish();
    for sent in waiting.into_iter().map(Running::finish) {
        assert_eq!(sent.code, Some(0), "{sent}");
    }
    holds(works_again(&yard));
}
