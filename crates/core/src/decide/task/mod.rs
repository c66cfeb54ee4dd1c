//! Tasks: creating, assigning, moving, reporting, judging, passing on.

mod create;
mod moves;
mod outcome;
mod split;
mod unattended;

pub use create::{Plan, create, reassign, redo};
pub use moves::{claim, depend, edit, move_to, note};
pub use outcome::{Details, Findings, Purpose, judge, report};
pub use split::{accept_split, decline_split, propose_split};
pub use unattended::{hand_on, withdraw};

use crate::decide::{Post, draft_move, draft_settle, draft_settle_for, post, post_to_all};
use crate::draft::{Context, Draft};
use crate::entity::task::frees;
use crate::entity::{Agent, Message, Task};
use crate::ids::{AgentId, EntityRef, ReviewId, TaskId};
use crate::refusal::Refusal;
use crate::rules;
use crate::team::{Formation, TeamConfig};
use crate::text::TextHash;
use crate::vocabulary::{Duty, Intent, Priority, ReportStatus, Settlement, TaskStatus};

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
    pub open_reviews: Vec<ReviewId>,
    /// The agents who are asked for a verdict, resolved from the rules.
    pub reviewers: Vec<Agent>,
    /// Its title, for messages about it.
    pub title: String,
    /// What the work is for, where somebody said so.
    pub serves: Option<Served>,
    /// What was reported of it last.
    pub reported: Option<Reported>,
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
                format!("{id} is the task of {}: {} may not {verb} it", worker.name, self.member.name),
            )
            .hint(format!("interagent task note {id} tells {} what you know", worker.name)),
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
        rules::may_direct(self.team.as_ref(), &self.member, giver, worker).map_err(|refusal| {
            let id = &self.task.id;
            let sentence = format!("{} may not {verb} {id}: {}", self.member.name, refusal.sentence);
            let ask = refusal.hint.clone().unwrap_or_default();
            Refusal { sentence, ..refusal }
                .hint(format!("{ask}; interagent task note {id} says what you think of it"))
        })
    }

    /// What a task waits for is the matter of who gave it, who does it and who leads them.
    fn must_have_say(&self, context: &Context, verb: &str) -> Result<(), Refusal> {
        if self.is_giver() || self.is_worker() || context.human {
            return Ok(());
        }
        let leads = match &self.assignee {
            Some(worker) => rules::may_judge(self.team.as_ref(), &self.member, worker).is_ok(),
            None => !self.in_chain(),
        };
        if leads {
            return Ok(());
        }
        let id = &self.task.id;
        Err(Refusal::rule("F003", format!("{id} is no task of {}, who may not {verb} it", self.member.name))
            .hint(format!("interagent task note {id} says what you think of it")))
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
            None => format!("interagent task redo {} makes a new one", self.task.id),
        }
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

    fn no_way(&self, to: TaskStatus) -> Refusal {
        use TaskStatus as S;
        let (id, from) = (&self.task.id, self.task.status);
        let hint = match (from, to) {
            (from, _) if from.is_closed() => self.goes_on_as(),
            (S::Completed | S::UnderReview, _) => {
                format!("interagent task verdict {id} revision_needed sends it back")
            }
            (S::Pending, _) => format!("interagent task claim {id} takes it"),
            (_, S::Pending | S::Assigned) => {
                format!("interagent task reassign {id} --to NAME gives it to somebody else")
            }
            _ => format!("interagent task show {id} tells where it stands"),
        };
        Refusal::conflict("no_such_move", format!("{id} is {from}; it can't become {to} from there"))
            .hint(hint)
    }

    /// Settles what the task's progress settles: a delegation by starting, a review request by a verdict.
    fn settle_duties(&self, draft: &mut Draft, how: Settlement, ends: impl Fn(Duty) -> bool) {
        for message in &self.duties {
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

    /// Tells those who wait what the task's new status means for them: that nothing holds them back any more, or that
    /// what they wait for will never be finished.
    fn tell_dependents(&self, draft: &mut Draft, after: TaskStatus) {
        let freed = |status: TaskStatus| frees(status, self.review_required());
        if freed(after) && !freed(self.task.status) {
            self.tell_ready(draft, after);
        } else if after.is_closed() && !freed(after) {
            self.tell_stuck(draft, after);
        }
    }

    fn tell_ready(&self, draft: &mut Draft, after: TaskStatus) {
        for dependent in &self.dependents {
            let mut waits_for = dependent.waits_for.clone();
            for on in waits_for.iter_mut().filter(|on| on.id == self.task.id) {
                on.status = after;
            }
            let ready = dependent.task.is_ready(&waits_for, self.review_required());
            let Some(assignee) = dependent.task.assignee.as_ref().filter(|_| ready) else { continue };
            let body =
                format!("{} is {after}, so nothing holds {} back any more.", self.task.id, dependent.task.id);
            self.tell(draft, dependent, assignee, "Ready", &body);
        }
    }

    /// What is nobody's yet is the matter of who created it.
    fn tell_stuck(&self, draft: &mut Draft, after: TaskStatus) {
        for dependent in &self.dependents {
            let concerned = dependent.task.assignee.as_ref().unwrap_or(&dependent.task.brief.assigner);
            if self.is_of_captain(concerned) {
                // No mail goes to a captain: what is stuck stands on the dashboard.
                continue;
            }
            let (on, waits) = (&self.task.id, &dependent.task.id);
            let body = format!(
                "{on} is {after} and will not be finished, so {waits} waits for ever.\n\
                 `interagent task redo {on}` makes a new task that {waits} waits for instead; \
                 `interagent task depend {waits} {on} --remove` goes on without it."
            );
            self.tell(draft, dependent, concerned, "Stuck", &body);
        }
    }

    /// Whether this is the captain who gave the task, unless it acts itself.
    fn is_of_captain(&self, agent: &AgentId) -> bool {
        let giver = self.giver.as_ref().filter(|giver| giver.id == *agent && giver.id != self.member.id);
        giver.is_some_and(|giver| rules::is_captain(self.team.as_ref(), &giver.name))
    }

    /// Tells the worker what somebody else made of the task. Who did it themselves knows.
    fn tell_worker(
        &self,
        draft: &mut Draft,
        what: &str,
        body: Option<TextHash>,
        (intent, priority): (Intent, Priority),
    ) {
        let Some(worker) = &self.task.assignee else { return };
        let subject = draft.plain(&format!("{what}: {} ({})", self.title, self.task.id));
        let letter = Post::new(&self.member.id, vec![worker.clone()], intent, subject, body);
        post(draft, letter.about(&self.task.id, priority));
    }

    /// Tells the worker that the task is theirs no longer: nothing else would make them stop.
    fn tell_stop(&self, draft: &mut Draft, after: TaskStatus, body: Option<TextHash>) {
        self.tell_worker(draft, after.as_str(), body, (Intent::ContextShare, self.task.priority()));
    }

    /// Who gave the task and stays its giver when this one works on it: nobody reports to themselves.
    fn lasting_giver(&self, to: &Agent) -> Option<&Agent> {
        self.giver.as_ref().filter(|giver| giver.id != to.id && giver.retired.is_none())
    }

    /// Tells who gave the task, unless that is who was silent, and so is told anyway. No mail goes to a captain.
    fn tell_giver(&self, after: TaskStatus, body: &str, draft: &mut Draft) {
        let Some(giver) = &self.giver else { return };
        let is_worker = self.task.assignee.as_ref() == Some(&giver.id);
        if is_worker || giver.retired.is_some() || rules::is_captain(self.team.as_ref(), &giver.name) {
            return;
        }
        let subject = draft.plain(&format!("{}: {} ({})", after.as_str(), self.title, self.task.id));
        let body = Some(draft.plain(body));
        let letter = Post::new(&self.member.id, vec![giver.id.clone()], Intent::ContextShare, subject, body);
        post(draft, letter.about(&self.task.id, self.task.priority()));
    }

    fn tell(&self, draft: &mut Draft, dependent: &Dependent, to: &AgentId, what: &str, body: &str) {
        let subject = draft.plain(&format!("{what}: {}", dependent.title));
        let body = Some(draft.plain(body));
        let letter = Post::new(&self.member.id, vec![to.clone()], Intent::ContextShare, subject, body);
        post_to_all(draft, letter.about(&dependent.task.id, dependent.task.priority()));
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
