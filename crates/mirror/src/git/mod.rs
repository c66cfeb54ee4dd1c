//! The history in git: commits on a branch of its own, made without touching index, worktree or HEAD.
