//! New tasks: from nothing, again, or in another's place.

use super::moves::note_reason;
use super::{TaskSnapshot, may_be_waited_for};
use crate::decide::{Post, draft_move, post};
use crate::draft::{Context, Draft};
use crate::entity::task::frees;
use crate::entity::{Agent, Task};
use crate::event::{TaskAssigned, TaskCreated, TaskDependency, TaskNoted};
use crate::ids::{AgentId, EntityRef, TaskId};
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::{TextHash, Words};
use crate::vocabulary::{Duty, Intent, Priority, Settlement, TaskStatus};

/// A task to be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One line.
    pub title: Words,
    /// Markdown.
    pub description: Option<Words>,
    /// How urgent.
    pub priority: Priority,
    /// What it needs somebody to be good at.
    pub capability: Option<String>,
    /// Why it exists.
    pub purpose: Option<Words>,
    /// What must be.
    pub requirements: Vec<Words>,
    /// How one sees that it is done.
    pub acceptance_criteria: Vec<Words>,
    /// The order or task it is part of.
    pub parent: Option<Task>,
    /// What must be finished first.
    pub depends_on: Vec<Task>,
    /// The branch.
    pub branch: Option<String>,
    /// The files.
    pub files: Vec<String>,
    /// Where the result goes.
    pub target_path: Option<String>,
    /// The cheerful line at its end.
    pub echo_message: Option<Words>,
    /// Ids in other systems.
    pub aliases: Vec<String>,
    /// Why it goes to its assignee, where the program chose: noted at the task.
    pub routed: Option<String>,
    /// The assignee gets no message about it.
    pub quiet: bool,
}

/// What a task asks for, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BriefWords {
    /// What it is about.
    pub description: Option<String>,
    /// Why it exists.
    pub purpose: Option<String>,
    /// What must be.
    pub requirements: Vec<String>,
    /// How one sees that it is done.
    pub acceptance_criteria: Vec<String>,
}

impl BriefWords {
    /// The text of the message that assigns the task: everything its assignee has to know to begin. Empty where the title
    /// says it all.
    fn text(&self, reason: Option<&str>, waits_for: &[TaskId]) -> Option<String> {
        let mut parts: Vec<String> = reason.into_iter().map(str::to_owned).collect();
        parts.extend(self.description.clone());
        let mut facts: Vec<String> =
            self.purpose.iter().map(|purpose| format!("Purpose: {purpose}")).collect();
        let lists = [("Requirements:", &self.requirements), ("Done when:", &self.acceptance_criteria)];
        for (heading, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
            facts.push(heading.to_owned());
            facts.extend(items.iter().map(|item| format!("- {item}")));
        }
        if !waits_for.is_empty() {
            let listed: Vec<&str> = waits_for.iter().map(TaskId::as_str).collect();
            facts.push(format!("It waits for {}. You are notified when it is ready.", listed.join(", ")));
        }
        if !facts.is_empty() {
            parts.push(facts.join("\n"));
        }
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

/// Creates a task, gives it to somebody and tells them, all at once.
pub fn create(
    team: Option<&TeamConfig>,
    member: &Agent,
    assignee: Option<&Agent>,
    plan: &Plan,
    context: &Context,
    draft: &mut Draft,
) -> Result<TaskId, Refusal> {
    if plan.depends_on.len() > limits::DEPENDENCIES {
        let sentence = format!("a task may wait for {} others at most", limits::DEPENDENCIES);
        return Err(Refusal::usage("too_many_dependencies", sentence));
    }
    if let Some(parent) = plan.parent.as_ref().filter(|parent| parent.status.is_closed()) {
        return Err(Refusal::conflict(
            "closed",
            format!("{} is {}: nothing is added to it", parent.id, parent.status),
        ));
    }
    if let Some(assignee) = assignee.filter(|_| !context.human) {
        rules::may_assign(team, member, assignee)?;
    }
    plan.depends_on.iter().try_for_each(may_be_waited_for)?;
    let id = TaskId::from_bits(draft.bits());
    let created = TaskCreated {
        title: draft.text(&plan.title),
        description: draft.maybe(plan.description.as_ref()),
        assigner: member.id.clone(),
        priority: plan.priority,
        capability: plan.capability.clone(),
        purpose: draft.maybe(plan.purpose.as_ref()),
        requirements: draft.each(&plan.requirements),
        acceptance_criteria: draft.each(&plan.acceptance_criteria),
        parent: plan.parent.as_ref().map(|parent| parent.id.clone()),
        depends_on: plan.depends_on.iter().map(|task| task.id.clone()).collect(),
        branch: plan.branch.clone(),
        files: plan.files.clone(),
        target_path: plan.target_path.clone(),
        echo_message: draft.maybe(plan.echo_message.as_ref()),
        redo_of: None,
        reassigned_from: None,
        aliases: plan.aliases.clone(),
    };
    draft.add(EntityRef::Task(id.clone()), created);
    if let Some(assignee) = assignee {
        if let Some(why) = &plan.routed {
            let note = draft.plain(why);
            draft.add(EntityRef::Task(id.clone()), TaskNoted { note });
        }
        give(draft, &id, &assignee.id);
        if !plan.quiet {
            let review_required = team.is_some_and(|team| team.rules.review_required);
            let waits_for = unfinished(&plan.depends_on, review_required);
            let assignment = Assignment {
                from: &member.id,
                to: &assignee.id,
                task: &id,
                title: plan.title.as_str(),
                priority: plan.priority,
                waits_for: &waits_for,
            };
            assignment.post(&plan.brief(), None, draft);
        }
    }
    Ok(id)
}

impl Plan {
    fn brief(&self) -> BriefWords {
        let words = |words: &Words| words.as_str().to_owned();
        BriefWords {
            description: self.description.as_ref().map(words),
            purpose: self.purpose.as_ref().map(words),
            requirements: self.requirements.iter().map(words).collect(),
            acceptance_criteria: self.acceptance_criteria.iter().map(words).collect(),
        }
    }
}

/// Those of these tasks that still hold back what waits for them.
fn unfinished(tasks: &[Task], review_required: bool) -> Vec<TaskId> {
    let holds = |on: &&Task| !frees(on.status, review_required);
    tasks.iter().filter(holds).map(|on| on.id.clone()).collect()
}

pub(super) fn give(draft: &mut Draft, id: &TaskId, assignee: &AgentId) {
    let entity = || EntityRef::Task(id.clone());
    draft.add(entity(), TaskAssigned { assignee: assignee.clone(), before: None, claimed: false });
    draft_move(draft, id, None, (TaskStatus::Pending, TaskStatus::Assigned), None, None);
}

/// The message that tells an agent of a task it was given.
pub(super) struct Assignment<'a> {
    pub(super) from: &'a AgentId,
    pub(super) to: &'a AgentId,
    pub(super) task: &'a TaskId,
    pub(super) title: &'a str,
    pub(super) priority: Priority,
    /// Unfinished tasks it waits for.
    pub(super) waits_for: &'a [TaskId],
}

impl Assignment<'_> {
    /// Posts it. Work that can't start yet wakes no agent. It does once it is ready.
    pub(super) fn post(&self, brief: &BriefWords, reason: Option<&str>, draft: &mut Draft) {
        let subject = draft.plain(self.title);
        let body = brief.text(reason, self.waits_for).map(|text| draft.plain(&text));
        let letter = Post::new(self.from, vec![self.to.clone()], Intent::Delegation, subject, body)
            .about(self.task, self.priority);
        post(draft, if self.waits_for.is_empty() { letter } else { letter.without_waking() });
    }
}

