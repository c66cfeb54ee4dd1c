//! Makes a valid name out of a refused one.

use super::{NAME_MAX_CHARS, Name, RESERVED_FOR_NEW, characters, check_name, is_name_char, not_reserved};

/// How much of a refused text is looked at. More than a name can hold, because parts of it fall away.
const CONSIDERED_CHARS: usize = 4 * NAME_MAX_CHARS;

/// The nearest valid name, or none where too little of the text would be left to recognise it.
pub(super) fn suggest(raw: &str) -> Option<Name> {
    let mut name = String::new();
    let (mut kept, mut lost) = (0_usize, 0_usize);
    for c in raw.chars().take(CONSIDERED_CHARS).filter(|c| !characters::is_hidden(*c)) {
        match characters::ascii_lookalike(c) {
            Some(ascii) => {
                kept += 1;
                ascii.chars().for_each(|c| push(&mut name, c));
            }
            None if unicode_normalization::char::is_combining_mark(c) => {}
            None => {
                lost += 1;
                push(&mut name, '-');
            }
        }
    }
    if lost > kept {
        return None;
    }
    shorten(&mut name, NAME_MAX_CHARS);
    if let Some(stem) = name.strip_suffix(".lock") {
        name = format!("{stem}-lock");
    }
    if let Ok(valid) = check_name(&name)
        && not_reserved(&valid, &RESERVED_FOR_NEW).is_ok()
    {
        return Some(Name(valid));
    }
    // A reserved word or a device: the same word with an ending that makes it an agent's.
    shorten(&mut name, NAME_MAX_CHARS - "-agent".len());
    let name = name.replace('.', "-") + "-agent";
    check_name(&name).ok().map(Name)
}

/// Appends one character, turning what a name can't hold into `-` and never doubling a separator.
fn push(name: &mut String, c: char) {
    let is_separator = |c: char| matches!(c, '.' | '_' | '-');
    let c = if is_name_char(c) { c } else { '-' };
    if !(is_separator(c) && name.ends_with(is_separator)) {
        name.push(c);
    }
}

fn shorten(name: &mut String, max_chars: usize) {
    // Only ASCII was pushed, so a byte index is a character index.
    let trimmed = name.trim_start_matches(['.', '_', '-']);
    let cut = &trimmed[..trimmed.len().min(max_chars)];
    *name = cut.trim_end_matches(['.', '_', '-']).to_owned();
}
