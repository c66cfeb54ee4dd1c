//! What git sees of a hub's directory, for each way of keeping the history.
//!
//! The state is hidden by a file of its own, whatever is checked out. On a branch that has no `.gitignore` of the hub a file
//! stands in that hides everything, itself included: git replaces it when it checks out the one that is tracked. Until a
//! command writes that one, the repository's own list hides what is derived; every `.gitignore` counts more than it.

use std::fs::{self, OpenOptions};
use std::io::Write;
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

/// Hides what is derived in the repository's own list, which no checkout takes away. Lines that a person wrote there stay.
pub(super) fn hide_derived(common_dir: &Path, hub_in_tree: &Path) -> Result<(), GitError> {
    let path = common_dir.join("info/exclude");
    let there = fs::read(&path).unwrap_or_default();
    let Some(lines) = excluded(hub_in_tree).filter(|lines| !holds(&there, lines.as_bytes())) else {
        return Ok(());
    };
    let line_end = if there.last().is_none_or(|byte| *byte == b'\n') { "" } else { "\n" };
    fs::create_dir_all(common_dir.join("info"))
        .and_then(|()| OpenOptions::new().append(true).create(true).open(&path))
        .and_then(|mut file| file.write_all(format!("{line_end}{lines}").as_bytes()))
        .map_err(|source| GitError::Write { path, source })
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|found| found == part)
}

/// What the hub's own file says, as seen from the root of the tree. `None` for a place that no rule can name.
fn excluded(hub_in_tree: &Path) -> Option<String> {
    let hub = hub_in_tree.to_str().filter(|hub| hub_in_tree.is_relative() && !hub.contains('\n'))?;
    let mut place = String::from("/");
    for letter in hub.chars() {
        if matches!(letter, '\\' | '*' | '?' | '[') {
            place.push('\\');
        }
        place.push(letter);
    }
    let rule = |line: &str| match (line.strip_prefix('!'), line.starts_with('#')) {
        (_, true) => format!("{line}\n"),
        (Some(line), _) => format!("!{place}{line}\n"),
        (None, _) => format!("{place}{line}\n"),
    };
    Some(IN_WORKTREE.lines().map(rule).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_repository_gets_the_rules_once_and_keeps_what_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let list = directory.path().join("info/exclude");
        fs::create_dir(directory.path().join("info")).unwrap();
        fs::write(&list, "mine").unwrap();
        for _ in 0..2 {
            hide_derived(directory.path(), Path::new("a [b]/.interagent")).unwrap();
        }
        let text = fs::read_to_string(&list).unwrap();
        assert!(text.starts_with("mine\n# Written by interagent"), "{text}");
        assert_eq!(text.matches("\n/a \\[b]/.interagent/*\n").count(), 1, "{text}");
        assert!(text.contains("\n!/a \\[b]/.interagent/log/**\n"), "{text}");
    }
}
