//! Where a position of an earlier round is now. Derived, never stored: the position itself does not move.
//!
//! The first source is the diff between the two versions of that side: it keeps 94 of 100 positions over one commit. Text
//! is only searched where that diff touched the line, or where there is none, because a first match is often another line.

use super::{Diff, DiffLine, FileDiff, LineKind, Position};
use crate::vocabulary::Side;
use crate::words;

words! {
    /// How the place of a thread in a later round compares with its position.
    pub enum Placement as "the placement" {
        /// Same path, same line.
        Exact = "exact",
        /// The same line, at another number or in a renamed file.
        Shifted = "shifted",
        /// The same text, found elsewhere.
        Moved = "moved",
        /// A similar line replaced it.
        Changed = "changed",
        /// The line is gone.
        Outdated = "outdated",
    }
}

/// Where a thread is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: String,
    /// The side.
    pub side: Side,
    /// The line; none for the whole file.
    pub line: Option<u32>,
    /// How that compares with the position.
    pub how: Placement,
}

/// One round to the next.
#[derive(Clone, Copy, Debug)]
pub struct Step<'d> {
    /// The diff of the earlier round.
    pub before: &'d Diff<'d>,
    /// The diff of the later round.
    pub after: &'d Diff<'d>,
    /// The diff between the two versions of the position's side, where it is known.
    pub since: Option<&'d Diff<'d>>,
}

/// A shorter text is in too many places to be recognised elsewhere.
const TELLING_CHARS: usize = 12;
/// Lines before and after that tell equal lines apart.
const CONTEXT_LINES: usize = 3;
/// A line that shares this part of its pairs of characters, in percent, replaced the other.
const SIMILAR_PERCENT: usize = 60;
/// How far from its number a replaced line is looked for, where only the two diffs are known.
const NEAR_LINES: u32 = 10;

/// Where a position is after some steps.
pub fn carry(position: &Position, steps: &[Step<'_>]) -> Place {
    let mut place = Place {
        path: position.path.clone(),
        side: position.side,
        line: position.line,
        how: Placement::Exact,
    };
    let text = steps.first().and_then(|step| step.before.text_at(position)).map(str::to_owned);
    for step in steps {
        place = match step.since {
            Some(since) => by_change(place, text.as_deref(), since),
            None => by_text(place, step.before, step.after),
        };
        if place.how == Placement::Outdated {
            break;
        }
    }
    place
}

impl Place {
    /// The same line at another number or path; earlier doubts stay.
    fn follows(self, path: &str, line: u32) -> Self {
        let is_same = self.path == path && self.line == Some(line);
        let how = match self.how {
            Placement::Exact if !is_same => Placement::Shifted,
            how => how,
        };
        Self { path: path.to_owned(), line: Some(line), how, ..self }
    }

    fn found(self, path: &str, line: u32, how: Placement) -> Self {
        Self { path: path.to_owned(), line: Some(line), how, ..self }
    }

    fn outdated(self, path: Option<&str>) -> Self {
        let path = path.map_or_else(|| self.path.clone(), str::to_owned);
        Self { path, line: None, how: Placement::Outdated, ..self }
    }
}

/// Follows a place through the diff between two versions of its side.
fn by_change(place: Place, text: Option<&str>, since: &Diff<'_>) -> Place {
    let Some(file) = since.file_on(Side::Old, &place.path) else { return place };
    let Some(line) = place.line else {
        return match &file.new {
            Some(path) if *path == place.path => place,
            Some(path) => Place { path: path.clone(), how: place.how.max(Placement::Shifted), ..place },
            None => place.outdated(None),
        };
    };
    let added = |file: &FileDiff<'_>| -> Vec<(String, u32, String)> {
        let path = file.path().to_owned();
        let lines = file.lines().filter(|line| line.kind == LineKind::Added);
        lines.filter_map(|line| Some((path.clone(), line.new?, line.text().to_owned()))).collect()
    };
    let elsewhere = |text: &str| {
        let telling = text.trim().chars().count() >= TELLING_CHARS;
        let all = || since.files.iter().flat_map(added);
        telling.then(|| only(all().filter(|(_, _, there)| same(there, text)))).flatten()
    };
    let Some(path) = file.new.clone() else {
        return match text.and_then(elsewhere) {
            Some((path, line, _)) => place.found(&path, line, Placement::Moved),
            None => place.outdated(None),
        };
    };
    let mut shift = 0_i64;
    for hunk in &file.hunks {
        if let Some(at) = hunk.lines.iter().position(|known| known.old == Some(line)) {
            if let Some(new) = hunk.lines[at].new {
                return place.follows(&path, new);
            }
            let Some(text) = text else { return place.outdated(Some(&path)) };
            let lines: Vec<&DiffLine<'_>> =
                hunk.lines.iter().filter(|line| line.kind == LineKind::Added).collect();
            let here = only(lines.iter().filter(|line| same(line.text(), text)).filter_map(|line| line.new));
            return match (here, elsewhere(text), most_similar(&lines, text)) {
                (Some(new), ..) => place.found(&path, new, Placement::Moved),
                (_, Some((path, new, _)), _) => place.found(&path, new, Placement::Moved),
                (.., Some(new)) => place.found(&path, new, Placement::Changed),
                _ => place.outdated(Some(&path)),
            };
        }
        // A hunk that only adds names the line before it.
        let is_before = match hunk.count(Side::Old) {
            0 => hunk.old_start < line,
            _ => hunk.old_start <= line,
        };
        if is_before {
            shift += i64::from(hunk.count(Side::New)) - i64::from(hunk.count(Side::Old));
        }
    }
    let now = i64::from(line) + shift;
    match u32::try_from(now) {
        Ok(now) if now > 0 => place.follows(&path, now),
        // Only a diff that contradicts itself leads here.
        _ => place.outdated(Some(&path)),
    }
}

