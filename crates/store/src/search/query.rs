//! The query language for people: words, `"phrases"`, `prefix*` and `-without`.
//!
//! Owns the reading of a query and the MATCH expression made from it. Nothing a person types reaches FTS5
//! as syntax: the query is tokenised like any text, and the expression is put together from the tokens
//! alone, each inside quotes, so there is no input that FTS5 can refuse.

use super::tokenise::{Shape, tokenise};

/// The part of a query that is read.
pub(super) const MAX_QUERY_BYTES: usize = 16 * 1024;
/// Words and phrases taken from one query; FTS5 opens a cursor for each.
const MAX_PHRASES: usize = 64;
/// Tokens taken from one query, over all its phrases.
const MAX_TOKENS: usize = 512;

/// Letters before a `*`. Fewer begin so many words that an answer takes seconds where there are many documents.
pub(super) const MIN_PREFIX_CHARS: usize = 3;

/// Tokens that must follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) tokens: Vec<String>,
    /// Whether the last token may be the beginning of a longer one.
    pub(super) open: bool,
}

impl Phrase {
    /// A single word of an alphabet that is cut after a letter or two. Unspaced scripts say as much in one character as others
    /// in a word.
    fn is_short_prefix(&self) -> bool {
        match self.tokens.as_slice() {
            [only] => self.open && only.is_ascii() && only.len() < MIN_PREFIX_CHARS,
            _ => false,
        }
    }
}

/// A query that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) include: Vec<Phrase>,
    pub(super) exclude: Vec<Phrase>,
    /// Whether something other than white space was typed.
    pub(super) typed: bool,
    /// Whether a limit left out a part of what was typed.
    pub(super) cut: bool,
    /// Whether a prefix is so short that a good part of all words begins with it.
    pub(super) short_prefix: bool,
}

impl Query {
    /// Reads what a person typed. There is no wrong query: what cannot be searched for is left out.
    pub(super) fn read(typed: &str) -> Self {
        let text = &typed[..typed.floor_char_boundary(MAX_QUERY_BYTES)];
        let mut query =
            Self { typed: !typed.trim().is_empty(), cut: text.len() < typed.len(), ..Self::default() };
        let mut room = MAX_TOKENS;
        for piece in (Pieces { rest: text }) {
            let Some(mut phrase) = phrase(piece.text, piece.star) else { continue };
            if piece.star && phrase.is_short_prefix() {
                query.short_prefix = true;
            }
            if query.include.len() + query.exclude.len() == MAX_PHRASES || room == 0 {
                query.cut = true;
                break;
            }
            if phrase.tokens.len() > room {
                phrase.tokens.truncate(room);
                query.cut = true;
            }
            room -= phrase.tokens.len();
            if piece.minus { query.exclude.push(phrase) } else { query.include.push(phrase) }
        }
        query
    }

    /// The MATCH expression of the whole query, if it asks for any word.
    pub(super) fn wanted(&self) -> Option<String> {
        let wanted = join(&self.include, " AND ")?;
        Some(match join(&self.exclude, " OR ") {
            Some(unwanted) => format!("({wanted}) NOT ({unwanted})"),
            None => wanted,
        })
    }

    /// The MATCH expression of what must not occur.
    pub(super) fn unwanted(&self) -> Option<String> {
        join(&self.exclude, " OR ")
    }
}

fn join(phrases: &[Phrase], operator: &str) -> Option<String> {
    let parts: Vec<String> = phrases
        .iter()
        .map(|phrase| format!("\"{}\"{}", phrase.tokens.join(" "), if phrase.open { " *" } else { "" }))
        .collect();
    (!parts.is_empty()).then(|| parts.join(operator))
}

/// The phrase that finds `text`; `None` when nothing in it can be searched for.
///
/// A text may end in the middle of an unspaced run of the document, so the token that marks the end of a
/// run is not asked for, and a run of one character is asked for as the beginning of a pair.
fn phrase(text: &str, star: bool) -> Option<Phrase> {
    let found = tokenise(text);
    let last = found.len().checked_sub(1)?;
    let (keep, open) = match found.shape(last) {
        Shape::Word => (found.len(), star),
        Shape::Single => (found.len(), true),
        Shape::Pair => (found.len(), false),
        Shape::RunEnd => (last, false),
    };
    Some(Phrase { tokens: (0..keep).map(|i| found.text(i).to_owned()).collect(), open })
}

/// One word or quoted phrase of a query, as typed.
struct Piece<'a> {
    text: &'a str,
    minus: bool,
    star: bool,
}

/// Cuts a query at white space and quotes.
struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let mut rest = self.rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        // A single minus before something excludes it; `--json` is a word people look for.
        let minus = rest
            .strip_prefix('-')
            .filter(|after| after.starts_with(|c: char| c != '-' && !c.is_whitespace()))
            .inspect(|after| rest = after)
            .is_some();
        let (text, after) = match rest.strip_prefix(is_quote) {
            Some(quoted) => quoted.split_once(is_quote).unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(|c| is_quote(c) || c.is_whitespace()).unwrap_or(rest.len())),
        };
        let star = text.ends_with(is_star) || after.starts_with(is_star);
        self.rest = after.trim_start_matches(is_star);
        Some(Piece { text, minus, star })
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '＂')
}

fn is_star(c: char) -> bool {
    matches!(c, '*' | '＊')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_queries_and_their_expressions() {
        let table = [
            ("", None),
            ("  ()*\"-^:{}+ ", None),
            ("Error WAL", Some(r#""error" AND "wal""#)),
            ("\"write ahead\" log", Some(r#""write ahead" AND "log""#)),
            ("“write ahead”", Some(r#""write ahead""#)),
            ("\"never closed", Some(r#""never closed""#)),
            ("check*", Some(r#""check" *"#)),
            ("\"wal check\"*", Some(r#""wal check" *"#)),
            ("wal -sqlite -\"read only\"", Some(r#"("wal") NOT ("sqlite" OR "read only")"#)),
            ("--json foo-bar", Some(r#""json" AND "foo bar""#)),
            ("a AND b OR NEAR(c)", Some(r#""a" AND "and" AND "b" AND "or" AND "near c""#)),
            ("author:bob", Some(r#""author bob""#)),
            ("設", Some(r#""設" *"#)),
            ("設計", Some(r#""設計""#)),
            ("設計書", Some(r#""設計 計書""#)),
            ("設計API", Some(r#""設計 計 api""#)),
            ("APIの", Some(r#""api の" *"#)),
            ("設計*", Some(r#""設計""#)),
            ("nul\0byte", Some(r#""nul byte""#)),
            ("it's", Some(r#""it s""#)),
        ];
        for (typed, expected) in table {
            assert_eq!(Query::read(typed).wanted().as_deref(), expected, "expression of {typed:?}");
        }
    }

    #[test]
    fn only_exclusions_ask_for_no_word() {
        let query = Query::read("-draft");
        assert_eq!((query.wanted(), query.unwanted().as_deref()), (None, Some("\"draft\"")));
    }

    #[test]
    fn limits_are_told() {
        assert!(!Query::read("few words").cut);
        assert!(Query::read(&"word ".repeat(100)).cut);
        assert!(Query::read(&format!("\"{}\"", "word ".repeat(1000))).cut);
        assert!(Query::read(&"x".repeat(MAX_QUERY_BYTES + 1)).cut);
    }
}
