//! Tasks, as people see them.

use interagent_core::vocabulary::TaskStatus;
use interagent_wire::answer::{NextTaskView, Page, ReportView, TaskRow, TaskView, VerdictView};

use super::{ago, empty, field, id, is_part, list, moment, more, name, news, passage, reviews};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};

pub(super) fn task(printer: &mut Printer<'_>, op: &str, task: &TaskView) {
    match op {
        "task.show" => whole(printer, task),
        "task.create" => line(printer, "created ", task),
        "quick" | "quick routed" => {
            line(printer, "created ", task);
            news::delegated(printer, op, task);
        }
        "task.claim" => line(printer, "claimed ", task),
        "task.redo" | "task.reassign" => {
            line(printer, "opened ", task);
            before(printer, task);
        }
        "task.depend" => {
            line(printer, "changed ", task);
            after(printer, task);
        }
        "task.split" => {
            line(printer, "", task);
            divided(printer, task);
            after(printer, task);
        }
        "task.update" => line(printer, "changed ", task),
        "task.note" => line(printer, "noted on ", task),
        "task.report" => {
            line(printer, "reported on ", task);
            purpose(printer, task);
        }
        "task.verdict" => line(printer, "judged ", task),
        _ => line(printer, "", task),
    }
}

pub(super) fn next(printer: &mut Printer<'_>, next: &NextTaskView) {
    match &next.task {
        None => empty(printer, "no task is ready for you", "task list --open"),
        Some(task) => {
            if next.claimed {
                line(printer, "claimed ", task);
            }
            whole(printer, task);
            let command = match (&task.assignee, task.status) {
                (None, _) => format!("interagent task claim {}", task.id),
                (_, TaskStatus::InProgress) => {
                    format!("interagent task update {} --status completed", task.id)
                }
                _ => format!("interagent task update {} --status in_progress", task.id),
            };
            printer.exact(&[(Role::Quiet, "next: "), (Role::Plain, &command)]);
        }
    }
}

/// What the work was for, and how the worker sees the result.
fn purpose(printer: &mut Printer<'_>, task: &TaskView) {
    let (Some(serves), Some(report)) = (&task.serves, task.reports.last()) else { return };
    field(printer, &format!("purpose of {}", serves.order), Some(&serves.purpose));
    list(printer, "done when", &serves.acceptance_criteria);
    match (&report.purpose_gap, report.purpose_met) {
        (Some(gap), _) => field(printer, "misses it", Some(gap)),
        (None, true) => field(printer, "meets it", Some("yes")),
        (None, false) => {}
    }
}

/// What it follows from.
fn before(printer: &mut Printer<'_>, task: &TaskView) {
    field(printer, "does again", task.redo_of.as_deref());
    field(printer, "takes over", task.reassigned_from.as_deref());
}

/// The proposal to divide it, with what answers it.
fn divided(printer: &mut Printer<'_>, task: &TaskView) {
    let Some(split) = &task.split else { return };
    let label = format!("split proposed by {}", split.by.name);
    list(printer, &label, &split.parts);
    passage(printer, "  why", split.reason.as_deref());
    if split.open {
        let command = format!("interagent task split {} --accept", task.id);
        printer.exact(&[(Role::Quiet, "  answer: "), (Role::Plain, &command)]);
    } else if split.tasks.is_empty() {
        passage(printer, "  declined", split.declined.as_deref().or(Some("without a reason")));
    } else {
        field(printer, "  became", Some(&split.tasks.join(", ")));
    }
}

/// What must be finished first.
fn after(printer: &mut Printer<'_>, task: &TaskView) {
    for other in &task.depends_on {
        field(printer, "comes after", Some(&format!("{} {} {}", other.id, other.status, other.title)));
    }
}

fn line(printer: &mut Printer<'_>, did: &str, task: &TaskView) {
    let assignee = task.assignee.as_ref().map(|who| format!(" {}", who.name)).unwrap_or_default();
    printer.line(&[
        (Role::Good, did),
        (Role::Id, &task.id),
        (Role::Plain, "  "),
        (role(task.status), task.status.as_str()),
        (Role::Name, &assignee),
        (Role::Plain, &format!("  {}", task.title)),
    ]);
}

fn role(status: TaskStatus) -> Role {
    match status {
        TaskStatus::Approved | TaskStatus::Completed => Role::Good,
        TaskStatus::Blocked | TaskStatus::RevisionNeeded | TaskStatus::UnderReview => Role::Warning,
        TaskStatus::Rejected | TaskStatus::Failed => Role::Bad,
        TaskStatus::Cancelled | TaskStatus::Reassigned => Role::Quiet,
        TaskStatus::Pending | TaskStatus::Assigned | TaskStatus::InProgress => Role::Plain,
    }
}

