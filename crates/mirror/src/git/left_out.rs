//! Texts that the history should hold and does not: held back, or not here yet when their line was written.
//!
//! A file in the state directory, so that a text follows when it is released or arrives. Losing it loses only that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interagent_core::text::TextHash;

use super::error::GitError;
use crate::git::worktree::write_file;

const NAME: &str = "git-left-out";

/// The texts, and where they are noted.
#[derive(Debug)]
pub(super) struct LeftOut {
    path: PathBuf,
    noted: BTreeSet<TextHash>,
    pub(super) texts: BTreeSet<TextHash>,
}

impl LeftOut {
    pub(super) fn read(state_dir: &Path) -> Result<Self, GitError> {
        let path = state_dir.join(NAME);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(GitError::Read { path, source }),
        };
        let texts: BTreeSet<TextHash> = text.lines().filter_map(|line| TextHash::parse(line).ok()).collect();
        Ok(Self { path, noted: texts.clone(), texts })
    }

    /// Notes what is left out now.
    pub(super) fn write(&mut self) -> Result<(), GitError> {
        if self.noted == self.texts {
            return Ok(());
        }
        let lines: String = self.texts.iter().map(|hash| format!("{hash}\n")).collect();
        write_file(&self.path, lines.as_bytes())?;
        self.noted = self.texts.clone();
        Ok(())
    }
}
