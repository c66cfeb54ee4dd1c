//! Tasks: creating, assigning, moving, reporting, judging, passing on.

mod create;
mod handover;
mod moves;
mod notify;
mod outcome;
mod parts;
mod split;
mod stopped;
mod unattended;

pub use create::{BriefWords, Plan, create, reassign, redo};
pub use moves::{claim, depend, edit, move_to, must_not_wait_for_whole, note};
pub use notify::READY_REF;
pub use outcome::{Details, Findings, Judgeable, Purpose, back_to_review, judge, report};
pub use parts::OpenParts;
pub use split::{SPLIT_REF, accept_split, decline_split, propose_split};
pub use stopped::{Leaves, LeftTask, tell_assigners};
pub use unattended::{hand_on, withdraw};

use crate::decide::{draft_move, draft_settle, draft_settle_for};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message, Review, Task};
use crate::event::Event;
use crate::ids::{EntityRef, TaskId};
use crate::phrasing::{Arg, Dialect, Operation, Step};
use crate::refusal::Refusal;
use crate::rules::{self, ForeignNames, Judged, WorkRelation};
use crate::team::{Formation, TeamConfig};
use crate::text::TextHash;
use crate::vocabulary::{Duty, ReportStatus, Settlement, TaskStatus};

/// What every decision about a task needs to know.
#[derive(Clone, Debug)]
pub struct TaskSnapshot {
    /// The rules.
    pub team: Option<TeamConfig>,
    /// Who acts.
    pub member: Agent,
    /// The task.
    pub task: Task,
    /// Who gave it.
    pub giver: Option<Agent>,
    /// Who works on it.
    pub assignee: Option<Agent>,
    /// Messages that oblige somebody about it.
    pub duties: Vec<Message>,
    /// Open tasks that wait for it, each with what else it waits for.
    pub dependents: Vec<Dependent>,
    /// What it waits for itself.
    pub waits_for: Vec<Task>,
    /// The reviews that wait for a verdict on it; the one a verdict was asked for comes first.
    pub open_reviews: Vec<Review>,
    /// The agents who judged earlier rounds of those reviews and still take part.
    pub judges: Vec<Agent>,
    /// Its newest review that is open or was sent back.
    pub unfinished_review: Option<Review>,
    /// The agents who are asked for a verdict, resolved from the rules.
    pub reviewers: Vec<Agent>,
    /// Its title, for messages about it.
    pub title: String,
    /// What it asks for, for the message that assigns it.
    pub brief: BriefWords,
    /// The tasks it was divided into.
    pub parts: Vec<Task>,
    /// The assigner of the first task in its chain, if the task takes over or redoes another one.
    pub origin: Option<Agent>,
    /// The person of this replica, who hears what would go to a captain.
    pub operator: Option<Agent>,
    /// What the work is for, where somebody said so.
    pub serves: Option<Served>,
    /// What was reported of it last.
    pub reported: Option<Reported>,
    /// The names of agents of other replicas, as shown here.
    pub foreign: ForeignNames,
}

/// The words of a report, as far as another one could repeat them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// How it ended.
    pub status: ReportStatus,
    /// In short.
    pub summary: String,
    /// What could be reused.
    pub skill: Option<String>,
}

/// The purpose that a task serves: its own, or that of the nearest order above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The task that says it.
    pub order: TaskId,
    /// Why it exists.
    pub purpose: String,
    /// How one sees that it is done.
    pub acceptance_criteria: Vec<String>,
}

/// A task that waits for another.
#[derive(Clone, Debug)]
pub struct Dependent {
    /// The one that waits.
    pub task: Task,
    /// Everything it waits for.
    pub waits_for: Vec<Task>,
    /// Its title.
    pub title: String,
    /// Its assignee, or its assigner while it has none.
    pub contact: Option<Agent>,
}

