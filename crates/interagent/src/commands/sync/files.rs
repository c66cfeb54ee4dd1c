//! What a sync and the board say of the hub's readable files.

use interagent_core::shell::quoted;
use interagent_mirror::files::{Draft, Findings, Followed};
use serde_json::{Value, json};

use crate::session::{Session, moved_note};
use crate::ui::look::Role;

/// More entries than one command brings into files.
const MANY: i64 = 64;

pub(super) fn tell(session: &mut Session, followed: &Followed, findings: &Findings) {
    let what = match followed {
        Followed { busy: true, .. } => ": another process writes them".to_owned(),
        Followed { written: 0, removed: 0, .. } => ": up to date".to_owned(),
        Followed { written, removed: 0, .. } => format!(": {written} written"),
        Followed { written, removed, .. } => format!(": {written} written, {removed} removed"),
    };
    session.printer.line(&[(Role::Good, "files"), (Role::Plain, &what)]);
    for note in followed.moved.iter().map(|file| moved_note(file)).chain(notes(findings)) {
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, &note)]);
    }
    if !findings.drafts.is_empty() {
        session.suggest(&["interagent sync --accept"]);
    }
}

/// What people should know of the files, a sentence for each.
pub(crate) fn notes(findings: &Findings) -> Vec<String> {
    let Findings { edited, misplaced, kept, drafts, malformed, troubles, behind, cut } = findings;
    let mut notes = troubles.clone();
    // A few are brought by the next command that writes.
    if *behind > MANY || (*behind > 0 && !troubles.is_empty()) {
        notes.push(format!(
            "the readable files are behind by {}: interagent sync",
            entries(behind.unsigned_abs())
        ));
    }
    notes.extend(edited.iter().map(|file| {
        format!("{file} was changed by hand; interagent sync writes it again and keeps the change as {file}.edited")
    }));
    notes.extend(misplaced.iter().map(|file| {
        format!("{file} was changed in its generated part; interagent sync moves your text below it")
    }));
    notes.extend(
        kept.iter().map(|file| format!("{file} keeps a change by hand; remove it when it is not needed")),
    );
    notes.extend(drafts.iter().map(|draft| {
        let noun = if matches!(draft, Draft::Task(_)) { "task" } else { "message" };
        let path = draft.path();
        format!("{path} is a draft of a {noun}: interagent sync --accept {}", quoted(path))
    }));
    notes.extend(
        malformed.iter().map(|file| format!("{} is no draft that can be accepted: {}", file.path, file.why)),
    );
    if *cut {
        notes.push(
            "there are more than 1,000 files to check for drafts and changes: interagent sync checks all"
                .to_owned(),
        );
    }
    notes
}

pub(super) fn entries(number: u64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

pub(super) fn document(followed: &Followed, findings: &Findings) -> Value {
    let drafts: Vec<Value> = findings.drafts.iter().map(draft).collect();
    let malformed: Vec<Value> =
        findings.malformed.iter().map(|file| json!({ "file": file.path, "why": file.why })).collect();
    json!({
        "busy": followed.busy,
        "written": followed.written,
        "removed": followed.removed,
        "edited": findings.edited,
        "misplaced": findings.misplaced,
        "moved": followed.moved,
        "kept": findings.kept,
        "drafts": drafts,
        "malformed": malformed,
        "troubles": findings.troubles,
        "behind": findings.behind,
    })
}

fn draft(draft: &Draft) -> Value {
    match draft {
        Draft::Task(task) => {
            json!({ "file": task.path, "kind": "task", "alias": task.alias, "title": task.title })
        }
        Draft::Message(message) => {
            json!({ "file": message.path, "kind": "message", "alias": message.alias, "to": message.to })
        }
    }
}
