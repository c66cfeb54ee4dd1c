//! From the text of `team.toml` to a [`TeamConfig`], or to everything that is wrong with it at once.
//!
//! Three steps: TOML syntax, reading each value (`read`), checking the team as a whole (`check`). A text
//! that is not TOML has no values to judge, so its syntax errors are reported alone.

use std::fmt;

use toml::de::DeTable;

use super::config::TeamConfig;
use super::{check, limits, read};

/// One thing that is wrong in a team file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    /// The key it is about, such as `agents.kimi.role`; empty where it is about the whole file.
    pub key: String,
    pub sentence: String,
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.sentence)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// A problem with the place in the text as a byte offset.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) key: String,
    pub(super) sentence: String,
    pub(super) hint: Option<String>,
}

/// Reads a team file. The problems come in the order of their lines.
pub fn parse(text: &str) -> Result<TeamConfig, Vec<Problem>> {
    if text.len() > limits::FILE_MAX_BYTES {
        let (size, max) = (text.len(), limits::FILE_MAX_BYTES);
        let sentence = format!("The team file has {size} bytes; at most {max} are possible.");
        return Err(located(text, vec![Found { at: 0, key: String::new(), sentence, hint: None }]));
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(located(text, errors.iter().map(syntax).collect()));
    }
    let read::Outcome { team, unsure, mut found, places } = read::read(table.get_ref());
    for fault in check::check(&team, &unsure) {
        let at = places.nearest(&fault.key);
        found.push(Found { at, key: fault.key, sentence: fault.sentence, hint: fault.hint });
    }
    if found.is_empty() { Ok(team) } else { Err(located(text, found)) }
}

fn syntax(error: &toml::de::Error) -> Found {
    let message = error.message();
    let hint = message.contains("duplicate key").then(|| "Each key and each table stands once.".to_owned());
    let at = error.span().map_or(0, |span| span.start);
    Found { at, key: String::new(), sentence: format!("This is not valid TOML: {message}."), hint }
}

/// Turns offsets into lines and columns, in their order, and cuts a list nobody would read.
fn located(text: &str, mut found: Vec<Found>) -> Vec<Problem> {
    found.sort_by(|a, b| (a.at, &a.key).cmp(&(b.at, &b.key)));
    let more = found.len().saturating_sub(limits::PROBLEMS_MAX);
    let mut problems: Vec<Problem> = found
        .into_iter()
        .take(limits::PROBLEMS_MAX)
        .map(|Found { at, key, sentence, hint }| {
            let (line, column) = position(text, at);
            Problem { line, column, key, sentence, hint }
        })
        .collect();
    if let (Some(last), true) = (problems.last_mut(), more > 0) {
        last.hint = Some(format!("There are {more} more problems after this one."));
    }
    problems
}

/// Line and column of a byte offset. Works on bytes, so that no offset can fall inside of a character.
fn position(text: &str, at: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let is_first_byte = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    let columns = before[line_start..].iter().filter(is_first_byte).count();
    let counted = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
    (counted(lines), counted(columns))
}
