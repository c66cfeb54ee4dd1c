//! `reports/TASK.yaml`: a worker's report in the fields of the Captain system.

use std::fmt::Write;

use interagent_core::entity::Task;
use interagent_core::entity::task::Report;
use interagent_core::event::TaskReported;
use interagent_store::StoreError;

use crate::files::moment::iso;
use crate::files::names::Look;
use crate::files::seal::{Form, seal};

/// One report of a task as a file.
pub(in crate::files) fn report(
    look: &mut Look<'_, '_>,
    task: &Task,
    reported: &Report,
) -> Result<String, StoreError> {
    let Report { when, report, .. } = reported;
    let skill = &report.skill_candidate;
    let parent = task.brief.parent.as_ref().map(ToString::to_string);
    let summary = look.text(&report.summary)?;
    let notes = look.maybe_text(report.notes.as_ref())?;
    let purpose_gap = look.maybe_text(report.purpose_gap.as_ref())?;
    let [name, description, reason] = [&skill.name, &skill.description, &skill.reason];
    let mut text = String::new();
    field(&mut text, "worker_id", Some(&look.name(&report.worker)?));
    field(&mut text, "task_id", Some(task.id.as_str()));
    field(&mut text, "parent_cmd", parent.as_deref());
    field(&mut text, "timestamp", Some(&iso(when.wall)));
    field(&mut text, "status", Some(report.status.as_str()));
    text.push_str("result:\n");
    field(&mut text, "  summary", Some(&summary));
    list(&mut text, "  files_modified", &report.files_modified);
    field(&mut text, "  notes", notes.as_deref());
    text.push_str("skill_candidate:\n");
    let _ = writeln!(text, "  found: {}", skill.found);
    field(&mut text, "  name", look.maybe_text(name.as_ref())?.as_deref());
    field(&mut text, "  description", look.maybe_text(description.as_ref())?.as_deref());
    field(&mut text, "  reason", look.maybe_text(reason.as_ref())?.as_deref());
    field(&mut text, "purpose_gap", purpose_gap.as_deref());
    details(look, &mut text, report)?;
    Ok(seal(Form::Yaml, &text))
}

/// What newer reports say besides, where they do.
fn details(look: &mut Look<'_, '_>, text: &mut String, report: &TaskReported) -> Result<(), StoreError> {
    if !report.changed_files.is_empty() {
        text.push_str("changed_files:\n");
        for file in &report.changed_files {
            let _ = writeln!(text, "  - path: {}\n    action: {}", quoted(&file.path), file.action);
        }
    }
    if let Some(tried) = &report.verification {
        let _ = writeln!(text, "verification:\n  build_result: {}", tried.build_result);
        field(text, "  build_command", look.maybe_text(tried.build_command.as_ref())?.as_deref());
        field(text, "  error_console", look.maybe_text(tried.error_console.as_ref())?.as_deref());
    }
    if let Some(scan) = &report.todo_scan {
        let _ = writeln!(text, "todo_scan:\n  count: {}", scan.count);
        list(text, "  new_todos", &look.texts(&scan.new_todos)?);
    }
    if let Some(commit) = &report.commit_info {
        text.push_str("commit_info:\n");
        field(text, "  branch", commit.branch.as_deref());
        field(text, "  commit_hash", commit.commit_hash.as_deref());
    }
    Ok(())
}

fn field(text: &mut String, name: &str, value: Option<&str>) {
    let value = value.map_or_else(|| "null".to_owned(), quoted);
    let _ = writeln!(text, "{name}: {value}");
}

fn list(text: &mut String, name: &str, items: &[String]) {
    if items.is_empty() {
        let _ = writeln!(text, "{name}: []");
        return;
    }
    let _ = writeln!(text, "{name}:");
    for item in items {
        let _ = writeln!(text, "    - {}", quoted(item));
    }
}

/// A string in quotes that every YAML reader takes as that string: what could be a line break or is invisible is spelled out.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_stay_inside_their_quotes() {
        assert_eq!(quoted("a: \"b\"\n- c\\"), r#""a: \"b\"\n- c\\""#);
        assert_eq!(quoted("\u{1b}[31m\u{85}\u{2028}"), r#""\u001b[31m\u0085\u2028""#);
        assert_eq!(quoted("日本語 # no comment"), "\"日本語 # no comment\"");
    }
}