impl TaskSnapshot {
    fn review_required(&self) -> bool {
        self.team.as_ref().is_some_and(|team| team.rules.review_required)
    }

    fn in_chain(&self) -> bool {
        self.team.as_ref().is_some_and(|team| team.formation == Formation::Captain)
    }

    fn entity(&self) -> EntityRef {
        EntityRef::Task(self.task.id.clone())
    }

    /// An agent's name as shown here: with its replica where that is another.
    pub(super) fn called<'a>(&'a self, agent: &'a Agent) -> &'a str {
        self.foreign.called(agent)
    }

    /// Who does the work: the assignee, or the member that takes the task with this step.
    fn worker(&self) -> &Agent {
        self.assignee.as_ref().unwrap_or(&self.member)
    }

    fn is_worker(&self) -> bool {
        self.task.assignee.as_ref() == Some(&self.member.id)
    }

    fn is_giver(&self) -> bool {
        self.task.brief.assigner == self.member.id
    }

    /// Work on a task is its assignee's; a person may speak for anybody.
    fn must_be_worker(&self, context: &Context, verb: &str) -> Result<(), Refusal> {
        if self.is_worker() || context.human {
            return Ok(());
        }
        let id = &self.task.id;
        Err(match &self.assignee {
            Some(worker) => Refusal::rule(
                "F003",
                format!(
                    "{id} is the task of {}: {} may not {verb} it",
                    self.called(worker),
                    self.called(&self.member)
                ),
            )
            .hint(self.way_to_comment(worker)),
            None => Refusal::rule("F003", format!("{id} is nobody's task yet"))
                .hint(format!("interagent task claim {id}")),
        })
    }

    /// What a task asks for, and of whom, is the matter of who gave it and who leads them: its worker would rewrite its own
    /// orders.
    fn must_direct(&self, context: &Context, verb: &str) -> Result<(), Refusal> {
        if context.human {
            return Ok(());
        }
        let (giver, worker) = (self.giver.as_ref(), self.assignee.as_ref());
        rules::may_direct(self.team.as_ref(), &self.member, giver, worker, &self.foreign).map_err(|refusal| {
            let id = &self.task.id;
            let sentence = format!("{} may not {verb} {id}: {}", self.called(&self.member), refusal.sentence);
            let ask = refusal.hint.clone().unwrap_or_default();
            let hint = match self.may_note() {
                true => format!("{ask}; or add a note: interagent task note {id} TEXT"),
                false => ask,
            };
            Refusal { sentence, ..refusal }.hint(hint)
        })
    }

    /// Whether the member may judge this worker's work.
    pub(super) fn may_judge(&self, worker: &Agent) -> Result<Judged, Refusal> {
        rules::may_judge(self.team.as_ref(), &self.member, worker, &self.foreign)
    }

    /// Whether F003 lets the member add a note.
    fn may_note(&self) -> bool {
        let worker = self.assignee.as_ref().map(|worker| &worker.name);
        let relation = WorkRelation::of(worker, self.giver.as_ref().map(|giver| &giver.name));
        let work = WorkRelation { is_asked: self.owes(&self.member.id, Duty::Verdict), ..relation };
        rules::may_read_work(self.team.as_ref(), &self.member, &work).is_ok()
    }

    /// How the member comments on another agent's work. A reply settles a call for help; a note would not.
    fn way_to_comment(&self, worker: &Agent) -> String {
        let calls = |message: &&Message| message.owed_by(&self.member.id) == Some(Duty::Unblock);
        if let Some(call) = self.duties.iter().find(calls) {
            return Dialect::Shell.say(&Step::reply(call.id.as_str()));
        }
        match self.may_note() {
            true => format!("interagent task note {} TEXT", self.task.id),
            false => {
                rules::way_to_called(self.team.as_ref(), &self.member, &worker.name, self.called(worker))
            }
        }
    }

