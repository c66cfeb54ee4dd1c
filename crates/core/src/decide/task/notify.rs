//! Which member is notified of what happens to a task, and which of them must act.
//!
//! | event | notified | obligation |
//! |---|---|---|
//! | assigned | the assignee | start |
//! | accepted by another agent | the sender and the assigner, on their next turn | none |
//! | declined | the assigner, or the operator in place of a captain (`decide::message::decline`) | unblock |
//! | completed | the approvers, or the operator where only they may judge; the assigner, where it is neither; nobody for work of
//!   one's own that any peer may judge | verdict; none |
//! | blocked | the assigner, or the superior in a chain of command; then the assigner too | unblock; none |
//! | unblocked by somebody else | the worker | none |
//! | failed, cancelled | the assigner and the superior; the worker, where somebody else did it | none |
//! | note by somebody else | the worker, on its next turn | none |
//! | verdict | the worker; the assigner, where somebody else judged | start, after revision_needed |
//! | ready, stuck | the assignee of the task that waits; the assigner, while it is stuck and unassigned | none |
//!
//! If an agent reassigned or redid a person's task, that person is notified like the assigner.
//!
//! No mail goes to a captain: the operator is notified in its place. Nobody is notified of what they did themselves.

use std::collections::BTreeSet;

use super::{Dependent, TaskSnapshot};
use crate::decide::review::revision_of;
use crate::decide::{Post, post, post_to_all};
use crate::draft::{Context, Draft};
use crate::entity::task::frees;
use crate::entity::{Agent, Message, Review, Task};
use crate::event::Reference;
use crate::ids::{AgentId, TaskId};
use crate::rules;
use crate::text::TextHash;
use crate::vocabulary::{Duty, Intent, Priority, TaskStatus, Verdict};

/// The kind of a reference to a task that is ready to start.
pub const READY_REF: &str = "ready";

/// The first word of the subject of such a message.
const READY: &str = "Ready";

/// A reference to a task that is ready to start.
fn ready_reference(task: &TaskId) -> Reference {
    Reference {
        kind: READY_REF.to_owned(),
        target: task.to_string(),
        first_line: None,
        last_line: None,
        text: None,
    }
}

/// What a message about a task says.
pub(super) struct News<'a> {
    pub(super) intent: Intent,
    /// What happened, in a word.
    pub(super) what: &'a str,
    pub(super) body: Option<TextHash>,
}

impl TaskSnapshot {
    /// The agents who owe a verdict once the work is complete: the reviewers where the team requires a review, otherwise the
    /// assigner if it may approve, otherwise those the formation names. Where that is nobody, the operator owes it for work that
    /// the operator assigned or that nobody else may judge. Among peers nobody else is asked.
    pub(super) fn approvers(&self, context: &Context) -> Vec<&Agent> {
        let agents = self.approving_agents();
        if !agents.is_empty() {
            return agents;
        }
        let assigner = self.giver.as_ref().filter(|giver| giver.is_human() && giver.retired.is_none());
        let operator = assigner.or(self.operator.as_ref().filter(|_| !self.anybody_may_approve()));
        // A person who completes the work has seen it.
        operator.filter(|operator| !context.human && operator.id != self.worker().id).into_iter().collect()
    }

    fn anybody_may_approve(&self) -> bool {
        rules::anybody_may_approve(self.team.as_ref())
    }

    fn approving_agents(&self) -> Vec<&Agent> {
        let worker = self.worker();
        let may_approve = |agent: &&Agent| {
            let by_rule = rules::may_judge(self.team.as_ref(), agent, worker, &self.foreign).is_ok();
            !agent.is_human() && agent.retired.is_none() && agent.id != worker.id && by_rule
        };
        let assigner = self.giver.as_ref().filter(may_approve).filter(|_| !self.review_required());
        match assigner {
            Some(assigner) => vec![assigner],
            None if self.anybody_may_approve() => Vec::new(),
            None => self.reviewers.iter().filter(may_approve).collect(),
        }
    }

    /// Asks the approvers for a verdict on completed work and informs the assigner, where it is none of them.
    pub(super) fn notify_completed(
        &self,
        word: &str,
        body: Option<TextHash>,
        context: &Context,
        draft: &mut Draft,
    ) {
        let approvers: Vec<&Agent> = self.approvers(context);
        if approvers.is_empty() && self.anybody_may_approve() && !context.human {
            let id = &self.task.id;
            draft.remark(format!("nobody owes a verdict on {id}; any agent but its worker may give one"));
        }
        let asked = self.mailable(approvers.iter().copied());
        let request = News { intent: Intent::ReviewRequest, what: word, body: body.clone() };
        self.write(asked.clone(), &request, draft);
        let mut informed = self.outcome_hearers(&approvers, context);
        informed.retain(|agent| !asked.contains(agent));
        self.write(informed, &News { intent: Intent::Report, what: word, body }, draft);
    }

