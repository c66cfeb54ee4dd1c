//! Reading the files: segments that are new or changed, and the texts that they want. Links are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use interagent_core::ids::OriginId;
use interagent_core::signature::{Coverage, Seal};
use interagent_core::text::TextHash;

use super::notes::{FileMark, Known, Notes, joined};
use crate::git::disk::read_file;
use crate::git::error::GitError;
use crate::git::intake::Intake;
use crate::git::layout::{LOG, SegmentName, TEXTS, text_at};
use crate::git::seals;
use crate::git::segment::{self, LineTexts};

/// What is in a directory below the hub, given by the steps to it. Where a step is a link there is nothing: it could lead
/// anywhere.
fn inside(hub_dir: &Path, steps: &[&str]) -> impl Iterator<Item = PathBuf> + use<> {
    let mut directory = hub_dir.to_owned();
    let mut is_real = is_directory(&directory);
    for step in steps {
        directory.push(step);
        is_real = is_real && is_directory(&directory);
    }
    let entries = is_real.then(|| std::fs::read_dir(&directory));
    entries.into_iter().flatten().flatten().flatten().map(|entry| entry.path())
}

fn is_directory(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// The files in the folders of a directory below the hub.
fn files_below(hub_dir: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let names = inside(hub_dir, &[name]).filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
    names.flat_map(move |folder| inside(hub_dir, &[name, &folder]))
}

/// The segments below a hub's directory.
pub(super) fn segments(hub_dir: &Path) -> Vec<(SegmentName, PathBuf, FileMark)> {
    let mut found = Vec::new();
    for path in files_below(hub_dir, LOG) {
        let below = path.strip_prefix(hub_dir).ok().and_then(Path::to_str);
        if let Some(name) = below.and_then(SegmentName::of)
            && let Some(mark) = FileMark::of(&path)
        {
            found.push((name, path, mark));
        }
    }
    found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    found
}

/// The files of seals below a hub's directory.
pub(super) fn seal_files(hub_dir: &Path, origin: &OriginId) -> Vec<(PathBuf, Seal)> {
    let below =
        |path: &PathBuf| path.strip_prefix(hub_dir).ok().and_then(Path::to_str).and_then(seals::origin_at);
    inside(hub_dir, &[LOG, origin.as_str()])
        .filter(|path| below(path).is_some())
        .filter_map(|path| Some((seals::read(origin, &read_file(&path).ok()?)?, path)))
        .map(|(seal, path)| (path, seal))
        .collect()
}

/// The seals below a hub's directory.
pub(super) fn seals(hub_dir: &Path) -> Vec<Seal> {
    let folders = inside(hub_dir, &[LOG]);
    let origins = folders.filter_map(|folder| OriginId::parse(folder.file_name()?.to_str()?).ok());
    origins.flat_map(|origin| seal_files(hub_dir, &origin)).map(|(_, seal)| seal).collect()
}

/// What seals cover of the segments that were not noted as read.
pub(super) fn coverage(trees: &[PathBuf], notes: &Notes, seals: Vec<Seal>) -> Coverage {
    let mut coverage = Coverage::of(seals);
    for (name, path, mark) in trees.iter().flat_map(|tree| segments(tree)) {
        let is_new = notes.files.get(&path).is_none_or(|known| known.mark != mark);
        if is_new && coverage.has_seals_of(&name.origin) {
            // What can't be read is named when it is taken in.
            seals::follow(&mut coverage, &read_file(&path).unwrap_or_default());
        }
    }
    coverage.prove();
    coverage
}

/// The lines of one replica in segments that were not noted as read.
pub(super) fn new_lines(hub_dir: &Path, notes: &Notes, origin: &OriginId) -> Vec<String> {
    let is_new =
        |path: &PathBuf, mark: &FileMark| notes.files.get(path).is_none_or(|known| known.mark != *mark);
    let mut found = Vec::new();
    for (name, path, mark) in segments(hub_dir) {
        if name.origin == *origin && is_new(&path, &mark) {
            // What can't be read is named when it is taken in.
            let bytes = read_file(&path).unwrap_or_default();
            found.extend(segment::lines(&bytes).map(|(_, line)| line));
        }
    }
    found
}

/// Takes in what changed in the segments below a directory since they were noted, and texts that came after the lines
/// that want them: those of known segments, and those that are `awaited` for another reason.
pub(super) fn take_in(
    hub_dir: &Path,
    notes: &mut Notes,
    awaited: &BTreeSet<TextHash>,
    intake: &mut Intake<'_>,
) -> Result<(), GitError> {
    let all = segments(hub_dir);
    let there: BTreeSet<&PathBuf> = all.iter().map(|(_, path, _)| path).collect();
    notes.files.retain(|path, _| !path.starts_with(hub_dir) || there.contains(path));
    for hash in notes.files.values().flat_map(|known| &known.lacks).chain(awaited) {
        if intake.lacks_text(hash)? {
            take_text(hash, &files_of(hub_dir, hash), intake)?;
        }
    }
    let mut files = None;
    for (name, path, mark) in &all {
        if notes.files.get(path).is_some_and(|known| known.mark == *mark) {
            continue;
        }
        let bytes = match read_file(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                intake.taken.problems.push(format!("{}: {error}; it was left out", path.display()));
                continue;
            }
            Err(source) => return Err(GitError::Read { path: path.clone(), source }),
        };
        let (numbers, texts) = contents(name, &bytes);
        let texts = intake.lacking(&texts)?;
        for hash in &texts {
            let files = files.get_or_insert_with(|| texts_below(hub_dir));
            take_text(hash, files.get(hash).map_or(&[], Vec::as_slice), intake)?;
        }
        intake.segment(name, &path.display().to_string(), &bytes, &[])?;
        // A segment whose lines could not all be taken in is read again next time.
        let last = numbers.iter().next_back().copied().unwrap_or(0);
        if intake.last(&name.origin)? >= last {
            let parts = joined(numbers.into_iter().map(|oseq| (oseq, oseq)).collect());
            let lacks = texts.into_iter().collect();
            notes
                .files
                .insert(path.clone(), Known { mark: *mark, origin: name.origin.clone(), parts, lacks });
        } else {
            notes.files.remove(path);
        }
    }
    intake.flush()?;
    for known in notes.files.values_mut().filter(|known| !known.lacks.is_empty()) {
        known.lacks = intake.lacking(&known.lacks)?.into_iter().collect();
    }
    Ok(())
}

