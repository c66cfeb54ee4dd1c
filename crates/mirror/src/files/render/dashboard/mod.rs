//! `dashboard.md`: what a person looks at first, in the sections of the Captain system.
//!
//! "Today" is the day of the newest result: a file says what was so when it was written, not what day it is read.

mod action;
mod skills;
mod words;

use std::fmt::Write;

use interagent_core::entity::{Agent, Message, Task};
use interagent_core::line::one_line;
use interagent_core::team::Language;
use interagent_core::vocabulary::{TaskStatus, Verdict};
use interagent_store::StoreError;
use interagent_store::reader::{PageStart, TaskFilter};

use self::words::{Heading, Phrase};
use super::{cell, markdown};
use crate::files::moment::{day, minute};
use crate::files::names::Look;

/// Rows of one section; a dashboard that scrolls is read by nobody.
const ROWS: usize = 20;
/// Tasks that are looked through for results and gaps.
const RECENT: u32 = 200;
/// Open duties, oldest first, among which those of people are looked for.
const OWED: u32 = 200;
/// Characters of a result in its row.
const RESULT_CHARS: usize = 120;

/// The dashboard.
pub(in crate::files) fn dashboard(look: &mut Look<'_, '_>) -> Result<String, StoreError> {
    let recent = look.reader.tasks(&TaskFilter::default(), &PageStart::default(), RECENT)?;
    let team = look.reader.team()?.map(|team| team.config);
    let language = team.as_ref().map_or(Language::En, |team| team.language.clone());
    let project = team.map_or_else(|| "Dashboard".to_owned(), |team| team.project);
    let mut text = format!("# {}\n", cell(&project));
    let mut section =
        |heading: Heading, rows: Vec<String>| self::section(&mut text, heading, &language, rows);
    section(Heading::NeedsAction, action::needs_action(look, &recent, &language)?);
    let in_progress = [TaskStatus::InProgress, TaskStatus::RevisionNeeded];
    section(Heading::InProgress, in_status(look, &in_progress, &language)?);
    results(look, &mut text, &language, &recent)?;
    let mut section =
        |heading: Heading, rows: Vec<String>| self::section(&mut text, heading, &language, rows);
    section(Heading::Candidates, skills::candidates(look)?);
    section(Heading::Skills, skills::generated(look)?);
    let mut waiting = in_status(look, &[TaskStatus::Assigned, TaskStatus::Pending], &language)?;
    waiting.extend(action::divided(look)?);
    waiting.extend(action::controls(look)?);
    section(Heading::Waiting, waiting);
    section(Heading::Questions, questions(look)?);
    Ok(markdown(&text))
}

fn section(text: &mut String, heading: Heading, language: &Language, mut rows: Vec<String>) {
    let more = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    let _ = writeln!(text, "\n## {}\n", heading.told(language));
    for row in &rows {
        let _ = writeln!(text, "- {row}");
    }
    if rows.is_empty() {
        let _ = writeln!(text, "- {}", words::none(language));
    }
    if more > 0 {
        let _ = writeln!(text, "- {}", words::and_more(language));
    }
}

/// One more than is shown, so that the rest is known to be there.
fn row_limit() -> u32 {
    u32::try_from(ROWS + 1).unwrap_or(u32::MAX)
}

fn in_status(
    look: &mut Look<'_, '_>,
    statuses: &[TaskStatus],
    language: &Language,
) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for status in statuses {
        let filter = TaskFilter { status: Some(*status), ..TaskFilter::default() };
        for task in look.reader.tasks(&filter, &PageStart::default(), row_limit())? {
            rows.push(status_row(look, &task, language)?);
        }
    }
    Ok(rows)
}

/// A task in a row, after its status.
fn status_row(look: &mut Look<'_, '_>, task: &Task, language: &Language) -> Result<String, StoreError> {
    let status = Phrase::Status(task.status).told(language);
    Ok(format!("{status}: {}", row(look, task)?))
}

/// A task in a row: title, id and who works on it.
fn row(look: &mut Look<'_, '_>, task: &Task) -> Result<String, StoreError> {
    let who = look.maybe_name(task.assignee.as_ref())?.unwrap_or_else(|| "nobody".to_owned());
    Ok(format!("{} ({}, {who})", cell(&look.text(&task.brief.title)?), task.id))
}

/// What became of tasks on the newest day on which anything did: each once, by its last report or approval.
fn results(
    look: &mut Look<'_, '_>,
    text: &mut String,
    language: &Language,
    recent: &[Task],
) -> Result<(), StoreError> {
    let mut results = Vec::new();
    for task in recent {
        let report = task.reports.last();
        let approved = task.judgements.iter().rfind(|judged| judged.verdict == Verdict::Approved);
        let reported = report.map(|report| (report.when.wall, report.report.status.as_str()));
        let approved = approved.map(|judged| (judged.when.wall, Verdict::Approved.as_str()));
        let summary = report.map(|report| &report.report.summary);
        results.extend(reported.max(approved).map(|(at, word)| (at, task, word, summary)));
    }
    results.sort_by(|one, two| (two.0, &two.1.id).cmp(&(one.0, &one.1.id)));
    let today = results.first().map(|(at, ..)| day(*at));
    let _ = writeln!(text, "\n## {}\n", Heading::Results.told(language));
    let Some(today) = today else {
        let _ = writeln!(text, "- {}", words::none(language));
        return Ok(());
    };
    let _ = writeln!(text, "{today}\n\n{}\n|---|---|---|---|", words::columns(language));
    for (at, task, word, summary) in results.iter().filter(|(at, ..)| day(*at) == today).take(ROWS) {
        let field = task.brief.capability.as_deref().unwrap_or("-");
        let title = look.text(&task.brief.title)?;
        let result = match summary {
            Some(summary) => format!("{word}: {}", cell(&one_line(&look.text(summary)?, RESULT_CHARS))),
            None => (*word).to_owned(),
        };
        let (time, field, title) = (minute(*at), cell(field), cell(&title));
        let _ = writeln!(text, "| {time} | {field} | {title} ({}) | {result} |", task.id);
    }
    Ok(())
}

/// Decisions without an outcome. Questions to the operator are under "Needs action".
fn questions(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for decision in look.reader.decisions(true, &PageStart::default(), row_limit())? {
        let question = look.text(&decision.brief.question)?;
        rows.push(format!(
            "{} ({}, asked by {})",
            cell(&question),
            decision.id,
            look.name(&decision.brief.by)?
        ));
    }
    Ok(rows)
}

/// Whether what an agent says of itself stands on the dashboard.
pub(in crate::files) fn speaks_there(look: &mut Look<'_, '_>, agent: &Agent) -> Result<bool, StoreError> {
    let team = look.reader.team()?;
    Ok(team.is_some_and(|team| action::captain_of(&team.config, agent).is_some()))
}

/// Whether a message stands on the dashboard, or did: then a change of it is a change of the dashboard.
pub(in crate::files) fn concerns(look: &mut Look<'_, '_>, message: &Message) -> Result<bool, StoreError> {
    if message.held_by.is_some() || message.control.is_some() || !message.raised.is_empty() {
        return Ok(true);
    }
    for (agent, delivery) in &message.deliveries {
        if delivery.duty.is_some() && look.reader.agent(agent)?.is_none_or(|agent| agent.is_human()) {
            return Ok(true);
        }
    }
    Ok(false)
}
