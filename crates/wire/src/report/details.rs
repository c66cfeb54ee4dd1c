//! What newer reports say besides: files and what became of them, how it was tried, what is left, where it is in git.

use super::BadReport;
use super::read::Fields;
use super::tree::{Node, Value, bad};
use crate::request::{ChangedFileParam, CommitInfoParam, TodoScanParam, VerificationParam};

const FILE_FIELDS: &[&str] = &["path", "action"];
const VERIFICATION_FIELDS: &[&str] = &["build_result", "build_command", "error_console"];
const TODO_FIELDS: &[&str] = &["count", "new_todos"];
const COMMIT_FIELDS: &[&str] = &["branch", "commit_hash"];

pub(super) fn changed_files(node: Node) -> Result<Vec<ChangedFileParam>, BadReport> {
    let items = match node.value {
        Value::Null => return Ok(Vec::new()),
        Value::List(items) => items,
        _ => return Err(bad(node.line, "`changed_files` is a list of {path, action}")),
    };
    let file = |item: Node| {
        let mut file = Fields::of("changed_files.", item, FILE_FIELDS)?;
        file.must_have(FILE_FIELDS)?;
        let action = file.word("action", "is created, modified or deleted")?;
        Ok(ChangedFileParam { path: file.required("path")?, action })
    };
    items.into_iter().map(file).collect()
}

pub(super) fn verification(node: Node) -> Result<Option<VerificationParam>, BadReport> {
    if matches!(node.value, Value::Null) {
        return Ok(None);
    }
    let mut fields = Fields::of("verification.", node, VERIFICATION_FIELDS)?;
    fields.must_have(&["build_result"])?;
    Ok(Some(VerificationParam {
        build_result: fields.word("build_result", "is pass or fail")?,
        build_command: fields.text("build_command")?,
        error_console: fields.text("error_console")?,
    }))
}

pub(super) fn todo_scan(node: Node) -> Result<Option<TodoScanParam>, BadReport> {
    if matches!(node.value, Value::Null) {
        return Ok(None);
    }
    let mut fields = Fields::of("todo_scan.", node, TODO_FIELDS)?;
    fields.must_have(&["count"])?;
    Ok(Some(TodoScanParam { count: fields.number("count")?, new_todos: fields.list_or_text("new_todos")? }))
}

pub(super) fn commit_info(node: Node) -> Result<Option<CommitInfoParam>, BadReport> {
    if matches!(node.value, Value::Null) {
        return Ok(None);
    }
    let mut fields = Fields::of("commit_info.", node, COMMIT_FIELDS)?;
    Ok(Some(CommitInfoParam { branch: fields.text("branch")?, commit_hash: fields.text("commit_hash")? }))
}
