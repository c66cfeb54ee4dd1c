//! Tokenising: the words of a text, as they are indexed and as they are looked for.
//!
//! Owns the rule that turns folded characters into tokens. The same function serves indexing, queries and
//! excerpts, so the three cannot disagree; changing what it returns for any text means raising
//! [`super::schema::FORMAT`].
//!
//! - A word of a spaced script is one token (cut into pieces of [`MAX_WORD_CHARS`]).
//! - A run of an unspaced script becomes overlapping pairs, then its last character alone: `設計書` is
//!   `設計 計書 書`. Any two or more neighbouring characters are then a phrase of pairs, and a single
//!   character is always the beginning of some token, so a prefix finds it.
//! - A pictogram is a token of its own.

use std::ops::Range;

use super::fold::{Class, classify, fold};

/// The part of one text that is indexed. It is the limit of a message body; nothing longer should arrive.
pub(super) const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Tokens are no longer collected beyond this. Pairs need 7/3 of their source; only compatibility
/// characters that stand for whole phrases can reach it.
const MAX_FOLDED_BYTES: usize = 4 * MAX_TEXT_BYTES;

/// A longer word is cut into pieces. A SHA-256 in hexadecimal is one word; base64 is not.
const MAX_WORD_CHARS: usize = 64;

/// How a token came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Word,
    /// Two neighbouring characters of an unspaced run.
    Pair,
    /// The last character of a run, after its pairs.
    RunEnd,
    /// A run of one character.
    Single,
}

/// One token's place in the folded and in the source text. `u32` because texts are bounded.
#[derive(Debug, Clone, Copy)]
struct Span {
    folded: (u32, u32),
    source: (u32, u32),
    head_end: u32,
    shape: Shape,
}

/// The tokens of one text: joined by spaces as the index stores them, with their places in the source.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    folded: String,
    spans: Vec<Span>,
}

impl Tokens {
    /// The tokens joined by single spaces.
    pub(super) fn folded(&self) -> &str {
        &self.folded
    }

    pub(super) fn into_folded(self) -> String {
        self.folded
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn text(&self, index: usize) -> &str {
        let (start, end) = self.spans[index].folded;
        &self.folded[start as usize..end as usize]
    }

    pub(super) fn shape(&self, index: usize) -> Shape {
        self.spans[index].shape
    }

    /// The source bytes of a token.
    pub(super) fn source(&self, index: usize) -> Range<usize> {
        let (start, end) = self.spans[index].source;
        start as usize..end as usize
    }

    /// Where the source of the token's first half ends: its first character in a pair, else all of it.
    pub(super) fn head_end(&self, index: usize) -> usize {
        self.spans[index].head_end as usize
    }
}

/// The beginning of `text` that is indexed, cut between characters.
pub(super) fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

/// Tokenises the bounded beginning of `text`, in time linear in its length.
pub(super) fn tokenise(text: &str) -> Tokens {
    let mut builder = Builder::default();
    fold(bounded(text), |c, source| builder.push(c, source));
    builder.finish()
}

#[derive(Default)]
struct Builder {
    tokens: Tokens,
    word: Option<Word>,
    run: Option<Run>,
}

/// A word being collected; its characters already stand in `folded`.
struct Word {
    folded_start: usize,
    source: Range<usize>,
    chars: usize,
}

/// The last character of an unspaced run, waiting for its right neighbour.
struct Run {
    last: char,
    source: Range<usize>,
    paired: bool,
}

impl Builder {
    fn push(&mut self, c: char, source: Range<usize>) {
        if self.tokens.folded.len() >= MAX_FOLDED_BYTES {
            return;
        }
        match classify(c) {
            Class::Word => {
                self.end_run();
                self.push_word(c, source);
            }
            Class::Mark if self.word.is_some() => self.push_word(c, source),
            Class::Unspaced => {
                self.end_word();
                self.push_run(c, source);
            }
            Class::Symbol => {
                self.end_word();
                self.end_run();
                self.push_word(c, source);
                self.end_word();
            }
            Class::Mark | Class::Gap => {
                self.end_word();
                self.end_run();
            }
        }
    }

    fn push_word(&mut self, c: char, source: Range<usize>) {
        if self.word.as_ref().is_some_and(|word| word.chars == MAX_WORD_CHARS) {
            self.end_word();
        }
        if self.word.is_none() {
            let folded_start = self.begin_token();
            self.word = Some(Word { folded_start, source: source.clone(), chars: 0 });
        }
        if let Some(word) = &mut self.word {
            word.source.end = source.end;
            word.chars += 1;
            self.tokens.folded.push(c);
        }
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            let head_end = word.source.end;
            self.end_token(word.folded_start, word.source, head_end, Shape::Word);
        }
    }

