//! `shared/decisions.md`: what was decided, newest first, then what is still open. Below that, people write their own.

use std::fmt::Write;

use interagent_core::entity::Decision;
use interagent_core::limits;
use interagent_store::StoreError;
use interagent_store::reader::PageStart;

use super::{cell, sealed_markdown};
use crate::files::moment::{day, minute};
use crate::files::names::Look;
use crate::files::seal::Form;

const NONE_YET: &str = "None yet. `interagent decision open 'The question'` asks for one.";
const OPEN: &str = "# Open";
/// Lines that come and go with the decisions, so a person did not write them.
pub(in crate::files) const PASSING_LINES: [&str; 2] = [NONE_YET, OPEN];

/// All decisions, the newest thousand of them.
pub(in crate::files) fn decisions(look: &mut Look<'_, '_>) -> Result<String, StoreError> {
    let all = look.reader.decisions(false, &PageStart::default(), limits::PAGE_MAX)?;
    let mut text = "# Decisions\n".to_owned();
    if all.is_empty() {
        let _ = writeln!(text, "\n{NONE_YET}");
    }
    let (decided, open): (Vec<_>, Vec<_>) = all.iter().partition(|decision| decision.outcome.is_some());
    for decision in decided {
        write(look, &mut text, decision)?;
    }
    if !open.is_empty() {
        let _ = writeln!(text, "\n{OPEN}");
    }
    for decision in open {
        write(look, &mut text, decision)?;
    }
    Ok(sealed_markdown(Form::Notes, &text))
}

fn write(look: &mut Look<'_, '_>, text: &mut String, decision: &Decision) -> Result<(), StoreError> {
    let _ = writeln!(text, "\n## {}\n", cell(&look.text(&decision.brief.question)?));
    let by = look.name(&decision.brief.by)?;
    let opened = decision.opened.wall;
    let _ = writeln!(text, "{}, asked by {by} on {} {}", decision.id, day(opened), minute(opened));
    if let Some(outcome) = &decision.outcome {
        let by = look.name(&outcome.by)?;
        let _ = writeln!(text, "\n**{}**", cell(&look.text(&outcome.outcome)?));
        let _ =
            writeln!(text, "(decided by {by} on {} {})", day(outcome.when.wall), minute(outcome.when.wall));
        if let Some(reason) = look.maybe_text(outcome.reason.as_ref())? {
            let _ = writeln!(text, "\n{}", cell(&reason));
        }
    }
    if let Some(later) = &decision.superseded_by {
        let _ = writeln!(text, "\nSuperseded by {later}.");
    }
    let options = look.texts(&decision.brief.options)?;
    if !options.is_empty() {
        text.push_str("\nOptions:\n\n");
    }
    for option in options {
        let _ = writeln!(text, "- {}", cell(&option));
    }
    if !decision.positions.is_empty() {
        text.push_str("\nPositions:\n\n");
    }
    let mut positions = Vec::with_capacity(decision.positions.len());
    for (agent, taken) in &decision.positions {
        let reason = look.maybe_text(taken.reason.as_ref())?;
        let reason = reason.map_or_else(String::new, |reason| format!(" ({})", cell(&reason)));
        positions.push(format!("- {}: {}{reason}", look.name(agent)?, cell(&look.text(&taken.position)?)));
    }
    positions.sort();
    for position in positions {
        let _ = writeln!(text, "{position}");
    }
    Ok(())
}
