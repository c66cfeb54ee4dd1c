//! Every checker is shown red: a build with the very fault it looks for must not pass it.
//!
//! The build has the feature `sabotage` and a target directory of its own, so that it never takes the place of the good
//! one. The first run makes it, which takes as long as any first build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use interagent_testkit::crash::{Fault, Sandbox, StockSqlite, Trace, Verdict, skip};

use super::{damage, disk, faults, handover, idle, kill, parallel, rebuild, stopped};

/// The sabotaged program; none, with a message, where it can't be built.
fn sabotaged() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
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

/// The checker must see the fault.
#[track_caller]
fn must_be_caught(fault: &str, verdict: Verdict) {
    match verdict {
        Ok(()) => panic!("a build with `{fault}` passed"),
        Err(why) => assert!(!why.is_empty()),
    }
}

/// A sandbox with the fault switched on, once it is filled.
fn with(fault: &'static str, yard: impl FnOnce(&Path) -> Sandbox) -> Option<Sandbox> {
    let mut sandbox = yard(sabotaged()?);
    sandbox.sabotage(fault);
    Some(sandbox)
}

#[test]
fn a_commit_that_is_skipped_is_caught_by_the_checker_of_kills() {
    let Some(sandbox) = with("skip_commit", kill::yard) else { return };
    must_be_caught("skip_commit", kill::killed_writers_lose_nothing(&sandbox, 3));
}

#[test]
fn a_commit_that_is_skipped_is_caught_by_the_checker_of_parallel_writers() {
    let Some(sandbox) = with("skip_commit", |exe| parallel::yard(exe, 4)) else { return };
    must_be_caught("skip_commit", parallel::parallel_writers_lose_nothing(&sandbox, 4, 3));
}

#[test]
fn a_commit_in_pieces_is_caught_by_the_checker_of_kills() {
    let Some(sandbox) = with("torn_commit", kill::yard) else { return };
    must_be_caught("torn_commit", kill::killed_writers_lose_nothing(&sandbox, 10));
}

#[test]
fn a_forgotten_key_is_caught_by_the_checker_of_kills() {
    let Some(sandbox) = with("forget_keys", kill::yard) else { return };
    must_be_caught("forget_keys", kill::killed_writers_lose_nothing(&sandbox, 3));
}

#[test]
fn a_delivery_without_confirmation_is_caught() {
    let Some(sandbox) = with("deliver_on_take", handover::yard) else { return };
    must_be_caught("deliver_on_take", handover::a_dying_reader_gets_it_again(&sandbox));
}

#[test]
fn a_message_for_two_sessions_is_caught() {
    let Some(sandbox) = with("offer_to_all", handover::yard) else { return };
    must_be_caught("offer_to_all", handover::sessions_never_share_a_message(&sandbox));
}

#[test]
fn a_silent_repair_is_caught() {
    let Some(sandbox) = with("repair_silently", damage::yard) else { return };
    let baseline = damage::Baseline::of(&sandbox);
    damage::zero_the_header(&sandbox);
    must_be_caught("repair_silently", damage::every_command_says_so(&sandbox, &baseline, "is damaged"));
}

#[test]
fn a_swallowed_error_is_caught_by_the_checker_of_faults() {
    let (Some(sandbox), Some(trace)) = (with("swallow_errors", faults::yard), Trace::find()) else { return };
    let fault = Fault { syscall: "pwrite64", error: "EIO", nth: 5, lasting: false };
    must_be_caught("swallow_errors", faults::a_fault_leaves_the_truth(&sandbox, &trace, fault));
}

#[test]
fn a_swallowed_error_is_caught_by_the_checker_of_full_disks() {
    let (Some(exe), Some(disk)) = (sabotaged(), disk::SmallDisk::mount()) else { return };
    let mut sandbox = Sandbox::at(exe, disk.path());
    sandbox.init(&["reader"]);
    sandbox.sabotage("swallow_errors");
    must_be_caught("swallow_errors", disk::a_full_disk_loses_nothing(&sandbox, &disk));
}

#[test]
fn a_missing_flush_is_caught() {
    let (Some(sandbox), Some(trace)) = (with("no_fsync", faults::yard), Trace::find()) else { return };
    must_be_caught("no_fsync", faults::an_answer_comes_after_the_flush(&sandbox, &trace));
}

#[test]
fn a_sloppy_rebuild_is_caught() {
    let (Some(sandbox), Some(stock)) = (with("sloppy_rebuild", rebuild::busy_hub), StockSqlite::find())
    else {
        return;
    };
    must_be_caught("sloppy_rebuild", rebuild::a_rebuild_brings_every_list_back(&sandbox, &stock));
}

#[test]
fn a_writer_that_does_not_name_itself_is_caught() {
    let Some(sandbox) = with("nameless_gate", stopped::yard) else { return };
    must_be_caught("nameless_gate", stopped::a_stopped_writer_is_named(&sandbox));
}

#[test]
fn a_polling_wait_is_caught() {
    let (Some(sandbox), Some(trace)) = (with("busy_wait", idle::yard), Trace::find()) else { return };
    must_be_caught("busy_wait", idle::a_wait_sleeps(&sandbox, &trace, Duration::from_secs(2), 30));
}

#[test]
fn a_look_that_writes_is_caught() {
    let Some(sandbox) = with("idle_write", rebuild::busy_hub) else { return };
    must_be_caught("idle_write", idle::an_idle_check_writes_nothing(&sandbox));
}
