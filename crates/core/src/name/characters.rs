//! Characters that deceive: invisible ones, and letters that look like ASCII but are not.
//!
//! The tables are small on purpose. They serve to refuse and to suggest, not to identify scripts: a
//! name holds ASCII only, so a letter missing here is refused all the same, with a poorer suggestion.

use unicode_normalization::UnicodeNormalization;

/// Longest piece of a foreign text repeated in a sentence, in characters.
const QUOTED_MAX_CHARS: usize = 40;

/// True for characters that change nothing a reader sees, or change the order in which it is shown.
pub fn is_hidden(c: char) -> bool {
    is_hostile_in_text(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// True for characters that a one-line text must not hold either: controls, direction changes, tags.
/// Joiners and variation selectors are fine there, because emoji are built with them.
pub(crate) fn is_hostile_in_text(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// The ASCII letters that a non-ASCII character looks like, if it looks like any.
pub(super) fn ascii_lookalike(c: char) -> Option<String> {
    let ascii: String = c
        .nfkd()
        .filter(|part| !unicode_normalization::char::is_combining_mark(*part))
        .flat_map(char::to_lowercase)
        .map(|part| if part.is_ascii() { Some(part) } else { from_table(part) })
        .collect::<Option<String>>()?;
    (!ascii.is_empty()).then_some(ascii)
}

fn from_table(c: char) -> Option<char> {
    Some(match c {
        // Cyrillic
        'а' => 'a',
        'в' | 'ь' => 'b',
        'с' => 'c',
        'ԁ' => 'd',
        'е' | 'є' => 'e',
        'н' | 'һ' => 'h',
        'і' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' => 'k',
        'м' => 'm',
        'п' => 'n',
        'о' => 'o',
        'р' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' => 't',
        'ѵ' => 'v',
        'ԝ' => 'w',
        'х' => 'x',
        'у' | 'ү' => 'y',
        // Greek
        'α' => 'a',
        'β' => 'b',
        'ϲ' => 'c',
        'ε' => 'e',
        'η' => 'n',
        'ι' => 'i',
        'ϳ' => 'j',
        'κ' => 'k',
        'μ' => 'u',
        'ν' => 'v',
        'ο' | 'σ' => 'o',
        'ρ' => 'p',
        'τ' => 't',
        'υ' => 'u',
        'χ' => 'x',
        'γ' => 'y',
        'ω' => 'w',
        // Latin letters that do not decompose
        'ɑ' => 'a',
        'đ' | 'ð' => 'd',
        'ɡ' => 'g',
        'ħ' => 'h',
        'ı' => 'i',
        'ȷ' => 'j',
        'ł' => 'l',
        'ø' => 'o',
        // Dashes
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => return None,
    })
}

/// A foreign text as it may stand in a sentence: short, and nothing in it acts on a terminal.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown = String::from("`");
    let mut rest = text.chars();
    for c in rest.by_ref().take(QUOTED_MAX_CHARS) {
        match c {
            '`' => shown.push('\''),
            hidden if is_hidden(hidden) => shown.extend(hidden.escape_unicode()),
            plain => shown.push(plain),
        }
    }
    if rest.next().is_some() {
        shown.push_str("...");
    }
    shown.push('`');
    shown
}
