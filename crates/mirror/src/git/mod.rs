//! The history in git: commits on a branch of its own, made without touching index, worktree or HEAD; or files in the
//! worktree, where the team wants them there.
//!
//! Owns the layout of that history, how it is written, read, merged and exchanged with a remote. Both ways hold the same:
//! the lines of the log byte for byte, and texts beside them as files, so that a purge can drop one.

mod batch;
mod changes;
mod commit;
mod disk;
mod error;
mod export;
mod forget;
mod fork;
mod intake;
mod join;
mod layout;
mod left_out;
mod lock;
mod merge;
mod remote;
mod run;
mod seals;
mod segment;
mod sync;
mod tip;
mod worktree;

pub use error::{GitError, REPAIR};
pub use forget::drop_from_branch;
pub use join::{Known, fetch_hub, known_hub};
pub use layout::{BRANCH, BRANCH_REF};
pub use remote::{Remote, choose_remote};
pub use run::Git;
pub use sync::{Direction, Report, Step, Sync};

pub use worktree::{
    ATTRIBUTES, ATTRIBUTES_NAME, Checkout, IGNORE_NAME, Writes, drop_texts, has_files, hide_state,
    hub_in_files, ignored_by_git, is_our_ignore_file,
};
