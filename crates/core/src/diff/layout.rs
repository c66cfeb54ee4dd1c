//! The lines of a diff with threads among them, for every surface that prints one.

use super::{Diff, DiffLine, FileDiff, Place};
use crate::vocabulary::Side;

/// One thing to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row<'d> {
    /// A line before a file's first hunk.
    Head(&'d str),
    /// The header of a hunk.
    Hunk(&'d str),
    /// A line of a hunk.
    Line(&'d DiffLine<'d>),
    /// The thread with this index.
    Thread(usize),
}

/// Puts threads where they belong: at their line, below the head of their file, or before and after everything.
///
/// Every thread appears once: a thread without a file comes first. A thread whose line the diff does not show comes after
/// its file's last part, and one whose file the diff does not have comes last.
pub fn layout<'d>(diff: &'d Diff<'d>, places: &[Option<Place>]) -> Vec<Row<'d>> {
    let mut left: Vec<(usize, &Place)> = Vec::new();
    let mut rows = Vec::new();
    for (index, place) in places.iter().enumerate() {
        match place {
            None => rows.push(Row::Thread(index)),
            Some(place) => left.push((index, place)),
        }
    }
    let mut take = |rows: &mut Vec<Row<'d>>, fits: &dyn Fn(&Place) -> bool| {
        left.retain(|(index, place)| {
            let here = fits(place);
            if here {
                rows.push(Row::Thread(*index));
            }
            !here
        });
    };
    for (index, file) in diff.files.iter().enumerate() {
        let later = diff.files.get(index + 1..).unwrap_or_default();
        rows.extend(file.head.iter().map(|line| Row::Head(line)));
        take(&mut rows, &|place| place.line.is_none() && is_in(file, place));
        for hunk in &file.hunks {
            rows.push(Row::Hunk(hunk.header));
            for line in &hunk.lines {
                rows.push(Row::Line(line));
                take(&mut rows, &|place| {
                    place.line.is_some() && line.on(place.side) == place.line && is_in(file, place)
                });
            }
        }
        // A series of patches may have the file once more, with the line.
        take(&mut rows, &|place| is_in(file, place) && !later.iter().any(|file| is_in(file, place)));
    }
    take(&mut rows, &|_| true);
    rows
}

fn is_in(file: &FileDiff<'_>, place: &Place) -> bool {
    file.path_on(place.side) == Some(place.path.as_str())
        || (place.line.is_none()
            && [Side::Old, Side::New].iter().any(|side| file.path_on(*side) == Some(place.path.as_str())))
}