    /// Asks for a verdict on work under review for which the team names no reviewer. Approvers who owe it already are not
    /// asked twice.
    pub(super) fn request_verdict(&self, body: Option<TextHash>, context: &Context, draft: &mut Draft) {
        let mut to = self.mailable(self.approvers(context));
        to.retain(|agent| !self.owes(agent, Duty::Verdict));
        let what = TaskStatus::UnderReview.as_str();
        self.write(to, &News { intent: Intent::ReviewRequest, what, body }, draft);
    }

    /// Informs the assigner of work that went to its reviewers.
    pub(super) fn notify_assigner(
        &self,
        word: &str,
        body: Option<TextHash>,
        context: &Context,
        draft: &mut Draft,
    ) {
        let asked = self.mailable(&self.reviewers);
        let mut informed = self.outcome_hearers(&[], context);
        informed.retain(|agent| !asked.contains(agent));
        self.write(informed, &News { intent: Intent::Report, what: word, body }, draft);
    }

    /// Informs the assigner, and the superior in a chain of command, of something that nobody has to judge.
    pub(super) fn notify_above(&self, news: &News<'_>, context: &Context, draft: &mut Draft) {
        let above: Vec<&Agent> = if self.in_chain() { self.reviewers.iter().collect() } else { Vec::new() };
        let mut to = self.mailable(above.iter().copied());
        to.extend(self.outcome_hearers(&above, context));
        self.write(to, news, draft);
    }

    /// Asks for help with blocked work: the superior in a chain of command, elsewhere the assigner. Those who owe that
    /// already are not asked twice.
    pub(super) fn notify_blocked(&self, body: Option<TextHash>, context: &Context, draft: &mut Draft) {
        let above: Vec<&Agent> = match self.in_chain() && !self.reviewers.is_empty() {
            true => self.reviewers.iter().collect(),
            false => self.giver.iter().filter(|giver| giver.retired.is_none()).collect(),
        };
        let mut to = self.mailable(above.iter().copied());
        if to.is_empty() {
            to.extend(self.operator_instead(&above, context));
        }
        let mut informed = self.outcome_hearers(&[], context);
        informed.retain(|agent| !to.contains(agent));
        to.retain(|agent| !self.owes(agent, Duty::Unblock));
        self.write(to, &News { intent: Intent::Blocked, what: "blocked", body: body.clone() }, draft);
        self.write(informed, &News { intent: Intent::Report, what: "blocked", body }, draft);
    }

    /// Informs the sender of an accepted offer and the assigner that the task has another worker. Nothing follows for them, so
    /// it starts no turn and is announced to no person.
    pub(super) fn notify_accepted(&self, offer: &Message, context: &Context, draft: &mut Draft) {
        let known = [&self.assignee, &self.giver, &self.operator].into_iter().flatten();
        let sender = known.into_iter().find(|agent| agent.id == offer.from && agent.retired.is_none());
        let sender: Vec<&Agent> =
            sender.filter(|agent| !(agent.is_human() && context.human)).into_iter().collect();
        let mut to = self.mailable(sender.iter().copied());
        to.extend(self.outcome_hearers(&sender, context));
        to.sort();
        to.dedup();
        let what = format!("accepted by {}", self.called(&self.member));
        let subject = draft.plain(&format!("{} ({}): {what}", self.title, self.task.id));
        let letter = Post::new(&self.member.id, to, Intent::ContextShare, subject, None);
        post(draft, letter.about(&self.task.id, self.task.priority()).without_waking());
    }

    /// Tells worker and assigner about a verdict. An approval without a comment wakes no agent.
    pub(super) fn notify_verdict(
        &self,
        verdict: Verdict,
        note: Option<&TextHash>,
        context: &Context,
        draft: &mut Draft,
    ) {
        let is_bare = verdict == Verdict::Approved && note.is_none();
        let intent =
            if verdict == Verdict::RevisionNeeded { Intent::Delegation } else { Intent::ContextShare };
        let priority = if verdict == Verdict::Approved { Priority::Low } else { self.task.priority() };
        let worker: Vec<AgentId> = self.task.assignee.iter().cloned().collect();
        let mut informed = self.outcome_hearers(&[], context);
        // A person is notified of the outcome of their own review.
        let author =
            self.operator.as_ref().filter(|operator| !context.human && !worker.contains(&operator.id));
        let author =
            author.filter(|person| self.open_reviews.iter().any(|one| one.brief.author == person.id));
        informed.extend(author.map(|person| person.id.clone()));
        informed.sort();
        informed.dedup();
        for (to, intent) in [(worker, intent), (informed, Intent::Report)] {
            let subject = draft.plain(&format!("{verdict}: {} ({})", self.title, self.task.id));
            let letter = Post::new(&self.member.id, to, intent, subject, note.cloned());
            let refs = if intent == Intent::Delegation { self.sent_back() } else { Vec::new() };
            let letter = letter.about(&self.task.id, priority).pointing_at(refs).telling_outcome();
            post(draft, if is_bare { letter.without_waking() } else { letter });
        }
    }

