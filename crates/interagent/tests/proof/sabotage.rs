//! Every checker is shown red: a build with the very fault it looks for must not pass it.
//!
//! The build has the feature `sabotage` and a target directory of its own, so that it never takes the place of the good
//! one. The first run makes it, which takes as long as any first build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use interagent_testkit::crash::{Fault, StockSqlite, Trace, Verdict, Yard, skip};

use super::{damage, disk, faults, handover, idle, kill, parallel, rebuild, stopped};

/// The sabotaged program; none, with a message, where it can't be built.
fn sabotaged() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    if let Some(built) = std::env::var_os("INTERAGENT_SABOTAGED").map(PathBuf::from)
        && built.is_file()
    {
        return Some(built);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // The good program lies in <target>/<profile>/.
    let target = super::good().parent()?.parent()?.join("sabotage");
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--offline", "--package", "interagent", "--features", "sabotage"]);
    command.arg("--target-dir").arg(&target).current_dir(env!("CARGO_MANIFEST_DIR"));
    let Ok(out) = command.output() else {
        skip("cargo is not here: no sabotaged program, and no checker was shown red");
        return None;
    };
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "the sabotaged program could not be built: {told}");
    Some(target.join("debug").join("interagent"))
}

/// The checker must see the fault, and for the right reason: its verdict says `because`.
#[track_caller]
fn must_be_caught(verdict: Verdict, because: &str) {
    match verdict {
        Ok(()) => panic!("the sabotaged program passed"),
        Err(why) => assert!(why.contains(because), "it failed for another reason than \"{because}\": {why}"),
    }
}

/// A yard with the fault switched on, once it is filled.
fn with(fault: &'static str, new_yard: impl FnOnce(&Path) -> Yard) -> Option<Yard> {
    let mut yard = new_yard(sabotaged()?);
    yard.sabotage(fault);
    Some(yard)
}

#[test]
fn a_commit_that_is_skipped_is_caught_by_the_checker_of_kills() {
    let Some(yard) = with("skip_commit", kill::new_yard) else { return };
    must_be_caught(kill::killed_writers_lose_nothing(&yard, 3), "there is no message");
}

#[test]
fn a_commit_that_is_skipped_is_caught_by_the_checker_of_parallel_writers() {
    let Some(yard) = with("skip_commit", |exe| parallel::new_yard(exe, 4)) else { return };
    must_be_caught(parallel::parallel_writers_lose_nothing(&yard, 4, 3), "not_found");
}

#[test]
fn a_commit_in_pieces_is_caught_by_the_checker_of_kills() {
    let Some(yard) = with("torn_commit", kill::new_yard) else { return };
    must_be_caught(kill::killed_writers_lose_nothing(&yard, 10), "the doctor says");
}

#[test]
fn a_forgotten_key_is_caught_by_the_checker_of_kills() {
    let Some(yard) = with("forget_keys", kill::new_yard) else { return };
    must_be_caught(kill::killed_writers_lose_nothing(&yard, 3), "and is now");
}

#[test]
fn a_delivery_without_confirmation_is_caught() {
    let Some(yard) = with("deliver_on_take", handover::new_yard) else { return };
    must_be_caught(handover::a_dying_reader_gets_it_again(&yard), "was never shown whole");
}

#[test]
fn a_message_for_two_sessions_is_caught() {
    let Some(yard) = with("offer_to_all", handover::new_yard) else { return };
    must_be_caught(handover::sessions_never_share_a_message(&yard), "handed to several sessions");
}

#[test]
fn a_silent_repair_is_caught() {
    let Some(yard) = with("repair_silently", damage::new_yard) else { return };
    let baseline = damage::Baseline::of(&yard);
    damage::zero_the_header(&yard);
    // The files of the hub are still there, so what was thrown away is missed at once.
    must_be_caught(
        damage::every_command_says_so(&yard, &baseline, "is damaged"),
        "does not say \"is damaged\"",
    );
}

#[test]
fn a_swallowed_error_is_caught_by_the_checker_of_faults() {
    let (Some(yard), Some(trace)) = (with("swallow_errors", faults::new_yard), Trace::find()) else { return };
    let fault = Fault { syscall: "fsync", error: "EIO", nth: 1, lasting: false };
    must_be_caught(faults::a_fault_leaves_the_truth(&yard, &trace, fault), "exit 0, and it is there 0 times");
}

#[test]
fn a_swallowed_error_is_caught_by_the_checker_of_full_disks() {
    let (Some(exe), Some(disk)) = (sabotaged(), disk::SmallDisk::mount()) else { return };
    let mut yard = Yard::below(exe, disk.path());
    yard.init(&["reader"]);
    yard.sabotage("swallow_errors");
    must_be_caught(disk::a_full_disk_loses_nothing(&yard, &disk), "acknowledged, and there 0 times");
}

#[test]
fn a_missing_flush_is_caught() {
    let (Some(yard), Some(trace)) = (with("no_fsync", faults::new_yard), Trace::find()) else { return };
    must_be_caught(faults::an_answer_comes_after_the_flush(&yard, &trace), "written, flushed, answered");
}

#[test]
fn a_sloppy_rebuild_is_caught() {
    let (Some(yard), Some(stock)) = (with("sloppy_rebuild", rebuild::busy_hub), StockSqlite::find()) else {
        return;
    };
    must_be_caught(rebuild::a_rebuild_brings_every_list_back(&yard, &stock), "lease.list");
}

#[test]
fn a_writer_that_does_not_name_itself_is_caught() {
    let Some(yard) = with("nameless_gate", stopped::new_yard) else { return };
    must_be_caught(stopped::a_stopped_writer_is_named(&yard), "does not name");
}

#[test]
fn a_polling_wait_is_caught() {
    let (Some(yard), Some(trace)) = (with("busy_wait", idle::new_yard), Trace::find()) else { return };
    must_be_caught(idle::a_wait_sleeps(&yard, &trace, Duration::from_secs(2), 30), "system calls");
}

#[test]
fn a_look_that_writes_is_caught() {
    let Some(yard) = with("idle_write", rebuild::busy_hub) else { return };
    must_be_caught(idle::an_idle_check_writes_nothing(&yard), "changed");
}
