//! What is in the tree of a commit, and in what two trees differ.

use super::error::GitError;
use super::run::Git;

/// A file in one tree, in the other, or in both with different content. Names are those of git's objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) ours: Option<String>,
    pub(super) theirs: Option<String>,
}

/// The files of a commit below a path, with their objects. Links and submodules are none.
pub(super) fn files(git: &Git, commit: &str, below: &str) -> Result<Vec<(String, String)>, GitError> {
    let printed = git.run(&["ls-tree", "-r", "-z", "--full-tree", commit, "--", below])?;
    let file = |row: &str| {
        let (facts, path) = row.split_once('\t')?;
        let mut facts = facts.split(' ');
        let (mode, _, object) = (facts.next()?, facts.next()?, facts.next()?);
        mode.starts_with("100").then(|| (path.to_owned(), object.to_owned()))
    };
    Ok(printed.split('\0').filter_map(file).collect())
}

/// In what two commits differ; without ours, everything of theirs.
pub(super) fn between(git: &Git, ours: Option<&str>, theirs: &str) -> Result<Vec<Change>, GitError> {
    let Some(ours) = ours else {
        let all = files(git, theirs, ".")?;
        let new = |(path, object)| Change { path, ours: None, theirs: Some(object) };
        return Ok(all.into_iter().map(new).collect());
    };
    let printed = git.run(&["diff-tree", "-r", "-z", "--raw", "--no-renames", ours, theirs])?;
    let mut fields = printed.split('\0');
    let mut changes = Vec::new();
    while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
        let mut facts = facts.trim_start_matches(':').split(' ');
        let (Some(before), Some(after), Some(ours), Some(theirs)) =
            (facts.next(), facts.next(), facts.next(), facts.next())
        else {
            continue;
        };
        let object = |mode: &str, name: &str| mode.starts_with("100").then(|| name.to_owned());
        changes.push(Change {
            path: path.to_owned(),
            ours: object(before, ours),
            theirs: object(after, theirs),
        });
    }
    Ok(changes)
}