    /// The worker's own review that the verdict sends back: the worker goes on there. A review without a change, which completing
    /// the task opened, goes on with the task.
    fn sent_back(&self) -> Vec<Reference> {
        let is_own = |review: &&Review| self.task.assignee.as_ref() == Some(&review.brief.author);
        let own = self.open_reviews.iter().filter(is_own).find(|review| review.diff().is_some());
        own.map(|review| revision_of(&review.id).into()).unwrap_or_default()
    }

    /// The assigner, where it is to be informed: not where it did the work, left, or acts itself. A captain gets no mail; the
    /// operator is informed in its place, as of what would go to the captains among `above`.
    fn outcome_hearers(&self, above: &[&Agent], context: &Context) -> Vec<AgentId> {
        let assigner = self.giver.as_ref().filter(|giver| giver.retired.is_none());
        let assigner = assigner.filter(|giver| giver.id != self.worker().id);
        let concerned: Vec<&Agent> = above.iter().copied().chain(assigner).collect();
        let hears = |agent: &&Agent| !(agent.is_human() && context.human);
        let mut to = self.mailable(assigner.filter(hears));
        to.extend(self.origin_person(context).map(|person| person.id.clone()));
        to.extend(self.operator_instead(&concerned, context));
        to
    }

    /// The person who assigned the first task of the chain. A person's work stays theirs after agents reassign it.
    fn origin_person(&self, context: &Context) -> Option<&Agent> {
        let origin = self.origin.as_ref().filter(|origin| origin.is_human() && origin.retired.is_none())?;
        (!context.human && origin.id != self.worker().id).then_some(origin)
    }

    /// The operator, where one of these is a captain; a person who acts itself needs no notice.
    fn operator_instead(&self, concerned: &[&Agent], context: &Context) -> Option<AgentId> {
        let is_captain = |agent: &&&Agent| self.is_captain(agent) && agent.id != self.member.id;
        let operator = self.operator.as_ref().filter(|_| !context.human)?;
        concerned.iter().any(|agent| is_captain(&agent)).then(|| operator.id.clone())
    }

    fn is_captain(&self, agent: &Agent) -> bool {
        rules::is_captain(self.team.as_ref(), &agent.name)
    }

