//! Unified diffs: parsing, positions in them, where a position is in a later version, and threads among their lines.
//!
//! Parsing is total. Text that isn't a diff has no files; a hunk whose header miscounts its lines is read by the lines.

mod carry;
mod layout;
mod locate;
mod parse;

pub use carry::{Place, Placement, Step, carry};
pub use layout::{Row, layout};
pub use locate::{Nowhere, Position};
pub use parse::keep_files;

use crate::vocabulary::Side;

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Unchanged; on both sides.
    Context,
    /// Only on the new side.
    Added,
    /// Only on the old side.
    Removed,
    /// A remark of the diff tool, such as a missing newline; on neither side.
    Remark,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine<'t> {
    /// What it is.
    pub kind: LineKind,
    /// The whole line, with its sign.
    pub raw: &'t str,
    /// Its number on the old side.
    pub old: Option<u32>,
    /// Its number on the new side.
    pub new: Option<u32>,
}

impl DiffLine<'_> {
    /// Its number on one side.
    pub fn on(&self, side: Side) -> Option<u32> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// The line without its sign.
    pub fn text(&self) -> &str {
        self.raw.get(1..).unwrap_or_default()
    }
}

/// A run of changed lines with their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'t> {
    /// The line that starts with `@@`.
    pub header: &'t str,
    /// First line of the old side, as the header says.
    pub old_start: u32,
    /// First line of the new side, as the header says.
    pub new_start: u32,
    /// Its lines, in order.
    pub lines: Vec<DiffLine<'t>>,
}

impl Hunk<'_> {
    /// How many lines it has on one side.
    pub fn count(&self, side: Side) -> u32 {
        u32::try_from(self.lines.iter().filter(|line| line.on(side).is_some()).count()).unwrap_or(u32::MAX)
    }
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff<'t> {
    /// Its path before; none for a new file.
    pub old: Option<String>,
    /// Its path after; none for a deleted file.
    pub new: Option<String>,
    /// The lines before its first hunk.
    pub head: Vec<&'t str>,
    /// Its hunks, in order.
    pub hunks: Vec<Hunk<'t>>,
}

impl FileDiff<'_> {
    /// Its path on one side.
    pub fn path_on(&self, side: Side) -> Option<&str> {
        match side {
            Side::Old => self.old.as_deref(),
            Side::New => self.new.as_deref(),
        }
    }

    /// The path that names it: the new one, or the old one of a deleted file.
    pub fn path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or_default()
    }

    /// Every line of its hunks.
    pub fn lines(&self) -> impl Iterator<Item = &DiffLine<'_>> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines)
    }
}

/// A parsed diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff<'t> {
    /// Its files, in order.
    pub files: Vec<FileDiff<'t>>,
}

impl<'t> Diff<'t> {
    /// Reads a diff as `git diff` or `diff -u` writes it.
    pub fn parse(text: &'t str) -> Self {
        parse::parse(text)
    }

    /// The file that has this path on a side.
    pub fn file_on(&self, side: Side, path: &str) -> Option<&FileDiff<'t>> {
        self.files.iter().find(|file| file.path_on(side) == Some(path))
    }

    /// One line that names the changed files.
    pub fn summary(&self) -> Option<String> {
        let first = self.files.first()?.path();
        Some(match self.files.len() - 1 {
            0 => format!("Changes in {first}"),
            1 => format!("Changes in {first} and 1 more file"),
            more => format!("Changes in {first} and {more} more files"),
        })
    }
}

#[cfg(test)]
mod tests;
