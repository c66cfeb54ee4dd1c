//! Whether this replica's log went on elsewhere: a state directory that was put back from a copy, or a machine that was
//! put back to a snapshot, has forgotten entries that are in git.
//!
//! What follows from what is here is taken back like any other entry. Where this replica wrote something else since, it
//! becomes a new one: two logs under one name would never come together.

use std::collections::BTreeMap;

use interagent_core::entry::{ChainPlace, Line};
use interagent_core::signature::{Coverage, Seal};
use interagent_store::Store;

use super::batch::Batch;
use super::error::GitError;
use super::layout::{LOG, SegmentName};
use super::segment;
use super::sync::Report;
use super::tip::Tip;

/// Our own lines that are read at once.
const PAGE: u32 = 1_000;

/// Whether this replica is still the one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreed {
    /// What a history has of it is here, or follows from what is here.
    Same,
    /// It had to become a new one.
    New,
}

/// Settles what a commit has of this replica and the store has not. Usually a look at one line.
pub(super) fn agree(
    batch: &mut Batch,
    store: &mut Store,
    tip: &Tip,
    report: &mut Report,
) -> Result<Agreed, GitError> {
    let head = store.head()?;
    let (Some(commit), Some(reach)) = (tip.commit.as_deref(), tip.replicas.get(&head.origin)) else {
        return Ok(Agreed::Same);
    };
    let ours = store.lines_of(&head.origin, reach.last, 1)?.into_iter().next();
    if ours.is_some_and(|(_, line)| Line::verify(&line).map_or(true, |line| line.hash == reach.hash)) {
        return Ok(Agreed::Same);
    }
    let mut lines = Vec::new();
    for (path, object) in batch.files(commit, LOG)? {
        if SegmentName::of(&path).is_some_and(|name| name.origin == head.origin) {
            let bytes = batch.read(&object)?.unwrap_or_default();
            lines.extend(segment::lines(&bytes).map(|(_, line)| line));
        }
    }
    let seals: Vec<Seal> = tip.seals.iter().map(|file| file.seal.clone()).collect();
    settle(store, &lines, &seals, report)
}

/// The same for lines that were found elsewhere.
pub(super) fn settle(
    store: &mut Store,
    lines: &[String],
    seals: &[Seal],
    report: &mut Report,
) -> Result<Agreed, GitError> {
    let head = store.head()?;
    match compare(store, lines, seals)? {
        Comparison { apart: Some(first), .. } => {
            let left = store.leave_fork(first)?;
            let again = match left.entries {
                0 => "",
                1 => "; 1 entry that it wrote since was written again",
                _ => "; the entries that it wrote since were written again",
            };
            report.notes.push(format!(
                "this hub was put back to an older state and went on, while git has what it wrote before: it is a new \
                 replica now, with the same agents{again} (the store of before: {})",
                left.kept_in.display()
            ));
            Ok(Agreed::New)
        }
        Comparison { reached, .. } if reached > head.oseq => {
            let entries = match reached - head.oseq {
                1 => "1 entry".to_owned(),
                many => format!("{many} entries"),
            };
            report.notes.push(format!(
                "this hub was put back to an older state: it takes back {entries} of its own from git"
            ));
            Ok(Agreed::Same)
        }
        Comparison { .. } => Ok(Agreed::Same),
    }
}

/// Whether lines tell of a fork that only a sync settles.
pub(super) fn is_forked(store: &mut Store, lines: &[String], seals: &[Seal]) -> Result<bool, GitError> {
    Ok(compare(store, lines, seals)?.apart.is_some())
}

/// What lines say of this replica, beside what the store has.
struct Comparison {
    /// The first entry that is another one there, or that something is missing before.
    apart: Option<i64>,
    /// The last entry that follows from what is here.
    reached: i64,
}

/// Only what this replica's key signed tells anything of it: whoever can write to the branch can write lines in its name.
fn compare(store: &mut Store, lines: &[String], seals: &[Seal]) -> Result<Comparison, GitError> {
    let head = store.head()?;
    let own = store.replicas()?.into_iter().find(|replica| replica.origin == head.origin);
    let key = own.and_then(|own| own.key);
    let places: Vec<(Line, ChainPlace)> = lines.iter().filter_map(|line| segment::place(line)).collect();
    let mut coverage = Coverage::of(seals.iter().cloned());
    for (line, place) in &places {
        coverage.add(&place.origin, place.oseq, &line.hash, &place.prev);
    }
    coverage.prove();
    let mut theirs: BTreeMap<i64, Vec<(String, String)>> = BTreeMap::new();
    // What is damaged or forged is named when it is taken in.
    for (line, place) in places.into_iter().filter(|(_, place)| place.origin == head.origin) {
        if key.is_some_and(|key| coverage.covers(&head.origin, &key, place.oseq, &line.hash)) {
            theirs.entry(place.oseq).or_default().push((place.prev, line.hash));
        }
    }
    let beyond = theirs.split_off(&(head.oseq + 1));
    let mut apart = None;
    let mut next = theirs.first_key_value().map_or(head.oseq + 1, |(first, _)| *first);
    while apart.is_none() && next <= head.oseq {
        let page = store.lines_of(&head.origin, next, PAGE)?;
        let Some((last, _)) = page.last() else { break };
        next = last + 1;
        // A line of ours that is damaged proves nothing.
        let hashes = page.iter().filter_map(|(oseq, line)| Some((oseq, Line::verify(line).ok()?.hash)));
        let differs = |(oseq, ours): (&i64, String)| {
            let others = theirs.get(oseq)?.iter().any(|(_, hash)| *hash != ours);
            others.then_some(*oseq)
        };
        apart = hashes.into_iter().find_map(differs);
    }
    let (mut reached, mut prev) = (head.oseq, head.prev);
    while let Some((_, hash)) =
        beyond.get(&(reached + 1)).and_then(|found| found.iter().find(|(before, _)| *before == prev))
    {
        reached += 1;
        prev.clone_from(hash);
    }
    let has_more = beyond.last_key_value().is_some_and(|(last, _)| *last > reached);
    Ok(Comparison { apart: apart.or(has_more.then_some(head.oseq + 1)), reached })
}
