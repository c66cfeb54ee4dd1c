//! Folding: from the characters people type to the characters that are compared.
//!
//! Owns what counts as the same character (width and compatibility forms, case, diacritics) and which of
//! the five classes a folded character belongs to. It knows nothing of tokens, queries or SQLite.
//!
//! Every folded character carries the byte range of the source it came from, so that a hit can be marked
//! in the text as it was written. Work is linear: each cluster (a character and the marks that follow it)
//! is normalised once, and a cluster has a bounded length.

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_canonical, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Marks taken into one cluster. Unicode's stream-safe text format allows 30; more is decoration.
const MAX_MARKS: usize = 30;

/// What a folded character does to the token it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter or digit of a script that puts spaces between words.
    Word,
    /// A character of a script without spaces (or, for Korean, with particles glued on): indexed in pairs.
    Unspaced,
    /// A sign that belongs to the letter before it, such as a Devanagari virama.
    Mark,
    /// A pictogram that is a word by itself.
    Symbol,
    /// Everything else separates.
    Gap,
}

/// The class of a folded character.
pub(super) fn classify(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Class::Word } else { Class::Gap };
    }
    if is_unspaced(c) {
        Class::Unspaced
    } else if is_combining_mark(c) {
        Class::Mark
    } else if c.is_alphanumeric() {
        Class::Word
    } else if matches!(c, '\u{2600}'..='\u{27BF}' | '\u{1F300}'..='\u{1FAFF}') {
        Class::Symbol
    } else {
        Class::Gap
    }
}

/// Calls `emit` for every folded character of `text`, with the source bytes it stands for.
pub(super) fn fold(text: &str, mut emit: impl FnMut(char, Range<usize>)) {
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let mut end = start + first.len_utf8();
        let mut marks = 0;
        while let Some(&(at, next)) = rest.peek() {
            if marks == MAX_MARKS || !continues_cluster(next) {
                break;
            }
            end = at + next.len_utf8();
            marks += 1;
            rest.next();
        }
        if marks == 0 && first.is_ascii() {
            emit(first.to_ascii_lowercase(), start..end);
        } else if marks == 0 && is_stable(first) {
            emit(first, start..end);
        } else {
            for c in text[start..end].nfkc() {
                fold_char(c, |folded| emit(folded, start..end));
            }
        }
    }
}

/// Whether normalisation may join this character to the one before it.
fn continues_cluster(c: char) -> bool {
    if c < '\u{300}' {
        return false;
    }
    // The last two ranges only join after their compatibility form was resolved: halfwidth kana voice
    // marks, and the vowels of compatibility and halfwidth Hangul.
    canonical_combining_class(c) != 0
        || is_nfc_quick(std::iter::once(c)) == IsNormalized::Maybe
        || matches!(c, '\u{FF9E}' | '\u{FF9F}')
        || matches!(c, '\u{314F}'..='\u{3163}' | '\u{FFC2}'..='\u{FFDC}')
}

/// Characters that fold to themselves: the bulk of Chinese, Japanese and Korean text.
fn is_stable(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}')
}

/// Folds one NFKC character: case, then diacritics, then the letters that have no decomposition.
fn fold_char(c: char, mut emit: impl FnMut(char)) {
    if is_ignored(c) {
        return;
    }
    if is_unspaced(c) {
        // Decomposing would take the voice mark from kana and break Hangul into its letters.
        return emit(c);
    }
    for lower in c.to_lowercase() {
        decompose_canonical(lower, |part| match part {
            _ if is_ignored(part) => {}
            'ß' => "ss".chars().for_each(&mut emit),
            'æ' => "ae".chars().for_each(&mut emit),
            'œ' => "oe".chars().for_each(&mut emit),
            'ø' => emit('o'),
            'ł' => emit('l'),
            'đ' => emit('d'),
            'ı' => emit('i'),
            'ς' => emit('σ'),
            _ => emit(part),
        });
    }
}

/// Characters that are not part of what a reader compares: diacritics, vowel points, joiners, soft
/// hyphens, variation selectors. They vanish without ending the word.
fn is_ignored(c: char) -> bool {
    match c {
        '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}' => true,
        '\u{300}'..='\u{36F}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5C7}'
        | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}'
        | '\u{670}'
        | '\u{6D6}'..='\u{6ED}'
        | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FE20}'..='\u{FE2F}'
        | '\u{E0100}'..='\u{E01EF}' => is_combining_mark(c),
        _ => false,
    }
}

/// Scripts whose words are not separated by spaces: Han, kana, Bopomofo, Hangul, and Thai, Lao, Burmese
/// and Khmer, for which the same pairs work.
fn is_unspaced(c: char) -> bool {
    match c {
        '\u{0E01}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' => {
            c.is_alphabetic() || is_combining_mark(c)
        }
        '\u{1100}'..='\u{11FF}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}' => true,
        '\u{3005}'..='\u{3007}' | '\u{3031}'..='\u{3035}' | '\u{303B}' => true,
        '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' => true,
        '\u{3105}'..='\u{318F}' | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}' => true,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => true,
        '\u{20000}'..='\u{3FFFD}' => true,
        _ => false,
    }
}
