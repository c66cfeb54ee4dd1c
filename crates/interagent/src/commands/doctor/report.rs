//! What the doctor found, and how it is told.

use interagent_store::Recovered;
use serde_json::{Value, json};

use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// How one check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum State {
    #[default]
    Ok,
    Warn,
    Bad,
    /// So bad that nothing else could be checked.
    Unusable,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad | Self::Unusable => "bad",
        }
    }

    fn role(self) -> Role {
        match self {
            Self::Ok => Role::Good,
            Self::Warn => Role::Warning,
            Self::Bad | Self::Unusable => Role::Bad,
        }
    }
}

#[derive(Debug)]
struct Check {
    state: State,
    what: &'static str,
    sentence: String,
    /// The command that helps.
    helps: Option<String>,
}

/// Everything the doctor found, in the order it looked.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: Vec<Check>,
}

impl Report {
    pub(super) fn ok(&mut self, what: &'static str, sentence: impl Into<String>) {
        self.checks.push(Check { state: State::Ok, what, sentence: sentence.into(), helps: None });
    }

    pub(super) fn finding(
        &mut self,
        state: State,
        what: &'static str,
        sentence: impl Into<String>,
        helps: Option<&str>,
    ) {
        self.checks.push(Check { state, what, sentence: sentence.into(), helps: helps.map(str::to_owned) });
    }

    pub(super) fn worst(&self) -> State {
        self.checks.iter().map(|check| check.state).max().unwrap_or_default()
    }

    pub(super) fn print(&self, printer: &mut Printer<'_>) {
        for check in &self.checks {
            let state = format!("{:<4}  ", check.state.word());
            let what = format!("{}: ", check.what);
            let line =
                [(check.state.role(), &*state), (Role::Heading, &*what), (Role::Plain, &*check.sentence)];
            printer.hanging(state.len(), &line);
            if let Some(helps) = &check.helps {
                let margin = " ".repeat(state.len());
                printer.hanging(
                    state.len(),
                    &[(Role::Quiet, &margin), (Role::Quiet, "hint: "), (Role::Plain, helps)],
                );
            }
        }
    }

    pub(super) fn document(&self) -> Value {
        let checks: Vec<Value> = self
            .checks
            .iter()
            .map(|Check { state, what, sentence, helps }| {
                json!({ "state": state.word(), "what": what, "sentence": sentence, "helps": helps })
            })
            .collect();
        json!({ "usable": self.worst() != State::Unusable, "checks": checks })
    }
}

/// What a recovery saved and what it could not.
pub(super) fn recovered(printer: &mut Printer<'_>, recovered: &Recovered) {
    let mut line = |role, text: String| printer.line(&[(role, &text)]);
    line(Role::Good, format!("saved {} entries and {} texts", recovered.entries_kept, recovered.texts_kept));
    let lost = [
        (recovered.entries_lost, "entries are lost"),
        (recovered.lines_refused, "entries did not match their hash and were left out"),
        (recovered.texts_lost, "texts are lost"),
        (recovered.rows_unreadable, "rows could not be read"),
    ];
    for (number, what) in lost.into_iter().filter(|(number, _)| *number > 0) {
        line(Role::Warning, format!("{number} {what}"));
    }
    for hole in &recovered.holes {
        line(
            Role::Warning,
            format!("entries {} to {} of {} are gone", hole.first, hole.last, hole.origin.as_str()),
        );
    }
    line(Role::Plain, format!("the damaged files are in {}", recovered.moved_to.display()));
    recovered.notes.iter().for_each(|note| line(Role::Quiet, note.clone()));
}
