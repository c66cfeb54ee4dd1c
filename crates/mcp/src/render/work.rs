//! Tasks, specs, decisions, leases and hits, in words.

use interagent_wire::answer::{
    DecisionView, HitView, LeaseView, NextTaskView, Page, SpecRow, SpecView, TaskRow, TaskView, Who,
};

use super::{Lines, Said};
use crate::envelope::{self, NOTICE, Part, seconds};
use interagent_core::harmless;
use interagent_core::vocabulary::TaskStatus as Status;

fn name(who: Option<&Who>) -> &str {
    who.map_or("nobody", |who| who.name.as_str())
}

pub(super) fn task(lines: &mut Lines, task: &TaskView) {
    lines.say(format!(
        "{} {} ({}) for {}: {}",
        task.id,
        task.status,
        task.priority,
        name(task.assignee.as_ref()),
        task.title
    ));
    let ready = match (task.status, task.ready) {
        (Status::Pending | Status::Assigned, true) => "; ready",
        (Status::Pending | Status::Assigned, false) => "; not ready",
        _ => "",
    };
    lines.say(format!("assigned by {}{ready}", task.assigner.name));
    if let Some(description) = &task.description {
        lines.say(format!("description: {description}"));
    }
    for criterion in task.acceptance_criteria.iter().take(4) {
        lines.say(format!("accepted when: {criterion}"));
    }
    for before in task.depends_on.iter().take(3) {
        lines.say(format!("waits for {} ({}): {}", before.id, before.status, before.title));
    }
    if let Some(note) = task.notes.last() {
        lines.say(format!("last note, {}: {}", note.by.name, note.note.as_deref().unwrap_or_default()));
    }
    if let Some(review) = task.reviews.first() {
        let more = task.reviews.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.say(format!(
            "review {}, round {}, {} open threads{more}",
            review.id, review.round, review.open_threads
        ));
    }
    if let Some(verdict) = task.verdicts.last() {
        let why = verdict.note.as_deref().unwrap_or_default();
        lines.say(format!("verdict {} by {}: {why}", verdict.verdict, verdict.by.name));
    }
    if let Some(next) = follows(task) {
        lines.next(next);
    }
}

/// Who must act on a task, and how.
fn follows(task: &TaskView) -> Option<String> {
    let id = &task.id;
    let worker = name(task.assignee.as_ref());
    Some(match task.status {
        Status::Pending => format!("task(action=\"claim\", task=\"{id}\") by whoever does it"),
        Status::Assigned | Status::RevisionNeeded => {
            format!("{worker}: task(action=\"update\", task=\"{id}\", status=\"in_progress\")")
        }
        Status::InProgress => format!(
            "{worker}: task(action=\"report\", task=\"{id}\", status=\"done\", summary=..., skill_candidate={{\"found\": false}})"
        ),
        Status::Blocked => {
            format!("{worker}: escalate, or task(action=\"update\", task=\"{id}\", status=\"in_progress\")")
        }
        Status::Completed | Status::UnderReview if task.awaits_verdict => {
            format!("an agent other than {worker}: task(action=\"verdict\", task=\"{id}\", verdict=...)")
        }
        _ => return None,
    })
}

pub(super) fn next_task(lines: &mut Lines, next: &NextTaskView) {
    match &next.task {
        None => lines.say("No task is ready for you."),
        Some(found) => {
            lines.say(if next.claimed { "Taken for you:" } else { "The next one:" });
            task(lines, found);
        }
    }
}

/// Says where the next page begins.
pub(super) fn more<T>(lines: &mut Lines, page: &Page<T>, call: &str) {
    if let Some(after) = &page.next {
        lines.next(format!("{call}after=\"{after}\") for more"));
    }
}

pub(super) fn tasks(lines: &mut Lines, page: &Page<TaskRow>) {
    if page.items.is_empty() {
        lines.say("No such task.");
    }
    for row in &page.items {
        let ready = if row.ready { "" } else { ", not ready" };
        let who = name(row.assignee.as_ref());
        lines.say(format!("{} {} ({}{ready}) for {who}: {}", row.id, row.status, row.priority, row.title));
    }
    more(lines, page, "task(action=\"list\", ");
}