impl TaskSnapshot {
    /// Tells an agent of a task that was copied from this one, or of this one once more.
    pub(super) fn assign_copy(&self, id: &TaskId, to: &AgentId, reason: Option<&str>, draft: &mut Draft) {
        let assignment = Assignment {
            from: &self.member.id,
            to,
            task: id,
            title: &self.title,
            priority: self.task.priority(),
            waits_for: &unfinished(&self.waits_for, self.review_required()),
        };
        assignment.post(&self.brief, reason, draft);
    }
}

/// Copies what a task was created with into a new one.
pub(super) fn copy(
    draft: &mut Draft,
    from: &Task,
    assigner: &AgentId,
    change: impl FnOnce(&mut TaskCreated),
) -> TaskId {
    let id = TaskId::from_bits(draft.bits());
    let mut created = TaskCreated {
        assigner: assigner.clone(),
        depends_on: from.depends_on.iter().cloned().collect(),
        redo_of: None,
        reassigned_from: None,
        aliases: Vec::new(),
        ..from.brief.clone()
    };
    change(&mut created);
    draft.add(EntityRef::Task(id.clone()), created);
    id
}

/// Closes a task and opens a linked one for somebody else. A declined task may go to the same agent once more.
pub fn reassign(
    snapshot: &TaskSnapshot,
    to: &Agent,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<TaskId, Refusal> {
    snapshot.must_be_open()?;
    if !context.human {
        snapshot.must_direct(context, "reassign")?;
        rules::may_assign(snapshot.team.as_ref(), &snapshot.member, to)?;
    }
    if snapshot.task.assignee.as_ref() == Some(&to.id) {
        snapshot.assign_again(to, reason, draft)?;
        return Ok(snapshot.task.id.clone());
    }
    let why = note_reason(snapshot, reason, draft);
    // A person who steps in does not take the work over.
    let steps_in = |giver: &&Agent| snapshot.member.is_human() && giver.id != snapshot.member.id;
    let giver = snapshot.lasting_giver(to).filter(steps_in);
    let assigner = giver.map_or(&snapshot.member.id, |giver| &giver.id);
    let (id, goes_on) = pass_on(snapshot, assigner, to, (reason, why), draft);
    remark_the_judge(snapshot, to, draft);
    if giver.is_some() {
        snapshot.tell_giver(TaskStatus::Reassigned, &goes_on, draft);
    }
    Ok(id)
}

/// A person may move work anywhere; who gave it can then be unable to judge it, and that is told.
fn remark_the_judge(snapshot: &TaskSnapshot, to: &Agent, draft: &mut Draft) {
    let Some(giver) = snapshot.giver.as_ref().filter(|_| snapshot.in_chain()) else { return };
    if let Err(refusal) = rules::may_judge(snapshot.team.as_ref(), giver, to, &snapshot.foreign) {
        let why = match giver.id == to.id {
            true => format!("{} can't judge its own work", snapshot.called(giver)),
            false => refusal.sentence,
        };
        draft.remark(format!("this leaves the chain: {why}"));
    }
}

/// The successor of a task, for somebody else, and the end of what goes on in it. Who works on it and who waits for it is told;
/// the words of that are answered too.
pub(super) fn pass_on(
    snapshot: &TaskSnapshot,
    assigner: &AgentId,
    to: &Agent,
    (reason, why): (Option<&Words>, Option<TextHash>),
    draft: &mut Draft,
) -> (TaskId, String) {
    let id = copy(draft, &snapshot.task, assigner, |created| {
        created.reassigned_from = Some(snapshot.task.id.clone());
    });
    let step = (snapshot.task.status, TaskStatus::Reassigned);
    draft_move(draft, &snapshot.task.id, snapshot.task.assignee.as_ref(), step, why, Some(id.clone()));
    snapshot.settle_duties(draft, Settlement::Withdrawn, |_| true);
    let goes_on = format!("{} goes on with it as {id}.", to.name);
    let goes_on = match reason {
        Some(reason) => format!("{goes_on}\n\n{}", reason.as_str()),
        None => goes_on,
    };
    let told = draft.plain(&goes_on);
    snapshot.tell_worker(draft, TaskStatus::Reassigned.as_str(), Some(told));
    wait_for_successor(snapshot, &id, draft);
    give(draft, &id, &to.id);
    snapshot.assign_copy(&id, &to.id, reason.map(Words::as_str), draft);
    (id, goes_on)
}

/// Makes a new task that does a closed one again.
///
/// `again` is the open task that already redoes it, if any.
pub fn redo(
    snapshot: &TaskSnapshot,
    assignee: Option<&Agent>,
    reason: Option<&Words>,
    again: Option<&TaskId>,
    context: &Context,
    draft: &mut Draft,
) -> Result<TaskId, Refusal> {
    if !matches!(snapshot.task.status, TaskStatus::Completed) && !snapshot.task.status.is_closed() {
        return Err(not_over(snapshot));
    }
    if let Some(successor) = snapshot.task.successor.as_ref().or(again) {
        let sentence = format!("{} goes on as {successor}: it is not done twice", snapshot.task.id);
        return Err(Refusal::conflict("goes_on", sentence)
            .hint(format!("interagent task show {successor} tells where it stands")));
    }
    if !context.human {
        snapshot.must_be_redoable()?;
    }
    // Who takes part no longer can't do it again: then the new task is nobody's.
    let assignee = assignee.or(snapshot.assignee.as_ref().filter(|before| before.retired.is_none()));
    if let Some(to) = assignee.filter(|_| !context.human) {
        rules::may_assign(snapshot.team.as_ref(), &snapshot.member, to)?;
    }
    let id = copy(draft, &snapshot.task, &snapshot.member.id, |created| {
        created.redo_of = Some(snapshot.task.id.clone());
    });
    if let Some(reason) = reason {
        let note = draft.text(reason);
        draft.add(EntityRef::Task(id.clone()), TaskNoted { note });
    }
    snapshot.settle_duties(draft, Settlement::Withdrawn, |duty| duty == Duty::Verdict);
    if snapshot.task.status.is_closed() && snapshot.task.status != TaskStatus::Approved {
        wait_for_successor(snapshot, &id, draft);
    }
    if let Some(assignee) = assignee {
        give(draft, &id, &assignee.id);
        snapshot.assign_copy(&id, &assignee.id, reason.map(Words::as_str), draft);
    }
    Ok(id)
}

fn not_over(snapshot: &TaskSnapshot) -> Refusal {
    let task = &snapshot.task;
    let id = &task.id;
    let hint = match task.status {
        TaskStatus::UnderReview => snapshot.sends_back(),
        TaskStatus::Pending => format!("interagent task claim {id} takes it"),
        _ => format!("interagent task reassign {id} --to NAME gives it to somebody else"),
    };
    Refusal::conflict("open", format!("{id} is {}: it is not over yet", task.status)).hint(hint)
}

/// What waited for the old task waits for the new one: the old one will never be finished.
fn wait_for_successor(snapshot: &TaskSnapshot, successor: &TaskId, draft: &mut Draft) {
    for dependent in &snapshot.dependents {
        let entity = || EntityRef::Task(dependent.task.id.clone());
        draft.add(entity(), TaskDependency { on: snapshot.task.id.clone(), removed: true });
        draft.add(entity(), TaskDependency { on: successor.clone(), removed: false });
    }
}
