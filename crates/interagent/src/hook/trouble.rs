//! Where a hook tells of its own trouble: one line in a file of the hub, because nobody else may hear of it.

use std::io::Write;
use std::path::Path;

use interagent_store::side::{self, Access};

use interagent_core::line::one_line;

use super::HookCall;
use crate::config::env::Env;
use crate::config::hub::{self, Discovery};
use crate::error::CliError;

/// The file's name beside the store.
const FILE: &str = "hook.log";
/// A longer one is begun anew: what matters is what happened last.
const FILE_BYTES: u64 = 64 * 1024;
/// Characters of one line.
const LINE_CHARS: usize = 400;

/// Notes what went wrong before it was known which hub is meant: in the one around the working directory, if there is one.
pub(super) fn note_near(env: &Env, call: &HookCall, error: &CliError) {
    if let Ok(Discovery::Found(found)) = hub::discover(env, call.hub.as_deref()) {
        note(&found.hub_dir.join("state"), call, error);
    }
}

/// Trouble that is older is nobody's any more.
const RECENT: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

/// The last line of the last day.
pub(crate) fn last(state_dir: &Path) -> Option<String> {
    let bytes = side::read(&state_dir.join(FILE), 2 * FILE_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    let noted: jiff::Timestamp = line.split(' ').next()?.parse().ok()?;
    let is_recent = jiff::Timestamp::now().duration_since(noted) < RECENT;
    is_recent.then(|| one_line(line, 2 * LINE_CHARS))
}

/// Notes what went wrong. Where that can't be done either, nobody can be told.
pub(super) fn note(state_dir: &Path, call: &HookCall, error: &CliError) {
    let Ok(mut file) = side::open(&state_dir.join(FILE), Access::Append) else { return };
    if file.metadata().is_ok_and(|found| found.len() > FILE_BYTES) {
        let _ = file.set_len(0);
    }
    let why = one_line(&error.lines().join(" "), LINE_CHARS);
    let now = jiff::Timestamp::now();
    let _ = writeln!(file, "{now:.0} {} {}: {why}", one_line(&call.profile, 64), one_line(&call.event, 64));
}
