//! The part of a derived file that belongs to people: everything below the line that ends the generated part.
//!
//! Owns where that part begins, and what becomes of text that somebody wrote above it. All of it is bytes: what a person
//! saved need not be UTF-8 to be kept.

use std::collections::HashMap;

use super::render::PASSING_LINES;
use super::seal;

/// Stands before text that was written into the generated part.
const MOVED: &str = "<!-- interagent moved the following text here: the part above is generated -->\n";

/// A file with a new generated part and what people wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) bytes: Vec<u8>,
    /// Text from above the line was moved below it.
    pub(super) moved: bool,
}

/// What people wrote below the line; nothing where there is no such line.
pub(super) fn below(file: &[u8]) -> &[u8] {
    seal::end_of_generated(file).map_or(&[], |end| &file[end..])
}

/// Replaces the generated part of a file. `is_whole` tells that it says what was generated, so nobody wrote into it.
pub(super) fn join(file: &[u8], is_whole: bool, generated: &str) -> Joined {
    let end = seal::end_of_generated(file);
    let (above, below) = file.split_at(end.unwrap_or(file.len()));
    let generated_lines = [generated, &PASSING_LINES.join("\n")].concat();
    let misplaced = if is_whole { Vec::new() } else { lines_without(above, generated_lines.as_bytes()) };
    let mut bytes = generated.as_bytes().to_vec();
    bytes.extend(below);
    let moved = !misplaced.is_empty();
    if moved {
        if !below.is_empty() && !below.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.push(b'\n');
        bytes.extend(MOVED.as_bytes());
        bytes.extend(misplaced);
    }
    Joined { bytes, moved }
}

/// The lines of a text that another one does not have, each as often as it has more of it. Empty lines between them stay.
pub(super) fn lines_without(text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    for line in lines(other) {
        *known.entry(line.trim_ascii_end()).or_default() += 1;
    }
    let (mut kept, mut gap) = (Vec::new(), false);
    for line in lines(text) {
        let plain = line.trim_ascii_end();
        if plain.is_empty() {
            gap = true;
        } else if let Some(count) = known.get_mut(plain).filter(|count| **count > 0) {
            *count -= 1;
            gap = true;
        } else if !seal::is_line(plain) {
            if gap && !kept.is_empty() {
                kept.push(b'\n');
            }
            gap = false;
            kept.extend(line);
            if !line.ends_with(b"\n") {
                kept.push(b'\n');
            }
        }
    }
    kept
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::seal::{Form, holds, seal};

    fn generated(text: &str) -> String {
        seal(Form::Notes, text)
    }

    fn text(joined: &Joined) -> &str {
        std::str::from_utf8(&joined.bytes).unwrap()
    }

    #[test]
    fn text_below_the_line_is_kept_verbatim() {
        let below = b"mine \xff\r\n\r\n<!-- written by interagent 0000000000000000: no -->\nlast";
        let file = [generated("# Decisions\n\nold\n").as_bytes(), below].concat();
        assert!(holds(Form::Notes, &file));
        let joined = join(&file, true, &generated("# Decisions\n\nnew\n"));
        assert_eq!(joined.bytes, [generated("# Decisions\n\nnew\n").as_bytes(), below].concat());
        assert!(!joined.moved && holds(Form::Notes, &joined.bytes));
    }

    #[test]
    fn text_above_the_line_moves_below_it() {
        let old = generated("# Decisions\n\n## A\n\nOptions:\n\n- x\n");
        let edited = old.replace("## A\n", "## Mine\n\nOptions:\n\n- y\n\n## A\n") + "below";
        assert!(!holds(Form::Notes, edited.as_bytes()));
        let joined = join(edited.as_bytes(), false, &generated("# Decisions\n\n## A\n\nOptions:\n\n- x\n"));
        assert!(joined.moved && holds(Form::Notes, &joined.bytes));
        let own = std::str::from_utf8(below(&joined.bytes)).unwrap();
        assert_eq!(own, format!("below\n\n{MOVED}## Mine\n\n- y\n\nOptions:\n"));
    }

    #[test]
    fn file_without_the_line_belongs_to_people() {
        let new = generated("# Decisions\n\nNone yet.\n");
        let joined = join(b"# Decisions\n\nWe use SQLite.", false, &new);
        assert_eq!(text(&joined), format!("{new}\n{MOVED}We use SQLite.\n"));
        assert_eq!(join(&joined.bytes, true, &new), Joined { bytes: joined.bytes.clone(), moved: false });
    }

    #[test]
    fn removed_generated_lines_move_nothing() {
        let new = generated("# Decisions\n\nNone yet.\n");
        let joined = join(b"# Decisions\n", false, &new);
        assert_eq!(joined, Joined { bytes: new.clone().into_bytes(), moved: false });
    }
}