/// A spec that was published.
pub(super) fn spec(lines: &mut Lines, spec: &SpecView) {
    lines.say(format!("{} is at version {} by {}", spec.name, spec.version, spec.publisher.name));
    let told: Vec<&str> = spec.subscribers.iter().take(10).map(|who| who.name.as_str()).collect();
    if !told.is_empty() {
        lines.say(format!("told: {}", told.join(", ")));
    }
}

/// A spec that was asked for, or a part of it.
pub(crate) fn spec_text(spec: &SpecView, part: &Part<'_>) -> Said {
    let head = format!(
        "spec {} | version {} by {} | {}",
        spec.name,
        spec.version,
        harmless::line(&spec.publisher.name),
        seconds(spec.published)
    );
    let rest = |next| format!("get_spec(name=\"{}\", version={}, offset={next})", spec.name, spec.version);
    let text = match spec.body {
        Some(_) => envelope::fence(&head, part, rest),
        None => "[its text was deleted]".to_owned(),
    };
    Said { text: format!("{NOTICE}\n{text}"), next: part.next.map(rest) }
}

pub(super) fn specs(lines: &mut Lines, page: &Page<SpecRow>) {
    if page.items.is_empty() {
        lines.say("No spec was published yet.");
    }
    for row in &page.items {
        let note = row.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        lines.say(format!("{} version {} by {}{note}", row.name, row.version, row.publisher.name));
    }
}

pub(super) fn decision(lines: &mut Lines, decision: &DecisionView) {
    let question = decision.question.as_deref().unwrap_or_default();
    lines.say(format!("{} asked by {}: {question}", decision.id, decision.by.name));
    for option in decision.options.iter().take(5) {
        lines.say(format!("option: {option}"));
    }
    for position in decision.positions.iter().take(5) {
        let stands = position.position.as_deref().unwrap_or_default();
        let why = position.reason.as_deref().unwrap_or_default();
        lines.say(format!("{}: {stands} ({why})", position.agent.name));
    }
    match &decision.outcome {
        Some(outcome) => {
            lines.say(format!("decided by {}: {outcome}", name(decision.decided_by.as_ref())));
        }
        None => {
            lines.next(format!("decision(action=\"position\", decision=\"{}\", position=...)", decision.id));
        }
    }
}

pub(super) fn decisions(lines: &mut Lines, page: &Page<DecisionView>) {
    if page.items.is_empty() {
        lines.say("No such decision.");
    }
    for decision in &page.items {
        let question = decision.question.as_deref().unwrap_or_default();
        let outcome = decision.outcome.as_deref().unwrap_or("open");
        lines.say(format!("{} {question}: {outcome}", decision.id));
    }
    more(lines, page, "decision(action=\"list\", ");
}

fn lease_row(lease: &LeaseView) -> String {
    let until = lease.until.map_or_else(|| "ended".to_owned(), |until| format!("until {}", seconds(until)));
    let paths = lease.paths.join(", ");
    format!("{} {} {} {until}, token {}: {paths}", lease.id, lease.holder.name, lease.mode, lease.token)
}

pub(super) fn lease(lines: &mut Lines, lease: &LeaseView) {
    lines.say(lease_row(lease));
    if lease.live {
        lines.next(format!("lease(action=\"release\", lease=\"{}\") when you are done", lease.id));
    }
}

pub(super) fn leases(lines: &mut Lines, page: &Page<LeaseView>) {
    if page.items.is_empty() {
        lines.say("Nothing is leased.");
    }
    page.items.iter().for_each(|lease| lines.say(lease_row(lease)));
}

pub(super) fn hits(lines: &mut Lines, page: &Page<HitView>) {
    if page.items.is_empty() {
        lines.say("Nothing was found.");
    }
    for hit in &page.items {
        let author = name(hit.author.as_ref());
        lines.say(format!("{} {} of {author} ({}): {}", hit.entity, hit.part, seconds(hit.at), hit.excerpt));
    }
    more(lines, page, "search(text=..., ");
}
