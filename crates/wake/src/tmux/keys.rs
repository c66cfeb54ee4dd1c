//! The only keys that are ever pressed in somebody's terminal: the characters of one checked line, Enter, and as many
//! backspaces. There is no way to say another.

use std::fmt;

use super::{PaneId, Server, TmuxError};

/// Longest line that is typed.
pub const LINE_CHARS: usize = 80;

/// Longest command of a client that is typed.
pub const CONTROL_CHARS: usize = 120;

/// Why a text is not typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// There is nothing to type.
    #[error("it is empty")]
    Empty,
    /// It would not fit.
    #[error("it is longer than {0} characters")]
    Long(usize),
    /// It holds something else than printable ASCII characters.
    #[error("it holds something else than printable ASCII characters")]
    NotPlain,
    /// A client would take it for a command, a shell line, a note or a file.
    #[error("it begins with /, !, #, @ or a space")]
    Means,
    /// tmux would take its end for the end of a command; a client drops a space there.
    #[error("it ends with ; or a space")]
    End,
}

/// One line that may be typed as it is: it means nothing to tmux, and nothing but words to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line(String);

impl Line {
    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, BadLine> {
        let text = text.into();
        plain(&text, LINE_CHARS)?;
        if text.starts_with(['/', '!', '#', '@']) {
            return Err(BadLine::Means);
        }
        Ok(Self(text))
    }
}

/// A command of a client, such as `/clear`. Only [`crate::control`] makes one, from what the client's profile says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlLine(String);

impl ControlLine {
    /// Checks what a profile says.
    pub(crate) fn new(text: impl Into<String>) -> Result<Self, BadLine> {
        let text = text.into();
        plain(&text, CONTROL_CHARS)?;
        Ok(Self(text))
    }
}

fn plain(text: &str, longest: usize) -> Result<(), BadLine> {
    if text.is_empty() {
        return Err(BadLine::Empty);
    }
    if text.chars().count() > longest {
        return Err(BadLine::Long(longest));
    }
    if !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(BadLine::NotPlain);
    }
    if text.starts_with(' ') {
        return Err(BadLine::Means);
    }
    if text.ends_with([';', ' ']) {
        return Err(BadLine::End);
    }
    Ok(())
}

/// What is typed: one of the two checked kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Words.
    Words(Line),
    /// A command of the client.
    Command(ControlLine),
}

impl Typing {
    /// As it stands on the screen afterwards.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Words(Line(text)) | Self::Command(ControlLine(text)) => text,
        }
    }
}

impl fmt::Display for Typing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The keys themselves. They know no caution: only [`crate::nudge`] presses them, after its gates.
impl Server {
    /// Types a line, and no Enter.
    pub(crate) fn type_line(&self, pane: &PaneId, line: &Typing) -> Result<(), TmuxError> {
        self.ask(&["send-keys", "-t", pane.as_str(), "-l", "--", line.as_str()]).map(drop)
    }

    /// Presses Enter.
    pub(crate) fn press_enter(&self, pane: &PaneId) -> Result<(), TmuxError> {
        self.ask(&["send-keys", "-t", pane.as_str(), "Enter"]).map(drop)
    }

    /// Takes a line back that was typed, character by character.
    pub(crate) fn take_back(&self, pane: &PaneId, line: &Typing) -> Result<(), TmuxError> {
        let count = line.as_str().chars().count().to_string();
        self.ask(&["send-keys", "-t", pane.as_str(), "-N", &count, "BSpace"]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_means_nothing_but_its_words() {
        for good in ["inbox3", "a", "-l --", "it's \"fine\" $HOME `x` #{pane_id}", "C-c Escape"] {
            assert!(Line::new(good).is_ok(), "{good}");
        }
        let bad = [
            ("", BadLine::Empty),
            ("/clear", BadLine::Means),
            ("!ls", BadLine::Means),
            ("# note", BadLine::Means),
            ("@file", BadLine::Means),
            (" a", BadLine::Means),
            ("a;", BadLine::End),
            ("a ", BadLine::End),
            ("a\nb", BadLine::NotPlain),
            ("a\tb", BadLine::NotPlain),
            ("a\u{1b}[A", BadLine::NotPlain),
            ("größe", BadLine::NotPlain),
        ];
        for (text, why) in bad {
            assert_eq!(Line::new(text), Err(why), "{text:?}");
        }
        assert!(Line::new("x".repeat(80)).is_ok());
        assert_eq!(Line::new("x".repeat(81)), Err(BadLine::Long(80)));
    }

    proptest! {
        #[test]
        fn whatever_is_typed_is_printable_and_short(text in any::<String>()) {
            if let Ok(Line(line)) = Line::new(text.clone()) {
                prop_assert!(line.len() <= LINE_CHARS && !line.is_empty());
                prop_assert!(line.bytes().all(|byte| (32..127).contains(&byte)));
                prop_assert!(!line.starts_with(['/', '!', '#', '@']) && !line.ends_with(';'));
                prop_assert_eq!(line, text);
            }
        }
    }
}
