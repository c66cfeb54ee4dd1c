//! `dashboard.md`: what a person looks at first, in the sections of the Captain system.
//!
//! "Today" is the day of the newest result: a file says what was so when it was written, not what day it is read.

use std::fmt::Write;

use interagent_core::entity::{Message, Task};
use interagent_core::limits;
use interagent_core::vocabulary::{Duty, ReportStatus, TaskStatus, Verdict};
use interagent_store::StoreError;
use interagent_store::reader::{MessageFilter, PageStart, TaskFilter};

use super::{cell, markdown};
use crate::files::moment::{day, minute};
use crate::files::names::Look;

/// Rows of one section; a dashboard that scrolls is read by nobody.
const ROWS: usize = 20;
/// Tasks that are looked through for results and skills.
const RECENT: u32 = 200;
/// Open duties, oldest first, among which those of people are looked for.
const OWED: u32 = 200;
/// Specs that hold a skill are called so.
const SKILL: &str = "skill-";
const NOTHING: &str = "- none\n";

/// The dashboard.
pub(in crate::files) fn dashboard(look: &mut Look<'_, '_>) -> Result<String, StoreError> {
    let recent = look.reader.tasks(&TaskFilter::default(), &PageStart::default(), RECENT)?;
    let project = look.reader.team()?.map_or_else(|| "Dashboard".to_owned(), |team| team.config.project);
    let mut text = format!("# {}\n", cell(&project));
    section(&mut text, "Needs action", needs_action(look)?);
    section(
        &mut text,
        "In progress",
        in_status(look, &[TaskStatus::InProgress, TaskStatus::RevisionNeeded])?,
    );
    results(look, &mut text, &recent)?;
    section(&mut text, "Skill candidates", skill_candidates(look, &recent)?);
    section(&mut text, "Generated skills", skills(look)?);
    section(
        &mut text,
        "Waiting",
        in_status(look, &[TaskStatus::Blocked, TaskStatus::Assigned, TaskStatus::Pending])?,
    );
    section(&mut text, "Questions", questions(look)?);
    Ok(markdown(&text))
}

fn section(text: &mut String, title: &str, mut rows: Vec<String>) {
    let more = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    let _ = writeln!(text, "\n## {title}\n");
    for row in &rows {
        let _ = writeln!(text, "- {row}");
    }
    if rows.is_empty() {
        text.push_str(NOTHING);
    }
    if more > 0 {
        let _ = writeln!(text, "- and more");
    }
}

/// What only a person, or whoever judges, can move on: verdicts, duties of the operator, mail that is held, failures.
fn needs_action(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for due in look.reader.owed(OWED)? {
        let is_ours = match look.reader.agent(&due.agent)? {
            Some(agent) => agent.is_human() && look.reader.is_home(&agent.home)?,
            None => false,
        };
        if !is_ours || due.duty == Duty::Answer {
            continue;
        }
        if let Some(message) = look.reader.message(&due.message)? {
            let (from, subject) = (look.name(&message.from)?, look.text(&message.subject)?);
            rows.push(format!("{from}: {} ({}, {})", cell(&subject), message.intent.as_str(), message.id));
        }
    }
    let held = MessageFilter { held: true, ..MessageFilter::default() };
    for message in look.reader.messages(&held, &PageStart::default(), row_limit())? {
        let (from, subject) = (look.name(&message.from)?, look.text(&message.subject)?);
        let why = message.held.map_or("held", |reason| reason.why());
        rows.push(format!("held, {why}: {} from {from} ({})", cell(&subject), message.id));
    }
    rows.extend(in_status(look, &[TaskStatus::Completed, TaskStatus::UnderReview, TaskStatus::Failed])?);
    Ok(rows)
}

/// One more than is shown, so that the rest is known to be there.
fn row_limit() -> u32 {
    u32::try_from(ROWS + 1).unwrap_or(u32::MAX)
}

