//! The programs in `bench/`: the floor under the budgets, and helpers that need SQLite.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::product;
use crate::Result;
use crate::repo::{Repo, stdout_of};

const PROGRAMS: [&str; 7] = [
    "baseline-open",
    "baseline-commit",
    "baseline-commits",
    "prepare-wal",
    "count-tokens",
    "count-rows",
    "hcom-seed",
];

#[derive(Debug)]
pub(crate) struct Baselines {
    folder: PathBuf,
}

impl Baselines {
    pub(crate) fn build(repo: &Repo, installed: &Path) -> Result<Self> {
        stdout_of(&mut repo.cargo(&[
            "build",
            "--quiet",
            "--release",
            "--locked",
            "--package",
            "interagent-bench",
        ]))?;
        for program in PROGRAMS {
            product::install(&repo.target.join("release").join(program), installed)?;
        }
        Ok(Self { folder: installed.to_owned() })
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        Command::new(self.folder.join(program))
    }

    pub(crate) fn open(&self, database: &Path) -> Command {
        let mut command = self.command("baseline-open");
        command.arg(database).args([product::LOG_TABLE, product::LOG_KEY]);
        command
    }

    pub(crate) fn commit(&self, copy: &Path) -> Command {
        let mut command = self.command("baseline-commit");
        command.arg(copy);
        command
    }

    /// A resident program that commits a row for every line it is sent.
    pub(crate) fn commits(&self, copy: &Path) -> Command {
        let mut command = self.command("baseline-commits");
        command.arg(copy);
        command
    }

    /// Leaves exactly so many frames in the database's write-ahead log.
    pub(crate) fn prepare_wal(&self, database: &Path, frames: u32) -> Result<()> {
        stdout_of(self.command("prepare-wal").arg(database).arg(frames.to_string())).map(|_| ())
    }

    /// How many tokens (cl100k) a text has.
    pub(crate) fn tokens(&self, text: &str) -> Result<usize> {
        let failed = |why: std::io::Error| format!("count-tokens: {why}");
        let mut command = self.command("count-tokens");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(text.as_bytes()).map_err(failed)?;
        }
        let output = child.wait_with_output().map_err(failed)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        printed.trim().parse().map_err(|why| format!("count-tokens printed `{}`: {why}", printed.trim()))
    }

    pub(crate) fn count_entries(&self, database: &Path) -> Result<u64> {
        let printed = stdout_of(self.command("count-rows").arg(database).arg(product::LOG_TABLE))?;
        printed.trim().parse().map_err(|why| format!("count-rows printed `{}`: {why}", printed.trim()))
    }
}
