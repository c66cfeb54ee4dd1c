//! The display filter: makes text of others harmless for a terminal and honest for its reader.
//!
//! Owns which characters are shown as themselves. Stored text is never changed; JSON stays lossless through
//! [`escape_json`]. What is replaced: control characters (they drive the terminal), bidirectional controls (they
//! reorder what is read), and characters without a shape (they hide text or make two names look alike).

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

/// How many characters without a width of their own may follow each other.
///
/// Scripts stack at most a handful of marks; more of them paint over the lines above and below.
const STACKED_MARKS_LIMIT: usize = 8;

/// Whether line breaks mean something in this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// A name, a subject, a cell: line breaks and tabs are shown as signs.
    One,
    /// A body: line breaks and tabs are kept, and CR LF becomes a line break.
    Many,
}

/// Shows every character that could do something other than be read. Applying it twice changes nothing more.
pub(crate) fn harmless(text: &str, lines: Lines) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte) || (lines == Lines::Many && byte == b'\n')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut previous = ' ';
    let mut stacked = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        if lines == Lines::Many && character == '\r' && next == '\n' {
            continue;
        }
        let keeps_its_place = lines == Lines::Many && matches!(character, '\n' | '\t');
        let has_width = keeps_its_place || character.width().is_some_and(|width| width > 0);
        let too_many = !has_width && stacked >= STACKED_MARKS_LIMIT;
        if keeps_its_place || (!too_many && is_shown(previous, character, next)) {
            shown.push(character);
            stacked = if has_width { 0 } else { stacked + 1 };
        } else {
            push_visible(&mut shown, character);
            stacked = 0;
        }
        previous = shown.chars().next_back().unwrap_or(' ');
    }
    match shown == text {
        true => Cow::Borrowed(text),
        false => Cow::Owned(shown),
    }
}

