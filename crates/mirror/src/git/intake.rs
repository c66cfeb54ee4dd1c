//! From git into the log: segments and texts that are new here, in pieces that fit into memory.
//!
//! Texts come before the lines that point to them: whoever is interrupted in between reads both again, because the lines
//! are still unknown.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::ids::OriginId;
use interagent_core::signature::{Coverage, Seal};
use interagent_core::text::{StoredText, TextHash};
use interagent_store::{ForeignLine, Replica, Store, TakeInProblem};

use super::error::GitError;
use super::layout::{SegmentName, text_from};
use super::left_out::is_purged;
use super::segment;

/// What is handed to the store at once.
const PIECE_BYTES: usize = 4 * 1024 * 1024;

/// What was taken in, over all pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) new: u64,
    pub(super) held: u64,
    pub(super) released: u64,
    pub(super) skipped: u64,
    pub(super) texts: u64,
    /// What was left out and why, each in a sentence with its place.
    pub(super) problems: Vec<String>,
    /// Texts that the new lines say were purged.
    pub(super) purged: BTreeSet<TextHash>,
}

/// Pieces on their way into the store.
pub(super) struct Intake<'s> {
    store: &'s mut Store,
    texts: Vec<StoredText>,
    bytes: usize,
    /// Replicas that had a problem: the rest of theirs would only repeat it.
    stopped: BTreeMap<OriginId, ()>,
    coverage: Coverage,
    pub(super) taken: Taken,
}

impl<'s> Intake<'s> {
    /// `coverage` was proven over every segment that is given here.
    pub(super) fn new(store: &'s mut Store, coverage: Coverage) -> Self {
        let (stopped, taken) = (BTreeMap::new(), Taken::default());
        Self { store, texts: Vec::new(), bytes: 0, stopped, coverage, taken }
    }

    /// Learns from seals that came without lines, such as the first one of a replica.
    pub(super) fn learn(&mut self) -> Result<(), GitError> {
        let known = self.store.replicas()?;
        let is_known = |seal: &Seal| {
            let of = |replica: &Replica| {
                let is_newest = |kept: &Seal| kept.key == seal.key && kept.oseq >= seal.oseq;
                replica.seal.as_ref().is_some_and(is_newest) || replica.rival.as_ref().is_some_and(is_newest)
            };
            known.iter().any(|replica| replica.origin == seal.origin && of(replica))
        };
        let has_new = !self.coverage.seals().all(is_known);
        if has_new { self.hand_over(&[], &[]).map(drop) } else { Ok(()) }
    }

    /// Whether a text is not here and would be taken in.
    pub(super) fn lacks_text(&mut self, hash: &TextHash) -> Result<bool, GitError> {
        Ok(self.store.text_with_salt(hash)?.is_none() && !is_purged(self.store, hash)?)
    }

    /// Those of some texts that are not here.
    pub(super) fn lacking<'h>(
        &mut self,
        texts: impl IntoIterator<Item = &'h TextHash>,
    ) -> Result<Vec<TextHash>, GitError> {
        let mut found = Vec::new();
        for hash in texts {
            if self.lacks_text(hash)? {
                found.push(hash.clone());
            }
        }
        Ok(found)
    }

    /// The last entry of a replica that is here.
    pub(super) fn last(&mut self, origin: &OriginId) -> Result<i64, GitError> {
        Ok(self.store.last_of(origin)?)
    }

    /// A text from its file.
    pub(super) fn text(&mut self, hash: TextHash, place: &str, bytes: &[u8]) -> Result<(), GitError> {
        match text_from(hash, bytes) {
            Ok(text) => {
                self.bytes += text.text.len();
                self.texts.push(text);
                if self.bytes >= PIECE_BYTES { self.flush() } else { Ok(()) }
            }
            Err(why) => {
                self.taken.problems.push(format!("{place}: it is no text of ours ({why}); it was left out"));
                Ok(())
            }
        }
    }

    /// Hands over the texts that were gathered.
    pub(super) fn flush(&mut self) -> Result<(), GitError> {
        self.bytes = 0;
        let texts = std::mem::take(&mut self.texts);
        match texts.is_empty() {
            true => Ok(()),
            false => self.hand_over(&[], &texts).map(|_| ()),
        }
    }

    /// The lines of a segment that come after those that are known to be here.
    pub(super) fn segment(
        &mut self,
        name: &SegmentName,
        place: &str,
        bytes: &[u8],
        known: &[u8],
    ) -> Result<(), GitError> {
        self.flush()?;
        let skipped = if bytes.starts_with(known) { known } else { &[] };
        let before = skipped.iter().filter(|byte| **byte == b'\n').count();
        let lines: Vec<ForeignLine> = segment::lines(&bytes[skipped.len()..])
            .map(|(number, text)| ForeignLine { text, place: format!("{place}:{}", before + number) })
            .collect();
        if self.stopped.contains_key(&name.origin) {
            self.taken.skipped += lines.len() as u64;
            return Ok(());
        }
        for line in &lines {
            self.taken.purged.extend(segment::purged(&line.text));
        }
        let has_problem = self.hand_over(&lines, &[])?;
        if has_problem {
            self.stopped.insert(name.origin.clone(), ());
        }
        Ok(())
    }

    fn hand_over(&mut self, lines: &[ForeignLine], texts: &[StoredText]) -> Result<bool, GitError> {
        let answer = self.store.take_in_sealed(lines, texts, &self.coverage)?;
        let taken = &mut self.taken;
        taken.new += answer.new;
        taken.held += answer.held;
        taken.released += answer.released;
        taken.skipped += answer.skipped;
        taken.texts += answer.texts;
        // A damaged line alone stops nothing: it may be there whole as well, as after a merge of git's.
        let stops = |problem: &TakeInProblem| {
            !matches!(
                problem,
                TakeInProblem::Damaged { .. } | TakeInProblem::Text { .. } | TakeInProblem::OtherKey { .. }
            )
        };
        let has_problem = answer.problems.iter().any(stops);
        for problem in answer.problems.iter().map(ToString::to_string) {
            if !taken.problems.contains(&problem) {
                taken.problems.push(problem);
            }
        }
        Ok(has_problem)
    }
}