    fn push_run(&mut self, c: char, source: Range<usize>) {
        let paired = if let Some(run) = self.run.take() {
            let folded_start = self.begin_token();
            self.tokens.folded.push(run.last);
            self.tokens.folded.push(c);
            self.end_token(folded_start, run.source.start..source.end, run.source.end, Shape::Pair);
            true
        } else {
            false
        };
        self.run = Some(Run { last: c, source, paired });
    }

    fn end_run(&mut self) {
        if let Some(run) = self.run.take() {
            let folded_start = self.begin_token();
            self.tokens.folded.push(run.last);
            let shape = if run.paired { Shape::RunEnd } else { Shape::Single };
            let head_end = run.source.end;
            self.end_token(folded_start, run.source, head_end, shape);
        }
    }

    fn begin_token(&mut self) -> usize {
        if !self.tokens.folded.is_empty() {
            self.tokens.folded.push(' ');
        }
        self.tokens.folded.len()
    }

    #[expect(clippy::cast_possible_truncation, reason = "texts and their tokens are bounded to a few MiB")]
    fn end_token(&mut self, folded_start: usize, source: Range<usize>, head_end: usize, shape: Shape) {
        self.tokens.spans.push(Span {
            folded: (folded_start as u32, self.tokens.folded.len() as u32),
            source: (source.start as u32, source.end as u32),
            head_end: head_end as u32,
            shape,
        });
    }

    fn finish(mut self) -> Tokens {
        self.end_word();
        self.end_run();
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_texts_and_their_tokens() {
        let table = [
            ("", ""),
            (" \t\n\0 !?", ""),
            ("Hello, World", "hello world"),
            ("snake_case --json crates/store v1.2", "snake case json crates store v1 2"),
            ("Grüße aus Köln, STRASSE Straße", "grusse aus koln strasse strasse"),
            ("Cafe\u{301} café naïve Æsir Łódź Ørsted", "cafe cafe naive aesir lodz orsted"),
            ("İstanbul ısı ΣΊΣΥΦΟΣ", "istanbul isi σισυφοσ"),
            ("Ёлка Москва", "елка москва"),
            ("ﬁle ＡＰＩ１２ ½", "file api12 1 2"),
            ("soft\u{AD}hyphen zero\u{200B}width", "softhyphen zero width"),
            ("हिन्दी", "हिन्दी"),
            ("كِتَاب", "كتاب"),
            ("設", "設"),
            ("設計", "設計 計"),
            ("設計書", "設計 計書 書"),
            ("APIの設計", "api の設 設計 計"),
            ("設計API", "設計 計 api"),
            ("設計、実装", "設計 計 実装 装"),
            ("ｶﾞｲﾄﾞ ガイド か\u{3099}", "ガイ イド ド ガイ イド ド が"),
            ("サーバー・メール", "サー ーバ バー ー メー ール ル"),
            ("\u{1112}\u{1161}\u{11AB}글", "한글 글"),
            ("한글", "한글 글"),
            ("ภาษา", "ภา าษ ษา า"),
            ("葛\u{E0100}城", "葛城 城"),
            ("ship it🚀🚀 ✅done", "ship it 🚀 🚀 ✅ done"),
            ("\u{1F468}\u{200D}\u{1F469}", "👨 👩"),
        ];
        for (text, expected) in table {
            assert_eq!(tokenise(text).folded(), expected, "tokens of {text:?}");
        }
    }

    #[test]
    fn every_token_points_at_its_source() {
        let text = "Der Größe ＡＰＩの設計 ｶﾞ";
        let tokens = tokenise(text);
        let sources: Vec<_> = (0..tokens.len()).map(|i| &text[tokens.source(i)]).collect();
        assert_eq!(sources, ["Der", "Größe", "ＡＰＩ", "の設", "設計", "計", "ｶﾞ"]);
        assert_eq!(&text[tokens.source(3).start..tokens.head_end(3)], "の");
    }

    #[test]
    fn long_words_are_cut_into_pieces() {
        let tokens = tokenise(&"a".repeat(130));
        let lengths: Vec<_> = (0..tokens.len()).map(|i| tokens.text(i).len()).collect();
        assert_eq!(lengths, [64, 64, 2]);
    }

    #[test]
    fn hostile_texts_stay_bounded() {
        let zalgo = format!("a{}", "\u{301}".repeat(400_000));
        assert_eq!(tokenise(&zalgo).folded(), "a");
        // One character that normalises to four words.
        let expanding = "\u{FDFA}".repeat(MAX_TEXT_BYTES / 3);
        assert!(tokenise(&expanding).folded().len() <= MAX_FOLDED_BYTES + 4 * MAX_WORD_CHARS);
        let beyond = format!("{}secret", "x ".repeat(MAX_TEXT_BYTES / 2));
        assert!(!tokenise(&beyond).folded().contains("secret"));
    }
}
