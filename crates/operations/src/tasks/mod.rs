//! Tasks: creating, finding, moving, reporting, judging, passing on.
//!
//! Words are validated before the gate, the rules live in the core; this module loads what they look at and shows
//! what came of it.

pub(crate) mod access;
pub(crate) mod input;
mod next;
mod report;
mod route;
pub(crate) mod snapshot;
mod views;

use interagent_core::decide::task as decide;
use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Task};
use interagent_core::ids::TaskId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::route::{Aim, Wanted};
use interagent_core::team::TeamConfig;
use interagent_core::text::Words;
use interagent_core::vocabulary::{Duty, SplitAnswer, TaskStatus};
use interagent_store::reader::{Reader, TaskFilter};
use interagent_wire::answer::Page;
use interagent_wire::{Answer, request as ask};

use crate::call::{Call, Scene};
use crate::identity::Identity;
use crate::names::Names;
use crate::resolve;
use access::Access;
pub(crate) use next::next;
pub(crate) use report::report;
pub(crate) use route::route;
use snapshot::Depth;
pub(crate) use views::rows;
use views::{Sight, answer};

/// Creates a task and, with an assignee, gives it to them.
pub(crate) fn create(call: &mut Call<'_>, params: &ask::TaskCreate) -> Result<Answer, Refusal> {
    let mut plan = input::plan(params)?;
    if params.route && params.assignee.is_some() {
        return Err(Refusal::usage("assignee_and_route", "a task with an assignee is not routed")
            .hint("leave one of them out"));
    }
    let (identity, aim) = giver(call, params, &plan)?;
    call.write_as(
        &identity,
        |scene| {
            let (team, member) = (scene.team.clone(), scene.member.clone());
            let reader = &mut scene.look();
            plan.parent = params.parent.as_deref().map(|parent| resolve::task(reader, parent)).transpose()?;
            let parent = plan.parent.as_ref().map(|parent| &parent.id);
            let above = snapshot::above(reader, parent)?;
            for on in &params.depends_on {
                let on = resolve::task(reader, on)?;
                let reach = reader.dependency_closure(&on.id, limits::CYCLE_WALK_TASKS)?;
                decide::must_not_wait_for_whole(&on, &reach, &above)?;
                if plan.depends_on.iter().all(|other| other.id != on.id) {
                    plan.depends_on.push(on);
                }
            }
            let assignee = match assignee(reader, team.as_ref(), &member, params, aim.as_ref())? {
                Some((assignee, why)) => {
                    plan.routed = why;
                    Some(assignee)
                }
                None => None,
            };
            resolve::must_be_free(reader, &plan.aliases)?;
            let mut draft = scene.draft();
            let team = scene.team.as_ref();
            decide::create(team, &scene.member, assignee.as_ref(), &plan, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, ""),
    )
}

/// Who gets a new task: who is named, or whom it fits best; with the reason where the program chose.
fn assignee(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    member: &Agent,
    params: &ask::TaskCreate,
    aim: Option<&Aim>,
) -> Result<Option<(Agent, Option<String>)>, Refusal> {
    match (&params.assignee, aim) {
        (Some(name), _) => Ok(Some((snapshot::worker(reader, name)?, None))),
        (None, Some(aim)) => {
            let (agent, why) = route::choose(reader, team, member, aim)?;
            Ok(Some((agent, Some(why))))
        }
        (None, None) => Ok(None),
    }
}

/// In whose name a task is given, and what it aims at where it is routed. Settled before the gate: comparing words with
/// paths takes its time, and nobody waits for it.
fn giver(
    call: &mut Call<'_>,
    params: &ask::TaskCreate,
    plan: &decide::Plan,
) -> Result<(Identity, Option<Aim>), Refusal> {
    let caller = call.caller;
    call.read(|reader, known| {
        let identity = known.clone().bound()?;
        let wanted = Wanted {
            capability: plan.capability.as_deref(),
            files: &plan.files,
            title: plan.title.as_str(),
            description: plan.description.as_ref().map_or("", Words::as_str),
        };
        let aim = if params.route { Some(route::aim(reader, &wanted)?) } else { None };
        if !route::speaks_by_default(caller) {
            return Ok((identity, aim));
        }
        let team = reader.team()?.map(|team| team.config);
        // Whatever is wrong with it is told by the decision itself, or by the answer of an earlier one with this key.
        let best = assignee(reader, team.as_ref(), identity.member(), params, aim.as_ref()).ok().flatten();
        Ok((route::giver(caller, identity, best.as_ref().map(|(agent, _)| &agent.id)), aim))
    })
}

/// Lists tasks, newest first.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::TaskList) -> Result<Answer, Refusal> {
    let start = resolve::page_start(params.after.as_deref())?;
    let limit = resolve::page_limit(params.limit);
    call.read(|reader, _| {
        let filter = TaskFilter {
            assignee: params
                .assignee
                .as_deref()
                .map(|name| resolve::agent(reader, name))
                .transpose()?
                .map(|a| a.id),
            status: params.status,
            parent: params
                .parent
                .as_deref()
                .map(|id| resolve::task(reader, id))
                .transpose()?
                .map(|task| task.id),
            open: params.open,
        };
        let mut tasks = reader.tasks(&filter, &start, limit + 1)?;
        let more = tasks.len() > limit as usize;
        tasks.truncate(limit as usize);
        let last = tasks.last().filter(|_| more);
        let next = last.map(|task| resolve::page_end(task.created.at, task.id.as_str()));
        let mut sight = Sight::new(reader)?;
        let items = tasks.iter().map(|task| sight.row(task)).collect::<Result<_, _>>()?;
        Ok(Page { items, next }.into())
    })
}

