//! The filter for texts of others on their way into a model's context.
//!
//! Replaces what a model may obey and a person can't see: control characters, direction changes, tag characters,
//! characters without a shape. Stored text is never changed, and `interagent read --json` shows it as it is.

use std::borrow::Cow;

use serde_json::Value;

/// A body: line breaks and tabs stay.
pub fn text(given: &str) -> Cow<'_, str> {
    filtered(given, |c| matches!(c, '\n' | '\t'))
}

/// A name, a subject, a cell: one line.
pub fn line(given: &str) -> Cow<'_, str> {
    filtered(given, |_| false)
}

/// Every string of a document.
pub fn document(value: &mut Value) {
    match value {
        Value::String(given) => {
            if let Cow::Owned(shown) = text(given) {
                *given = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(document),
        Value::Object(fields) => fields.values_mut().for_each(document),
        _ => {}
    }
}

fn filtered(given: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    if given.chars().all(|c| is_kept(c) || !is_hostile(c)) {
        return Cow::Borrowed(given);
    }
    let mut shown = String::with_capacity(given.len() + 16);
    let mut rest = given.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if is_kept('\n') && rest.peek() == Some(&'\n') => {}
            kept if is_kept(kept) || !is_hostile(kept) => shown.push(kept),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            other => shown.extend(other.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

/// Joiners and variation selectors are kept: pictures and several scripts are spelled with them.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_shown_and_the_rest_stays() {
        for (given, wanted) in [
            ("plain, ünïcödé 日本 👩‍💻 ❤️", "plain, ünïcödé 日本 👩‍💻 ❤️"),
            ("a\r\nb\tc", "a\nb\tc"),
            ("\u{1b}[2J", "␛[2J"),
            ("\u{e0041}\u{202e}", "\\u{e0041}\\u{202e}"),
        ] {
            assert_eq!(text(given), wanted);
        }
        assert_eq!(line("two\nlines"), "two␊lines");
    }

    #[test]
    fn a_document_is_filtered_to_its_leaves() {
        let mut value = serde_json::json!({ "a": ["x\u{200b}y", { "b": "\u{7}" }], "n": 1 });
        document(&mut value);
        assert_eq!(value, serde_json::json!({ "a": ["x\\u{200b}y", { "b": "␇" }], "n": 1 }));
    }
}
