//! What each derived file says, from the state of the hub and from nothing else: no clock, no file, no order of arrival.

mod agent;
mod dashboard;
mod decisions;
mod guide;
mod message;
mod report;
mod session;
mod spec;
mod task;

pub(super) use agent::agent;
pub(super) use dashboard::{concerns, dashboard, speaks_there};
pub(super) use decisions::{PASSING_LINES, decisions};
pub(super) use guide::{ARCHITECTURE, CONTEXT, agents_guide, readme};
pub(super) use message::{message, message_line};
pub(super) use report::report;
pub(super) use session::session;
pub(super) use spec::spec;
pub(super) use task::task;

use interagent_core::harmless;
use interagent_store::StoreError;
use serde::Serialize;

use super::seal::{Form, seal};

/// A document with its checksum.
fn json(document: &impl Serialize) -> Result<String, StoreError> {
    let text = serde_json::to_string_pretty(document).map_err(unwritable)?;
    Ok(seal(Form::Json, &spelled_out(text)))
}

/// JSON spells out only some of the characters that move a terminal; these stand in strings only, so all of them can be.
fn spelled_out(text: String) -> String {
    let moves = |c: char| matches!(c, '\u{7f}'..='\u{9f}');
    if !text.contains(moves) {
        return text;
    }
    let spell = |c: char| if moves(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(spell).collect()
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::UnreadableRow { detail: error.to_string() }
}

/// A text with its checksum, harmless on a terminal.
fn markdown(text: &str) -> String {
    sealed_markdown(Form::Markdown, text)
}

fn sealed_markdown(form: Form, text: &str) -> String {
    let mut text = harmless::readable(text).into_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    seal(form, &text)
}

/// What somebody wrote, as one cell of a table or one line of a list.
fn cell(text: &str) -> String {
    harmless::line(text).replace('|', "\\|").replace('<', "&lt;")
}
