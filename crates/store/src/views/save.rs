//! Writing an entity's rows: those that differ, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::entity::message::Delivery;
use interagent_core::entity::{Agent, Decision, Entity, Lease, Message, Review, Skill, Spec, Task};
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::vocabulary::Duty;
use serde::Serialize;

use crate::engine::WriteTx;
use crate::error::StoreError;
use crate::params;

fn doc<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::unreadable_row(error.to_string()))
}

/// Brings an entity's rows from one state to the next.
pub(crate) fn save(
    tx: &mut WriteTx<'_>,
    hub: i64,
    before: Option<&Entity>,
    after: Option<&Entity>,
) -> Result<(), StoreError> {
    let Some(after) = after else { return Ok(()) };
    if before == Some(after) {
        return Ok(());
    }
    match after {
        Entity::Origin(origin) => {
            tx.execute(
                "INSERT INTO origins (hub, id, alias, doc) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (hub, id) DO UPDATE SET alias = excluded.alias, doc = excluded.doc",
                &params![hub, origin.id.as_str(), &origin.alias, doc(origin)?],
            )?;
        }
        Entity::Team(team) => {
            tx.execute(
                "INSERT INTO teams (hub, doc) VALUES ($1, $2) ON CONFLICT (hub) DO UPDATE SET doc = excluded.doc",
                &params![hub, doc(team)?],
            )?;
        }
        Entity::Agent(agent) => save_agent(tx, hub, agent)?,
        Entity::Message(message) => {
            let before = if let Some(Entity::Message(before)) = before { Some(before) } else { None };
            save_message(tx, hub, before, message)?;
        }
        Entity::Task(task) => {
            let before = if let Some(Entity::Task(before)) = before { Some(before) } else { None };
            save_task(tx, hub, before, task)?;
        }
        Entity::Review(review) => {
            let before = if let Some(Entity::Review(before)) = before { Some(before) } else { None };
            save_review(tx, hub, before, review)?;
        }
        Entity::Spec(spec) => save_spec(tx, hub, spec)?,
        Entity::Decision(decision) => {
            save_decision(tx, hub, decision)?;
            if before.is_none() {
                save_aliases(tx, hub, decision.id.as_str(), &decision.brief.aliases)?;
            }
        }
        Entity::Lease(lease) => save_lease(tx, hub, lease)?,
        Entity::Skill(skill) => save_skill(tx, hub, skill)?,
    }
    Ok(())
}

/// Deletes every row an entity owns.
pub(crate) fn forget(tx: &mut WriteTx<'_>, hub: i64, entity: &EntityRef) -> Result<(), StoreError> {
    let id = match entity {
        EntityRef::Spec(name) => name.to_string(),
        EntityRef::Skill(key) => key.to_string(),
        other => other.to_string(),
    };
    let statements: &[&'static str] = match entity {
        EntityRef::Team => {
            tx.execute("DELETE FROM teams WHERE hub = $1", &params![hub])?;
            return Ok(());
        }
        EntityRef::Origin(_) => &["DELETE FROM origins WHERE hub = $1 AND id = $2"],
        EntityRef::Agent(_) => &["DELETE FROM agents WHERE hub = $1 AND id = $2"],
        EntityRef::Message(_) => &[
            "DELETE FROM messages WHERE hub = $1 AND id = $2",
            "DELETE FROM mail WHERE hub = $1 AND message = $2",
            "DELETE FROM obligations WHERE hub = $1 AND message = $2",
            "DELETE FROM aliases WHERE hub = $1 AND entity = $2",
        ],
        EntityRef::Task(_) => &[
            "DELETE FROM tasks WHERE hub = $1 AND id = $2",
            "DELETE FROM deps WHERE hub = $1 AND task = $2",
            "DELETE FROM task_reports WHERE hub = $1 AND task = $2",
            "DELETE FROM aliases WHERE hub = $1 AND entity = $2",
        ],
        EntityRef::Review(_) => &[
            "DELETE FROM reviews WHERE hub = $1 AND id = $2",
            "DELETE FROM aliases WHERE hub = $1 AND entity = $2",
        ],
        EntityRef::Spec(_) => &["DELETE FROM specs WHERE hub = $1 AND name = $2"],
        EntityRef::Decision(_) => &[
            "DELETE FROM decisions WHERE hub = $1 AND id = $2",
            "DELETE FROM aliases WHERE hub = $1 AND entity = $2",
        ],
        EntityRef::Lease(_) => &["DELETE FROM leases WHERE hub = $1 AND id = $2"],
        EntityRef::Skill(_) => &["DELETE FROM skills WHERE hub = $1 AND key = $2"],
        EntityRef::Text(_) | EntityRef::Unknown(_) => &[],
    };
    for statement in statements {
        tx.execute(statement, &params![hub, id.as_str()])?;
    }
    Ok(())
}

