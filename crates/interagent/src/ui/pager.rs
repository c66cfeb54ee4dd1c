//! A pager for answers that are higher than the screen.
//!
//! Owns starting it and telling how much of the answer it took. No shell is run: the command is words. Whether there is
//! a pager at all is decided from the environment in `config`.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::look::columns_of;
use super::printer::Written;

/// What `less` does where nobody told it otherwise: leave at once when all fits, keep colours, keep the screen.
const LESS: (&str, &str) = ("LESS", "FRX");

/// A pager and the screen it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pager {
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<String>,
    /// Nobody set `LESS`, so that our choice holds.
    pub(crate) may_set_less: bool,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Pager {
    /// Whether an answer does not fit on the screen, with the line for the next prompt.
    pub(crate) fn is_needed_for(&self, answer: &[u8]) -> bool {
        let text = String::from_utf8_lossy(answer);
        let mut rows = 1;
        for line in text.lines() {
            rows += columns_of(&without_colour(line)).div_ceil(self.columns.max(1)).max(1);
            if rows > self.rows {
                return true;
            }
        }
        false
    }

    /// Shows an answer; `None` when the pager could not be started, so that nothing was shown.
    pub(crate) fn show(&self, answer: &[u8]) -> Option<Written> {
        let (program, arguments) = self.words.split_first()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if self.may_set_less {
            command.env(LESS.0, LESS.1);
        }
        // Ctrl-C belongs to the pager: were we to end by it, both would read the keyboard, the pager and the shell.
        let interrupted = Arc::new(AtomicBool::new(false));
        let guard = signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted);
        let mut child = command.spawn().ok()?;
        let written = child.stdin.take().map(|mut pipe| pipe.write_all(answer));
        let status = child.wait();
        if let Ok(id) = guard {
            signal_hook::low_level::unregister(id);
        }
        match (written, status) {
            // A program that is not there after all, or can't run, has shown nothing.
            (_, Ok(status)) if matches!(status.code(), Some(126 | 127)) => None,
            (Some(Ok(())), Ok(_)) => Some(Written::Whole),
            (Some(Err(error)), _) if error.kind() != ErrorKind::BrokenPipe => None,
            // Somebody who leaves a pager early has seen enough.
            _ => Some(Written::ReaderLeft),
        }
    }
}

/// The text without our own colours, which take no room.
fn without_colour(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        kept.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Splits a command into words: at blanks, except between quotes. Nothing else has a meaning.
pub(crate) fn words_of(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for character in command.chars() {
        match (character, quote) {
            (it, Some(open)) if it == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (it, None) if it.is_whitespace() => words.extend(word.take()),
            (it, _) => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pager(words: &[&str], rows: usize) -> Pager {
        let words = words.iter().map(ToString::to_string).collect();
        Pager { words, may_set_less: true, rows, columns: 10 }
    }

    #[test]
    fn commands_are_words_and_quotes_keep_them_together() {
        assert_eq!(words_of("less -FRX"), ["less", "-FRX"]);
        assert_eq!(words_of("  '/my programs/less'  \"-P a b\" ''"), ["/my programs/less", "-P a b", ""]);
        assert_eq!(words_of("less; rm -rf $HOME"), ["less;", "rm", "-rf", "$HOME"]);
        assert!(words_of("   ").is_empty());
    }

    #[test]
    fn only_what_is_higher_than_the_screen_needs_a_pager() {
        let screen = pager(&["cat"], 4);
        assert!(!screen.is_needed_for(b"1\n2\n3\n"));
        assert!(screen.is_needed_for(b"1\n2\n3\n4\n"));
        assert!(screen.is_needed_for(b"a line of twenty-one\n and another long\n"));
        assert!(!screen.is_needed_for("\u{1b}[32mgreen\u{1b}[0m\n".repeat(3).as_bytes()));
    }

    #[test]
    fn leaving_early_is_told_and_a_missing_program_shows_nothing() {
        let long = vec![b'\n'; 1024 * 1024];
        assert_eq!(pager(&["sh", "-c", "cat >/dev/null"], 1).show(&long), Some(Written::Whole));
        assert_eq!(pager(&["true"], 1).show(&long), Some(Written::ReaderLeft));
        assert_eq!(pager(&["/nonexistent/pager"], 1).show(&long), None);
        assert_eq!(pager(&["sh", "-c", "exit 127"], 1).show(b"short"), None);
    }
}
