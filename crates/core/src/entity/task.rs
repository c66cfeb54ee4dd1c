//! A task: what is to be done, by whom, how far it is, and what was said of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{Event, TaskCreated, TaskReported, TaskSubmitted};
use crate::ids::{AgentId, ReviewId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{Priority, TaskStatus, Verdict};

/// A time-stamped note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// When.
    pub when: When,
    /// By whom.
    pub by: AgentId,
    /// The words.
    pub note: TextHash,
}

/// A verdict on the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// When.
    pub when: When,
    /// By whom.
    pub by: AgentId,
    /// What.
    pub verdict: Verdict,
    /// Why.
    pub note: Option<TextHash>,
    /// The review it came from.
    pub review: Option<ReviewId>,
    /// The operator decided where the rules gave the word to somebody else.
    pub overruled: bool,
}

/// A worker's report, with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When.
    pub when: When,
    /// What it says.
    pub report: TaskReported,
    /// Who spoke for the worker, where the operator did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoken_by: Option<AgentId>,
}

/// A proposal to divide the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// When.
    pub when: When,
    /// By whom.
    pub by: AgentId,
    /// One line each.
    pub parts: Vec<TextHash>,
    /// Why.
    pub reason: Option<TextHash>,
    /// What became of it.
    pub end: Option<SplitEnd>,
}

/// What became of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitEnd {
    /// By whom.
    pub by: AgentId,
    /// The tasks that the parts became; none where it was declined.
    pub tasks: Vec<TaskId>,
    /// Why not.
    pub reason: Option<TextHash>,
}

/// A task or order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// What it was created with; edits replace fields.
    pub brief: TaskCreated,
    /// Where it stands.
    pub status: TaskStatus,
    /// Since when it stands there.
    pub moved: When,
    /// Who works on it.
    pub assignee: Option<AgentId>,
    /// What must be finished first.
    pub depends_on: BTreeSet<TaskId>,
    /// What was noted.
    pub notes: Vec<Note>,
    /// What was reported.
    pub reports: Vec<Report>,
    /// What was decided of it.
    pub judgements: Vec<Judgement>,
    /// The last proposal to divide it.
    #[serde(default)]
    pub split: Option<Box<Split>>,
    /// The change that was last submitted for review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<TaskSubmitted>,
    /// The task that goes on in its place.
    pub successor: Option<TaskId>,
    /// When it was created.
    pub created: When,
    /// When it last changed.
    pub updated: When,
}

