//! Tasks as they are shown.

use interagent_core::entity::Task;
use interagent_core::entity::task::{Judgement, Report, Split};
use interagent_core::entry::Entry;
use interagent_core::event::Event;
use interagent_core::ids::{EntityRef, TaskId};
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::TaskStatus;
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::answer::{
    ChangedFileView, CommitInfoView, DependencyView, NoteView, ReportView, ReviewRow, ServesView, SkillView,
    SplitView, TaskRow, TaskView, TodoScanView, VerdictView, VerificationView,
};
use interagent_wire::{Answer, Time};

use super::snapshot::served;
use crate::names::Names;
use crate::resolve;

/// The task an entry is about: the one it made, otherwise the first it changed.
pub(super) fn task_of(entry: &Entry) -> Option<TaskId> {
    let tasks = || {
        entry.facts.iter().filter_map(|fact| match &fact.entity {
            EntityRef::Task(id) => Some((id, &fact.event)),
            _ => None,
        })
    };
    let made = tasks().find(|(_, event)| matches!(event, Event::TaskCreated(_)));
    made.or_else(|| tasks().next()).map(|(id, _)| id.clone())
}

/// Answers with the task an append was about; where nothing changed, with the one that was named.
pub(super) fn answer(reader: &mut Reader<'_>, appended: &Appended, given: &str) -> Result<Answer, Refusal> {
    let task = match appended.entry().and_then(task_of) {
        Some(id) => reader.task(&id)?,
        None => None,
    };
    let task = match task {
        Some(task) => task,
        None => resolve::task(reader, given)?,
    };
    Ok(Sight::new(reader)?.view(&task)?.into())
}

/// Tasks in a list of other things.
pub(crate) fn rows<'i>(
    reader: &mut Reader<'_>,
    tasks: impl IntoIterator<Item = &'i Task>,
) -> Result<Vec<TaskRow>, Refusal> {
    let mut sight = Sight::new(reader)?;
    tasks.into_iter().map(|task| sight.row(task)).collect()
}

/// Looks at tasks for one answer.
pub(super) struct Sight<'r, 't> {
    names: Names<'r, 't>,
    review_required: bool,
}

impl<'r, 't> Sight<'r, 't> {
    pub(super) fn new(reader: &'r mut Reader<'t>) -> Result<Self, Refusal> {
        let review_required = reader.team()?.is_some_and(|team| team.config.rules.review_required);
        Ok(Self { names: Names::new(reader), review_required })
    }

    /// A task in a list.
    pub(super) fn row(&mut self, task: &Task) -> Result<TaskRow, Refusal> {
        let waits_for = self.names.reader.waits_for(task)?;
        Ok(TaskRow {
            id: task.id.to_string(),
            title: self.names.line(&task.brief.title)?,
            status: task.status,
            priority: task.priority(),
            assignee: self.names.maybe_who(task.assignee.as_ref())?,
            assigner: self.names.who(&task.brief.assigner)?,
            parent: task.brief.parent.as_ref().map(ToString::to_string),
            ready: task.is_ready(&waits_for, self.review_required),
            created: Time(task.created.wall),
            updated: Time(task.updated.wall),
        })
    }

