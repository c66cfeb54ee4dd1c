//! Reading the files: segments that are new or changed, and the texts that they point to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use interagent_core::text::TextHash;

use super::notes::{FileMark, Known, Notes, joined};
use crate::git::error::GitError;
use crate::git::intake::Intake;
use crate::git::layout::{LOG, SegmentName, TEXTS, text_at};
use crate::git::segment::{self, LineTexts};

/// The segments below a hub's directory. Links are not followed.
pub(super) fn segments(hub_dir: &Path) -> Vec<(SegmentName, PathBuf, FileMark)> {
    let is_real = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let log = hub_dir.join(LOG);
    let mut found = Vec::new();
    if !is_real(hub_dir) || !is_real(&log) {
        return found;
    }
    for replica in std::fs::read_dir(&log).into_iter().flatten().flatten() {
        if !is_real(&replica.path()) {
            continue;
        }
        for file in std::fs::read_dir(replica.path()).into_iter().flatten().flatten() {
            let path = file.path();
            let below = path.strip_prefix(hub_dir).ok().and_then(Path::to_str);
            if let Some(name) = below.and_then(SegmentName::of)
                && let Some(mark) = FileMark::of(&path)
            {
                found.push((name, path, mark));
            }
        }
    }
    found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    found
}

/// Takes in what changed in the segments below a directory since they were noted.
pub(super) fn take_in(hub_dir: &Path, notes: &mut Notes, intake: &mut Intake<'_>) -> Result<(), GitError> {
    let all = segments(hub_dir);
    let there: BTreeSet<&PathBuf> = all.iter().map(|(_, path, _)| path).collect();
    notes.files.retain(|path, _| !path.starts_with(hub_dir) || there.contains(path));
    let mut files = None;
    for (name, path, mark) in &all {
        if notes.files.get(path).is_some_and(|known| known.mark == *mark) {
            continue;
        }
        let bytes = std::fs::read(path).map_err(|source| GitError::Read { path: path.clone(), source })?;
        let (numbers, texts) = contents(name, &bytes);
        for hash in texts {
            if intake.has_text(&hash)? {
                continue;
            }
            let files = files.get_or_insert_with(|| texts_below(hub_dir));
            for place in files.get(&hash).into_iter().flatten() {
                if let Ok(file) = std::fs::read(place) {
                    intake.text(hash.clone(), &place.display().to_string(), &file)?;
                }
            }
        }
        intake.segment(name, &path.display().to_string(), &bytes, &[])?;
        // A segment whose lines could not all be taken in is read again next time.
        let last = numbers.iter().next_back().copied().unwrap_or(0);
        if intake.last(&name.origin)? >= last {
            let parts = joined(numbers.into_iter().map(|oseq| (oseq, oseq)).collect());
            notes.files.insert(path.clone(), Known { mark: *mark, origin: name.origin.clone(), parts });
        } else {
            notes.files.remove(path);
        }
    }
    intake.flush()
}

/// Every file of a text below a hub's directory.
fn texts_below(hub_dir: &Path) -> BTreeMap<TextHash, Vec<PathBuf>> {
    let mut found: BTreeMap<TextHash, Vec<PathBuf>> = BTreeMap::new();
    for folder in std::fs::read_dir(hub_dir.join(TEXTS)).into_iter().flatten().flatten() {
        for (hash, path) in texts_in(hub_dir, &folder.path()) {
            found.entry(hash).or_default().push(path);
        }
    }
    found
}

/// The files of one text.
pub(super) fn files_of(hub_dir: &Path, hash: &TextHash) -> Vec<PathBuf> {
    let folder = hub_dir.join(TEXTS).join(&hash.as_str()[..2]);
    texts_in(hub_dir, &folder).filter(|(found, _)| found == hash).map(|(_, path)| path).collect()
}

/// The texts in one folder. Links are not followed.
fn texts_in(hub_dir: &Path, folder: &Path) -> impl Iterator<Item = (TextHash, PathBuf)> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(move |file| {
        let path = file.path();
        let hash = path.strip_prefix(hub_dir).ok().and_then(Path::to_str).and_then(text_at)?;
        FileMark::of(&path).map(|_| (hash, path))
    })
}

/// The entries of a segment that are its replica's, and the texts that its lines want.
fn contents(name: &SegmentName, bytes: &[u8]) -> (BTreeSet<i64>, BTreeSet<TextHash>) {
    let mut numbers = BTreeSet::new();
    let mut texts = BTreeSet::new();
    for (_, line) in segment::lines(bytes) {
        let Some(entry) = segment::entry(&line) else { continue };
        if entry.envelope.origin == name.origin {
            numbers.insert(entry.envelope.oseq);
        }
        texts.extend(LineTexts::of(&entry).wanted().cloned());
    }
    (numbers, texts)
}