pub(super) fn tasks(printer: &mut Printer<'_>, op: &str, page: &Page<TaskRow>) {
    if page.items.is_empty() && is_part(op) {
        return empty(printer, "no such tasks", "task list");
    }
    if page.items.is_empty() {
        return empty(printer, "no tasks", "task create 'What is to be done' --assignee NAME");
    }
    let mut table = Table::new([
        // In the order of interagent-framework, whose scripts take the second word for the id.
        Column::whole("status"),
        Column::whole("id"),
        Column::whole("priority").spare(),
        Column::text("assignee"),
        Column::text("title"),
        Column::number("changed").spare(),
    ]);
    for task in &page.items {
        let waits = !task.ready && !task.status.is_closed();
        // In front, where a narrow screen does not cut it off.
        let title = if waits { format!("(waits) {}", task.title) } else { task.title.clone() };
        table.row([
            Cell::new(role(task.status), task.status.as_str()),
            id(&task.id),
            task.priority.as_str().into(),
            name(task.assignee.as_ref()),
            title.as_str().into(),
            ago(task.updated),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}

fn whole(printer: &mut Printer<'_>, task: &TaskView) {
    printer.line(&[(Role::Id, &task.id), (Role::Plain, "  "), (Role::Heading, &task.title)]);
    let ready = if task.ready || task.status.is_closed() { "" } else { ", waits for others" };
    printer.line(&[
        (Role::Quiet, "status: "),
        (role(task.status), task.status.as_str()),
        (Role::Quiet, ready),
        (Role::Quiet, &format!(", priority {}", task.priority)),
    ]);
    field(printer, "assignee", task.assignee.as_ref().map(|who| who.name.as_str()));
    field(printer, "from", Some(&task.assigner.name));
    field(printer, "part of", task.parent.as_deref());
    before(printer, task);
    field(printer, "goes on in", task.successor.as_deref());
    field(printer, "capability", task.capability.as_deref());
    field(printer, "branch", task.branch.as_deref());
    field(printer, "target", task.target_path.as_deref());
    passage(printer, "purpose", task.purpose.as_deref());
    passage(printer, "description", task.description.as_deref());
    list(printer, "requirements", &task.requirements);
    list(printer, "done when", &task.acceptance_criteria);
    list(printer, "files", &task.files);
    after(printer, task);
    divided(printer, task);
    for note in &task.notes {
        let label = format!("note by {}, {}", note.by.name, moment(note.at));
        passage(printer, &label, note.note.as_deref().or(Some("(purged)")));
    }
    outcomes(printer, task);
    reviews::of_task(printer, &task.reviews);
}

/// Reports and verdicts in the order they were given: a verdict judges the report before it.
fn outcomes(printer: &mut Printer<'_>, task: &TaskView) {
    enum Outcome<'a> {
        Report(&'a ReportView),
        Verdict(&'a VerdictView),
    }
    let reports = task.reports.iter().map(|report| (report.timestamp.0, Outcome::Report(report)));
    let verdicts = task.verdicts.iter().map(|verdict| (verdict.at.0, Outcome::Verdict(verdict)));
    let mut outcomes: Vec<(i64, Outcome<'_>)> = reports.chain(verdicts).collect();
    outcomes.sort_by_key(|(at, _)| *at);
    for (_, outcome) in outcomes {
        match outcome {
            Outcome::Report(report) => reported(printer, report),
            Outcome::Verdict(verdict) => judged(printer, verdict),
        }
    }
}

fn reported(printer: &mut Printer<'_>, report: &ReportView) {
    let by = match &report.spoken_by {
        Some(operator) => format!("{} for {}", operator.name, report.worker.name),
        None => report.worker.name.clone(),
    };
    let label = format!("report by {by}, {}", moment(report.timestamp));
    field(printer, &label, Some(report.status.as_str()));
    passage(printer, "  summary", report.summary.as_deref());
    list(printer, "  files", &report.files_modified);
    passage(printer, "  notes", report.notes.as_deref());
    passage(printer, "  misses the purpose", report.purpose_gap.as_deref());
    field(printer, "  meets the purpose", report.purpose_met.then_some("yes"));
    details(printer, report);
    let skill = Some(&report.skill_candidate).filter(|skill| skill.found);
    field(printer, "  could be reused", skill.and_then(|skill| skill.name.as_deref()));
    passage(printer, "  what it does", skill.and_then(|skill| skill.description.as_deref()));
    passage(printer, "  why it is worth keeping", skill.and_then(|skill| skill.reason.as_deref()));
}

/// What newer reports say besides.
fn details(printer: &mut Printer<'_>, report: &ReportView) {
    let changed: Vec<String> =
        report.changed_files.iter().map(|file| format!("{} ({})", file.path, file.action)).collect();
    list(printer, "  changed files", &changed);
    if let Some(tried) = &report.verification {
        let by = tried.build_command.as_ref().map(|command| format!(", by {command}")).unwrap_or_default();
        field(printer, "  build", Some(&format!("{}{by}", tried.build_result)));
        passage(printer, "  console", tried.error_console.as_deref());
    }
    if let Some(scan) = &report.todo_scan {
        field(printer, "  left to do", Some(&scan.count.to_string()));
        list(printer, "  new", &scan.new_todos);
    }
    if let Some(commit) = &report.commit_info {
        field(printer, "  branch", commit.branch.as_deref());
        field(printer, "  commit", commit.commit_hash.as_deref());
    }
}

pub(super) fn judged(printer: &mut Printer<'_>, verdict: &VerdictView) {
    let overruled = if verdict.overruled { ", over the rules" } else { "" };
    let label = format!("verdict of {}, {}{overruled}", verdict.by.name, moment(verdict.at));
    field(printer, &label, Some(verdict.verdict.as_str()));
    passage(printer, "  why", verdict.note.as_deref());
}
