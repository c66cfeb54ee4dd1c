//! Purged texts on a branch that no sync writes any more, because the history goes to files now.

use std::path::Path;

use interagent_core::text::TextHash;

use super::batch::Batch;
use super::commit::{Commit, Moved, Parents, move_branch};
use super::error::GitError;
use super::layout::{BRANCH_REF, text_path};
use super::lock::Lock;
use super::run::Git;
use super::tip::checked_out;

/// Takes texts away from the tip of the branch, if it has them. Its older commits are left to their owners.
pub fn drop_from_branch(
    git: &Git,
    state_dir: &Path,
    hashes: &[String],
    wall_us: i64,
) -> Result<(), GitError> {
    let _lock = Lock::take(state_dir, "sync")?;
    let Some(tip) = git.commit_at(BRANCH_REF)? else { return Ok(()) };
    let paths: Vec<String> =
        hashes.iter().filter_map(|hash| Some(text_path(&TextHash::parse(hash).ok()?))).collect();
    let names: Vec<String> = paths.iter().map(|path| format!("{tip}:{path}")).collect();
    let mut there = Vec::new();
    Batch::open(git)?.read_each(&names, |index, found| {
        there.extend(found.map(|_| paths[index].as_str()));
        Ok(())
    })?;
    if there.is_empty() {
        return Ok(());
    }
    if let Some(path) = checked_out(git) {
        return Err(GitError::CheckedOut { path });
    }
    let parents = Parents { first: Some(&tip), second: None };
    let mut commit = Commit::begin(git, parents, "interagent: a text was purged", wall_us)?;
    there.iter().for_each(|path| commit.remove(path));
    match move_branch(git, Some(&tip), &commit.end()?)? {
        Moved::Done => Ok(()),
        Moved::Elsewhere => Err(GitError::Races { times: 1 }),
    }
}
