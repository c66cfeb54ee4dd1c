//! Reports: as fields, or as the document that members of a captain's team write.

use interagent_core::decide::task as decide;
use interagent_core::entity::{Agent, Task};
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::TaskStatus;
use interagent_store::reader::Reader;
use interagent_wire::report::ReportFile;
use interagent_wire::{Answer, request as ask};

use super::snapshot::{Depth, LEVELS};
use super::{change, input};
use crate::call::{Call, Scene};
use crate::resolve;

/// Open tasks that are named where it is not clear which one is meant.
const NAMED: u32 = 5;

/// Reports on a task: done completes it, failed closes it, blocked says so.
pub(crate) fn report(call: &mut Call<'_>, params: &ask::TaskReport) -> Result<Answer, Refusal> {
    let (params, file) = match &params.yaml {
        None => (params.clone(), None),
        Some(yaml) => {
            let file = read(yaml)?;
            (fields(params, &file)?, Some(file))
        }
    };
    let findings = input::findings(&params)?;
    let task = match params.task.is_empty() {
        true => call.read(|reader, known| only_task(reader, known.clone().bound()?.member()))?,
        false => params.task.clone(),
    };
    change(call, &task, Depth::Circle, |snapshot, scene, draft| {
        if let Some(file) = &file {
            must_be_about(&snapshot.task, file, scene)?;
        }
        decide::report(snapshot, &findings, scene.context, draft)
    })
}

/// The one task that somebody works on.
pub(super) fn only_task(reader: &mut Reader<'_>, member: &Agent) -> Result<String, Refusal> {
    let mut open = reader.open_tasks(Some(&member.id), NAMED)?;
    open.retain(|task| !matches!(task.status, TaskStatus::Completed | TaskStatus::UnderReview));
    match open.as_slice() {
        [one] => Ok(one.id.to_string()),
        [] => Err(Refusal::not_found("no_task", format!("{} has no open task to report on", member.name))
            .hint("interagent task list --open shows whose tasks there are")),
        several => {
            let ids: Vec<&str> = several.iter().map(|task| task.id.as_str()).collect();
            let sentence = format!("{} has several open tasks: {}", member.name, ids.join(", "));
            Err(Refusal::usage("which_task", sentence)
                .hint(format!("name the one you report on: interagent report {} done ...", ids[0])))
        }
    }
}

fn read(yaml: &str) -> Result<ReportFile, Refusal> {
    yaml.parse().map_err(|bad| {
        Refusal::usage("bad_report", format!("this is no report: {bad}"))
            .hint("interagent report --help names its fields")
    })
}

/// The document's fields in the place of the parameters.
fn fields(params: &ask::TaskReport, file: &ReportFile) -> Result<ask::TaskReport, Refusal> {
    let only = ask::TaskReport {
        task: params.task.clone(),
        yaml: params.yaml.clone(),
        with_open_parts: params.with_open_parts,
        key: params.key.clone(),
        ..ask::TaskReport::default()
    };
    if *params != only {
        return Err(Refusal::usage("two_reports", "give the report as fields or as a document, not as both"));
    }
    let task = if params.task.is_empty() { file.task_id.clone() } else { params.task.clone() };
    Ok(ask::TaskReport {
        task,
        status: Some(file.status),
        summary: Some(file.summary.clone()),
        files_modified: file.files_modified.clone(),
        notes: file.notes.clone(),
        skill_candidate: Some(file.skill_candidate.clone()),
        purpose_gap: file.purpose_gap.clone(),
        purpose_met: file.purpose_met,
        changed_files: file.changed_files.clone(),
        verification: file.verification.clone(),
        todo_scan: file.todo_scan.clone(),
        commit_info: file.commit_info.clone(),
        ..only
    })
}

/// What the document says of itself must be so: a report that was copied from another task is a mistake.
fn must_be_about(task: &Task, file: &ReportFile, scene: &mut Scene<'_, '_, '_>) -> Result<(), Refusal> {
    let member = scene.member.clone();
    let reader = &mut scene.look();
    let named = resolve::task(reader, &file.task_id)?;
    if named.id != task.id {
        let sentence = format!("task_id says {}, but the report is given for {}", named.id, task.id);
        return Err(Refusal::usage("bad_report", sentence));
    }
    let worker = resolve::agent(reader, &file.worker_id)?;
    if worker.id != member.id {
        let sentence = format!("worker_id says {}, but you are {}", worker.name, member.name);
        return Err(Refusal::rule("not_you", sentence)
            .hint(format!("the operator may speak for it: --from-agent {}", worker.name)));
    }
    belongs(reader, task, file.parent_cmd.as_deref())
}

fn belongs(reader: &mut Reader<'_>, task: &Task, parent_cmd: Option<&str>) -> Result<(), Refusal> {
    let wrong = |sentence: String| Err(Refusal::usage("bad_report", sentence));
    match (parent_cmd, &task.brief.parent) {
        (None, None) => Ok(()),
        (None, Some(parent)) => wrong(format!("parent_cmd is empty, but {} is part of {parent}", task.id)),
        (Some(given), _) => {
            let named = resolve::task(reader, given)?;
            let mut above = Some(task.clone());
            for _ in 0..LEVELS {
                match above {
                    Some(level) if level.id == named.id => return Ok(()),
                    Some(level) => {
                        above = match &level.brief.parent {
                            Some(parent) => reader.task(parent)?,
                            None => None,
                        }
                    }
                    None => break,
                }
            }
            wrong(format!("parent_cmd says {}, but {} is no part of it", named.id, task.id))
        }
    }
}