    /// Those of these agents that get mail: all but captains.
    pub(super) fn mailable<'a>(&self, agents: impl IntoIterator<Item = &'a Agent>) -> Vec<AgentId> {
        let agents = agents.into_iter().filter(|agent| !self.is_captain(agent));
        agents.map(|agent| agent.id.clone()).collect()
    }

    /// Whether somebody owes this about the task already.
    pub(super) fn owes(&self, agent: &AgentId, duty: Duty) -> bool {
        let is_owed = |message: &Message| message.owed_by(agent) == Some(duty);
        self.duties.iter().any(is_owed)
    }

    /// Posts a message about the task from the acting member, to everybody once.
    fn write(&self, to: Vec<AgentId>, news: &News<'_>, draft: &mut Draft) {
        let to: BTreeSet<AgentId> = to.into_iter().collect();
        let subject = draft.plain(&format!("{} ({}): {}", self.title, self.task.id, news.what));
        let to = to.into_iter().collect();
        let letter = Post::new(&self.member.id, to, news.intent, subject, news.body.clone());
        let letter = letter.about(&self.task.id, self.task.priority());
        // A call for help can be repeated; an outcome needs a step of work.
        post(draft, if news.intent == Intent::Blocked { letter } else { letter.telling_outcome() });
    }

    /// Tells those who wait what the task's new status means for them: that nothing holds them back any more, or that
    /// what they wait for will never be finished.
    pub(super) fn tell_dependents(&self, draft: &mut Draft, after: TaskStatus) {
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
            let body = format!("{} is {after}. {} is ready to start.", self.task.id, dependent.task.id);
            self.tell(draft, dependent, (assignee, Intent::ContextShare), READY, &body);
        }
    }

    /// Notifies the assignee that its task no longer waits for another one, where that makes it ready.
    pub(super) fn tell_freed(&self, on: &Task, draft: &mut Draft) {
        let mut freed = self.task.clone();
        freed.depends_on.remove(&on.id);
        let others: Vec<Task> = self.waits_for.iter().filter(|task| task.id != on.id).cloned().collect();
        let was_ready = self.task.is_ready(&self.waits_for, self.review_required());
        let is_ready = freed.is_ready(&others, self.review_required());
        let Some(assignee) = freed.assignee.as_ref().filter(|_| !was_ready && is_ready) else {
            return;
        };
        let subject = draft.plain(&format!("{READY}: {}", self.title));
        let body = format!("{} no longer waits for {}. It is ready to start.", self.task.id, on.id);
        let body = Some(draft.plain(&body));
        let to = vec![assignee.clone()];
        let letter = Post::new(&self.member.id, to, Intent::ContextShare, subject, body)
            .about(&self.task.id, self.task.priority())
            .pointing_at(vec![ready_reference(&self.task.id)]);
        post(draft, letter.telling_outcome());
    }

    /// Notifies the assignee of each task that waits, or its assigner while nobody has it.
    fn tell_stuck(&self, draft: &mut Draft, after: TaskStatus) {
        for dependent in &self.dependents {
            let concerned = dependent.task.assignee.as_ref().unwrap_or(&dependent.task.brief.assigner);
            let is_captain = dependent.contact.as_ref().is_some_and(|agent| self.is_captain(agent));
            let (to, intent) = match (&self.operator, is_captain && *concerned != self.member.id) {
                (Some(operator), true) if operator.id != self.member.id => (&operator.id, Intent::Report),
                (_, true) => continue,
                (_, false) => (concerned, Intent::ContextShare),
            };
            let (on, waits) = (&self.task.id, &dependent.task.id);
            let body = format!(
                "{on} is {after} and will not be finished, so {waits} can't start. Redo {on}, and {waits} waits for the \
                 new task; or remove the dependency of {waits} on {on}."
            );
            self.tell(draft, dependent, (to, intent), "Stuck", &body);
        }
    }

    /// Notifies the worker of a change that somebody else made to the task.
    pub(super) fn tell_worker(&self, draft: &mut Draft, what: &str, body: Option<TextHash>) {
        let Some(worker) = &self.task.assignee else { return };
        let subject = draft.plain(&format!("{what}: {} ({})", self.title, self.task.id));
        let letter = Post::new(&self.member.id, vec![worker.clone()], Intent::ContextShare, subject, body);
        post(draft, letter.about(&self.task.id, self.task.priority()));
    }

    /// Notifies the worker of a note, on its next turn. A captain gets no mail; whoever retired reads none.
    pub(super) fn tell_noted(&self, note: TextHash, draft: &mut Draft) {
        let worker = self.assignee.as_ref().filter(|worker| worker.retired.is_none());
        let to = self.mailable(worker);
        let subject = draft.plain(&format!("Note: {} ({})", self.title, self.task.id));
        let letter = Post::new(&self.member.id, to, Intent::ContextShare, subject, Some(note));
        post(draft, letter.about(&self.task.id, self.task.priority()).without_waking());
    }

    /// The assigner, unless it becomes the worker or has retired.
    pub(super) fn lasting_giver(&self, to: &Agent) -> Option<&Agent> {
        self.giver.as_ref().filter(|giver| giver.id != to.id && giver.retired.is_none())
    }

    /// Notifies the assigner, unless it is the worker, which is notified anyway. The operator takes a captain's place.
    pub(super) fn tell_giver(&self, after: TaskStatus, body: &str, draft: &mut Draft) {
        let Some(giver) = &self.giver else { return };
        let is_worker = self.task.assignee.as_ref() == Some(&giver.id);
        if is_worker || giver.retired.is_some() {
            return;
        }
        let reader = if self.is_captain(giver) { self.operator.as_ref() } else { Some(giver) };
        let Some(to) = reader.map(|reader| vec![reader.id.clone()]) else { return };
        let subject = draft.plain(&format!("{}: {} ({})", after.as_str(), self.title, self.task.id));
        let body = Some(draft.plain(body));
        let letter = Post::new(&self.member.id, to, Intent::Report, subject, body);
        post(draft, letter.about(&self.task.id, self.task.priority()).telling_outcome());
    }

    fn tell(
        &self,
        draft: &mut Draft,
        dependent: &Dependent,
        (to, intent): (&AgentId, Intent),
        what: &str,
        body: &str,
    ) {
        let subject = draft.plain(&format!("{what}: {}", dependent.title));
        let body = Some(draft.plain(body));
        let id = &dependent.task.id;
        let refs = if what == READY { vec![ready_reference(id)] } else { Vec::new() };
        let letter = Post::new(&self.member.id, vec![to.clone()], intent, subject, body)
            .about(id, dependent.task.priority())
            .pointing_at(refs);
        post_to_all(draft, letter.telling_outcome());
    }
}
