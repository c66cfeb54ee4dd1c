//! The hub outside of its database: files that people and agents read, its history in git, and what is taken over from
//! other systems.
//!
//! Owns the layout of those files and how they are written and read. Knows no terminal, no environment and no caller: the
//! binary says where the hub is and who asks.

pub mod export;
pub mod files;
pub mod git;
pub mod import;
