//! The history in git: a sync the first time, with one new message, without news, and in a new clone, each against what git
//! itself needs for the same.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::Bench;
use super::budget::Row;
use super::hub::{Hub, READER, TEXT};
use super::timing::run_once;
use crate::repo::stdout_of;
use crate::{Result, ui};

/// Everything at once, against `git add`, `commit` and `push` of the same files.
const FIRST_LIMIT: f64 = 1.5;
/// A clone that joins has every entry checked, put in order and folded; git only copies.
const JOIN_LIMIT: f64 = 6.0;
/// One message or none, against one commit with `fetch` and `push`, and against `fetch` alone.
const NEWS_LIMIT: f64 = 2.0;
const NO_NEWS_LIMIT: f64 = 3.0;
/// Short syncs, of which the middle one counts.
const ROUNDS: usize = 9;

/// Changes the hub's folder into a repository: to be measured last.
pub(crate) fn measure(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let git = Git { bench };
    let remote = git.bare("history.git")?;
    git.run(&hub.folder, &["init", "--quiet"])?;
    git.run(&hub.folder, &["remote", "add", "origin", &remote.display().to_string()])?;

    let sync = || run_once(&mut bench.product.person(&hub.folder, &["sync"]), &[0]);
    let first = sync()?;
    let news = median(|| {
        stdout_of(&mut bench.product.send_as_operator(&hub.folder, READER, TEXT))?;
        sync()
    })?;
    let none = median(sync)?;
    let clone = bench.scratch.join("history-clone");
    git.run(
        bench.scratch,
        &["clone", "--quiet", &remote.display().to_string(), &clone.display().to_string()],
    )?;
    let join = run_once(&mut bench.product.join(&clone), &[0])?;

    let (copied, tree) = git.copied(&remote)?;
    let committed = git.committed(&tree)?;
    let one_more = median(|| git.one_more(&tree))?;
    let fetched = median(|| timed(|| git.run(&tree, &["fetch", "--quiet", "origin"])))?;
    ui::line(&format!(
        "\nhistory of {} entries in git: first sync {:.1} s (git {:.1} s), joining {:.1} s (git {:.1} s), one message {} ms (git {} ms), no news {} ms (git {} ms)",
        hub.entries,
        first.as_secs_f64(),
        committed.as_secs_f64(),
        join.as_secs_f64(),
        copied.as_secs_f64(),
        news.as_millis(),
        one_more.as_millis(),
        none.as_millis(),
        fetched.as_millis(),
    ));
    let row = |what: &str, ours: Duration, theirs: Duration, limit: f64| {
        let what = format!("{what}, {} entries", hub.entries);
        Row::ratio(&what, ours.as_secs_f64() / theirs.as_secs_f64(), limit)
    };
    Ok(vec![
        row("first sync against git add, commit, push", first, committed, FIRST_LIMIT),
        row("joining against git clone", join, copied, JOIN_LIMIT),
        row("sync of one message against git commit, fetch, push", news, one_more, NEWS_LIMIT),
        row("sync without news against git fetch", none, fetched, NO_NEWS_LIMIT),
    ])
}

/// git itself, with the same files.
struct Git<'b> {
    bench: &'b Bench<'b>,
}

impl Git<'_> {
    fn run(&self, folder: &Path, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"]);
        command.args(arguments).current_dir(folder);
        command.env("HOME", self.bench.scratch).env("GIT_CONFIG_NOSYSTEM", "1");
        stdout_of(&mut command).map(|_| ())
    }

    fn bare(&self, name: &str) -> Result<PathBuf> {
        let path = self.bench.scratch.join(name);
        self.run(self.bench.scratch, &["init", "--quiet", "--bare", &path.display().to_string()])?;
        Ok(path)
    }

    /// A clone with the branch checked out: what joining would cost without a hub.
    fn copied(&self, remote: &Path) -> Result<(Duration, PathBuf)> {
        let tree = self.bench.scratch.join("history-copied");
        let (from, to) = (remote.display().to_string(), tree.display().to_string());
        let branch = ["clone", "--quiet", "--no-local", "--branch", "interagent", &from, &to];
        Ok((timed(|| self.run(self.bench.scratch, &branch))?, tree))
    }

    /// The same files as a first commit of their own, sent to a remote of their own.
    fn committed(&self, tree: &Path) -> Result<Duration> {
        let remote = self.bare("history-plain.git")?;
        std::fs::remove_dir_all(tree.join(".git")).map_err(|why| why.to_string())?;
        self.run(tree, &["init", "--quiet", "--initial-branch", "main"])?;
        self.run(tree, &["remote", "add", "origin", &remote.display().to_string()])?;
        timed(|| {
            self.run(tree, &["add", "-A"])?;
            self.run(tree, &["commit", "--quiet", "-m", "all"])?;
            self.run(tree, &["push", "--quiet", "--set-upstream", "origin", "main"])
        })
    }

    fn one_more(&self, tree: &Path) -> Result<Duration> {
        let number = std::fs::read_dir(tree).map_err(|why| why.to_string())?.count();
        std::fs::write(tree.join(format!("more-{number}")), TEXT).map_err(|why| why.to_string())?;
        timed(|| {
            self.run(tree, &["add", &format!("more-{number}")])?;
            self.run(tree, &["commit", "--quiet", "-m", "one more"])?;
            self.run(tree, &["fetch", "--quiet", "origin"])?;
            self.run(tree, &["push", "--quiet"])
        })
    }
}

fn timed(run: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

fn median(mut run: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut took = (0..ROUNDS).map(|_| run()).collect::<Result<Vec<Duration>>>()?;
    took.sort_unstable();
    Ok(took[ROUNDS / 2])
}
