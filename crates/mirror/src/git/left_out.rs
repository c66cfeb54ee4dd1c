//! Texts that the history should hold and does not: held back, or not here yet when their line was written.
//!
//! A file in the state directory, so that a text follows when it is released or arrives. Losing it loses only that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interagent_core::text::{StoredText, TextHash};
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError, TextForGit, TextState};

use super::disk::write_file;
use super::error::GitError;

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

    /// The text where it goes into the history; where not, it is left out. What looks like a secret stays until somebody
    /// released it, and what was purged is not waited for.
    pub(super) fn settle(
        &mut self,
        store: &mut Store,
        hash: &TextHash,
    ) -> Result<Option<StoredText>, StoreError> {
        match store.text_for_git(hash)? {
            TextForGit::Text(text) if TextHash::of(&text.salt, &text.text) == text.hash => {
                self.texts.remove(hash);
                return Ok(Some(text));
            }
            TextForGit::Absent if is_purged(store, hash)? => self.forget(hash),
            TextForGit::Text(_) | TextForGit::Held(_) | TextForGit::Absent => {
                self.texts.insert(hash.clone());
            }
        }
        Ok(None)
    }

    /// A text that was purged is not waited for.
    pub(super) fn forget(&mut self, hash: &TextHash) {
        self.texts.remove(hash);
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

pub(super) fn is_purged(store: &mut Store, hash: &TextHash) -> Result<bool, StoreError> {
    let state = store.read(|reader: &mut Reader<'_>| reader.text_state(hash))?;
    Ok(state == TextState::Purged)
}
