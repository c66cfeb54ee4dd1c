//! What two replicas decided apart and can't both hold: circles of tasks, seats of other rules, names taken twice.

use std::collections::BTreeMap;

use interagent_core::decide::agent::reseat;
use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Task};
use interagent_core::entry::OrderKey;
use interagent_core::event::{AgentRenamed, Event, TaskDependency};
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::merge::{self, Edge, Loss};
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_store::reader::Reader;
use interagent_wire::answer::Who;

use super::losses::send;
use crate::names::Names;
use crate::team::registry;

/// Adds to the draft what repairs the state, and says what that is.
pub(super) fn repair(
    reader: &mut Reader<'_>,
    operator: &Agent,
    draft: &mut Draft,
    repairs: &mut Vec<String>,
    told: &mut Vec<Who>,
) -> Result<(), Refusal> {
    circles(reader, operator, draft, repairs, told)?;
    names_taken_twice(reader, draft, repairs)?;
    let before = draft.facts.len();
    reseat(&registry(reader, None)?, draft);
    if draft.facts.len() > before {
        repairs.push(format!("{} seats follow the team's rules again", draft.facts.len() - before));
    }
    Ok(())
}

/// Tasks that wait for each other can never begin. The dependency that was decided last goes, in every replica the same.
fn circles(
    reader: &mut Reader<'_>,
    operator: &Agent,
    draft: &mut Draft,
    repairs: &mut Vec<String>,
    told: &mut Vec<Who>,
) -> Result<(), Refusal> {
    let mut dated = Vec::new();
    for edge in merge::entangled(&reader.open_dependencies()?) {
        if let Some(order) = decided(reader, &edge)? {
            dated.push((order, edge));
        }
    }
    for (task, on) in merge::cut(dated) {
        draft.add(EntityRef::Task(task.clone()), TaskDependency { on: on.clone(), removed: true });
        let sentence = format!("{task} waits for {on} no longer: the two waited for each other");
        let loss = Loss {
            subject: sentence.clone(),
            body: format!(
                "Two clones of this hub each added a dependency, and together they made a circle in which no task could \
                 begin. The dependency that was added last is removed: {on} still waits for {task}. To reverse it, remove \
                 that dependency and let {task} wait for {on}."
            ),
            shown_by: format!("interagent log show {task}"),
        };
        if let Some(known) = reader.task(&task)? {
            for member in concerned(reader, &known)? {
                let id = merge::message_id(&["circle", task.as_str(), on.as_str(), member.as_str()]);
                if reader.message(&id)?.is_none() {
                    send(draft, operator, &member, id, &loss, Some(task.clone()))?;
                    told.push(Names::new(reader).who(&member)?);
                }
            }
        }
        repairs.push(sentence);
    }
    Ok(())
}

/// When a dependency that holds was decided.
fn decided(reader: &mut Reader<'_>, (task, on): &Edge) -> Result<Option<OrderKey>, Refusal> {
    let history = reader.history(&EntityRef::Task(task.clone()))?;
    let adds = |event: &Event| match event {
        Event::TaskCreated(created) => created.depends_on.contains(on),
        Event::TaskDependency(dependency) => dependency.on == *on && !dependency.removed,
        _ => false,
    };
    let last = history.into_iter().rev().find(|placed| placed.void.is_none() && adds(&placed.fact.event));
    Ok(last.map(|placed| placed.stamp.order))
}

/// Who works on a task and who gave it, as far as they live here.
fn concerned(reader: &mut Reader<'_>, task: &Task) -> Result<Vec<AgentId>, Refusal> {
    let mut found = Vec::new();
    for id in task.assignee.iter().chain([&task.brief.assigner]) {
        let Some(agent) = reader.agent(id)? else { continue };
        if agent.retired.is_none() && reader.is_home(&agent.home)? && !found.contains(id) {
            found.push(id.clone());
        }
    }
    Ok(found)
}

/// A replica that took over from another one may later learn of an agent that registered there in entries that were lost
/// meanwhile. The one who came first keeps the name.
fn names_taken_twice(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    repairs: &mut Vec<String>,
) -> Result<(), Refusal> {
    let mut by_name: BTreeMap<Name, Vec<Agent>> = BTreeMap::new();
    for agent in registry(reader, None)?.local {
        by_name.entry(agent.name.clone()).or_default().push(agent);
    }
    for (name, mut agents) in by_name {
        agents.sort_by_key(|agent| (agent.registered.at, agent.id.clone()));
        // There is one person, whatever they are called in which replica.
        for later in agents.into_iter().skip(1).filter(|agent| !agent.is_human()) {
            let Some(other) = merge::other_name(&name, &later.id) else { continue };
            repairs.push(format!("the second {name} here is called {other} now"));
            draft.add(EntityRef::Agent(later.id), AgentRenamed { name: other });
        }
    }
    Ok(())
}
