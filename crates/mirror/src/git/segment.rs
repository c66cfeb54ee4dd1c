//! The lines of one segment, and what two versions of a segment become.
//!
//! Versions of one segment are beginnings of each other, so the longer one holds all. Where that is not so (a damaged
//! line, a forked log) nothing is decided here: the result holds every line of both, in an order that every replica
//! comes to, whoever merges. Who has the whole segment in the log writes it again without what is damaged.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::entry::{BadLine, ChainPlace, Entry, Line};
use interagent_core::event::Event;
use interagent_core::ids::{EntityRef, HubId};
use interagent_core::text::TextHash;
use interagent_store::texts_of;

use super::layout::SegmentName;

/// The lines of a segment, with their numbers. A line end of another system is none of the line.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, String)> {
    bytes
        .split(|byte| *byte == b'\n')
        .enumerate()
        .map(|(index, line)| (index + 1, line.strip_suffix(b"\r").unwrap_or(line)))
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| (number, String::from_utf8_lossy(line).into_owned()))
}

/// The last entry in a segment that is one, with its hash, and how many lines there are.
pub(super) fn reach(bytes: &[u8]) -> ((i64, String), usize) {
    let mut last = (0, String::new());
    let mut count = 0;
    for (_, line) in lines(bytes) {
        count += 1;
        if let Ok((entry, line)) = Line::verify(&line).and_then(|line| Ok((line.entry()?, line))) {
            last = last.max((entry.envelope.oseq, line.hash));
        }
    }
    (last, count)
}

/// The entry of a line, where it is a whole one.
pub(super) fn entry(line: &str) -> Option<Entry> {
    Line::verify(line).and_then(|line| line.entry()).ok()
}

/// The place in its chain of a line that proves itself.
pub(super) fn place(line: &str) -> Option<(Line, ChainPlace)> {
    Line::verify(line)
        .ok()
        .and_then(|line| Some((line.place().ok()?, line)))
        .map(|(place, line)| (line, place))
}

/// The number of an entry, where the line is one.
pub(super) fn number(line: &str) -> Option<i64> {
    entry(line).map(|entry| entry.envelope.oseq)
}

/// What two versions of a segment become.
pub(super) fn merged(ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    if ours.starts_with(theirs) {
        return ours.to_vec();
    }
    if theirs.starts_with(ours) {
        return theirs.to_vec();
    }
    let all: BTreeSet<(i64, String)> =
        lines(ours).chain(lines(theirs)).map(|(_, line)| (number(&line).unwrap_or(i64::MAX), line)).collect();
    let mut bytes = Vec::with_capacity(ours.len().max(theirs.len()) + 1);
    for (_, line) in all {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// The entries of a segment by their numbers, without lines that are damaged. `None` where it has entries that do not belong
/// into it, or that only a later version of us can read.
pub(super) fn sound(name: &SegmentName, bytes: &[u8]) -> Option<BTreeMap<i64, String>> {
    let mut found = BTreeMap::new();
    for (_, text) in lines(bytes) {
        let Ok(line) = Line::verify(&text) else { continue };
        let envelope = line.entry().ok()?.envelope;
        let number = envelope.oseq;
        let is_other = found.insert(number, text.clone()).is_some_and(|other| other != text);
        if is_other || envelope.origin != name.origin || number < name.first {
            return None;
        }
    }
    Some(found)
}

/// The hub that a replica's first segment says it belongs to.
pub(super) fn hub(bytes: &[u8]) -> Option<HubId> {
    lines(bytes).find_map(|(_, line)| {
        entry(&line)?.facts.into_iter().find_map(|fact| match fact.event {
            Event::OriginOpened(opened) => Some(opened.hub),
            _ => None,
        })
    })
}

/// The first line that is no entry, and why.
pub(super) fn damage(bytes: &[u8]) -> Option<(usize, BadLine)> {
    lines(bytes)
        .find_map(|(number, line)| Some((number, Line::verify(&line).and_then(|line| line.entry()).err()?)))
}

/// What a line does to texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineTexts {
    /// Those that it says something with.
    points: Vec<TextHash>,
    /// Those of earlier lines that it lets out.
    releases: Vec<TextHash>,
    /// Those that it deletes.
    pub(super) purges: Vec<TextHash>,
}

impl LineTexts {
    /// A line that can't be read does nothing: it is found damaged by its own check.
    pub(super) fn read(line: &str) -> Self {
        Entry::read(line).map_or_else(|_| Self::default(), |entry| Self::of(&entry))
    }

    pub(super) fn of(entry: &Entry) -> Self {
        let mut found = Self::default();
        for fact in &entry.facts {
            found.points.extend(texts_of(&fact.event).into_iter().cloned());
            match (&fact.entity, &fact.event) {
                (EntityRef::Text(hash), Event::TextPurged(_)) => found.purges.push(hash.clone()),
                (_, Event::TextReleased(released)) => found.releases.extend_from_slice(&released.texts),
                _ => {}
            }
        }
        found
    }

    /// The texts that have to be where the line is.
    pub(super) fn wanted(&self) -> impl Iterator<Item = &TextHash> {
        self.points.iter().chain(&self.releases)
    }
}

/// The texts that a line says were purged.
pub(super) fn purged(line: &str) -> Vec<TextHash> {
    // Reading every line again would cost as much as taking it in.
    match line.contains("\"text.purged\"") {
        true => LineTexts::read(line).purges,
        false => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_version_holds_all() {
        assert_eq!(merged(b"a\nb\n", b"a\n"), b"a\nb\n");
        assert_eq!(merged(b"a\n", b"a\nb\n"), b"a\nb\n");
        assert_eq!(merged(b"", b"a\n"), b"a\n");
    }

    #[test]
    fn nothing_of_two_versions_that_differ_is_lost_whoever_merges() {
        let (ours, theirs) = (b"a\nb\nc\n".as_slice(), b"a\nX\nc\nd\n".as_slice());
        let one = merged(ours, theirs);
        assert_eq!(one, merged(theirs, ours));
        assert_eq!(one, merged(&one, theirs));
        for line in ["a", "b", "c", "d", "X"] {
            assert!(lines(&one).any(|(_, found)| found == line), "{line}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_file() {
        let found: Vec<_> = lines(b"one\r\n\ntwo\nthree").collect();
        assert_eq!(found, [(1, "one".to_owned()), (3, "two".to_owned()), (4, "three".to_owned())]);
    }
}
