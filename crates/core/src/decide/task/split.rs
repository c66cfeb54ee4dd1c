//! A task that is larger than it looked: its worker proposes parts, who leads it answers, and the parts become tasks.

use super::TaskSnapshot;
use super::create::{Assignment, BriefWords, copy, give};
use crate::decide::{Post, draft_move, draft_settle, draft_settle_for, post};
use crate::draft::{Context, Draft};
use crate::entity::task::Split;
use crate::entity::{Agent, Message};
use crate::event::{Reference, TaskDependency, TaskSplitDecided, TaskSplitProposed};
use crate::ids::TaskId;
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::Words;
use crate::vocabulary::{Duty, Intent, Settlement, TaskStatus};

/// What the question about a proposal points at.
pub const SPLIT_REF: &str = "split";

/// The worker proposes to divide its task. It waits for the answer: who gave the task is asked, or, where that is a captain,
/// finds it on the dashboard.
pub fn propose_split(
    snapshot: &TaskSnapshot,
    parts: &[Words],
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let id = &snapshot.task.id;
    snapshot.must_be_open()?;
    snapshot.must_be_worker(context, "split")?;
    if snapshot.task.status.awaits_verdict() {
        let sentence = format!("{id} is {}: there is nothing left to divide", snapshot.task.status);
        return Err(Refusal::conflict("done", sentence));
    }
    if parts.len() < 2 || parts.len() > limits::ITEMS {
        let sentence = format!("a task is divided into 2 to {} parts", limits::ITEMS);
        return Err(Refusal::usage("bad_split", sentence)
            .hint(format!("interagent task split {id} --into PART --into PART --reason TEXT")));
    }
    if snapshot.task.open_split().is_some() {
        let sentence = format!("a proposal to divide {id} waits for an answer already");
        return Err(Refusal::conflict("proposed", sentence).hint(format!("interagent task show {id}")));
    }
    let proposed = TaskSplitProposed {
        parts: parts.iter().map(|part| draft.text(part)).collect(),
        reason: draft.maybe(reason),
    };
    draft.add(snapshot.entity(), proposed);
    snapshot.settle_duties(draft, Settlement::Started, |duty| duty == Duty::Start);
    if snapshot.task.status != TaskStatus::Blocked
        && snapshot.task.status.path_to(TaskStatus::Blocked).is_some()
    {
        snapshot.steps(draft, TaskStatus::Blocked, None)?;
    }
    ask(snapshot, parts, reason, draft);
    Ok(())
}

fn ask(snapshot: &TaskSnapshot, parts: &[Words], reason: Option<&Words>, draft: &mut Draft) {
    let id = &snapshot.task.id;
    let is_captain = |giver: &Agent| rules::is_captain(snapshot.team.as_ref(), &giver.name);
    let Some(giver) = snapshot.giver.as_ref().filter(|giver| !is_captain(giver)) else { return };
    let mut body = String::from("Proposed parts:\n");
    for part in parts {
        body.push_str(&format!("- {}\n", part.as_str()));
    }
    if let Some(reason) = reason {
        body.push_str(&format!("\n{}\n", reason.as_str()));
    }
    body.push_str("\nIf you accept, each part becomes a task. If you decline, the work continues as it is.");
    let subject = draft.plain(&format!("Split {}? ({id})", snapshot.title));
    let body = Some(draft.plain(&body));
    let worker = snapshot.task.assignee.as_ref().unwrap_or(&snapshot.member.id);
    let letter = Post::new(worker, vec![giver.id.clone()], Intent::Question, subject, body)
        .about(id, snapshot.task.priority())
        .pointing_at(vec![Reference {
            kind: SPLIT_REF.into(),
            target: id.to_string(),
            first_line: None,
            last_line: None,
            text: None,
        }]);
    post(draft, letter);
}

