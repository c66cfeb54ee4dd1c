//! What the columns beside each document must hold, said a second time and independently of the writing code, so that
//! a check of the views does not repeat the mistake it looks for.

use std::collections::BTreeSet;

use interagent_core::entity::{Entity, Message, Task};
use interagent_core::ids::{AgentId, EntityRef, TaskId};
use interagent_core::vocabulary::HoldReason;

use super::save::owed;
use crate::engine::Value;
use crate::params;

/// The rows one entity must own in one table: how to ask for them, and what the answer must be.
pub(crate) struct Expected {
    /// The table, for people.
    pub(crate) table: &'static str,
    /// Asks for the entity's rows by (hub, id), in the order of `rows`.
    pub(crate) sql: &'static str,
    /// The answer.
    pub(crate) rows: Vec<Vec<Value>>,
}

fn table(table: &'static str, sql: &'static str, rows: impl IntoIterator<Item = Vec<Value>>) -> Expected {
    Expected { table, sql, rows: rows.into_iter().collect() }
}

/// Every row an entity in this state owns; none where the state is absent.
pub(crate) fn expected(entity: &EntityRef, state: Option<&Entity>) -> Vec<Expected> {
    macro_rules! of {
        ($noun:ident) => {
            if let Some(Entity::$noun(state)) = state { Some(state) } else { None }
        };
    }
    match entity {
        EntityRef::Origin(_) => vec![table(
            "origins",
            "SELECT alias FROM origins WHERE hub = $1 AND id = $2",
            of!(Origin).map(|o| params![&o.alias].to_vec()),
        )],
        EntityRef::Agent(_) => vec![table(
            "agents",
            "SELECT name, home, at, retired FROM agents WHERE hub = $1 AND id = $2",
            of!(Agent).map(|a| {
                params![a.name.as_str(), a.home.as_str(), a.registered.at, a.retired.is_some()].to_vec()
            }),
        )],
        EntityRef::Message(_) => message(of!(Message)),
        EntityRef::Task(_) => task(of!(Task)),
        EntityRef::Review(_) => vec![
            table(
                "reviews",
                "SELECT at, task, closed FROM reviews WHERE hub = $1 AND id = $2",
                of!(Review).map(|r| {
                    params![r.opened.at, r.brief.task.as_ref().map(TaskId::as_str), r.end.is_some()].to_vec()
                }),
            ),
            aliases(of!(Review).map(|r| r.brief.aliases.as_slice())),
        ],
        EntityRef::Spec(_) => vec![table(
            "specs",
            "SELECT version FROM specs WHERE hub = $1 AND name = $2",
            of!(Spec).map(|s| params![s.version()].to_vec()),
        )],
        EntityRef::Decision(_) => vec![
            table(
                "decisions",
                "SELECT at, closed FROM decisions WHERE hub = $1 AND id = $2",
                of!(Decision)
                    .map(|d| params![d.opened.at, d.outcome.is_some() || d.superseded_by.is_some()].to_vec()),
            ),
            aliases(of!(Decision).map(|d| d.brief.aliases.as_slice())),
        ],
        EntityRef::Lease(_) => vec![table(
            "leases",
            "SELECT at, ended FROM leases WHERE hub = $1 AND id = $2",
            of!(Lease).map(|l| params![l.taken.at, l.end.is_some()].to_vec()),
        )],
        EntityRef::Skill(_) => vec![table(
            "skills",
            "SELECT promoted FROM skills WHERE hub = $1 AND key = $2",
            of!(Skill).map(|s| params![s.is_promoted()].to_vec()),
        )],
        EntityRef::Team | EntityRef::Text(_) | EntityRef::Unknown(_) => Vec::new(),
    }
}

fn aliases<'a>(given: Option<&'a [String]>) -> Expected {
    let names: BTreeSet<&'a String> = given.into_iter().flatten().collect();
    table(
        "aliases",
        "SELECT alias FROM aliases WHERE hub = $1 AND entity = $2 ORDER BY alias",
        names.into_iter().map(|alias| params![alias].to_vec()),
    )
}