/// Looks for a place in the next round's diff, where nothing but the two diffs is known.
fn by_text(place: Place, before: &Diff<'_>, after: &Diff<'_>) -> Place {
    let side = place.side;
    let Some(file) = after.file_on(side, &place.path) else {
        return match wanted(&place, before).and_then(|text| in_other_files(text, side, after)) {
            Some((path, line)) => place.found(&path, line, Placement::Moved),
            None => place.outdated(None),
        };
    };
    let Some(line) = place.line else { return place };
    let Some(text) = wanted(&place, before) else { return place.outdated(None) };
    let then: Vec<&DiffLine<'_>> = before.file_on(side, &place.path).map(|f| on(f, side)).unwrap_or_default();
    let now = on(file, side);
    let Some(was) = then.iter().position(|known| known.on(side) == Some(line)) else {
        return place.outdated(None);
    };
    let scored = now.iter().enumerate().filter(|(_, known)| same(known.text(), text));
    let scored: Vec<(usize, u32)> =
        scored.filter_map(|(at, known)| Some((agreement(&then, was, &now, at), known.on(side)?))).collect();
    let best = scored.iter().map(|(score, _)| *score).max();
    let nearest = scored.iter().filter(|(score, _)| Some(*score) == best);
    let nearest =
        nearest.min_by_key(|(_, found)| found.abs_diff(line)).map(|(score, found)| (*score, *found));
    // A bracket alone is recognised by its neighbours only.
    let is_telling = text.trim().chars().count() >= 3;
    if let Some((score, found)) = nearest
        && (is_telling || score > 0)
    {
        let path = place.path.clone();
        return place.follows(&path, found);
    }
    if let Some((path, found)) = in_other_files(text, side, after) {
        return place.found(&path, found, Placement::Moved);
    }
    let is_near = |known: &&DiffLine<'_>| known.on(side).is_some_and(|at| at.abs_diff(line) <= NEAR_LINES);
    let near: Vec<&DiffLine<'_>> = now.into_iter().filter(is_near).collect();
    match best_of(&near, text).and_then(|known| known.on(side)) {
        Some(found) => {
            let path = place.path.clone();
            place.found(&path, found, Placement::Changed)
        }
        None => place.outdated(None),
    }
}

/// The text that a place had in the round before.
fn wanted<'d>(place: &Place, before: &'d Diff<'_>) -> Option<&'d str> {
    before.text_at(&Position { path: place.path.clone(), side: place.side, line: place.line })
}

fn on<'d>(file: &'d FileDiff<'_>, side: Side) -> Vec<&'d DiffLine<'d>> {
    file.lines().filter(|line| line.on(side).is_some()).collect()
}

fn in_other_files(text: &str, side: Side, diff: &Diff<'_>) -> Option<(String, u32)> {
    if text.trim().chars().count() < TELLING_CHARS {
        return None;
    }
    only(diff.files.iter().flat_map(|file| {
        let path = file.path_on(side).unwrap_or_default().to_owned();
        let lines = on(file, side).into_iter().filter(|line| same(line.text(), text));
        lines.filter_map(|line| Some((path.clone(), line.on(side)?))).collect::<Vec<_>>()
    }))
}

/// How many neighbours of two lines agree.
fn agreement(then: &[&DiffLine<'_>], was: usize, now: &[&DiffLine<'_>], at: usize) -> usize {
    let agree = |a: Option<&&DiffLine<'_>>, b: Option<&&DiffLine<'_>>| match (a, b) {
        (Some(a), Some(b)) => same(a.text(), b.text()),
        _ => false,
    };
    let before = |by: usize| {
        let (a, b) = (was.checked_sub(by), at.checked_sub(by));
        agree(a.and_then(|a| then.get(a)), b.and_then(|b| now.get(b)))
    };
    let after = |by: usize| agree(then.get(was + by), now.get(at + by));
    let count = |agrees: &dyn Fn(usize) -> bool| (1..=CONTEXT_LINES).take_while(|by| agrees(*by)).count();
    count(&before) + count(&after)
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end() == other.trim_end()
}

fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn most_similar(lines: &[&DiffLine<'_>], text: &str) -> Option<u32> {
    best_of(lines, text)?.new
}

fn best_of<'l, 'd>(lines: &[&'l DiffLine<'d>], text: &str) -> Option<&'l DiffLine<'d>> {
    let scored = lines.iter().map(|line| (similarity(line.text(), text), *line));
    // The first of equals: `max_by_key` would take the last.
    let best = scored.rev().max_by_key(|(score, _)| *score)?;
    (best.0 >= SIMILAR_PERCENT).then_some(best.1)
}

/// Pairs of neighbouring characters that two lines share, in percent.
fn similarity(one: &str, other: &str) -> usize {
    let pairs = |text: &str| {
        let chars: Vec<char> = text.trim().chars().collect();
        let mut pairs: Vec<[char; 2]> = chars.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        pairs.sort_unstable();
        pairs
    };
    let (one, other) = (pairs(one), pairs(other));
    let all = one.len() + other.len();
    if all == 0 {
        return 0;
    }
    let (mut at, mut shared) = (0, 0);
    for pair in &one {
        while other.get(at).is_some_and(|there| there < pair) {
            at += 1;
        }
        if other.get(at) == Some(pair) {
            shared += 1;
            at += 1;
        }
    }
    shared * 200 / all
}
