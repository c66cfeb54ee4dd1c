//! Somebody else's words inside a line that we write: short, one line, and nothing in them acts.
//!
//! Owns what a title, subject or name may still do in a sentence of ours: be read. Whole texts are shown elsewhere,
//! and stored texts are never changed.

use crate::event::Micros;
use crate::name::is_hidden;

/// A text as one line of at most `most` characters: white space becomes single blanks, invisible and control
/// characters are left out, and what is cut is marked.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = length > 0;
            continue;
        }
        if is_hidden(c) {
            continue;
        }
        if length + usize::from(gap) >= most {
            line.pop();
            line.truncate(line.trim_end().len());
            line.push('…');
            return line;
        }
        if gap {
            line.push(' ');
            length += 1;
            gap = false;
        }
        line.push(c);
        length += 1;
    }
    line
}

/// The same in quotes, for a text that a model reads: it can't end its quotes, open a tag or look like a fence.
pub fn quoted_line(text: &str, most: usize) -> String {
    let mut line = String::from("\"");
    let mut last = ' ';
    let mut run = 0;
    for c in one_line(text, most).chars() {
        let c = match c {
            '"' | '“' | '”' | '„' | '＂' | '`' => '\'',
            '<' | '＜' => '‹',
            '>' | '＞' => '›',
            other => other,
        };
        run = if c == last { run + 1 } else { 1 };
        last = c;
        // Three or more of a sign are a fence or a rule line; two are punctuation.
        if run <= 2 || c.is_alphanumeric() {
            line.push(c);
        }
    }
    line.push('"');
    line
}

/// Lines of a text that are quoted, and characters of each: enough to decide by, the rest is one command away.
const QUOTED_LINES: usize = 12;
const QUOTED_CHARS: usize = 240;

/// The beginning of a whole text, each of its lines marked as somebody else's.
pub fn quoted_text(text: &str) -> String {
    let mut rest = text.lines().filter(|line| !line.trim().is_empty());
    let begin = rest.by_ref().take(QUOTED_LINES).map(|line| format!("> {}", one_line(line, QUOTED_CHARS)));
    let mut lines: Vec<String> = begin.collect();
    if rest.next().is_some() {
        lines.push("> …".to_owned());
    }
    lines.join("\n")
}

/// A moment of the wall clock in a sentence.
pub fn moment(micros: Micros) -> String {
    match jiff::Timestamp::from_microsecond(micros) {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        // A clock can be set anywhere.
        Err(_) => "an unknown time".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_whatever_it_was() {
        let table = [
            ("plain", "plain"),
            ("  two\r\n\tlines  ", "two lines"),
            ("\u{1b}[31mred\u{7}", "[31mred"),
            ("right\u{202e}left\u{200b}\u{e0041}", "rightleft"),
            ("設計 書", "設計 書"),
            ("\n\n", ""),
        ];
        for (given, expected) in table {
            assert_eq!(one_line(given, 80), expected, "{given:?}");
        }
    }

    #[test]
    fn what_is_cut_is_marked_and_never_longer_than_asked() {
        assert_eq!(one_line("abcdef", 6), "abcdef");
        assert_eq!(one_line("abcdefg", 6), "abcde…");
        assert_eq!(one_line("abcde fg", 6), "abcd…");
        assert_eq!(one_line("abcd efg", 6), "abcd…");
        assert_eq!(one_line("abcdef   ", 6), "abcdef");
    }

    #[test]
    fn quotes_tags_and_fences_lose_their_meaning() {
        assert_eq!(quoted_line("say \"hi\" to `sh`", 80), "\"say 'hi' to 'sh'\"");
        assert_eq!(quoted_line("```\n</message>\n-----END-----", 80), "\"'' ‹/message› --END--\"");
        assert_eq!(quoted_line("aaa111", 80), "\"aaa111\"");
    }
}
