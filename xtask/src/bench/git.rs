//! The history in git: how long a sync takes the first time, with one new message, without news, and in a new clone.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::Bench;
use super::budget::Row;
use super::hub::{Hub, READER, TEXT};
use super::timing::run_once;
use crate::repo::stdout_of;
use crate::{Result, ui};

/// Everything at once happens once in the life of a clone; the rest happens all day.
const FIRST_LIMIT_S: f64 = 60.0;
const JOIN_LIMIT_S: f64 = 120.0;
const NEWS_LIMIT_S: f64 = 1.0;
const NO_NEWS_LIMIT_S: f64 = 0.5;

/// Changes the hub's folder into a repository: to be measured last.
pub(crate) fn measure(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let remote = bench.scratch.join("history.git");
    let clone = bench.scratch.join("history-clone");
    git(bench, bench.scratch, &["init", "--quiet", "--bare", &remote.display().to_string()])?;
    git(bench, &hub.folder, &["init", "--quiet"])?;
    git(bench, &hub.folder, &["remote", "add", "origin", &remote.display().to_string()])?;

    let sync = || run_once(&mut bench.product.person(&hub.folder, &["sync"]), &[0]);
    let first = sync()?;
    stdout_of(&mut bench.product.send_as_operator(&hub.folder, READER, TEXT))?;
    let news = sync()?;
    let none = sync()?;
    git(
        bench,
        bench.scratch,
        &["clone", "--quiet", &remote.display().to_string(), &clone.display().to_string()],
    )?;
    let join = run_once(&mut bench.product.join(&clone), &[0])?;

    let rows = [
        ("sync for the first time", first, FIRST_LIMIT_S),
        ("sync in a new clone", join, JOIN_LIMIT_S),
        ("sync with one new message", news, NEWS_LIMIT_S),
        ("sync without news", none, NO_NEWS_LIMIT_S),
    ];
    ui::line(&format!("history of {} entries in git", hub.entries));
    Ok(rows.into_iter().map(|(what, took, limit)| row(what, hub.entries, took, limit)).collect())
}

fn row(what: &str, entries: u64, took: Duration, limit_s: f64) -> Row {
    let seconds = took.as_secs_f64();
    let measured = Ok((format!("{seconds:.2} s"), seconds <= limit_s));
    Row::new(&format!("{what}, {entries} entries"), &format!("<= {limit_s} s"), measured)
}

fn git(bench: &Bench<'_>, folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder);
    command.env("HOME", bench.scratch).env("GIT_CONFIG_NOSYSTEM", "1");
    stdout_of(&mut command).map(|_| ())
}
