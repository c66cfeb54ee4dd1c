//! What people and programs are told of an import.

use std::path::Path;

use interagent_mirror::import::{Count, Report, Source, System};

use super::Outcome;
use crate::session::Session;
use crate::ui::look::Role;

/// What stays behind is listed up to here; programs get all of it.
const LISTED: usize = 20;

/// Whether it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Did,
    Would,
}

pub(super) fn outcome(
    session: &mut Session,
    source: &Source,
    into: Option<&Path>,
    original: Option<&Path>,
    tense: Tense,
    report: &Report,
) {
    if !session.is_for_people() {
        let system = source.system.as_str();
        let (from, dry_run) = (source.root.as_path(), tense == Tense::Would);
        session.document(0, &Outcome { system, from, into, dry_run, original, report });
        return;
    }
    let did = if tense == Tense::Did { "took over" } else { "would take over" };
    let from = format!(" from {} ({})", source.system.title(), source.root.display());
    let printer = &mut session.printer;
    printer.line(&[
        (Role::Good, did),
        (Role::Plain, " "),
        (Role::Plain, &counted(&report.taken)),
        (Role::Quiet, &from),
    ]);
    if report.taken_before.total() > 0 {
        let before = format!("taken before: {}", counted(&report.taken_before));
        printer.line(&[(Role::Plain, &before)]);
    }
    if report.brought_up_to_date > 0 {
        let newer = format!("brought up to date: {}", report.brought_up_to_date);
        printer.line(&[(Role::Plain, &newer)]);
    }
    for renamed in &report.renamed {
        printer.line(&[
            (Role::Plain, &renamed.was),
            (Role::Quiet, " is called "),
            (Role::Name, &renamed.is),
            (Role::Quiet, " here"),
        ]);
    }
    for left in report.left.iter().take(LISTED) {
        printer.line(&[
            (Role::Quiet, "not taken: "),
            (Role::Plain, &left.file),
            (Role::Quiet, ": "),
            (Role::Plain, &left.why),
        ]);
    }
    if let Some(more) = report.left.len().checked_sub(LISTED).filter(|more| *more > 0) {
        printer.line(&[(Role::Quiet, &format!("not taken: {more} more; --json lists all"))]);
    }
    for note in &report.notes {
        printer.line(&[(Role::Quiet, "note: "), (Role::Plain, note)]);
    }
    if let Some(original) = original {
        let kept = format!("the original is kept in {}", original.display());
        printer.line(&[(Role::Plain, &kept)]);
    }
    match (tense, source.system) {
        (Tense::Would, _) => {}
        (Tense::Did, System::Interagent) => session.suggest(&["interagent setup", "interagent summary"]),
        (Tense::Did, _) => session.suggest(&["interagent summary"]),
    }
}

fn counted(count: &Count) -> String {
    let Count { agents, messages, tasks, reports, specs } = *count;
    let words: Vec<String> =
        [(messages, "message"), (tasks, "task"), (reports, "report"), (specs, "spec"), (agents, "agent")]
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{number} {word}{}", if number == 1 { "" } else { "s" }))
            .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
