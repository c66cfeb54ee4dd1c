//! From the log to git: what the log has beyond a commit becomes the next one.

use interagent_core::ids::OriginId;
use interagent_core::signature::Seal;
use interagent_core::text::TextHash;
use interagent_store::Store;

use super::batch::Batch;
use super::commit::{Commit, Parents};
use super::error::GitError;
use super::layout::{
    LOG, README, README_TEXT, SEGMENT_BYTES, SEGMENT_LINES, SegmentName, text_file, text_path,
};
use super::left_out::LeftOut;
use super::run::Git;
use super::seals::{self, SealFile};
use super::segment::{self, LineTexts};
use super::tip::{Reach, Tip};

/// The commit that is begun with the first thing to write, so that nothing makes none.
struct Begun<'g, 't> {
    git: &'g Git,
    tip: &'t Tip,
    wall_us: i64,
    commit: Option<Commit<'g>>,
}

impl<'g> Begun<'g, '_> {
    fn commit(&mut self) -> Result<&mut Commit<'g>, GitError> {
        let commit = match self.commit.take() {
            Some(commit) => commit,
            None => {
                let parents = Parents { first: self.tip.commit.as_deref(), second: None };
                let mut commit =
                    Commit::begin(self.git, parents, "interagent: what the team did", self.wall_us)?;
                if self.tip.commit.is_none() {
                    commit.file(README, README_TEXT.as_bytes());
                }
                commit
            }
        };
        Ok(self.commit.insert(commit))
    }
}

/// What an export needs beside the tip.
pub(super) struct Export<'e> {
    pub(super) git: &'e Git,
    pub(super) batch: &'e mut Batch,
    pub(super) store: &'e mut Store,
    pub(super) left_out: &'e mut LeftOut,
    /// This replica's newest seal: nothing that it does not cover goes into git.
    pub(super) seal: &'e Seal,
    /// Is told what was repaired.
    pub(super) notes: &'e mut Vec<String>,
    pub(super) progress: &'e mut dyn FnMut(u64, u64),
}

