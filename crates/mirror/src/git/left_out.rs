//! Texts that the history should hold and does not: held back, or not here yet when their line was written.
//!
//! A file in the state directory, so that a text follows when it is released or arrives. Losing it loses only that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interagent_core::text::{StoredText, TextHash};
use interagent_store::reader::Reader;
use interagent_store::{Store, StoreError, TextForGit, TextState};

use super::disk::{read_file, write_file};
use super::error::GitError;
use super::layout::is_whole;

const NAME: &str = "git-left-out";

/// The texts, and where they are noted.
///
/// What is left out is noted before the history has its line, and what follows is noted only once the history has it: an
/// interruption in between makes us look at a text once more, and forgets none.
#[derive(Debug)]
pub(super) struct LeftOut {
    path: PathBuf,
    noted: BTreeSet<TextHash>,
    texts: BTreeSet<TextHash>,
    /// Of those, the ones that need not be waited for when what is being written is in the history.
    settled: BTreeSet<TextHash>,
}

impl LeftOut {
    pub(super) fn read(state_dir: &Path) -> Result<Self, GitError> {
        let path = state_dir.join(NAME);
        let text = match read_file(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(GitError::Read { path, source }),
        };
        let texts: BTreeSet<TextHash> = text.lines().filter_map(|line| TextHash::parse(line).ok()).collect();
        Ok(Self { path, noted: texts.clone(), texts, settled: BTreeSet::new() })
    }

    /// The texts that the history lacks.
    pub(super) fn texts(&self) -> &BTreeSet<TextHash> {
        &self.texts
    }

    /// What was written before did not get into the history.
    pub(super) fn begin_again(&mut self) {
        self.settled.clear();
    }

    /// The text, where it goes into the history and is not on its way yet. What looks like a secret is left out until
    /// somebody released it, and what was purged is not waited for.
    pub(super) fn settle(
        &mut self,
        store: &mut Store,
        hash: &TextHash,
    ) -> Result<Option<StoredText>, StoreError> {
        if self.settled.contains(hash) {
            return Ok(None);
        }
        match store.text_for_git(hash)? {
            TextForGit::Text(text) if is_whole(&text) => {
                self.forget(hash);
                return Ok(Some(text));
            }
            TextForGit::Absent if is_purged(store, hash)? => self.forget(hash),
            TextForGit::Text(_) | TextForGit::Held(_) | TextForGit::Absent => {
                self.texts.insert(hash.clone());
            }
        }
        Ok(None)
    }

    /// A text is waited for no more, once what is being written is in the history.
    pub(super) fn forget(&mut self, hash: &TextHash) {
        if self.texts.contains(hash) {
            self.settled.insert(hash.clone());
        }
    }

    /// Notes what is left out, before the history has it.
    pub(super) fn note(&mut self) -> Result<(), GitError> {
        if self.noted == self.texts {
            return Ok(());
        }
        let lines: String = self.texts.iter().map(|hash| format!("{hash}\n")).collect();
        write_file(&self.path, lines.as_bytes())?;
        self.noted = self.texts.clone();
        Ok(())
    }

    /// Notes what is left out still, when the history has what was written.
    pub(super) fn done(&mut self) -> Result<(), GitError> {
        for hash in std::mem::take(&mut self.settled) {
            self.texts.remove(&hash);
        }
        self.note()
    }
}

pub(super) fn is_purged(store: &mut Store, hash: &TextHash) -> Result<bool, StoreError> {
    let state = store.read(|reader: &mut Reader<'_>| reader.text_state(hash))?;
    Ok(state == TextState::Purged)
}