impl Task {
    pub(super) fn create(id: &TaskId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::TaskCreated(brief) = event else { return Err(Void::Absent) };
        Ok(Self {
            id: id.clone(),
            brief: brief.clone(),
            status: TaskStatus::Pending,
            moved: stamp.into(),
            assignee: None,
            depends_on: brief.depends_on.iter().cloned().collect(),
            notes: Vec::new(),
            reports: Vec::new(),
            judgements: Vec::new(),
            split: None,
            submitted: None,
            successor: None,
            created: stamp.into(),
            updated: stamp.into(),
        })
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        match event {
            Event::TaskCreated(_) => return Err(Void::Exists),
            // Notes, reports and judgements are kept even when the task is closed: they say what happened.
            Event::TaskNoted(noted) => {
                self.notes.push(Note {
                    when: stamp.into(),
                    by: stamp.member.clone(),
                    note: noted.note.clone(),
                });
            }
            Event::TaskReported(report) => {
                let spoken_by = (stamp.actor != report.worker).then(|| stamp.actor.clone());
                self.reports.push(Report { when: stamp.into(), report: report.clone(), spoken_by });
            }
            Event::TaskJudged(judged) => {
                self.judges_newest(judged.judges.as_ref())?;
                self.judgements.push(Judgement {
                    when: stamp.into(),
                    by: judged.by.clone(),
                    verdict: judged.verdict,
                    note: judged.note.clone(),
                    review: judged.review.clone(),
                    overruled: judged.overruled,
                });
            }
            Event::TaskSubmitted(submitted) => {
                self.open()?;
                self.submitted = Some(submitted.clone());
            }
            Event::TaskSplitProposed(proposed) => {
                self.open()?;
                if self.open_split().is_some() {
                    return Err(Void::TooLate("a proposal to divide it waited already"));
                }
                self.split = Some(Box::new(Split {
                    when: stamp.into(),
                    by: stamp.member.clone(),
                    parts: proposed.parts.clone(),
                    reason: proposed.reason.clone(),
                    end: None,
                }));
            }
            Event::TaskSplitDecided(decided) => {
                let waiting = self.split.as_mut().filter(|split| split.end.is_none());
                let Some(split) = waiting else {
                    return Err(Void::TooLate("no proposal to divide it waited"));
                };
                split.end = Some(SplitEnd {
                    by: stamp.member.clone(),
                    tasks: decided.tasks.clone(),
                    reason: decided.reason.clone(),
                });
            }
            Event::TaskEdited(edited) => {
                self.open()?;
                if let Some(title) = &edited.title {
                    self.brief.title = title.clone();
                }
                if let Some(description) = &edited.description {
                    self.brief.description = Some(description.clone());
                }
                if let Some(priority) = edited.priority {
                    self.brief.priority = priority;
                }
                if let Some(branch) = &edited.branch {
                    self.brief.branch = Some(branch.clone());
                }
            }
            Event::TaskAssigned(assigned) => {
                self.open()?;
                if self.assignee != assigned.before {
                    return Err(Void::TooLate("another agent has the task"));
                }
                self.assignee = Some(assigned.assignee.clone());
            }
            Event::TaskMoved(moved) => {
                if self.status != moved.from {
                    return Err(Void::TooLate("the task had moved on"));
                }
                if self.assignee != moved.assignee {
                    return Err(Void::TooLate("another agent has the task"));
                }
                self.judges_newest(moved.judges.as_ref())?;
                if !moved.from.leads_to(moved.to) {
                    return Err(Void::TooLate("that is not a step of the life cycle"));
                }
                self.status = moved.to;
                self.moved = stamp.into();
                self.successor = moved.successor.clone().or(self.successor);
            }
            Event::TaskDependency(dependency) => {
                self.open()?;
                let changed = if dependency.removed {
                    self.depends_on.remove(&dependency.on)
                } else {
                    self.depends_on.insert(dependency.on.clone())
                };
                if !changed {
                    return Err(Void::TooLate("the dependency was so already"));
                }
            }
            _ => return Err(Void::Unknown),
        }
        self.updated = stamp.into();
        Ok(self)
    }

    /// A verdict counts for the change that its judge saw. Verdicts of older programs name none.
    fn judges_newest(&self, judged: Option<&TaskSubmitted>) -> Result<(), Void> {
        match judged.is_none() || judged == self.submitted.as_ref() {
            true => Ok(()),
            false => Err(Void::TooLate("there is a newer round")),
        }
    }

    fn open(&self) -> Result<(), Void> {
        if self.status.is_closed() { Err(Void::TooLate("the task is closed")) } else { Ok(()) }
    }

    /// The proposal to divide it that waits for an answer.
    pub fn open_split(&self) -> Option<&Split> {
        self.split.as_deref().filter(|split| split.end.is_none())
    }

    /// How urgent.
    pub fn priority(&self) -> Priority {
        self.brief.priority
    }

    /// An order: no parent, with a purpose and a way to see that it is done.
    pub fn is_order(&self) -> bool {
        self.brief.parent.is_none()
            && self.brief.purpose.is_some()
            && !self.brief.acceptance_criteria.is_empty()
    }

    /// What keeps it from being begun; `waits_for` are the tasks it depends on, as far as they are known here.
    pub fn held_back_by<'t>(&self, waits_for: &'t [Self], review_required: bool) -> Option<HeldBack<'t>> {
        if let Some(on) = waits_for.iter().find(|on| !frees(on.status, review_required)) {
            return Some(HeldBack::By(on));
        }
        (waits_for.len() < self.depends_on.len()).then_some(HeldBack::NotArrived)
    }

    /// Whether nothing keeps it from being begun.
    pub fn is_ready(&self, waits_for: &[Self], review_required: bool) -> bool {
        self.held_back_by(waits_for, review_required).is_none()
    }
}

/// What keeps a task from being begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack<'t> {
    /// A task that is not finished.
    By(&'t Task),
    /// A task that has not arrived here yet.
    NotArrived,
}

/// The statuses in which a task lets those begin that wait for it: at most two.
pub fn freeing(review_required: bool) -> [Option<TaskStatus>; 2] {
    [Some(TaskStatus::Approved), (!review_required).then_some(TaskStatus::Completed)]
}

/// Whether a task in this status lets those begin that wait for it.
pub fn frees(status: TaskStatus, review_required: bool) -> bool {
    freeing(review_required).contains(&Some(status))
}
