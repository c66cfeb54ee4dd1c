//! What git sees of a hub's directory, for each way of keeping the history.

use interagent_core::team::Track;

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
!/texts/
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
