//! Reading an entity's state back from its rows.

use std::collections::BTreeMap;

use interagent_core::entity::{Entity, Message};
use interagent_core::ids::{AgentId, EntityRef};
use serde::de::DeserializeOwned;

use crate::engine::{Queryable, Row};
use crate::error::StoreError;
use crate::params;

/// Parses a row's document.
pub(crate) fn doc<T: DeserializeOwned>(row: &Row, column: usize) -> Result<T, StoreError> {
    let text = row.text(column)?;
    serde_json::from_str(text).map_err(|error| StoreError::unreadable_row(error.to_string()))
}

/// The state of an entity, if it exists.
pub(crate) fn load(
    q: &mut dyn Queryable,
    hub: i64,
    entity: &EntityRef,
) -> Result<Option<Entity>, StoreError> {
    fn one<T: DeserializeOwned>(
        q: &mut dyn Queryable,
        sql: &'static str,
        hub: i64,
        id: &str,
    ) -> Result<Option<T>, StoreError> {
        q.query_first(sql, &params![hub, id])?.map(|row| doc(&row, 0)).transpose()
    }
    Ok(match entity {
        EntityRef::Team => q
            .query_first("SELECT doc FROM teams WHERE hub = $1", &params![hub])?
            .map(|row| doc(&row, 0))
            .transpose()?
            .map(Entity::Team),
        EntityRef::Origin(id) => {
            one(q, "SELECT doc FROM origins WHERE hub = $1 AND id = $2", hub, id.as_str())?
                .map(Entity::Origin)
        }
        EntityRef::Agent(id) => {
            one(q, "SELECT doc FROM agents WHERE hub = $1 AND id = $2", hub, id.as_str())?.map(Entity::Agent)
        }
        EntityRef::Message(id) => {
            one(q, "SELECT doc FROM messages WHERE hub = $1 AND id = $2", hub, id.as_str())?
                .map(|message| with_deliveries(q, hub, message))
                .transpose()?
                .map(Entity::Message)
        }
        EntityRef::Task(id) => {
            one(q, "SELECT doc FROM tasks WHERE hub = $1 AND id = $2", hub, id.as_str())?.map(Entity::Task)
        }
        EntityRef::Review(id) => {
            one(q, "SELECT doc FROM reviews WHERE hub = $1 AND id = $2", hub, id.as_str())?
                .map(Entity::Review)
        }
        EntityRef::Spec(name) => {
            one(q, "SELECT doc FROM specs WHERE hub = $1 AND name = $2", hub, name.as_str())?
                .map(Entity::Spec)
        }
        EntityRef::Decision(id) => {
            one(q, "SELECT doc FROM decisions WHERE hub = $1 AND id = $2", hub, id.as_str())?
                .map(Entity::Decision)
        }
        EntityRef::Lease(id) => {
            one(q, "SELECT doc FROM leases WHERE hub = $1 AND id = $2", hub, id.as_str())?.map(Entity::Lease)
        }
        EntityRef::Skill(key) => {
            one(q, "SELECT doc FROM skills WHERE hub = $1 AND key = $2", hub, key.as_str())?
                .map(Entity::Skill)
        }
        EntityRef::Text(_) | EntityRef::Unknown(_) => None,
    })
}

/// Adds the deliveries, which have rows of their own so that one recipient's step does not rewrite the others'.
pub(crate) fn with_deliveries(
    q: &mut dyn Queryable,
    hub: i64,
    mut message: Message,
) -> Result<Message, StoreError> {
    let rows = q.query(
        "SELECT agent, doc FROM mail WHERE hub = $1 AND message = $2",
        &params![hub, message.id.as_str()],
    )?;
    let mut deliveries = BTreeMap::new();
    for row in rows {
        let agent = AgentId::parse(row.text(0)?).map_err(|e| StoreError::unreadable_row(e.to_string()))?;
        deliveries.insert(agent, doc(&row, 1)?);
    }
    message.deliveries = deliveries;
    Ok(message)
}
