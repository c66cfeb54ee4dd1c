//! Writing the files: lines at the end of a segment that git does not know yet, texts beside them.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use interagent_core::ids::OriginId;
use interagent_core::signature::Seal;
use interagent_core::text::TextHash;
use interagent_store::Store;
use interagent_store::reader::Reader;

use super::notes::{FileMark, Known, Notes, joined, missing};
use super::reading::{files_of, seal_files};
use crate::git::disk::write_file;
use crate::git::error::GitError;
use crate::git::layout::{SEGMENT_BYTES, SEGMENT_LINES, SegmentName, text_file, text_path_with};
use crate::git::left_out::LeftOut;
use crate::git::seals;
use crate::git::segment::LineTexts;

/// The log on its way into files.
pub(super) struct Writing<'w> {
    pub(super) hub_dir: &'w Path,
    pub(super) store: &'w mut Store,
    pub(super) left_out: &'w mut LeftOut,
}

impl Writing<'_> {
    /// Writes the entries that came since the last time, at most so many.
    pub(super) fn new_entries(&mut self, notes: &mut Notes, most: u32) -> Result<(), GitError> {
        let after = notes.seq;
        let new = self.store.read(|reader: &mut Reader<'_>| reader.entries_after(after, most))?;
        let covered = notes.covered(self.hub_dir);
        for stored in new {
            let envelope = &stored.entry.envelope;
            let is_there = covered.get(&envelope.origin).is_some_and(|parts| {
                parts.iter().any(|(first, last)| (*first..=*last).contains(&envelope.oseq))
            });
            if !is_there {
                let lines = self.store.lines_of(&envelope.origin, envelope.oseq, 1)?;
                self.append(notes, &envelope.origin, &lines)?;
            }
            notes.seq = stored.seq;
        }
        Ok(())
    }

    /// Whether the files below the hub lack no more than so many entries.
    pub(super) fn lacks_at_most(&mut self, notes: &Notes, most: i64) -> Result<bool, GitError> {
        let covered = notes.covered(self.hub_dir);
        let mut lacking = 0;
        for (origin, last) in self.store.origin_heads()? {
            let parts = covered.get(&origin).map_or(&[][..], Vec::as_slice);
            lacking += missing(parts, last).iter().map(|(first, last)| last - first + 1).sum::<i64>();
        }
        Ok(lacking <= most)
    }

    /// Writes everything that the log has and the files below the hub have not; answers with how many entries.
    pub(super) fn missing(&mut self, notes: &mut Notes) -> Result<u64, GitError> {
        for hash in self.left_out.texts().clone() {
            self.text(&hash)?;
        }
        let reached = self.store.head()?.seq;
        let covered = notes.covered(self.hub_dir);
        let mut written = 0;
        for (origin, last) in self.store.origin_heads()? {
            let parts = covered.get(&origin).map_or(&[][..], Vec::as_slice);
            for (first, last) in missing(parts, last) {
                let mut next = first;
                while next <= last {
                    let room = (last - next + 1).min(SEGMENT_LINES as i64);
                    let lines = self.store.lines_of(&origin, next, u32::try_from(room).unwrap_or(1))?;
                    let Some((reached, _)) = lines.last() else { break };
                    next = reached + 1;
                    written += lines.len() as u64;
                    self.append(notes, &origin, &lines)?;
                }
            }
        }
        notes.seq = notes.seq.max(reached);
        Ok(written)
    }

    /// Adds lines to the replica's open segment, or to a new one.
    fn append(
        &mut self,
        notes: &mut Notes,
        origin: &OriginId,
        lines: &[(i64, String)],
    ) -> Result<(), GitError> {
        let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last()) else { return Ok(()) };
        for (_, line) in lines {
            self.texts(line)?;
        }
        self.left_out.note()?;
        let mut bytes = Vec::new();
        for (_, line) in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        let path = match notes.open.get(origin) {
            Some(open) if self.goes_on(notes, open, *first, lines.len()) => open.clone(),
            _ => SegmentName { ending: self.ending()?, ..SegmentName::new(origin, *first) }.path(),
        };
        let file = self.hub_dir.join(&path);
        let failed = |source| GitError::Write { path: file.clone(), source };
        make_directories(self.hub_dir, &path).map_err(failed)?;
        let opened = OpenOptions::new().append(true).create(true).mode(0o644).open(&file);
        opened.and_then(|mut file| file.write_all(&bytes)).map_err(failed)?;
        let mark = FileMark::of(&file).unwrap_or_default();
        let known = notes.files.entry(file).or_insert_with(|| Known {
            mark,
            origin: origin.clone(),
            parts: Vec::new(),
            lacks: BTreeSet::new(),
        });
        known.mark = mark;
        known.parts = joined([known.parts.as_slice(), &[(*first, *last)]].concat());
        notes.open.insert(origin.clone(), path);
        Ok(())
    }

    /// Whether lines can be added to a segment: it is as we left it, ends with the line before, and has room.
    fn goes_on(&self, notes: &Notes, open: &str, first: i64, lines: usize) -> bool {
        let file = self.hub_dir.join(open);
        let (Some(known), Some(mark)) = (notes.files.get(&file), FileMark::of(&file)) else { return false };
        let held: i64 = known.parts.iter().map(|(first, last)| last - first + 1).sum();
        known.mark == mark
            && known.parts.last().is_some_and(|(_, last)| last + 1 == first)
            && held.unsigned_abs() + lines as u64 <= SEGMENT_LINES as u64
            && fs::metadata(&file).is_ok_and(|found| found.len() < SEGMENT_BYTES as u64)
    }

    /// A part of a name that no other branch has.
    fn ending(&self) -> Result<String, GitError> {
        const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let mut bits = self.store.fresh_bits()?;
        let mut ending = String::new();
        for _ in 0..8 {
            ending.push(char::from(LETTERS[usize::try_from(bits % 32).unwrap_or(0)]));
            bits /= 32;
        }
        Ok(ending)
    }

    /// Writes the seals that the files lack. One that git does not know yet makes room for its successor.
    pub(super) fn seals(&mut self, notes: &mut Notes, seals: &[Seal]) -> Result<(), GitError> {
        for seal in seals {
            let there = seal_files(self.hub_dir, &seal.origin);
            if there.iter().any(|(_, found)| found.key == seal.key && found.oseq >= seal.oseq) {
                continue;
            }
            let path = seals::path(seal, &self.ending()?);
            let file = self.hub_dir.join(&path);
            make_directories(self.hub_dir, &path)
                .map_err(|source| GitError::Write { path: file.clone(), source })?;
            write_file(&file, &seals::file(seal))?;
            if let Some(before) = notes.seals.insert(seal.origin.clone(), path) {
                // The new one says all that it said. One that stays does no harm.
                let _ = fs::remove_file(self.hub_dir.join(before));
            }
        }
        Ok(())
    }

    /// The texts of a line go with it; those that it purges go away.
    fn texts(&mut self, line: &str) -> Result<(), GitError> {
        let texts = LineTexts::read(line);
        for hash in &texts.purges {
            self.left_out.forget(hash);
            drop_text(self.hub_dir, hash);
        }
        texts.wanted().try_for_each(|hash| self.text(hash))
    }

    fn text(&mut self, hash: &TextHash) -> Result<(), GitError> {
        let Some(text) = self.left_out.settle(self.store, hash)? else { return Ok(()) };
        if !files_of(self.hub_dir, hash).is_empty() {
            return Ok(());
        }
        let path = text_path_with(hash, &self.ending()?);
        let file = self.hub_dir.join(&path);
        make_directories(self.hub_dir, &path)
            .map_err(|source| GitError::Write { path: file.clone(), source })?;
        write_file(&file, &text_file(&text))
    }
}

/// Takes a purged text away.
pub(super) fn drop_text(hub_dir: &Path, hash: &TextHash) {
    for path in files_of(hub_dir, hash) {
        // What is not there need not go.
        let _ = fs::remove_file(path);
    }
}

/// Makes the directories above a file below the hub. A link among them is refused: it could lead anywhere.
fn make_directories(hub_dir: &Path, path: &str) -> std::io::Result<()> {
    let mut directory = hub_dir.to_owned();
    let names: Vec<&str> = path.split('/').collect();
    for name in &names[..names.len() - 1] {
        directory.push(name);
        match fs::symlink_metadata(&directory) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                let words = format!("`{}` is not a directory", directory.display());
                return Err(std::io::Error::new(std::io::ErrorKind::NotADirectory, words));
            }
            Err(_) => match fs::create_dir(&directory) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            },
        }
    }
    Ok(())
}