/// Deletes every view row of a hub, histories included.
pub(crate) fn clear(tx: &mut WriteTx<'_>, hub: i64) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM entity_log WHERE hub = $1",
        "DELETE FROM origins WHERE hub = $1",
        "DELETE FROM teams WHERE hub = $1",
        "DELETE FROM agents WHERE hub = $1",
        "DELETE FROM messages WHERE hub = $1",
        "DELETE FROM mail WHERE hub = $1",
        "DELETE FROM obligations WHERE hub = $1",
        "DELETE FROM tasks WHERE hub = $1",
        "DELETE FROM deps WHERE hub = $1",
        "DELETE FROM task_reports WHERE hub = $1",
        "DELETE FROM reviews WHERE hub = $1",
        "DELETE FROM specs WHERE hub = $1",
        "DELETE FROM decisions WHERE hub = $1",
        "DELETE FROM leases WHERE hub = $1",
        "DELETE FROM skills WHERE hub = $1",
        "DELETE FROM aliases WHERE hub = $1",
        "DELETE FROM suspects WHERE hub = $1",
    ] {
        tx.execute(statement, &params![hub])?;
    }
    Ok(())
}

fn save_agent(tx: &mut WriteTx<'_>, hub: i64, agent: &Agent) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO agents (hub, id, name, home, at, retired, doc) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (hub, id) DO UPDATE SET name = excluded.name, retired = excluded.retired, doc = excluded.doc",
        &params![
            hub,
            agent.id.as_str(),
            agent.name.as_str(),
            agent.home.as_str(),
            agent.registered.at,
            agent.retired.is_some(),
            doc(agent)?
        ],
    )?;
    Ok(())
}

fn save_message(
    tx: &mut WriteTx<'_>,
    hub: i64,
    before: Option<&Message>,
    after: &Message,
) -> Result<(), StoreError> {
    let text = doc(after)?;
    let same = before.map(doc).transpose()?.is_some_and(|old| old == text);
    if !same {
        tx.execute(
            "INSERT INTO messages (hub, id, at, wall, thread, sender, intent, task, held, expires, doc)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
             ON CONFLICT (hub, id) DO UPDATE SET held = excluded.held, doc = excluded.doc",
            &params![
                hub,
                after.id.as_str(),
                after.sent.at,
                after.sent.wall,
                after.thread.as_str(),
                after.from.as_str(),
                after.intent.as_str(),
                after.task.as_ref().map(interagent_core::ids::TaskId::as_str),
                after.held.map(interagent_core::vocabulary::HoldReason::as_str),
                after.expires,
                text
            ],
        )?;
    }
    if before.is_none() {
        save_aliases(tx, hub, after.id.as_str(), &after.aliases)?;
    }
    for (agent, delivery) in &after.deliveries {
        if before.and_then(|b| b.deliveries.get(agent)) != Some(delivery) {
            save_mail(tx, hub, after, agent, delivery)?;
        }
    }
    save_obligations(tx, hub, before, after)
}

fn save_mail(
    tx: &mut WriteTx<'_>,
    hub: i64,
    message: &Message,
    agent: &AgentId,
    delivery: &Delivery,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO mail (hub, message, agent, at, unread, state, doc) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (hub, message, agent)
         DO UPDATE SET unread = excluded.unread, state = excluded.state, doc = excluded.doc",
        &params![
            hub,
            message.id.as_str(),
            agent.as_str(),
            message.sent.at,
            delivery.is_unread(),
            delivery.state.as_str(),
            doc(delivery)?
        ],
    )?;
    Ok(())
}

/// What each recipient owes now.
pub(super) fn owed(message: &Message) -> BTreeMap<&AgentId, Duty> {
    message.deliveries.keys().filter_map(|agent| Some((agent, message.owed_by(agent)?))).collect()
}

fn save_obligations(
    tx: &mut WriteTx<'_>,
    hub: i64,
    before: Option<&Message>,
    after: &Message,
) -> Result<(), StoreError> {
    let old = before.map(owed).unwrap_or_default();
    let new = owed(after);
    for agent in old.keys().filter(|agent| !new.contains_key(*agent)) {
        tx.execute(
            "DELETE FROM obligations WHERE hub = $1 AND message = $2 AND agent = $3",
            &params![hub, after.id.as_str(), agent.as_str()],
        )?;
    }
    for (agent, duty) in new.iter().filter(|(agent, _)| !old.contains_key(*agent)) {
        tx.execute(
            "INSERT INTO obligations (hub, message, agent, duty, task, since, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            &params![
                hub,
                after.id.as_str(),
                agent.as_str(),
                duty.as_str(),
                after.task.as_ref().map(interagent_core::ids::TaskId::as_str),
                after.sent.wall,
                after.sent.at
            ],
        )?;
    }
    Ok(())
}