    /// What a task waits for is the matter of who gave it, who does it and who leads them.
    fn must_have_say(&self, context: &Context, verb: &str) -> Result<(), Refusal> {
        if self.is_giver() || self.is_worker() || context.human {
            return Ok(());
        }
        let leads = match &self.assignee {
            Some(worker) => self.may_judge(worker).is_ok(),
            None => !self.in_chain(),
        };
        if leads {
            return Ok(());
        }
        let id = &self.task.id;
        Err(Refusal::rule(
            "F003",
            format!("{id} is no task of {}, who may not {verb} it", self.called(&self.member)),
        )
        .hint(self.way_to_comment(self.worker())))
    }

    fn must_be_open(&self) -> Result<(), Refusal> {
        if !self.task.status.is_closed() {
            return Ok(());
        }
        Err(Refusal::conflict("closed", format!("{} is {}: it is closed", self.task.id, self.task.status))
            .hint(self.goes_on_as()))
    }

    /// What helps with a task that is closed: the one that goes on in its place, or a new one.
    fn goes_on_as(&self) -> String {
        match &self.task.successor {
            Some(successor) => format!("{successor} goes on in its place: interagent task show {successor}"),
            None => match self.must_be_redoable() {
                Ok(()) => format!("interagent task redo {} makes a new one", self.task.id),
                Err(refusal) => refusal.hint.unwrap_or_default(),
            },
        }
    }

    /// Only members that may direct or judge the work may redo a cancelled or rejected task.
    fn must_be_redoable(&self) -> Result<(), Refusal> {
        let was_dropped = matches!(self.task.status, TaskStatus::Cancelled | TaskStatus::Rejected);
        let judges = self.assignee.as_ref().is_some_and(|worker| self.may_judge(worker).is_ok());
        if !was_dropped || judges {
            return Ok(());
        }
        let (giver, worker) = (self.giver.as_ref(), self.assignee.as_ref());
        let directs = rules::may_direct(self.team.as_ref(), &self.member, giver, worker, &self.foreign);
        directs.map_err(|refusal| {
            let Task { id, status, .. } = &self.task;
            let sentence = format!(
                "{id} is {status}: {} may not redo it; {}",
                self.called(&self.member),
                refusal.sentence
            );
            Refusal { sentence, ..refusal }
        })
    }

    /// Drafts the steps to a status, one event each.
    fn steps(&self, draft: &mut Draft, to: TaskStatus, reason: Option<TextHash>) -> Result<(), Refusal> {
        let from = self.task.status;
        let path = from.path_to(to).ok_or_else(|| self.no_way(to))?;
        let mut at = from;
        for step in path {
            let reason = reason.clone().filter(|_| step == to);
            draft_move(draft, &self.task.id, self.task.assignee.as_ref(), (at, step), reason, None);
            at = step;
        }
        Ok(())
    }

    /// The same for a verdict: each step counts only for the change that is judged.
    fn judged_steps(
        &self,
        draft: &mut Draft,
        to: TaskStatus,
        reason: Option<TextHash>,
    ) -> Result<(), Refusal> {
        let before = draft.facts.len();
        self.steps(draft, to, reason)?;
        for fact in draft.facts.iter_mut().skip(before) {
            if let Event::TaskMoved(moved) = &mut fact.event {
                moved.judges = self.task.submitted.clone();
            }
        }
        Ok(())
    }

    fn no_way(&self, to: TaskStatus) -> Refusal {
        use TaskStatus as S;
        let (id, from) = (&self.task.id, self.task.status);
        let hint = match (from, to) {
            (from, _) if from.is_closed() => self.goes_on_as(),
            (S::Completed | S::UnderReview, _) => self.sends_back(),
            (S::Pending, _) => format!("interagent task claim {id} takes it"),
            (_, S::Pending | S::Assigned) => self.way_to_hand_on(),
            _ => format!("interagent task show {id} tells where it stands"),
        };
        Refusal::conflict("no_such_move", format!("{id} is {from}; it can't become {to} from there"))
            .hint(hint)
    }