    /// A task with everything said of it.
    pub(super) fn view(&mut self, task: &Task) -> Result<TaskView, Refusal> {
        let waits_for = self.names.reader.waits_for(task)?;
        let mut depends_on = Vec::with_capacity(waits_for.len());
        for on in &waits_for {
            let title = self.names.line(&on.brief.title)?;
            depends_on.push(DependencyView { id: on.id.to_string(), title, status: on.status });
        }
        let mut notes = Vec::with_capacity(task.notes.len());
        for note in &task.notes {
            let (by, words) = (self.names.who(&note.by)?, self.names.text(&note.note)?);
            notes.push(NoteView { at: Time(note.when.wall), by, note: words });
        }
        let brief = &task.brief;
        Ok(TaskView {
            id: task.id.to_string(),
            title: self.names.line(&brief.title)?,
            description: self.names.maybe_text(brief.description.as_ref())?,
            status: task.status,
            priority: task.priority(),
            assignee: self.names.maybe_who(task.assignee.as_ref())?,
            assigner: self.names.who(&brief.assigner)?,
            capability: brief.capability.clone(),
            purpose: self.names.maybe_text(brief.purpose.as_ref())?,
            requirements: self.names.lines(&brief.requirements)?,
            acceptance_criteria: self.names.lines(&brief.acceptance_criteria)?,
            parent: brief.parent.as_ref().map(ToString::to_string),
            order: task.is_order(),
            serves: served(self.names.reader, task)?.map(|served| ServesView {
                order: served.order.to_string(),
                purpose: served.purpose,
                acceptance_criteria: served.acceptance_criteria,
            }),
            depends_on,
            ready: task.is_ready(&waits_for, self.review_required),
            branch: brief.branch.clone(),
            files: brief.files.clone(),
            target_path: brief.target_path.clone(),
            echo_message: self.names.maybe_text(brief.echo_message.as_ref())?,
            redo_of: brief.redo_of.as_ref().map(ToString::to_string),
            reassigned_from: brief.reassigned_from.as_ref().map(ToString::to_string),
            successor: task.successor.as_ref().map(ToString::to_string),
            notes,
            reports: task.reports.iter().map(|report| self.report(report)).collect::<Result<_, _>>()?,
            awaits_verdict: self.review_required
                && matches!(task.status, TaskStatus::Completed | TaskStatus::UnderReview),
            verdicts: task.judgements.iter().map(|judged| self.verdict(judged)).collect::<Result<_, _>>()?,
            reviews: self.reviews(task)?,
            split: task.split.as_ref().map(|split| self.split(split)).transpose()?,
            aliases: brief.aliases.clone(),
            created: Time(task.created.wall),
            updated: Time(task.updated.wall),
        })
    }

    fn reviews(&mut self, task: &Task) -> Result<Vec<ReviewRow>, Refusal> {
        let reviews = self.names.reader.reviews_of(&task.id)?;
        reviews.iter().map(|review| crate::reviews::row(&mut self.names, review)).collect()
    }

    fn report(&mut self, Report { when, report, spoken_by }: &Report) -> Result<ReportView, Refusal> {
        let skill = &report.skill_candidate;
        Ok(ReportView {
            timestamp: Time(when.wall),
            worker: self.names.who(&report.worker)?,
            spoken_by: spoken_by.as_ref().map(|operator| self.names.who(operator)).transpose()?,
            status: report.status,
            summary: self.names.text(&report.summary)?,
            files_modified: report.files_modified.clone(),
            notes: self.names.maybe_text(report.notes.as_ref())?,
            skill_candidate: SkillView {
                found: skill.found,
                name: self.names.maybe_text(skill.name.as_ref())?,
                description: self.names.maybe_text(skill.description.as_ref())?,
                reason: self.names.maybe_text(skill.reason.as_ref())?,
            },
            purpose_gap: self.names.maybe_text(report.purpose_gap.as_ref())?,
            purpose_met: report.purpose_met,
            changed_files: report
                .changed_files
                .iter()
                .map(|file| ChangedFileView { path: file.path.clone(), action: file.action })
                .collect(),
            verification: match &report.verification {
                None => None,
                Some(tried) => Some(VerificationView {
                    build_result: tried.build_result,
                    build_command: self.names.maybe_text(tried.build_command.as_ref())?,
                    error_console: self.names.maybe_text(tried.error_console.as_ref())?,
                }),
            },
            todo_scan: match &report.todo_scan {
                None => None,
                Some(scan) => {
                    Some(TodoScanView { count: scan.count, new_todos: self.names.lines(&scan.new_todos)? })
                }
            },
            commit_info: report.commit_info.as_ref().map(|commit| CommitInfoView {
                branch: commit.branch.clone(),
                commit_hash: commit.commit_hash.clone(),
            }),
        })
    }

    fn split(&mut self, split: &Split) -> Result<SplitView, Refusal> {
        let end = split.end.as_ref();
        Ok(SplitView {
            at: Time(split.when.wall),
            by: self.names.who(&split.by)?,
            parts: self.names.lines(&split.parts)?,
            reason: self.names.maybe_text(split.reason.as_ref())?,
            open: end.is_none(),
            tasks: end.map(|end| end.tasks.iter().map(ToString::to_string).collect()).unwrap_or_default(),
            declined: self.names.maybe_text(end.and_then(|end| end.reason.as_ref()))?,
        })
    }

    fn verdict(&mut self, judged: &Judgement) -> Result<VerdictView, Refusal> {
        Ok(VerdictView {
            at: Time(judged.when.wall),
            by: self.names.who(&judged.by)?,
            verdict: judged.verdict,
            note: self.names.maybe_text(judged.note.as_ref())?,
            review: judged.review.as_ref().map(ToString::to_string),
            overruled: judged.overruled,
        })
    }
}