/// Writes the same characters of a JSON document as `\u` escapes: harmless to print, and the same document.
pub(crate) fn escape_json(document: &str) -> Cow<'_, str> {
    let is_kept =
        |character: char| character == '\n' || (!character.is_control() && !is_shapeless(character));
    if document.chars().all(is_kept) {
        return Cow::Borrowed(document);
    }
    let mut escaped = String::with_capacity(document.len() + 16);
    for character in document.chars() {
        if is_kept(character) {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(escaped)
}

fn is_shown(previous: char, character: char, next: char) -> bool {
    if character.is_control() {
        return false;
    }
    match character {
        // Joins pictures into one (families, professions), or letters in scripts where joining is spelling.
        '\u{200d}' => {
            (is_picture_part(previous) && is_picture(next)) || (is_joining(previous) && is_joining(next))
        }
        '\u{200c}' => is_joining(previous) && is_joining(next),
        // Chooses between the text and the picture form of the character before it.
        '\u{fe0e}' | '\u{fe0f}' => is_picture(previous) || matches!(previous, '0'..='9' | '#' | '*'),
        // Chooses the form of an ideograph, as names need it.
        '\u{e0100}'..='\u{e01ef}' => matches!(previous, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}'),
        other => !is_shapeless(other),
    }
}

/// Characters that are not seen, or that change how others are seen.
fn is_shapeless(character: char) -> bool {
    matches!(character,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_picture(character: char) -> bool {
    matches!(character, '\u{00a9}' | '\u{00ae}' | '\u{203c}' | '\u{2049}' | '\u{2100}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_picture_part(character: char) -> bool {
    is_picture(character) || character == '\u{fe0f}'
}

/// Arabic, Syriac and the scripts of India and Sri Lanka.
fn is_joining(character: char) -> bool {
    matches!(character, '\u{0600}'..='\u{0dff}') && !is_shapeless(character)
}

fn push_visible(shown: &mut String, character: char) {
    match character {
        '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(character))),
        '\u{7f}' => shown.push('\u{2421}'),
        other => shown.extend(other.escape_unicode()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_text_is_shown_and_not_obeyed() {
        let cases = [
            ("\u{1b}[2J\u{1b}]0;owned\u{7}", "␛[2J␛]0;owned␇"),
            ("\u{1b}P+q544e\u{1b}\\", "␛P+q544e␛\\"),
            ("\u{9b}31mred", "\\u{9b}31mred"),
            ("paste\u{1b}[201~rm -rf", "paste␛[201~rm -rf"),
            ("safe\rEVIL", "safe␍EVIL"),
            ("abc\u{8}\u{8}\u{7f}", "abc␈␈␡"),
            ("user\u{202e}txt.exe", "user\\u{202e}txt.exe"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("ad\u{200b}min", "ad\\u{200b}min"),
            ("ad\u{200d}min", "ad\\u{200d}min"),
            ("a\u{fe0f}\u{200d}👩", "a\\u{fe0f}\\u{200d}👩"),
            ("hi\u{e0049}\u{e0067}", "hi\\u{e0049}\\u{e0067}"),
            ("a\u{fe0f}\u{fe01}", "a\\u{fe0f}\\u{fe01}"),
            ("\u{feff}bom\0", "\\u{feff}bom␀"),
            ("two\nlines\tand a tab", "two␊lines␉and a tab"),
            ("para\u{2029}graph", "para\\u{2029}graph"),
        ];
        for (hostile, shown) in cases {
            assert_eq!(harmless(hostile, Lines::One), shown);
        }
    }

    #[test]
    fn honest_text_of_all_scripts_is_left_alone() {
        for honest in [
            "plain",
            "héllo wörld",
            "e\u{301}",
            "日本語のテキスト",
            "葛\u{e0100}城",
            "می\u{200c}خواهم",
            "ක්\u{200d}ෂ",
            "👩\u{200d}💻 👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3} 👍🏽 🇯🇵 🏳\u{fe0f}\u{200d}🌈",
        ] {
            assert!(matches!(harmless(honest, Lines::One), Cow::Borrowed(_)), "{honest}");
        }
    }

    #[test]
    fn a_body_keeps_its_lines() {
        assert_eq!(harmless("a\r\n\tb\n\rc", Lines::Many), "a\n\tb\n␍c");
    }

    #[test]
    fn marks_do_not_stack_without_end() {
        let shown = harmless(&format!("z{}", "\u{301}".repeat(100)), Lines::One).into_owned();
        assert!(!shown.contains(&"\u{301}".repeat(STACKED_MARKS_LIMIT + 1)), "{shown}");
    }

    fn nasty() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>(),
            prop::sample::select(vec![
                '\u{200d}',
                '\u{200c}',
                '\u{fe0f}',
                '\u{fe0e}',
                '\u{301}',
                '\u{1b}',
                '\r',
                '\n',
                '\t',
                '👩',
                '💻',
                '❤',
                '葛',
                '\u{e0100}',
                'ක',
                '1',
                'م',
                '\u{202e}',
                '\u{9b}',
                '\\',
            ]),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|characters| characters.into_iter().collect())
    }

    proptest! {
        #[test]
        fn nothing_that_drives_a_terminal_comes_through(text in nasty()) {
            for lines in [Lines::One, Lines::Many] {
                let shown = harmless(&text, lines);
                for character in shown.chars() {
                    let kept = lines == Lines::Many && matches!(character, '\n' | '\t');
                    prop_assert!(kept || !character.is_control(), "{character:?} in {shown:?}");
                    let reorders = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
                    prop_assert!(!reorders, "{:?}", shown);
                }
            }
        }

        #[test]
        fn applying_it_twice_changes_nothing_more(text in nasty()) {
            for lines in [Lines::One, Lines::Many] {
                let once = harmless(&text, lines).into_owned();
                prop_assert_eq!(harmless(&once, lines), once.as_str());
            }
        }

        #[test]
        fn escaped_json_is_the_same_document(text in nasty()) {
            let plain = serde_json::to_string(&text).unwrap();
            let escaped = escape_json(&plain);
            prop_assert!(escaped.chars().all(|character| !character.is_control() && !is_shapeless(character)));
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
    }
}
