//! What git sees of a hub's directory, for each way of keeping the history.
//!
//! The state is hidden by a file of its own, whatever is checked out. On a branch that has no `.gitignore` of the hub a file
//! stands in that hides everything, itself included: git replaces it when it checks out the one that is tracked.

use std::path::Path;

use interagent_core::team::Track;

use crate::git::disk::write_file;
use crate::git::error::GitError;

/// The name of the file that says how git merges and keeps our files.
pub const ATTRIBUTES_NAME: &str = ".gitattributes";

/// Its text: lines are added and never changed, and no system's line ends are put into them.
pub const ATTRIBUTES: &str = "\
# Written by interagent. Segments are only added to, so git may take the lines of both sides.
log/** -text merge=union
texts/** -text
";

const ON_BRANCH: &str = "*\n";
const IN_WORKTREE: &str = "\
# Written by interagent: the team file and the history belong to the repository; what is derived from them does not.
/*
!/.gitignore
!/.gitattributes
!/team.toml
!/shared/
/shared/decisions.md*
/shared/.*
!/log/
!/log/**
!/texts/
!/texts/**
";
/// What earlier versions wrote.
const EARLIER: &str = "state/\n";

/// The text of a hub's `.gitignore`.
pub fn ignored_by_git(track: Track) -> &'static str {
    match track {
        Track::Branch => ON_BRANCH,
        Track::Worktree => IN_WORKTREE,
    }
}

/// Whether a `.gitignore` is one of ours, and not what a person wrote.
pub fn is_our_ignore_file(text: &str) -> bool {
    [ON_BRANCH, IN_WORKTREE, EARLIER].contains(&text)
}

/// The name of the file that hides things from git.
pub const IGNORE_NAME: &str = ".gitignore";

/// Hides everything where no file says what git sees: a checkout took it away.
pub(super) fn hide_where_nothing_does(hub_dir: &Path) -> Result<(), GitError> {
    let path = hub_dir.join(IGNORE_NAME);
    if path.symlink_metadata().is_ok() { Ok(()) } else { write_file(&path, ON_BRANCH.as_bytes()) }
}

/// Whether what is checked out has the history in its files.
pub(super) fn is_tracked_here(hub_dir: &Path) -> bool {
    std::fs::read_to_string(hub_dir.join(IGNORE_NAME)).is_ok_and(|text| text != ON_BRANCH)
}

/// Hides the state from git, whatever is checked out around it.
pub fn hide_state(state_dir: &Path) -> Result<(), GitError> {
    let path = state_dir.join(IGNORE_NAME);
    if path.symlink_metadata().is_ok() { Ok(()) } else { write_file(&path, ON_BRANCH.as_bytes()) }
}
