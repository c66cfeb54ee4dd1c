//! An entity as it was at a moment: the fold of its events up to then, with its texts as they are now.

use std::collections::BTreeSet;

use interagent_core::entity::{self, Entity, Message};
use interagent_core::event::Fact;
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_store::Placed;
use interagent_store::reader::Reader;
use interagent_wire::answer::StateView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};
use serde_json::Value;

use crate::call::Call;
use crate::names::Names;
use crate::tasks::access::Access;

/// The entity at the moment that was asked for, by the wall clocks of those who wrote.
pub(crate) fn state(call: &mut Call<'_>, params: &ask::LogState) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let entity = super::entity(reader, &params.entity)?;
        Access::of(reader, known)?.entity(reader, &entity)?;
        let at = params.at.map_or_else(|| reader.now(), |at| at.0);
        let history: Vec<Placed> =
            reader.history(&entity)?.into_iter().filter(|placed| placed.stamp.wall <= at).collect();
        // What is void changed nothing; some of it is void for a reason that the fold does not know.
        let counted = history.iter().filter(|placed| placed.void.is_none());
        let facts = counted.map(|Placed { fact, stamp, .. }| (fact, stamp));
        let (folded, _) = entity::fold(facts);
        let state = match folded {
            Some(folded) => Some(resolve_texts(reader, json(&folded)?, &history)?),
            None => None,
        };
        let mut members = BTreeSet::new();
        state.iter().for_each(|state| members_in(state, &mut members));
        let names = Names::new(reader).each(&members)?;
        let events = u32::try_from(history.len()).unwrap_or(u32::MAX);
        Ok(StateView { entity: entity.to_string(), at: Time(at), state, names, events }.into())
    })
}

fn json(folded: &Entity) -> Result<Value, Refusal> {
    let value = match folded {
        Entity::Origin(state) => serde_json::to_value(state),
        Entity::Team(state) => serde_json::to_value(state),
        Entity::Agent(state) => serde_json::to_value(state),
        Entity::Message(state) => message(state),
        Entity::Task(state) => serde_json::to_value(state),
        Entity::Review(state) => serde_json::to_value(state),
        Entity::Spec(state) => serde_json::to_value(state),
        Entity::Decision(state) => serde_json::to_value(state),
        Entity::Lease(state) => serde_json::to_value(state),
        Entity::Skill(state) => serde_json::to_value(state),
    };
    value.map_err(|error| Refusal::unavailable("store_damaged", format!("the state can't be shown: {error}")))
}

/// Every member that a state names, also as the key of what belongs to it.
fn members_in(value: &Value, found: &mut BTreeSet<AgentId>) {
    match value {
        Value::String(word) => found.extend(AgentId::parse(word)),
        Value::Array(items) => items.iter().for_each(|item| members_in(item, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                found.extend(AgentId::parse(key));
                members_in(value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A message's deliveries are stored apart from it; here they belong to it.
fn message(state: &Message) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(state)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("deliveries".to_owned(), serde_json::to_value(&state.deliveries)?);
    }
    Ok(value)
}

/// Puts texts in the place of the hashes that the entity's own events name, and of no others.
fn resolve_texts(reader: &mut Reader<'_>, value: Value, history: &[Placed]) -> Result<Value, Refusal> {
    let known = |hash: &TextHash| {
        history.iter().any(|Placed { fact: Fact { event, .. }, .. }| {
            interagent_store::texts_of(event).into_iter().any(|other| other == hash)
        })
    };
    Ok(match value {
        Value::String(word) => match TextHash::parse(&word) {
            Ok(hash) if known(&hash) => Value::String(Names::new(reader).line(&hash)?),
            _ => Value::String(word),
        },
        Value::Array(items) => Value::Array(
            items.into_iter().map(|item| resolve_texts(reader, item, history)).collect::<Result<_, _>>()?,
        ),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(key, value)| Ok((key, resolve_texts(reader, value, history)?)))
                .collect::<Result<_, Refusal>>()?,
        ),
        other => other,
    })
}