/// The parts become tasks below the divided one, which waits for them. They go to `workers` in their order, the last of
/// them getting what is left; to the task's own worker where nobody is named. `titles` are the parts' words.
pub fn accept_split(
    snapshot: &TaskSnapshot,
    titles: &[String],
    workers: &[Agent],
    context: &Context,
    draft: &mut Draft,
) -> Result<Vec<TaskId>, Refusal> {
    let split = waiting(snapshot, context)?;
    let own = snapshot.assignee.as_ref().filter(|worker| worker.retired.is_none());
    let Some(last) = workers.last().or(own) else {
        return Err(Refusal::usage("no_worker", format!("nobody works on {} any more", snapshot.task.id))
            .hint(format!("interagent task split {} --accept --to NAME", snapshot.task.id)));
    };
    if !context.human {
        for worker in workers.iter().chain(own.filter(|_| workers.is_empty())) {
            rules::may_assign(snapshot.team.as_ref(), &snapshot.member, worker)?;
        }
    }
    let mut tasks = Vec::with_capacity(split.parts.len());
    for (number, part) in split.parts.iter().enumerate() {
        let worker = workers.get(number).unwrap_or(last);
        let id = copy(draft, &snapshot.task, &snapshot.member.id, |created| {
            created.title = part.clone();
            created.description = None;
            created.parent = Some(snapshot.task.id.clone());
            created.depends_on = Vec::new();
            created.acceptance_criteria = Vec::new();
            created.branch = None;
            created.echo_message = None;
        });
        give(draft, &id, &worker.id);
        let title = titles.get(number).map_or("", String::as_str);
        let assignment = Assignment {
            from: &snapshot.member.id,
            to: &worker.id,
            task: &id,
            title,
            priority: snapshot.task.priority(),
            waits_for: &[],
        };
        // A part keeps the purpose and the requirements of the whole.
        let brief =
            BriefWords { description: None, acceptance_criteria: Vec::new(), ..snapshot.brief.clone() };
        assignment.post(&brief, None, draft);
        draft.add(snapshot.entity(), TaskDependency { on: id.clone(), removed: false });
        tasks.push(id);
    }
    draft.add(snapshot.entity(), TaskSplitDecided { tasks: tasks.clone(), reason: None });
    settle_question(snapshot, Settlement::Accepted, draft);
    if snapshot.task.assignee.as_ref().is_some_and(|worker| workers.iter().all(|other| other.id != *worker))
        && !workers.is_empty()
    {
        let listed: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        let body = Some(draft.plain(&format!("Others do the parts: {}.", listed.join(", "))));
        snapshot.tell_worker(draft, "Split", body);
    }
    Ok(tasks)
}

/// The work goes on undivided.
pub fn decline_split(
    snapshot: &TaskSnapshot,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    waiting(snapshot, context)?;
    let reason = draft.maybe(reason);
    draft.add(snapshot.entity(), TaskSplitDecided { tasks: Vec::new(), reason: reason.clone() });
    settle_question(snapshot, Settlement::Declined, draft);
    if snapshot.task.status == TaskStatus::Blocked {
        let step = (TaskStatus::Blocked, TaskStatus::InProgress);
        draft_move(draft, &snapshot.task.id, snapshot.task.assignee.as_ref(), step, None, None);
    }
    snapshot.tell_worker(draft, "Not split", reason);
    Ok(())
}

fn waiting<'s>(snapshot: &'s TaskSnapshot, context: &Context) -> Result<&'s Split, Refusal> {
    let id = &snapshot.task.id;
    snapshot.must_be_open()?;
    snapshot.must_direct(context, "divide")?;
    snapshot.task.open_split().ok_or_else(|| {
        Refusal::conflict("not_proposed", format!("no proposal to divide {id} waits"))
            .hint(format!("its worker proposes: interagent task split {id} --into PART --into PART"))
    })
}

/// Ends the question about the proposal, whoever answers it.
fn settle_question(snapshot: &TaskSnapshot, how: Settlement, draft: &mut Draft) {
    let is_about = |message: &&Message| message.refs.iter().any(|reference| reference.kind == SPLIT_REF);
    for message in snapshot.duties.iter().filter(is_about) {
        for (agent, _) in
            message.deliveries.iter().filter(|(_, delivery)| delivery.owes() == Some(Duty::Answer))
        {
            if *agent == snapshot.member.id {
                draft_settle(draft, message, agent, how, None);
            } else {
                draft_settle_for(draft, message, agent, how);
            }
        }
    }
}