fn take_text(hash: &TextHash, files: &[PathBuf], intake: &mut Intake<'_>) -> Result<(), GitError> {
    for path in files {
        let place = path.display().to_string();
        match read_file(path) {
            Ok(bytes) => intake.text(hash.clone(), &place, &bytes)?,
            Err(error) => intake.taken.problems.push(format!("{place}: {error}; it was left out")),
        }
    }
    Ok(())
}

/// Every file of a text below a hub's directory.
fn texts_below(hub_dir: &Path) -> BTreeMap<TextHash, Vec<PathBuf>> {
    let mut found: BTreeMap<TextHash, Vec<PathBuf>> = BTreeMap::new();
    for (hash, path) in files_below(hub_dir, TEXTS).filter_map(|path| as_text(hub_dir, path)) {
        found.entry(hash).or_default().push(path);
    }
    found
}

/// The files of one text.
pub(super) fn files_of(hub_dir: &Path, hash: &TextHash) -> Vec<PathBuf> {
    let files = inside(hub_dir, &[TEXTS, &hash.as_str()[..2]]);
    let texts = files.filter_map(|path| as_text(hub_dir, path));
    texts.filter(|(found, _)| found == hash).map(|(_, path)| path).collect()
}

/// A file that is one of a text, by its name.
fn as_text(hub_dir: &Path, path: PathBuf) -> Option<(TextHash, PathBuf)> {
    let hash = path.strip_prefix(hub_dir).ok().and_then(Path::to_str).and_then(text_at)?;
    FileMark::of(&path).map(|_| (hash, path))
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
