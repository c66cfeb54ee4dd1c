//! One line of an answer, made of pieces with a role each.
//!
//! Owns how such a line fits the screen: it breaks between words, and what follows stands further in.

use std::ops::Range;

use super::harmless::{Lines, harmless};
use super::look::{Look, Role, columns_of};
use super::wrap::pieces;

/// How much further in a line goes on than it began.
const HANG: usize = 2;
/// A column of text that is narrower than this is harder to read than lines without one.
const NARROWEST: usize = 16;

/// Where a line that is too long goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hang {
    /// A little further in than it began.
    FurtherIn,
    /// At this column: below the text, where something stands before it.
    At(usize),
}

/// Harmless text, and which part of it is what.
pub(super) struct Line {
    text: String,
    roles: Vec<(Role, Range<usize>)>,
}

impl Line {
    pub(super) fn of(pieces: &[(Role, &str)]) -> Self {
        let mut text = String::new();
        let mut roles = Vec::with_capacity(pieces.len());
        for (role, piece) in pieces {
            let start = text.len();
            text.push_str(&harmless(piece, Lines::One));
            roles.push((*role, start..text.len()));
        }
        Self { text, roles }
    }

    /// As lines for a screen that looks like `look`, each ended by a line break.
    pub(super) fn render(&self, look: Look, hang: Hang) -> String {
        let margin = self.text.len() - self.text.trim_start_matches(' ').len();
        let (hang, least) = match hang {
            Hang::At(column) if look.width >= column + NARROWEST => (column.max(margin), 0),
            // On a screen of a few columns a margin would leave no place for words.
            Hang::At(_) | Hang::FurtherIn => (margin + HANG, margin + HANG),
        };
        let room = look.width.saturating_sub(hang);
        if columns_of(&self.text) <= look.width || room <= least {
            return self.painted(look, 0..self.text.len()) + "\n";
        }
        let mut rendered = String::new();
        for (number, piece) in pieces(&self.text[margin..], look.width - margin, room).into_iter().enumerate()
        {
            rendered.push_str(&" ".repeat(if number == 0 { margin } else { hang }));
            rendered.push_str(&self.painted(look, margin + piece.start..margin + piece.end));
            rendered.push('\n');
        }
        rendered
    }

    fn painted(&self, look: Look, shown: Range<usize>) -> String {
        let parts = self.roles.iter().map(|(role, at)| {
            let (start, end) = (at.start.max(shown.start), at.end.min(shown.end));
            if start < end { look.paint(*role, &self.text[start..end]) } else { String::new() }
        });
        parts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::look::UNBOUNDED;

    fn at(width: usize, colour: bool) -> String {
        let line = [
            (Role::Plain, "  "),
            (Role::Id, "msg-0a1b"),
            (Role::Plain, " keeps the last token "),
            (Role::Name, "of kimi"),
        ];
        Line::of(&line).render(Look { colour, width }, Hang::FurtherIn)
    }

    #[test]
    fn what_goes_on_may_stand_below_the_text() {
        let line = Line::of(&[(Role::Good, "ok    "), (Role::Plain, "every page and index is sound")]);
        insta::assert_snapshot!(line.render(Look { colour: false, width: 24 }, Hang::At(6)), @"
        ok    every page and
              index is sound
        ");
        insta::assert_snapshot!(line.render(Look { colour: false, width: 20 }, Hang::At(6)), @"
        ok    every page and
          index is sound
        ");
    }

    #[test]
    fn what_does_not_fit_goes_on_below_and_further_in() {
        insta::assert_snapshot!(at(39, false) + &at(38, false) + &at(20, false), @"
        msg-0a1b keeps the last token of kimi
        msg-0a1b keeps the last token of
          kimi
        msg-0a1b keeps the
          last token of
          kimi
        ");
        assert_eq!(at(8, false), at(UNBOUNDED, false), "there is no place to break for");
    }

    #[test]
    fn colours_end_with_the_line() {
        let coloured = at(36, true);
        assert!(
            coloured.contains("token \u{1b}[36mof\u{1b}[0m\n    \u{1b}[36mkimi\u{1b}[0m\n"),
            "{coloured:?}"
        );
    }
}