    /// How the member passes the task on. Only those who direct the work reassign it; its assignee declines it
    /// or reports it as blocked.
    fn way_to_hand_on(&self) -> String {
        let (giver, worker) = (self.giver.as_ref(), self.assignee.as_ref());
        let directs =
            rules::may_direct(self.team.as_ref(), &self.member, giver, worker, &self.foreign).is_ok();
        let id = self.task.id.as_str();
        if directs || self.member.is_human() {
            return format!("{} gives it to somebody else", Dialect::Shell.say(&Step::reassign_task(id)));
        }
        if !self.is_worker() {
            return self.way_to_comment(self.worker());
        }
        let asked = |message: &&Message| message.owed_by(&self.member.id) == Some(Duty::Start);
        if let Some(message) = self.duties.iter().find(asked) {
            let step = Step::new(Operation::Decline).with(Arg::Message, message.id.as_str());
            return Dialect::Shell.say(&step.with(Arg::Reason, "TEXT"));
        }
        let status = match self.task.status {
            TaskStatus::Blocked => TaskStatus::Failed,
            _ => TaskStatus::Blocked,
        };
        let step = Step::update_task(id, status.as_str()).with(Arg::Note, "TEXT");
        Dialect::Shell.say(&step)
    }

    /// How completed work is reopened: by a verdict, where this member may give one.
    fn sends_back(&self) -> String {
        let (id, worker) = (&self.task.id, self.worker());
        match self.may_judge(worker) {
            Ok(_) => format!("interagent task verdict {id} revision_needed sends it back"),
            Err(refusal) => {
                let ask = refusal.hint.unwrap_or_default();
                format!("a verdict of revision_needed reopens it: {ask}")
            }
        }
    }

    /// Ends what was asked for while the work stood still: it goes on, so nobody has to start or unblock it.
    fn settle_progress(&self, draft: &mut Draft) {
        self.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
        if self.task.status == TaskStatus::Blocked {
            self.settle_duties(draft, Settlement::Withdrawn, |duty| duty == Duty::Unblock);
        } else {
            self.settle(self.declined(), draft, Settlement::Withdrawn, |duty| duty == Duty::Unblock);
        }
    }

    /// The messages that decline the task, while its assigner still has to react.
    pub(super) fn declined(&self) -> impl Iterator<Item = &Message> {
        self.duties.iter().filter(|message| message.declines(&self.task.id))
    }

    /// Settles what the task's progress settles: a delegation by starting, a review request by a verdict.
    fn settle_duties(&self, draft: &mut Draft, how: Settlement, ends: impl Fn(Duty) -> bool) {
        self.settle(&self.duties, draft, how, ends);
    }

    fn settle<'m>(
        &self,
        messages: impl IntoIterator<Item = &'m Message>,
        draft: &mut Draft,
        how: Settlement,
        ends: impl Fn(Duty) -> bool,
    ) {
        for message in messages {
            for (agent, delivery) in &message.deliveries {
                if !delivery.owes().is_some_and(&ends) {
                    continue;
                }
                if agent == &self.member.id {
                    draft_settle(draft, message, agent, how, None);
                } else {
                    draft_settle_for(draft, message, agent, how);
                }
            }
        }
    }
}

/// Refuses to wait for what will never be finished.
fn may_be_waited_for(on: &Task) -> Result<(), Refusal> {
    if !on.status.is_closed() || on.status == TaskStatus::Approved {
        return Ok(());
    }
    let sentence = format!("{} is {}: what waits for it would wait for ever", on.id, on.status);
    let refusal = Refusal::conflict("never_ready", sentence);
    Err(match &on.successor {
        Some(successor) => refusal.hint(format!("{successor} goes on in its place")),
        None => refusal.hint(format!("interagent task redo {} makes a new one", on.id)),
    })
}

#[cfg(test)]
mod tests;
