//! Excerpts: a short piece of the original text around the first hit, with every hit in it marked.
//!
//! Owns the finding of a query's phrases in a text as it was written. FTS5's own snippet function would
//! show the folded pairs of the index; this one tokenises the stored text again, for the few results of a
//! page.

use std::ops::Range;

use super::query::Phrase;
use super::tokenise::{Tokens, bounded, tokenise};

/// Characters of an excerpt.
const EXCERPT_CHARS: usize = 200;
/// Characters shown before the first hit.
const LEAD_CHARS: usize = 48;
/// How far the beginning of an excerpt may move to start at a word.
const SNAP_CHARS: usize = 16;

/// A piece of a text with the places where the query was found. Raw text: make it harmless before showing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    pub text: String,
    /// Where `text` begins in the whole, in bytes.
    pub offset: usize,
    /// Byte ranges in `text`, in order, not overlapping.
    pub hits: Vec<Range<usize>>,
    /// Whether the whole text goes on after the excerpt; `offset > 0` says the same of its beginning.
    pub goes_on: bool,
}

/// The excerpt of `whole` around the first place where one of `phrases` occurs; its beginning if none does.
pub(super) fn excerpt(whole: &str, phrases: &[Phrase]) -> Excerpt {
    let hits = if phrases.is_empty() { Vec::new() } else { find(&tokenise(bounded(whole)), phrases) };
    let first = hits.first().map_or(0, |hit| hit.start);
    let start = window_start(whole, first);
    let end = whole[start..].char_indices().nth(EXCERPT_CHARS).map_or(whole.len(), |(at, _)| start + at);
    let hits = hits
        .into_iter()
        .take_while(|hit| hit.start < end)
        .map(|hit| hit.start - start..hit.end.min(end) - start)
        .collect();
    Excerpt { text: whole[start..end].to_owned(), offset: start, hits, goes_on: end < whole.len() }
}

/// A little before `first`, at the beginning of a word where one is near.
fn window_start(whole: &str, first: usize) -> usize {
    let before = &whole[..first];
    let Some((start, _)) = before.char_indices().rev().nth(LEAD_CHARS - 1) else { return 0 };
    if start == 0 {
        return 0;
    }
    let near = before[start..].char_indices().take(SNAP_CHARS);
    let space = near.filter(|(_, c)| c.is_whitespace()).map(|(at, c)| start + at + c.len_utf8()).next();
    space.unwrap_or(start)
}

/// All places of all phrases, in order, overlapping ones joined.
fn find(tokens: &Tokens, phrases: &[Phrase]) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for at in 0..tokens.len() {
        for phrase in phrases {
            if let Some(place) = place(tokens, at, phrase) {
                match places.last_mut() {
                    Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                    _ => places.push(place),
                }
            }
        }
    }
    places
}

/// The source bytes of `phrase` if it begins at token `at`.
fn place(tokens: &Tokens, at: usize, phrase: &Phrase) -> Option<Range<usize>> {
    let (last, firsts) = phrase.tokens.split_last()?;
    let end = at + firsts.len();
    if end >= tokens.len() || firsts.iter().enumerate().any(|(i, token)| tokens.text(at + i) != token) {
        return None;
    }
    let candidate = tokens.text(end);
    if candidate != last && !(phrase.open && candidate.starts_with(last)) {
        return None;
    }
    // One character that was found as the beginning of a pair is only that character.
    let half = candidate != last && last.chars().nth(1).is_none();
    Some(tokens.source(at).start..if half { tokens.head_end(end) } else { tokens.source(end).end })
}

#[cfg(test)]
mod tests {
    use super::super::query::Query;
    use super::*;

    /// The excerpt with its hits in brackets.
    fn marked(whole: &str, query: &str) -> String {
        let found = excerpt(whole, &Query::read(query).include);
        let mut shown = found.text;
        for hit in found.hits.iter().rev() {
            shown.insert(hit.end, ']');
            shown.insert(hit.start, '[');
        }
        shown
    }

    #[test]
    fn hits_are_marked_in_the_text_as_written() {
        let table = [
            ("Die Größe zählt", "grosse", "Die [Größe] zählt"),
            ("Die Grösse zählt", "GROSSE zahlt", "Die [Grösse] [zählt]"),
            ("checkpointing the WAL", "check*", "[checkpointing] the WAL"),
            ("APIの設計と設計書", "設計", "APIの[設計]と[設計]書"),
            ("APIの設計と設計書", "計", "APIの設[計]と設[計]書"),
            ("APIの設計", "APIの", "[APIの]設計"),
            ("ｶﾞｲﾄﾞ one", "ガイド", "[ｶﾞｲﾄﾞ] one"),
            ("write-ahead log, write ahead", "\"write ahead\"", "[write-ahead] log, [write ahead]"),
            ("nothing here", "absent", "nothing here"),
        ];
        for (whole, query, expected) in table {
            assert_eq!(marked(whole, query), expected, "{query:?} in {whole:?}");
        }
    }

    #[test]
    fn a_late_hit_is_shown_with_its_surroundings() {
        let whole = format!("{} needle {}", "früh ".repeat(300), "spät ".repeat(300));
        let found = excerpt(&whole, &Query::read("needle").include);
        assert_eq!(&found.text[found.hits[0].clone()], "needle");
        assert_eq!(&whole[found.offset..found.offset + found.text.len()], found.text);
        assert!(found.text.starts_with("früh ") && found.goes_on);
        assert_eq!(found.text.chars().count(), EXCERPT_CHARS);
    }
}
