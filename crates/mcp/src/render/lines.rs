//! Lines of a text, bounded: what does not fit is counted, and the last words are kept.

use interagent_core::harmless;

/// Lines of one answer.
const LINES: usize = 15;
/// Characters of one line.
const CHARS: usize = 300;

/// What is said to a model beside the answer itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// The call that usually follows. It stands in the text, and in the document too: some clients show only that.
    pub(crate) next: Option<String>,
}

impl Said {
    /// The same with something before it.
    pub(crate) fn after(self, before: &str) -> Self {
        let text = if self.text.is_empty() { before.to_owned() } else { format!("{before}\n{}", self.text) };
        Self { text, ..self }
    }
}

/// A text in the making.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    said: Vec<String>,
    next: Option<String>,
}

impl Lines {
    /// Says one line.
    pub(crate) fn say(&mut self, line: impl AsRef<str>) {
        self.said.push(short(line.as_ref()));
    }

    /// Says the call that usually follows; it stands last.
    pub(crate) fn next(&mut self, call: impl Into<String>) {
        self.next = Some(call.into());
    }

    /// The text.
    pub(crate) fn finish(mut self) -> Said {
        let room = LINES - usize::from(self.next.is_some());
        if self.said.len() > room {
            let hidden = self.said.len() - (room - 1);
            self.said.truncate(room - 1);
            self.said.push(format!("... and {hidden} more in the structured answer"));
        }
        if let Some(next) = &self.next {
            self.said.push(format!("next: {next}"));
        }
        Said { text: self.said.join("\n"), next: self.next }
    }
}

/// One line, harmless and not too long.
pub(crate) fn short(text: &str) -> String {
    let line = harmless::line(text);
    let mut characters = line.chars();
    let mut shown: String = characters.by_ref().take(CHARS).collect();
    if characters.next().is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_fifteen_lines_and_the_next_call_is_one_of_them() {
        let mut lines = Lines::default();
        (0..40).for_each(|number| lines.say(format!("row {number}")));
        lines.next("check_inbox()");
        let Said { text, next } = lines.finish();
        assert_eq!(next.as_deref(), Some("check_inbox()"));
        assert_eq!(text.lines().count(), LINES);
        assert!(text.contains("row 12\n... and 27 more"), "{text}");
        assert!(text.ends_with("\nnext: check_inbox()"));
    }

    #[test]
    fn a_line_is_one_line_of_bounded_length() {
        assert_eq!(short("a\nb"), "a␊b");
        assert_eq!(short(&"x".repeat(400)).len(), CHARS + 3);
    }
}
