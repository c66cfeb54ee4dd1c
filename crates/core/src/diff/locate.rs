//! Positions in a diff, and the nearest ones where there is none.

use super::{Diff, FileDiff};
use crate::vocabulary::Side;

/// Files named where a path is not in the diff.
const FILES: usize = 5;
/// Ranges of lines named where a line is not in the diff.
const RANGES: usize = 4;

/// A place in a diff: a file, or a line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file's path on this side.
    pub path: String,
    /// Which side.
    pub side: Side,
    /// The line on this side; none for the whole file.
    pub line: Option<u32>,
}

/// Why a diff has no such position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nowhere {
    /// The diff has no such file. These it has, likely ones first.
    File(Vec<String>),
    /// The file has no such line in the diff. These it has, nearest first.
    Line {
        /// The file's path.
        path: String,
        /// First and last line of each range, with its side.
        ranges: Vec<(Side, u32, u32)>,
    },
}

impl Diff<'_> {
    /// The position that a path, a line and perhaps a side name. Without a side, the new one comes first.
    pub fn locate(&self, path: &str, line: Option<u32>, side: Option<Side>) -> Result<Position, Nowhere> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let is_named = |file: &&FileDiff<'_>| {
            [Side::New, Side::Old].iter().any(|side| file.path_on(*side) == Some(path))
        };
        // A series of patches names a file more than once.
        let files: Vec<&FileDiff<'_>> = self.files.iter().filter(is_named).collect();
        let sides = side.map_or_else(|| vec![Side::New, Side::Old], |side| vec![side]);
        for side in &sides {
            for file in &files {
                let is_there =
                    line.is_none_or(|line| file.lines().any(|known| known.on(*side) == Some(line)));
                if let (Some(path), true) = (file.path_on(*side), is_there) {
                    return Ok(Position { path: path.to_owned(), side: *side, line });
                }
            }
        }
        match (line, files.is_empty()) {
            (Some(line), false) => {
                Err(Nowhere::Line { path: path.to_owned(), ranges: nearest_ranges(&files, line, &sides) })
            }
            _ => Err(self.no_file(path)),
        }
    }

    /// The text of the line at a position.
    pub fn text_at(&self, position: &Position) -> Option<&str> {
        let (side, line) = (position.side, position.line?);
        let files = self.files.iter().filter(|file| file.path_on(side) == Some(position.path.as_str()));
        let mut lines = files.flat_map(FileDiff::lines);
        lines.find(|known| known.on(side) == Some(line)).map(super::DiffLine::text)
    }

    fn no_file(&self, path: &str) -> Nowhere {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let mut files: Vec<&str> = self.files.iter().map(FileDiff::path).collect();
        files.sort_by_key(|known| (name(known) != name(path), !known.contains(path)));
        Nowhere::File(files.into_iter().take(FILES).map(str::to_owned).collect())
    }
}

fn nearest_ranges(files: &[&FileDiff<'_>], line: u32, sides: &[Side]) -> Vec<(Side, u32, u32)> {
    let mut ranges: Vec<(Side, u32, u32)> = Vec::new();
    for side in sides {
        for hunk in files.iter().flat_map(|file| &file.hunks) {
            let numbers = || hunk.lines.iter().filter_map(|line| line.on(*side));
            if let (Some(first), Some(last)) = (numbers().min(), numbers().max()) {
                ranges.push((*side, first, last));
            }
        }
    }
    ranges.sort_by_key(|(_, first, last)| match line {
        line if line < *first => first - line,
        line => line.saturating_sub(*last),
    });
    ranges.truncate(RANGES);
    ranges
}