/// Shows one task with everything said of it.
pub(crate) fn show(call: &mut Call<'_>, params: &ask::TaskShow) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let given = match params.task.is_empty() {
            true => report::only_task(reader, known.clone().bound()?.member())?,
            false => params.task.clone(),
        };
        let task = resolve::task(reader, &given)?;
        Access::of(reader, known)?.task(reader, &task)?;
        Ok(Sight::new(reader)?.view(&task)?.into())
    })
}

/// Decides something about the named task and answers with the task it led to.
fn change(
    call: &mut Call<'_>,
    given: &str,
    depth: Depth,
    decide: impl FnOnce(&decide::TaskSnapshot, &mut Scene<'_, '_, '_>, &mut Draft) -> Result<(), Refusal>,
) -> Result<Answer, Refusal> {
    call.write(
        |scene| {
            let snapshot = snapshot::named(scene, given, depth)?;
            let mut draft = scene.draft();
            decide(&snapshot, scene, &mut draft)?;
            // The answer shows the whole task.
            access::must_be_involved(scene, &snapshot.task)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, given),
    )
}

/// Moves a task, notes something, or changes what it says; all in one step.
pub(crate) fn update(call: &mut Call<'_>, params: &ask::TaskUpdate) -> Result<Answer, Refusal> {
    let note = input::maybe("the note", params.note.as_deref(), Words::note)?;
    let title = input::maybe("the title", params.title.as_deref(), Words::line)?;
    let description = input::maybe("the description", params.description.as_deref(), Words::document)?;
    let branch = crate::input::maybe_word("the branch", params.branch.as_deref())?;
    let edits = title.is_some() || description.is_some() || params.priority.is_some() || branch.is_some();
    if !edits && params.status.is_none() && note.is_none() {
        return Err(Refusal::usage("nothing_to_do", "the update changes nothing")
            .hint("give a status, a note, a title, a description, a priority or a branch"));
    }
    change(call, &params.task, Depth::Circle, |snapshot, scene, draft| {
        let context = scene.context;
        if edits {
            let (title, description) = (title.as_ref(), description.as_ref());
            decide::edit(snapshot, title, description, params.priority, branch, context, draft)?;
        }
        match (params.status, &note) {
            (Some(status), reason) if reason.is_none() || status != snapshot.task.status => {
                let open_parts = input::open_parts(params.with_open_parts);
                decide::move_to(snapshot, status, reason.as_ref(), open_parts, context, draft)?;
            }
            (_, Some(note)) => decide::note(snapshot, note, draft),
            (_, None) => {}
        }
        Ok(())
    })
}

/// Takes a task that is nobody's.
pub(crate) fn claim(call: &mut Call<'_>, params: &ask::TaskClaim) -> Result<Answer, Refusal> {
    change(call, &params.task, Depth::Task, |snapshot, scene, draft| {
        decide::claim(snapshot, scene.context, draft)
    })
}

/// Adds a time-stamped note to a task.
pub(crate) fn note(call: &mut Call<'_>, params: &ask::TaskNote) -> Result<Answer, Refusal> {
    let note = Words::note("the note", &params.note)?;
    change(call, &params.task, Depth::Task, |snapshot, _, draft| {
        decide::note(snapshot, &note, draft);
        Ok(())
    })
}

/// Makes a task wait for another, or no longer.
pub(crate) fn depend(call: &mut Call<'_>, params: &ask::TaskDepend) -> Result<Answer, Refusal> {
    change(call, &params.task, Depth::Task, |snapshot, scene, draft| {
        let reader = &mut scene.look();
        let on = resolve::task(reader, &params.on)?;
        let reach = reader.dependency_closure(&on.id, limits::CYCLE_WALK_TASKS)?;
        let above = snapshot::above(reader, snapshot.task.brief.parent.as_ref())?;
        decide::depend(snapshot, &on, params.remove, (&reach, &above), scene.context, draft)
    })
}

/// Passes judgement on completed work.
pub(crate) fn verdict(call: &mut Call<'_>, params: &ask::TaskVerdict) -> Result<Answer, Refusal> {
    let verdict = input::verdict(params.verdict)?;
    let note = input::maybe("the note", params.note.as_deref(), Words::note)?;
    change(call, &params.task, Depth::Circle, |snapshot, scene, draft| {
        let open_parts = input::open_parts(params.with_open_parts);
        decide::judge(snapshot, verdict, note.as_ref(), open_parts, scene.context, draft)
    })
}

/// Closes a task and opens a linked one for somebody else.
pub(crate) fn reassign(call: &mut Call<'_>, params: &ask::TaskReassign) -> Result<Answer, Refusal> {
    let reason = input::maybe("the reason", params.reason.as_deref(), Words::note)?;
    change(call, &params.task, Depth::Circle, |snapshot, scene, draft| {
        let to = snapshot::worker(&mut scene.look(), &params.to)?;
        decide::reassign(snapshot, &to, reason.as_ref(), scene.context, draft)?;
        Ok(())
    })
}

/// Proposes to divide a task, or answers such a proposal.
pub(crate) fn split(call: &mut Call<'_>, params: &ask::TaskSplit) -> Result<Answer, Refusal> {
    let parts = params.into.iter().map(|part| Words::line("a part", part)).collect::<Result<Vec<_>, _>>()?;
    let reason = input::maybe("the reason", params.reason.as_deref(), Words::note)?;
    if params.answer.is_some() && !parts.is_empty() {
        return Err(Refusal::usage("two_splits", "a proposal is made or answered, not both at once"));
    }
    let given = &params.task;
    call.write(
        |scene| {
            let snapshot = snapshot::named(scene, given, Depth::Circle)?;
            let (mut draft, reason) = (scene.draft(), reason.as_ref());
            match params.answer {
                None => decide::propose_split(&snapshot, &parts, reason, scene.context, &mut draft)?,
                Some(SplitAnswer::Decline) => {
                    decide::decline_split(&snapshot, reason, scene.context, &mut draft)?;
                }
                Some(SplitAnswer::Accept) => {
                    let reader = &mut scene.look();
                    let proposed = snapshot.task.open_split().map(|split| split.parts.as_slice());
                    let titles = Names::new(reader).lines(proposed.unwrap_or_default())?;
                    let named = params.to.iter().flat_map(|names| names.split(',')).map(str::trim);
                    let workers =
                        named.map(|name| snapshot::worker(reader, name)).collect::<Result<Vec<_>, _>>()?;
                    decide::accept_split(&snapshot, &titles, &workers, scene.context, &mut draft)?;
                }
            }
            Ok(draft)
        },
        |reader, _| {
            let task = resolve::task(reader, given)?;
            Ok(Sight::new(reader)?.view(&task)?.into())
        },
    )
}

/// Makes a new task that does a finished one again.
pub(crate) fn redo(call: &mut Call<'_>, params: &ask::TaskRedo) -> Result<Answer, Refusal> {
    let reason = input::maybe("the reason", params.reason.as_deref(), Words::note)?;
    change(call, &params.task, Depth::Circle, |snapshot, scene, draft| {
        let named =
            params.assignee.as_deref().map(|name| snapshot::worker(&mut scene.look(), name)).transpose()?;
        let again = snapshot::open_redo(&mut scene.look(), &snapshot.task)?;
        decide::redo(snapshot, named.as_ref(), reason.as_ref(), again.as_ref(), scene.context, draft)?;
        Ok(())
    })
}

/// Whether the assignee declined a task before starting it, and the assigner has not reacted yet.
pub(crate) fn is_declined(reader: &mut Reader<'_>, task: &Task) -> Result<bool, Refusal> {
    if task.status != TaskStatus::Assigned {
        return Ok(false);
    }
    let due = reader.owed_about(&task.id)?;
    Ok(snapshot::messages(reader, &due)?.iter().any(|message| message.declines(&task.id)))
}

/// Whether nothing can be done about a duty yet: its task waits for another one.
pub(crate) fn waits_for_others(
    reader: &mut Reader<'_>,
    duty: Duty,
    task: Option<&TaskId>,
) -> Result<bool, Refusal> {
    let (Duty::Start, Some(task)) = (duty, task) else { return Ok(false) };
    let Some(task) = reader.task(task)? else { return Ok(false) };
    let waits_for = reader.waits_for(&task)?;
    let review_required = reader.team()?.is_some_and(|team| team.config.rules.review_required);
    Ok(!task.is_ready(&waits_for, review_required))
}