fn message(state: Option<&Message>) -> Vec<Expected> {
    let task = state.and_then(|m| m.task.as_ref()).map(TaskId::as_str);
    vec![
        table(
            "messages",
            "SELECT at, wall, thread, sender, intent, task, held, expires FROM messages WHERE hub = $1 AND id = $2",
            state.map(|m| {
                let held = m.held.map(HoldReason::as_str);
                let intent = m.intent.as_str();
                let (thread, from) = (m.thread.as_str(), m.from.as_str());
                params![m.sent.at, m.sent.wall, thread, from, intent, task, held, m.expires].to_vec()
            }),
        ),
        table(
            "mail",
            "SELECT agent, at, unread, state FROM mail WHERE hub = $1 AND message = $2 ORDER BY agent",
            state.into_iter().flat_map(|m| {
                m.deliveries.iter().map(|(agent, delivery)| {
                    params![agent.as_str(), m.sent.at, delivery.is_unread(), delivery.state.as_str()].to_vec()
                })
            }),
        ),
        table(
            "obligations",
            "SELECT agent, duty, task, since, at FROM obligations WHERE hub = $1 AND message = $2 ORDER BY agent",
            state.into_iter().flat_map(|m| {
                owed(m).into_iter().map(move |(agent, duty)| {
                    params![agent.as_str(), duty.as_str(), task, m.sent.wall, m.sent.at].to_vec()
                })
            }),
        ),
        aliases(state.map(|m| m.aliases.as_slice())),
    ]
}

fn task(state: Option<&Task>) -> Vec<Expected> {
    vec![
        table(
            "tasks",
            "SELECT at, status, closed, assignee, parent, rank FROM tasks WHERE hub = $1 AND id = $2",
            state.map(|t| {
                params![
                    t.created.at,
                    t.status.as_str(),
                    t.status.is_closed(),
                    t.assignee.as_ref().map(AgentId::as_str),
                    t.brief.parent.as_ref().map(TaskId::as_str),
                    10 - t.priority() as i64
                ]
                .to_vec()
            }),
        ),
        table(
            "deps",
            "SELECT depends_on FROM deps WHERE hub = $1 AND task = $2 ORDER BY depends_on",
            state.into_iter().flat_map(|t| t.depends_on.iter().map(|on| params![on.as_str()].to_vec())),
        ),
        table(
            "task_reports",
            "SELECT n, at, worker, found FROM task_reports WHERE hub = $1 AND task = $2 ORDER BY n",
            state.into_iter().flat_map(|t| {
                t.reports.iter().zip(0_i64..).map(|(said, n)| {
                    let report = &said.report;
                    params![n, said.when.at, report.worker.as_str(), report.skill_candidate.found].to_vec()
                })
            }),
        ),
        aliases(state.map(|t| t.brief.aliases.as_slice())),
    ]
}

/// For each view table: finds a few rows whose entity has no event at all.
pub(crate) fn stray_statements() -> [(&'static str, &'static str); 15] {
    macro_rules! stray {
        ($table:literal, $entity:literal) => {
            (
                $table,
                concat!(
                    "SELECT ",
                    $entity,
                    " FROM ",
                    $table,
                    " v WHERE v.hub = $1 AND NOT EXISTS
                     (SELECT 1 FROM entity_log l WHERE l.hub = v.hub AND l.entity = ",
                    $entity,
                    ") LIMIT 5"
                ),
            )
        };
    }
    [
        stray!("origins", "v.id"),
        stray!("teams", "'team'"),
        stray!("agents", "v.id"),
        stray!("messages", "v.id"),
        stray!("mail", "v.message"),
        stray!("obligations", "v.message"),
        stray!("tasks", "v.id"),
        stray!("deps", "v.task"),
        stray!("task_reports", "v.task"),
        stray!("reviews", "v.id"),
        stray!("specs", "'spec:' || v.name"),
        stray!("decisions", "v.id"),
        stray!("leases", "v.id"),
        stray!("skills", "'skill:' || v.key"),
        stray!("aliases", "v.entity"),
    ]
}
