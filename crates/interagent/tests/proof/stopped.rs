//! A writer that is stopped while it holds the gate: others say whose fault it is, readers go on, and all recover.
//!
//! Promises L1, L5.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::crash::{Ran, Running, Sandbox, Signal, Verdict, ensure};

use super::{good, holds};

/// Every command succeeds or fails within this time.
const PROMISED: Duration = Duration::from_secs(30);
/// A rebuild may be over before it is stopped; so often it is tried.
const TRIES: usize = 200;

/// A hub with enough in it that a rebuild holds the gate for a while.
pub(super) fn yard(exe: &Path) -> Sandbox {
    let sandbox = Sandbox::with_agents(exe, &["reader"]);
    for n in 0..30 {
        let sent = sandbox.run("operator", &["send", "--to", "reader", "-m", &format!("message {n}")]);
        assert_eq!(sent.code, Some(0), "{sent}");
    }
    sandbox
}

/// Stops a rebuild while it holds the gate.
fn stopped_inside_the_gate(sandbox: &Sandbox) -> Running {
    for _ in 0..TRIES {
        let mut running = Running::start(sandbox.command("operator").args(["doctor", "--rebuild"]));
        while running.is_alive() {
            if is_held(sandbox) {
                running.signal(Signal::STOP);
                // It may have been over in that moment.
                std::thread::sleep(Duration::from_millis(20));
                if running.is_alive() && is_held(sandbox) {
                    return running;
                }
                running.signal(Signal::CONT);
            }
        }
        assert_eq!(running.finish().code, Some(0));
    }
    panic!("a rebuild could not be stopped inside the gate in {TRIES} tries");
}

fn is_held(sandbox: &Sandbox) -> bool {
    let gate = File::open(sandbox.state().join("gate")).unwrap();
    // Shared: two lookers do not see each other.
    matches!(gate.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn send(sandbox: &Sandbox) -> Running {
    Running::start(sandbox.command("operator").args(["send", "--to", "reader", "-m", "while it is stopped"]))
}

/// Others fail in time and name the process; who only looks is not in the way.
pub(super) fn a_stopped_writer_is_named(sandbox: &Sandbox) -> Verdict {
    let stopped = stopped_inside_the_gate(sandbox);
    let pid = stopped.pid();
    let verdict = others_are_told(sandbox, pid);
    stopped.signal(Signal::CONT);
    let ended = stopped.finish();
    verdict?;
    ensure(ended.code == Some(0), || format!("the stopped one went on and ended with {ended}"))?;
    works_again(sandbox)
}

fn others_are_told(sandbox: &Sandbox, pid: u32) -> Verdict {
    let waiting: Vec<Running> = (0..3).map(|_| send(sandbox)).collect();
    let begun = Instant::now();
    for args in [&["inbox", "--agent", "reader"][..], &["log"], &["summary"], &["search", "message"]] {
        let looked = sandbox.run("operator", args);
        ensure(looked.code == Some(0), || format!("{args:?} while a writer is stopped: {looked}"))?;
    }
    let doctor = sandbox.run("operator", &["doctor"]);
    ensure(doctor.stdout.contains(&pid.to_string()), || format!("the doctor does not name {pid}: {doctor}"))?;
    ensure(begun.elapsed() < PROMISED, || "looking took longer than 30 s".to_owned())?;
    let told: Vec<Ran> = waiting.into_iter().map(Running::finish).collect();
    for ran in told {
        ran.failed_in_order()?;
        ensure(ran.code == Some(5), || format!("{ran}"))?;
        ensure(ran.stderr.contains(&pid.to_string()), || format!("process {pid} is not named: {ran}"))?;
        ensure(ran.took < PROMISED, || format!("it took {:?}: {ran}", ran.took))?;
    }
    Ok(())
}

fn works_again(sandbox: &Sandbox) -> Verdict {
    let sent = send(sandbox).finish();
    ensure(sent.code == Some(0), || format!("afterwards: {sent}"))?;
    sandbox.is_healthy()
}

#[test]
fn a_writer_stopped_inside_the_gate_is_named_and_all_goes_on_when_it_does() {
    holds(a_stopped_writer_is_named(&yard(good())));
}

#[test]
fn who_waits_for_a_stopped_writer_goes_on_when_it_is_killed() {
    let sandbox = yard(good());
    let stopped = stopped_inside_the_gate(&sandbox);
    let waiting: Vec<Running> = (0..3).map(|_| send(&sandbox)).collect();
    std::thread::sleep(Duration::from_millis(300));
    stopped.signal(Signal::KILL);
    stopped.finish();
    for sent in waiting.into_iter().map(Running::finish) {
        assert_eq!(sent.code, Some(0), "{sent}");
    }
    holds(works_again(&sandbox));
}
