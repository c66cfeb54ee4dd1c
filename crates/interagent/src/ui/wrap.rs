//! Breaking prose into lines that fit.
//!
//! Owns where a line may break: between words, between characters of scripts without spaces, and inside a word that is
//! wider than the screen. Expects text that is harmless already.

use std::ops::Range;

use super::look::{columns_of, split_at_columns, units};

/// Breaks `text` into lines of at most `width` columns, each after `indent` spaces.
///
/// Lines of the text stay lines; what starts with spaces (code) continues under its own start, and the item of a list
/// under its text. A character that
/// is wider than the screen gets a line to itself, because nothing is lost that way.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut wrapped: Vec<String> = Vec::new();
    let indent = affordable(indent, width);
    let room = (width - indent).max(1);
    let margin = " ".repeat(indent);
    for line in text.lines() {
        let line = line.replace('\t', "    ");
        let body = line.trim_start_matches(' ');
        let own = affordable(line.len() - body.len(), room);
        let mark = if affordable(own + mark(body), room) > own { mark(body) } else { 0 };
        for (number, piece) in fold(&body[mark..], room - own - mark).into_iter().enumerate() {
            let begins = if number == 0 { body[..mark].to_owned() } else { " ".repeat(mark) };
            let line = format!("{margin}{}{begins}{piece}", " ".repeat(own));
            wrapped.push(line.trim_end().to_owned());
        }
    }
    wrapped.join("\n")
}

/// The length of what makes a line the item of a list: `- ` or `* `.
fn mark(body: &str) -> usize {
    if body.starts_with("- ") || body.starts_with("* ") { 2 } else { 0 }
}

/// An indent that leaves less than half, or no place for a wide character, is worse than none.
fn affordable(indent: usize, room: usize) -> usize {
    if indent.saturating_mul(2) > room || room - indent < 2 { 0 } else { indent }
}

fn fold(body: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words(body) {
        let mut word = word;
        if columns_of(&line) + columns_of(word.trim_end()) > room && !line.is_empty() {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        while columns_of(word.trim_end()) > room {
            let (fits, rest) = match split_at_columns(word, room) {
                ("", _) => word.split_at(units(word).next().map_or(word.len(), str::len)),
                split => split,
            };
            lines.push(fits.to_owned());
            word = rest;
        }
        line.push_str(word);
    }
    let last = line.trim_end();
    if !last.is_empty() || lines.is_empty() {
        lines.push(last.to_owned());
    }
    lines
}

/// Where a line of an answer breaks: the pieces of it that become lines, after its own spaces.
///
/// The first has `first` columns, the others `rest`. A word is never cut: a path or an id that was taken apart can't be
/// copied, and a terminal shows what is too wide in two lines anyway.
pub(crate) fn pieces(line: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let (mut start, mut end) = (0, 0);
    for word in words(line) {
        let room = if lines.is_empty() { first } else { rest };
        if end > start && columns_of(&line[start..end]) + columns_of(word.trim_end()) > room {
            lines.push(start..start + line[start..end].trim_end().len());
            start = end;
        }
        end += word.len();
    }
    lines.push(start..end);
    lines
}

/// Words with the spaces behind them; each wide character is a word, as a line may break after it.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut position = 0;
    let mut all = units(text).peekable();
    while let Some(unit) = all.next() {
        position += unit.len();
        let breaks = match all.peek() {
            None => true,
            Some(next) if is_space(next) => false,
            Some(next) => is_space(unit) || columns_of(unit) > 1 || (columns_of(next) > 1 && !opens(unit)),
        };
        // Closing punctuation stays with what it closes.
        if breaks && !all.peek().is_some_and(|next| closes(next)) {
            words.push(&text[start..position]);
            start = position;
        }
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

fn is_space(unit: &str) -> bool {
    unit.starts_with(' ')
}

fn opens(unit: &str) -> bool {
    matches!(unit, "(" | "[" | "{" | "「" | "『" | "（" | "【")
}

fn closes(unit: &str) -> bool {
    matches!(unit, "、" | "。" | "，" | "．" | "」" | "』" | "）" | "】" | "！" | "？")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::look::UNBOUNDED;
    use proptest::prelude::*;

    const PROSE: &str =
        "The parser loses the last token.\n\n  - see src/parser.rs:120-140\nA_word_that_is_far_too_long";

    #[test]
    fn eighty_columns() {
        insta::assert_snapshot!(wrap(PROSE, 80, 2), @r"
          The parser loses the last token.

            - see src/parser.rs:120-140
          A_word_that_is_far_too_long
        ");
    }

    #[test]
    fn twenty_columns() {
        insta::assert_snapshot!(wrap(PROSE, 20, 2), @"
        The parser loses
        the last token.

          - see
            src/parser.rs:
            120-140
        A_word_that_is_far
        _too_long
        ");
    }

    #[test]
    fn one_column_loses_nothing() {
        assert_eq!(wrap("ab 日c", 1, 4), "a\nb\n日\nc");
    }

    #[test]
    fn scripts_without_spaces_break_between_characters() {
        insta::assert_snapshot!(wrap("構文解析が最後の字句を失う。修正してください。", 20, 0), @"
        構文解析が最後の字句
        を失う。修正してくだ
        さい。
        ");
    }

    #[test]
    fn a_full_stop_takes_its_character_to_the_next_line() {
        assert_eq!(wrap("構文解析が。次", 10, 0), "構文解析\nが。次");
    }

    #[test]
    fn the_words_of_an_answer_are_never_cut() {
        let line = "see src/a/very/long/path.rs and 構文解析が、最後";
        let lines: Vec<&str> = pieces(line, 12, 10).into_iter().map(|piece| &line[piece]).collect();
        assert_eq!(lines, ["see", "src/a/very/long/path.rs", "and 構文解", "析が、最後"]);
        assert_eq!(pieces("", 4, 4).len(), 1);
    }

    #[test]
    fn a_pipe_gets_lines_as_they_are() {
        assert_eq!(wrap(PROSE, UNBOUNDED, 0), PROSE);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_everything_fits(text in "[a-z 日本。👍é\n]{0,80}", width in 2_usize..30) {
            let wrapped = wrap(&text, width, 0);
            for line in wrapped.lines() {
                prop_assert!(columns_of(line) <= width, "{line:?} is wider than {width}");
            }
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&wrapped), letters(&text));
        }
    }
}
