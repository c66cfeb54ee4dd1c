//! From a report to YAML: the same fields, in the order people know them.

use interagent_core::name::is_hidden;

use crate::answer::{ReportView, TaskView};

/// Words that YAML takes for something else when they stand without quotes.
const NOT_PLAIN: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// The reports of a task, oldest first; one document each.
pub fn write(task: &TaskView) -> String {
    let documents: Vec<String> = task.reports.iter().map(|report| document(task, report)).collect();
    documents.join("---\n")
}

fn document(task: &TaskView, report: &ReportView) -> String {
    let mut text = String::new();
    field(&mut text, 0, "worker_id", Some(&report.worker.name));
    field(&mut text, 0, "task_id", Some(&task.id));
    field(&mut text, 0, "parent_cmd", task.parent.as_deref());
    field(&mut text, 0, "timestamp", Some(&report.timestamp.to_string()));
    field(&mut text, 0, "status", Some(report.status.as_str()));
    text.push_str("result:\n");
    field(&mut text, 2, "summary", report.summary.as_deref());
    list(&mut text, 2, "files_modified", &report.files_modified);
    field(&mut text, 2, "notes", report.notes.as_deref());
    let skill = &report.skill_candidate;
    text.push_str(&format!("skill_candidate:\n  found: {}\n", skill.found));
    field(&mut text, 2, "name", skill.name.as_deref());
    field(&mut text, 2, "description", skill.description.as_deref());
    field(&mut text, 2, "reason", skill.reason.as_deref());
    if report.purpose_gap.is_some() || report.purpose_met {
        field(&mut text, 0, "purpose_gap", report.purpose_gap.as_deref());
    }
    details(&mut text, report);
    text
}

fn details(text: &mut String, report: &ReportView) {
    if !report.changed_files.is_empty() {
        text.push_str("changed_files:\n");
        for file in &report.changed_files {
            text.push_str(&format!("  - path: {}\n    action: {}\n", flow(&file.path), file.action));
        }
    }
    if let Some(tried) = &report.verification {
        text.push_str(&format!("verification:\n  build_result: {}\n", tried.build_result));
        field(text, 2, "build_command", tried.build_command.as_deref());
        field(text, 2, "error_console", tried.error_console.as_deref());
    }
    if let Some(scan) = &report.todo_scan {
        text.push_str(&format!("todo_scan:\n  count: {}\n", scan.count));
        list(text, 2, "new_todos", &scan.new_todos);
    }
    if let Some(commit) = &report.commit_info {
        text.push_str("commit_info:\n");
        field(text, 2, "branch", commit.branch.as_deref());
        field(text, 2, "commit_hash", commit.commit_hash.as_deref());
    }
}

fn list(text: &mut String, indent: usize, name: &str, items: &[String]) {
    let margin = " ".repeat(indent);
    if items.is_empty() {
        text.push_str(&format!("{margin}{name}: []\n"));
        return;
    }
    text.push_str(&format!("{margin}{name}:\n"));
    items.iter().for_each(|item| text.push_str(&format!("{margin}  - {}\n", flow(item))));
}

fn field(text: &mut String, indent: usize, name: &str, value: Option<&str>) {
    let margin = " ".repeat(indent);
    match value {
        None => text.push_str(&format!("{margin}{name}: null\n")),
        Some(value) if fits_a_block(value) => {
            // What ends with a line break keeps it; what does not gets none.
            let end = if value.ends_with('\n') { "|" } else { "|-" };
            text.push_str(&format!("{margin}{name}: {end}\n"));
            for line in value.lines() {
                let gap = if line.is_empty() { String::new() } else { format!("{margin}  ") };
                text.push_str(&format!("{gap}{line}\n"));
            }
        }
        Some(value) => text.push_str(&format!("{margin}{name}: {}\n", flow(value))),
    }
}

/// Several lines that a block keeps exactly as they are.
fn fits_a_block(value: &str) -> bool {
    let odd = |c: char| c != '\n' && (c.is_control() || is_hidden(c));
    let lines = value.strip_suffix('\n').unwrap_or(value);
    value.contains('\n')
        && !lines.starts_with([' ', '\n'])
        && !lines.ends_with(['\n', ' '])
        && !value.contains(odd)
}

/// A text on one line: without quotes where it can't mean anything else.
fn flow(value: &str) -> String {
    let is_word = value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'))
        && !NOT_PLAIN.contains(&value.to_ascii_lowercase().as_str());
    if is_word { value.to_owned() } else { quoted(value) }
}

fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            c if c.is_control() || is_hidden(c) => text.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
