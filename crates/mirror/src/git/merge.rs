//! Two histories become one: a commit that follows both, or only the later one where it holds all.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::ids::OriginId;
use interagent_core::signature::{Seal, Standing};
use interagent_core::text::TextHash;
use interagent_store::{Store, TextForGit};

use super::batch::Batch;
use super::changes::Change;
use super::commit::{Commit, Parents};
use super::error::GitError;
use super::layout::{SegmentName, is_whole, text_at, text_file, text_from, text_path};
use super::left_out::is_purged;
use super::run::Git;
use super::seals;
use super::segment;

/// What a path holds in the result.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pick {
    Object(String),
    Bytes(Vec<u8>),
    Gone,
}

/// A merge that is to be made.
pub(super) struct Merge<'m> {
    pub(super) git: &'m Git,
    pub(super) batch: &'m mut Batch,
    pub(super) store: &'m mut Store,
    pub(super) ours: Option<&'m str>,
    pub(super) theirs: &'m str,
    /// Is told what was repaired.
    pub(super) notes: &'m mut Vec<String>,
    /// The seals of both.
    pub(super) seals: Vec<Seal>,
}

impl Merge<'_> {
    /// Makes it; answers with the commit that holds everything of both. The branch has not moved yet.
    pub(super) fn run(mut self, changes: &[Change], purged: &BTreeSet<TextHash>) -> Result<String, GitError> {
        let follows = match self.ours {
            None => true,
            Some(ours) => self.git.is_ancestor(ours, self.theirs)?,
        };
        for commit in [self.ours, Some(self.theirs)].into_iter().flatten() {
            self.seals.extend(seals::at(self.batch, commit)?.into_iter().map(|file| file.seal));
        }
        let mut picks = Vec::new();
        for change in changes {
            let pick = self.pick(change, follows)?;
            let base = if follows { &change.theirs } else { &change.ours };
            let is_there = match (&pick, base) {
                (Pick::Object(object), Some(base)) => object == base,
                (Pick::Gone, None) => true,
                _ => false,
            };
            if !is_there {
                picks.push((change.path.clone(), pick));
            }
        }
        let base = if follows { self.theirs } else { self.ours.unwrap_or(self.theirs) };
        for hash in purged {
            let path = text_path(hash);
            let is_picked = picks.iter().any(|(picked, _)| *picked == path);
            if !is_picked && self.batch.read(&format!("{base}:{path}"))?.is_some() {
                picks.push((path, Pick::Gone));
            }
        }
        if follows && picks.is_empty() {
            return Ok(self.theirs.to_owned());
        }
        let parents = Parents { first: Some(base), second: (!follows).then_some(self.theirs) };
        let wall_us = self.store.clock().wall_us();
        let mut commit = Commit::begin(self.git, parents, "interagent: what two replicas did", wall_us)?;
        for (path, pick) in picks {
            let path = quoted(&path);
            match pick {
                Pick::Object(object) => commit.object(&path, &object),
                Pick::Bytes(bytes) => commit.file(&path, &bytes),
                Pick::Gone => commit.remove(&path),
            }
        }
        commit.end()
    }

    fn pick(&mut self, change: &Change, follows: bool) -> Result<Pick, GitError> {
        let Change { path, ours, theirs } = change;
        let text = text_at(path);
        if let Some(hash) = &text
            && is_purged(self.store, hash)?
        {
            return Ok(Pick::Gone);
        }
        if let Some(origin) = seals::origin_at(path) {
            return self.pick_seal(&origin, [ours, theirs]);
        }
        let (ours, theirs) = match (ours, theirs) {
            (None, None) => return Ok(Pick::Gone),
            (Some(one), None) | (None, Some(one)) => {
                let Some(name) = SegmentName::of(path) else { return Ok(Pick::Object(one.clone())) };
                let bytes = self.batch.read(one)?.unwrap_or_default();
                return Ok(match self.vetted(&name, &bytes)? {
                    None => Pick::Object(one.clone()),
                    Some(bytes) if bytes.is_empty() => Pick::Gone,
                    Some(bytes) => Pick::Bytes(bytes),
                });
            }
            (Some(ours), Some(theirs)) => (ours, theirs),
        };
        let (later, earlier) = if follows { (theirs, ours) } else { (ours, theirs) };
        if let Some(hash) = text {
            return self.whole_text(&hash, [later, earlier]);
        }
        let Some(name) = SegmentName::of(path) else {
            // The later version of a file that says nothing of the log, such as the branch's README.
            return Ok(Pick::Object(later.clone()));
        };
        let one = self.batch.read(ours)?.unwrap_or_default();
        let other = self.batch.read(theirs)?.unwrap_or_default();
        let mut bytes = segment::merged(&one, &other);
        if let Some(vetted) = self.vetted(&name, &bytes)? {
            bytes = vetted;
        }
        if segment::damage(&bytes).is_some()
            && let Some(whole) = self.whole_segment(&name, [&one, &other])?
        {
            // Who only takes over what another clone repaired has nothing to tell.
            if whole != other {
                self.notes.push(format!("{path} was damaged in git; it was written again as the log has it"));
            }
            bytes = whole;
        }
        Ok(match bytes {
            bytes if bytes == one => Pick::Object(ours.clone()),
            bytes if bytes == other => Pick::Object(theirs.clone()),
            bytes => Pick::Bytes(bytes),
        })
    }

    /// The newest valid seal of a key stays. What is no seal goes.
    fn pick_seal(&mut self, origin: &OriginId, versions: [&Option<String>; 2]) -> Result<Pick, GitError> {
        let reaches = seals::reaches(&self.seals);
        for object in versions.into_iter().flatten() {
            let seal = self.batch.read(object)?.and_then(|bytes| seals::read(origin, &bytes));
            let is_newest = |seal: Seal| reaches.get(&(seal.origin, seal.key)) == Some(&seal.oseq);
            if seal.is_some_and(is_newest) {
                return Ok(Pick::Object(object.clone()));
            }
        }
        Ok(Pick::Gone)
    }

    /// A segment without the lines that somebody wrote in the name of a replica whose log is known here by its signature.
    /// `None` where there is nothing to take out. What comes after the log here can be judged only for this replica's own.
    fn vetted(&mut self, name: &SegmentName, bytes: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
        let known = self.store.replicas()?.into_iter().find(|replica| replica.origin == name.origin);
        let Some(known) = known.filter(|known| known.key.is_some()) else { return Ok(None) };
        let (last, is_own) = (self.store.last_of(&name.origin)?, known.standing == Standing::Own);
        let room = u32::try_from(segment::lines(bytes).count()).unwrap_or(u32::MAX);
        let log: BTreeMap<i64, String> =
            self.store.lines_of(&name.origin, name.first, room)?.into_iter().collect();
        let is_foreign = |line: &String| match segment::number(line) {
            Some(number) if number <= last => log.get(&number).is_some_and(|ours| ours != line),
            Some(_) => is_own,
            None => false,
        };
        let lines: Vec<String> = segment::lines(bytes).map(|(_, line)| line).collect();
        let (out, kept): (Vec<String>, Vec<String>) = lines.into_iter().partition(is_foreign);
        if out.is_empty() {
            return Ok(None);
        }
        let is_missing = |line: &&String| !kept.contains(line);
        let gone: BTreeSet<i64> = out.iter().filter_map(|line| segment::number(line)).collect();
        let back =
            log.iter().filter(|(number, _)| gone.contains(number)).map(|(_, line)| line).filter(is_missing);
        let mut lines: Vec<(i64, String)> = kept
            .iter()
            .chain(back)
            .map(|line| (segment::number(line).unwrap_or(i64::MAX), line.clone()))
            .collect();
        lines.sort();
        self.notes.push(format!("{}: what the replica's key did not sign was removed", name.path()));
        Ok(Some(
            lines
                .into_iter()
                .flat_map(|(_, line)| {
                    (line
                        + "
")
                    .into_bytes()
                })
                .collect(),
        ))
    }

    /// A segment as the log has it, where that is all of it: the lines of both versions that are no entries are left out.
    /// `None` where they may stand for something that is not here.
    fn whole_segment(
        &mut self,
        name: &SegmentName,
        versions: [&[u8]; 2],
    ) -> Result<Option<Vec<u8>>, GitError> {
        let Some(parts) = versions.map(|bytes| segment::sound(name, bytes)).into_iter().collect() else {
            return Ok(None);
        };
        let parts: Vec<BTreeMap<i64, String>> = parts;
        let count = versions.map(|bytes| segment::lines(bytes).count()).into_iter().max().unwrap_or(0);
        let room = u32::try_from(count).unwrap_or(u32::MAX);
        let log: BTreeMap<i64, String> =
            self.store.lines_of(&name.origin, name.first, room)?.into_iter().collect();
        // Of our own lines there can't be more than the log has.
        let is_all = log.len() == count || self.store.head()?.origin == name.origin;
        let is_whole = log.values().all(|line| segment::entry(line).is_some());
        let has = |(number, line): (&i64, &String)| log.get(number) == Some(line);
        if !is_all || !is_whole || !parts.iter().flatten().all(has) {
            return Ok(None);
        }
        Ok(Some(log.into_values().flat_map(|line| (line + "\n").into_bytes()).collect()))
    }

    /// The version of a text that is what its name says, rather the first one. A text never changes, so where one is not
    /// whole somebody meddled with it: the other one is put in its place, or the log's.
    fn whole_text(&mut self, hash: &TextHash, versions: [&String; 2]) -> Result<Pick, GitError> {
        let mut whole = Vec::new();
        for object in versions {
            let text = self.batch.read(object)?.and_then(|bytes| text_from(hash.clone(), &bytes).ok());
            if text.is_some_and(|text| is_whole(&text)) {
                whole.push(object);
            }
        }
        let pick = match (whole.first(), self.store.text_for_git(hash)?) {
            (Some(object), _) => Pick::Object((*object).clone()),
            (None, TextForGit::Text(text)) if is_whole(&text) => Pick::Bytes(text_file(&text)),
            // Somebody else may have it.
            (None, _) => return Ok(Pick::Object(versions[0].clone())),
        };
        let note = format!("the text {hash} was damaged in git; what is whole was put in its place");
        if whole.len() < versions.len() && !self.notes.contains(&note) {
            self.notes.push(note);
        }
        Ok(pick)
    }
}

/// A path as `fast-import` reads it, whatever is in it.
fn quoted(path: &str) -> String {
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
