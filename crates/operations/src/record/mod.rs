//! The record: what happened, how things stood, what was written, and what follows for whom.
//!
//! Owns reading the log back (list, history, state, trace), search, briefing and summary, and deleting a text for good.

pub(crate) mod briefing;
mod describe;
mod filter;
pub(crate) mod held;
mod log;
mod notices;
mod purge;
mod quotes;
mod relay;
pub(crate) mod search;
mod state;
mod summary;
mod template;

pub(crate) use briefing::briefing;
pub(crate) use held::{held, release};
pub(crate) use log::{history, list, trace};
pub(crate) use notices::notices;
pub(crate) use purge::purge;
pub(crate) use relay::relay;
pub(crate) use search::search;
pub(crate) use state::state;
pub(crate) use summary::summary;
pub(crate) use template::template_prompt;

use interagent_core::ids::{EntityRef, OriginId, SpecName};
use interagent_core::name::Name;
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_store::reader::{Noun, Reader};

use crate::resolve;

/// Any entity: `team`, `spec:NAME`, an id, a prefix of one, an alias, or the name of an agent or a spec.
fn entity(reader: &mut Reader<'_>, given: &str) -> Result<EntityRef, Refusal> {
    let given = given.trim();
    if given.eq_ignore_ascii_case("team") {
        return Ok(EntityRef::Team);
    }
    match given.split_once(':') {
        Some(("spec", name)) => return Ok(EntityRef::Spec(SpecName::parse(name)?)),
        Some(("text", hash)) => return Ok(EntityRef::Text(TextHash::parse(hash)?)),
        _ => {}
    }
    if let Ok(origin) = OriginId::parse(given) {
        return Ok(EntityRef::Origin(origin));
    }
    let looks_like_name =
        Name::parse(given).is_ok() || given.contains('@') || given.eq_ignore_ascii_case("operator");
    match resolve::entity(reader, given, Noun::ALL, "entity") {
        Err(refusal) if refusal.code == "not_found" => {
            let found = if looks_like_name { named(reader, given, refusal) } else { Err(refusal) };
            found.or_else(|refusal| spec_named(reader, given)?.ok_or(refusal))
        }
        other => other,
    }
}

/// A spec by its bare name, which nothing else has.
fn spec_named(reader: &mut Reader<'_>, given: &str) -> Result<Option<EntityRef>, Refusal> {
    let Ok(name) = SpecName::parse(given) else { return Ok(None) };
    let spec = EntityRef::Spec(name);
    Ok(reader.entity(&spec)?.map(|_| spec))
}

/// An agent by name, also one that takes part no longer.
fn named(reader: &mut Reader<'_>, given: &str, otherwise: Refusal) -> Result<EntityRef, Refusal> {
    match resolve::agent(reader, given) {
        Ok(agent) => Ok(EntityRef::Agent(agent.id)),
        Err(_) => {
            let folded = given.to_lowercase();
            let retired = reader.agents()?.into_iter().rev().find(|agent| agent.name.as_str() == folded);
            retired.map(|agent| EntityRef::Agent(agent.id)).ok_or(otherwise)
        }
    }
}