fn in_status(look: &mut Look<'_, '_>, statuses: &[TaskStatus]) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for status in statuses {
        let filter = TaskFilter { status: Some(*status), ..TaskFilter::default() };
        for task in look.reader.tasks(&filter, &PageStart::default(), row_limit())? {
            let who = look.maybe_name(task.assignee.as_ref())?.unwrap_or_else(|| "nobody".to_owned());
            let title = look.text(&task.brief.title)?;
            rows.push(format!("{status}: {} ({}, {who})", cell(&title), task.id));
        }
    }
    Ok(rows)
}

/// Reports and approvals of the newest day on which there were any.
fn results(look: &mut Look<'_, '_>, text: &mut String, recent: &[Task]) -> Result<(), StoreError> {
    let mut results = Vec::new();
    for task in recent {
        for report in &task.reports {
            results.push((report.when.wall, task, status_word(report.report.status)));
        }
        let approved = task.judgements.iter().filter(|judged| judged.verdict == Verdict::Approved);
        results.extend(approved.map(|judged| (judged.when.wall, task, "approved")));
    }
    results.sort_by(|one, two| (two.0, &two.1.id, two.2).cmp(&(one.0, &one.1.id, one.2)));
    let today = results.first().map(|(at, ..)| day(*at));
    let _ = writeln!(text, "\n## Today's results\n");
    let Some(today) = today else {
        text.push_str(NOTHING);
        return Ok(());
    };
    let _ = writeln!(text, "{today}\n\n| time | field | task | result |\n|---|---|---|---|");
    for (at, task, result) in results.iter().filter(|(at, ..)| day(*at) == today).take(ROWS) {
        let field = task.brief.capability.as_deref().unwrap_or("-");
        let title = look.text(&task.brief.title)?;
        let _ = writeln!(
            text,
            "| {} | {} | {} ({}) | {result} |",
            minute(*at),
            cell(field),
            cell(&title),
            task.id
        );
    }
    Ok(())
}

fn status_word(status: ReportStatus) -> &'static str {
    status.as_str()
}

fn skill_candidates(look: &mut Look<'_, '_>, recent: &[Task]) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for task in recent {
        for report in task.reports.iter().filter(|report| report.report.skill_candidate.found) {
            let skill = &report.report.skill_candidate;
            let name = look.maybe_text(skill.name.as_ref())?.unwrap_or_default();
            let what = look.maybe_text(skill.description.as_ref())?.unwrap_or_default();
            rows.push(format!("{}: {} ({})", cell(&name), cell(&what), task.id));
        }
    }
    Ok(rows)
}

fn skills(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let specs = look.reader.specs("", limits::PAGE_MAX)?;
    let skills = specs.iter().filter(|spec| spec.name.as_str().starts_with(SKILL));
    Ok(skills
        .map(|spec| format!("{} (specs/{}.md, version {})", spec.name, spec.name, spec.version()))
        .collect())
}

/// Decisions without an outcome, and questions to the operator without an answer.
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
    for due in look.reader.owed(OWED)?.iter().filter(|due| due.duty == Duty::Answer) {
        let is_human = look.reader.agent(&due.agent)?.is_some_and(|agent| agent.is_human());
        if is_human && let Some(message) = look.reader.message(&due.message)? {
            let subject = look.text(&message.subject)?;
            rows.push(format!("{} ({}, from {})", cell(&subject), message.id, look.name(&message.from)?));
        }
    }
    Ok(rows)
}

/// Whether a message stands on the dashboard, or did: then a change of it is a change of the dashboard.
pub(in crate::files) fn concerns(look: &mut Look<'_, '_>, message: &Message) -> Result<bool, StoreError> {
    if message.held_by.is_some() {
        return Ok(true);
    }
    for (agent, delivery) in &message.deliveries {
        if delivery.duty.is_some() && look.reader.agent(agent)?.is_none_or(|agent| agent.is_human()) {
            return Ok(true);
        }
    }
    Ok(false)
}
