//! `tasks/{active,completed}/ID.json`: the original's fields first and in its words, then ours.

use std::collections::BTreeSet;

use interagent_core::entity::Task;
use interagent_store::StoreError;
use serde::Serialize;

use super::json;
use crate::files::moment::iso;
use crate::files::names::Look;

#[derive(Debug, Serialize)]
struct Document {
    id: String,
    title: String,
    description: String,
    status: &'static str,
    priority: &'static str,
    assignee: Option<String>,
    assigner: String,
    created: String,
    updated: String,
    requirements: Vec<String>,
    acceptance_criteria: Vec<String>,
    deliverables: Vec<String>,
    notes: Vec<Note>,
    purpose: Option<String>,
    parent: Option<String>,
    depends_on: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capability: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    echo_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redo_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reassigned_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reassigned_to: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    verdicts: Vec<Verdict>,
}

#[derive(Debug, Serialize)]
struct Note {
    timestamp: String,
    note: String,
    by: String,
}

#[derive(Debug, Serialize)]
struct Verdict {
    timestamp: String,
    verdict: &'static str,
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One task as a file.
pub(in crate::files) fn task(look: &mut Look<'_, '_>, task: &Task) -> Result<String, StoreError> {
    let brief = &task.brief;
    let mut notes = Vec::with_capacity(task.notes.len());
    for note in &task.notes {
        notes.push(Note {
            timestamp: iso(note.when.wall),
            note: look.text(&note.note)?,
            by: look.name(&note.by)?,
        });
    }
    let mut verdicts = Vec::with_capacity(task.judgements.len());
    for judged in &task.judgements {
        verdicts.push(Verdict {
            timestamp: iso(judged.when.wall),
            verdict: judged.verdict.as_str(),
            by: look.name(&judged.by)?,
            note: look.maybe_text(judged.note.as_ref())?,
        });
    }
    let mut seen = BTreeSet::new();
    let files = task.reports.iter().flat_map(|report| &report.report.files_modified);
    let deliverables = files.filter(|file| seen.insert(file.as_str())).cloned().collect();
    json(&Document {
        id: task.id.to_string(),
        title: look.text(&brief.title)?,
        description: look.maybe_text(brief.description.as_ref())?.unwrap_or_default(),
        status: task.status.as_str(),
        priority: task.priority().as_str(),
        assignee: look.maybe_name(task.assignee.as_ref())?,
        assigner: look.name(&brief.assigner)?,
        created: iso(task.created.wall),
        updated: iso(task.updated.wall),
        requirements: look.texts(&brief.requirements)?,
        acceptance_criteria: look.texts(&brief.acceptance_criteria)?,
        deliverables,
        notes,
        purpose: look.maybe_text(brief.purpose.as_ref())?,
        parent: brief.parent.as_ref().map(ToString::to_string),
        depends_on: task.depends_on.iter().map(ToString::to_string).collect(),
        capability: brief.capability.clone(),
        branch: brief.branch.clone(),
        files: brief.files.clone(),
        target_path: brief.target_path.clone(),
        echo_message: look.maybe_text(brief.echo_message.as_ref())?,
        redo_of: brief.redo_of.as_ref().map(ToString::to_string),
        reassigned_from: brief.reassigned_from.as_ref().map(ToString::to_string),
        reassigned_to: task.successor.as_ref().map(ToString::to_string),
        aliases: brief.aliases.clone(),
        verdicts,
    })
}
