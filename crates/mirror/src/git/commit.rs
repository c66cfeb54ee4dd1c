//! Making a commit without index and worktree: `fast-import` beside the branch, then one step that moves the branch if it
//! still stands where we looked.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::ChildStdin;

use super::error::GitError;
use super::layout::{BRANCH_REF, NEXT_REF};
use super::run::{Git, Running};

/// Who the commits are by. A person's name and key have no place here: the log itself says who did what.
const COMMITTER: &str = "interagent <interagent@localhost>";

/// A commit that is being made.
pub(super) struct Commit<'g> {
    git: &'g Git,
    running: Running,
    stream: BufWriter<ChildStdin>,
}

/// What a commit follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parents<'p> {
    pub(super) first: Option<&'p str>,
    pub(super) second: Option<&'p str>,
}

impl<'g> Commit<'g> {
    pub(super) fn begin(
        git: &'g Git,
        parents: Parents<'_>,
        message: &str,
        wall_us: i64,
    ) -> Result<Self, GitError> {
        let mut running = git.start(&["fast-import", "--quiet", "--force", "--done", "--date-format=raw"])?;
        let stdin = running.stdin.take().ok_or(GitError::NoGit)?;
        let mut commit = Self { git, running, stream: BufWriter::new(stdin) };
        commit.say(&format!(
            "commit {NEXT_REF}\nmark :1\ncommitter {COMMITTER} {} +0000\n",
            wall_us / 1_000_000
        ));
        commit.data(message.as_bytes());
        match parents.first {
            Some(first) => commit.say(&format!("from {first}\n")),
            // What an interrupted run left there is no parent.
            None => commit.say("deleteall\n"),
        }
        if let Some(second) = parents.second {
            commit.say(&format!("merge {second}\n"));
        }
        Ok(commit)
    }

    /// Puts a file there. Paths are ours, of letters, digits, dashes and dots.
    pub(super) fn file(&mut self, path: &str, bytes: &[u8]) {
        self.say(&format!("M 100644 inline {path}\n"));
        self.data(bytes);
    }

    /// Puts a file there whose object is known.
    pub(super) fn object(&mut self, path: &str, object: &str) {
        self.say(&format!("M 100644 {object} {path}\n"));
    }

    /// Takes a file away, if it is there.
    pub(super) fn remove(&mut self, path: &str) {
        self.say(&format!("D {path}\n"));
    }

    /// Ends it; answers with its name. The branch has not moved yet.
    pub(super) fn end(mut self) -> Result<String, GitError> {
        self.say("\nget-mark :1\ndone\n");
        let flushed = self.stream.flush();
        let mut name = String::new();
        if let Some(stdout) = self.running.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut name);
        }
        let crash = self.git.common_dir().join(format!("fast_import_crash_{}", self.running.id()));
        drop(self.stream);
        let ended = self.running.end();
        if ended.is_err() {
            // git's report for its developers; ours is the error.
            let _ = std::fs::remove_file(crash);
        }
        ended?;
        flushed.map_err(|source| GitError::Start { source })?;
        Ok(name.trim().to_owned())
    }

    /// What can't be written shows in how git ends, with the reason.
    fn say(&mut self, words: &str) {
        let _ = self.stream.write_all(words.as_bytes());
    }

    fn data(&mut self, bytes: &[u8]) {
        self.say(&format!("data {}\n", bytes.len()));
        let _ = self.stream.write_all(bytes);
        self.say("\n");
    }
}

/// How moving the branch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    Done,
    /// Somebody else moved it meanwhile.
    Elsewhere,
}

/// Moves the branch from where we saw it.
pub(super) fn move_branch(git: &Git, from: Option<&str>, to: &str) -> Result<Moved, GitError> {
    let before = match from {
        Some(from) => format!("update {BRANCH_REF} {to} {from}\n"),
        None => format!("create {BRANCH_REF} {to}\n"),
    };
    // The mark of the next commit stays: deleting a reference locks all of them, and who is killed then locks out the user.
    match git.run_with(&["update-ref", "-m", "interagent sync", "--stdin"], before.as_bytes()) {
        Ok(_) => Ok(Moved::Done),
        Err(error @ GitError::Failed { .. }) => {
            // It failed because the branch is elsewhere, or somebody else did just the same.
            match git.commit_at(BRANCH_REF)? {
                now if now.as_deref() == Some(to) => Ok(Moved::Done),
                now if now.as_deref() != from => Ok(Moved::Elsewhere),
                _ => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}