impl Export<'_> {
    /// Commits what the log has beyond a tip; answers with the commit, if there had to be one, and how many entries it
    /// brought. Which texts are left out is for the caller to conclude when the branch has moved.
    pub(super) fn run(&mut self, tip: &Tip) -> Result<(Option<String>, u64), GitError> {
        let mut heads = self.store.origin_heads()?;
        heads.insert(self.seal.origin.clone(), self.seal.oseq);
        let beyond = |(origin, last): (&OriginId, &i64)| (last - tip.last(origin)).max(0);
        let total = heads.iter().map(beyond).sum::<i64>().unsigned_abs();
        let mut exported = 0;
        let wall_us = self.store.clock().wall_us();
        let mut begun = Begun { git: self.git, tip, wall_us, commit: None };
        self.left_out.begin_again();
        for hash in self.left_out.texts().clone() {
            self.text(&mut begun, &hash)?;
        }
        for (origin, last) in &heads {
            let mut reach = tip.replicas.get(origin).cloned().unwrap_or_default();
            if *origin == self.seal.origin {
                reach = self.own_reach(&mut begun, reach)?;
            }
            if reach.last < *last {
                self.replica(&mut begun, &mut exported, origin, reach, total)?;
            }
        }
        self.seals(&mut begun)?;
        self.left_out.note()?;
        let commit = begun.commit.map(Commit::end).transpose()?;
        Ok((commit, exported))
    }

    fn replica(
        &mut self,
        begun: &mut Begun<'_, '_>,
        exported: &mut u64,
        origin: &OriginId,
        reach: Reach,
        total: u64,
    ) -> Result<(), GitError> {
        let mut next = reach.last + 1;
        let mut open = match reach.open {
            Some((name, object)) if reach.lines < SEGMENT_LINES => {
                let bytes = self.batch.read(&object)?.unwrap_or_default();
                // A segment that is damaged or long enough is left as it is.
                let goes_on = bytes.len() < SEGMENT_BYTES && bytes.last().is_none_or(|byte| *byte == b'\n');
                goes_on.then_some((name, bytes, reach.lines))
            }
            _ => None,
        };
        loop {
            let (name, mut bytes, lines) =
                open.take().unwrap_or_else(|| (SegmentName::new(origin, next), Vec::new(), 0));
            let room = u32::try_from(SEGMENT_LINES - lines).unwrap_or(1);
            let mut page = self.store.lines_of(origin, next, room)?;
            page.retain(|(oseq, _)| *origin != self.seal.origin || *oseq <= self.seal.oseq);
            if page.is_empty() {
                return Ok(());
            }
            for (oseq, line) in page {
                self.texts(begun, &line)?;
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
                next = oseq + 1;
                *exported += 1;
                if bytes.len() >= SEGMENT_BYTES {
                    break;
                }
            }
            begun.commit()?.file(&name.path(), &bytes);
            (self.progress)(*exported, total);
        }
    }

    /// How much of this replica's own log the tip has as it is. What somebody else wrote into it is taken out: nobody but this
    /// replica knows its log better.
    fn own_reach(&mut self, begun: &mut Begun<'_, '_>, reach: Reach) -> Result<Reach, GitError> {
        let is_ours = |(oseq, line): &(i64, String)| {
            *oseq == reach.last && segment::place(line).is_some_and(|(line, _)| line.hash == reach.hash)
        };
        let last = self.store.lines_of(&self.seal.origin, reach.last, 1)?;
        let Some(commit) = begun.tip.commit.as_deref().filter(|_| !reach.hash.is_empty()) else {
            return Ok(reach);
        };
        if last.iter().any(is_ours) {
            return Ok(reach);
        }
        let mut segments: Vec<(SegmentName, String)> = self
            .batch
            .files(commit, LOG)?
            .into_iter()
            .filter_map(|(path, object)| Some((SegmentName::of(&path)?, object)))
            .filter(|(name, _)| name.origin == self.seal.origin)
            .collect();
        segments.sort();
        let mut kept = Reach::default();
        let mut is_sound = true;
        for (name, object) in segments {
            let bytes = self.batch.read(&object)?.unwrap_or_default();
            let lines: Vec<String> = segment::lines(&bytes).map(|(_, line)| line).collect();
            let room = u32::try_from(lines.len()).unwrap_or(u32::MAX);
            let ours = self.store.lines_of(&name.origin, name.first, room)?;
            is_sound &= ours.iter().map(|(_, line)| line).eq(&lines);
            match (is_sound, ours.last()) {
                (true, Some((oseq, _))) => kept.last = *oseq,
                _ => begun.commit()?.remove(&name.path()),
            }
        }
        self.notes.push(
            "the branch interagent had entries that claim to be of this replica and are not; they were removed there"
                .to_owned(),
        );
        Ok(kept)
    }

    /// The newest seals go with the lines that they cover, and take the place of older ones.
    fn seals(&mut self, begun: &mut Begun<'_, '_>) -> Result<(), GitError> {
        let there = &begun.tip.seals;
        let reaches = seals::reaches(there.iter().map(|file| &file.seal));
        for seal in seals::known(self.store)? {
            if reaches.get(&(seal.origin.clone(), seal.key)).is_some_and(|reach| *reach >= seal.oseq) {
                continue;
            }
            let is_older = |file: &&SealFile| file.seal.origin == seal.origin && file.seal.key == seal.key;
            let older: Vec<String> = there.iter().filter(is_older).map(|file| file.path.clone()).collect();
            let commit = begun.commit()?;
            older.iter().for_each(|path| commit.remove(path));
            commit.file(&seals::path(&seal, ""), &seals::file(&seal));
        }
        Ok(())
    }

    /// The texts of a line go with it; those that it purges go away.
    fn texts(&mut self, begun: &mut Begun<'_, '_>, line: &str) -> Result<(), GitError> {
        let texts = LineTexts::read(line);
        for hash in &texts.purges {
            self.left_out.forget(hash);
            begun.commit()?.remove(&text_path(hash));
        }
        texts.wanted().try_for_each(|hash| self.text(begun, hash))
    }

    fn text(&mut self, begun: &mut Begun<'_, '_>, hash: &TextHash) -> Result<(), GitError> {
        let Some(text) = self.left_out.settle(self.store, hash)? else { return Ok(()) };
        let (path, file) = (text_path(hash), text_file(&text));
        // One that was waited for may have come to the branch on another way.
        let is_there = match &begun.tip.commit {
            Some(commit) if self.left_out.texts().contains(hash) => {
                self.batch.read(&format!("{commit}:{path}"))?.is_some_and(|there| there == file)
            }
            _ => false,
        };
        if !is_there {
            begun.commit()?.file(&path, &file);
        }
        Ok(())
    }
}
