//! How output looks: colours by role, and the width of text on a screen.
//!
//! Owns the decision whether to use colour and which width there is. Does not print.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::config::env::{self, ColourWish, Env};

/// Width of an output that nobody reads on a screen: nothing is wrapped or cut.
pub(crate) const UNBOUNDED: usize = usize::MAX;

/// The value of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColourChoice {
    // On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    Always,
    Never,
}

/// What a piece of text is; the colour follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    #[default]
    Plain,
    /// A title or the head of a table.
    Heading,
    /// The name of an agent, a role or the operator.
    Name,
    /// An identifier.
    Id,
    /// Times and other things that step back.
    Quiet,
    Good,
    Warning,
    Bad,
}

impl Role {
    /// The terminal's own 16 colours, so that its theme decides how they look.
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Heading => Some("1"),
            Self::Name => Some("36"),
            Self::Id => Some("34"),
            Self::Quiet => Some("2"),
            Self::Good => Some("32"),
            Self::Warning => Some("33"),
            Self::Bad => Some("31"),
        }
    }
}

/// How output looks on one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: bool,
    /// In columns; [`UNBOUNDED`] when the reader is a program.
    pub(crate) width: usize,
}

impl Look {
    /// No colour and no width: what a pipe gets.
    pub(crate) const PLAIN: Self = Self { colour: false, width: UNBOUNDED };

    /// Decides for standard output.
    pub(crate) fn for_stdout(env: &Env, choice: ColourChoice) -> Self {
        let is_terminal = env.terminals.stdout;
        let on_screen = || if is_terminal { env::terminal_columns().unwrap_or(80) } else { UNBOUNDED };
        Self { colour: wants_colour(env, choice, is_terminal), width: env.columns.unwrap_or_else(on_screen) }
    }

    /// Decides for standard error, where only lines are printed.
    pub(crate) fn for_stderr(env: &Env, choice: ColourChoice) -> Self {
        Self { colour: wants_colour(env, choice, env.terminals.stderr), width: UNBOUNDED }
    }

    /// Colours text that is harmless already.
    pub(crate) fn paint(self, role: Role, harmless_text: &str) -> String {
        match role.code() {
            Some(code) if self.colour && !harmless_text.is_empty() => {
                format!("\u{1b}[{code}m{harmless_text}\u{1b}[0m")
            }
            _ => harmless_text.to_owned(),
        }
    }
}

fn wants_colour(env: &Env, choice: ColourChoice, is_terminal: bool) -> bool {
    match (choice, env.colour) {
        (ColourChoice::Always, _) | (ColourChoice::Auto, ColourWish::Always) => true,
        (ColourChoice::Never, _) | (ColourChoice::Auto, ColourWish::Never) => false,
        (ColourChoice::Auto, ColourWish::Unsaid) => is_terminal,
    }
}

/// The number of columns that text takes on a screen.
pub(crate) fn columns_of(text: &str) -> usize {
    text.width()
}

/// The longest beginning of `text` that fits into `columns`, and what follows it.
///
/// Marks and joined pictures stay with the character they belong to.
pub(crate) fn split_at_columns(text: &str, columns: usize) -> (&str, &str) {
    let mut end = 0;
    let mut used = 0;
    for unit in units(text) {
        used += columns_of(unit);
        if used > columns {
            break;
        }
        end += unit.len();
    }
    text.split_at(end)
}

/// The pieces of `text` that can't be taken apart on a screen, in order.
pub(crate) fn units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut characters = rest.char_indices();
        let (_, mut previous) = characters.next()?;
        let mut is_flag_begun = is_flag_letter(previous);
        let mut end = rest.len();
        for (start, character) in characters {
            let completes_flag = is_flag_begun && is_flag_letter(character);
            let joins = character.width() == Some(0) || previous == '\u{200d}' || is_skin_tone(character);
            if !joins && !completes_flag {
                end = start;
                break;
            }
            is_flag_begun &= !completes_flag;
            previous = character;
        }
        let (unit, after) = rest.split_at(end);
        rest = after;
        Some(unit)
    })
}

fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Two of these are shown as one flag.
fn is_flag_letter(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Cuts text that is wider than `columns` and says so with `…`.
pub(crate) fn cut_to_columns(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let (kept, _) = split_at_columns(text, columns.saturating_sub(1));
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::env::Terminals;

    #[test]
    fn colour_follows_the_flag_then_the_environment_then_the_terminal() {
        use ColourChoice::{Always, Auto, Never};
        for (choice, wish, stdout, wanted) in [
            (Auto, ColourWish::Unsaid, true, true),
            (Auto, ColourWish::Unsaid, false, false),
            (Auto, ColourWish::Never, true, false),
            (Auto, ColourWish::Always, false, true),
            (Always, ColourWish::Never, false, true),
            (Never, ColourWish::Always, true, false),
        ] {
            let terminals = Terminals { stdout, ..Terminals::default() };
            let env = Env { colour: wish, terminals, ..Env::default() };
            assert_eq!(Look::for_stdout(&env, choice).colour, wanted, "{choice:?} {wish:?} {stdout}");
        }
    }

    #[test]
    fn a_pipe_has_no_width_unless_one_is_given() {
        assert_eq!(Look::for_stdout(&Env::default(), ColourChoice::Auto), Look::PLAIN);
        let env = Env { columns: Some(33), ..Env::default() };
        assert_eq!(Look::for_stdout(&env, ColourChoice::Auto).width, 33);
    }

    #[test]
    fn text_is_cut_between_characters_as_people_see_them() {
        let cases = [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("plain", 1, "…"),
            ("plain", 0, "…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("日本語", 2, "…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("👩\u{200d}💻👩\u{200d}💻", 3, "👩\u{200d}💻…"),
            ("👩\u{200d}💻👩\u{200d}💻", 2, "…"),
            ("👍🏽👍🏽", 3, "👍🏽…"),
            ("🇯🇵🇫🇷🇩🇪", 4, "🇯🇵…"),
            ("a b", 2, "a…"),
        ];
        for (text, columns, wanted) in cases {
            assert_eq!(cut_to_columns(text, columns), wanted, "{text} in {columns}");
        }
    }
}