fn save_aliases(tx: &mut WriteTx<'_>, hub: i64, entity: &str, aliases: &[String]) -> Result<(), StoreError> {
    for alias in aliases.iter().collect::<BTreeSet<_>>() {
        tx.execute(
            "INSERT INTO aliases (hub, alias, entity) VALUES ($1, $2, $3)",
            &params![hub, alias, entity],
        )?;
    }
    Ok(())
}

fn save_task(tx: &mut WriteTx<'_>, hub: i64, before: Option<&Task>, after: &Task) -> Result<(), StoreError> {
    // Urgent first: the index that `next` walks is ascending.
    let rank = 10 - after.priority() as i64;
    tx.execute(
        "INSERT INTO tasks (hub, id, at, status, closed, assignee, parent, rank, doc)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (hub, id) DO UPDATE SET status = excluded.status, closed = excluded.closed,
         assignee = excluded.assignee, rank = excluded.rank, doc = excluded.doc",
        &params![
            hub,
            after.id.as_str(),
            after.created.at,
            after.status.as_str(),
            after.status.is_closed(),
            after.assignee.as_ref().map(interagent_core::ids::AgentId::as_str),
            after.brief.parent.as_ref().map(interagent_core::ids::TaskId::as_str),
            rank,
            doc(after)?
        ],
    )?;
    if before.is_none() {
        save_aliases(tx, hub, after.id.as_str(), &after.brief.aliases)?;
    }
    let empty = BTreeSet::new();
    let old = before.map_or(&empty, |b| &b.depends_on);
    for gone in old.difference(&after.depends_on) {
        tx.execute(
            "DELETE FROM deps WHERE hub = $1 AND task = $2 AND depends_on = $3",
            &params![hub, after.id.as_str(), gone.as_str()],
        )?;
    }
    for new in after.depends_on.difference(old) {
        tx.execute(
            "INSERT INTO deps (hub, task, depends_on) VALUES ($1, $2, $3)",
            &params![hub, after.id.as_str(), new.as_str()],
        )?;
    }
    // Reports are only ever added.
    let told = before.map_or(0, |before| before.reports.len());
    for (said, n) in after.reports.iter().zip(0_i64..).skip(told) {
        let report = &said.report;
        tx.execute(
            "INSERT INTO task_reports (hub, task, n, at, worker, found) VALUES ($1, $2, $3, $4, $5, $6)",
            &params![
                hub,
                after.id.as_str(),
                n,
                said.when.at,
                report.worker.as_str(),
                report.skill_candidate.found
            ],
        )?;
    }
    Ok(())
}

fn save_skill(tx: &mut WriteTx<'_>, hub: i64, skill: &Skill) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO skills (hub, key, promoted, doc) VALUES ($1, $2, $3, $4)
         ON CONFLICT (hub, key) DO UPDATE SET promoted = excluded.promoted, doc = excluded.doc",
        &params![hub, skill.key.as_str(), skill.is_promoted(), doc(skill)?],
    )?;
    Ok(())
}

fn save_review(
    tx: &mut WriteTx<'_>,
    hub: i64,
    before: Option<&Review>,
    review: &Review,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO reviews (hub, id, at, task, closed, doc) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (hub, id) DO UPDATE SET closed = excluded.closed, doc = excluded.doc",
        &params![
            hub,
            review.id.as_str(),
            review.opened.at,
            review.brief.task.as_ref().map(interagent_core::ids::TaskId::as_str),
            review.end.is_some(),
            doc(review)?
        ],
    )?;
    if before.is_none() {
        save_aliases(tx, hub, review.id.as_str(), &review.brief.aliases)?;
    }
    Ok(())
}

fn save_spec(tx: &mut WriteTx<'_>, hub: i64, spec: &Spec) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO specs (hub, name, version, doc) VALUES ($1, $2, $3, $4)
         ON CONFLICT (hub, name) DO UPDATE SET version = excluded.version, doc = excluded.doc",
        &params![hub, spec.name.as_str(), spec.version(), doc(spec)?],
    )?;
    Ok(())
}

fn save_decision(tx: &mut WriteTx<'_>, hub: i64, decision: &Decision) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO decisions (hub, id, at, closed, doc) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (hub, id) DO UPDATE SET closed = excluded.closed, doc = excluded.doc",
        &params![
            hub,
            decision.id.as_str(),
            decision.opened.at,
            decision.outcome.is_some() || decision.superseded_by.is_some(),
            doc(decision)?
        ],
    )?;
    Ok(())
}

fn save_lease(tx: &mut WriteTx<'_>, hub: i64, lease: &Lease) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO leases (hub, id, at, ended, doc) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (hub, id) DO UPDATE SET ended = excluded.ended, doc = excluded.doc",
        &params![hub, lease.id.as_str(), lease.taken.at, lease.end.is_some(), doc(lease)?],
    )?;
    Ok(())
}
