//! The log as a list, one entity's history, and the local trace.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::event::Fact;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::limits::PAGE_MAX;
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_store::reader::Reader;
use interagent_store::{Placed, Stored, texts_of};
use interagent_wire::answer::{EntryView, EventView, HistoryView, Page, StepView, TraceView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};

use super::describe::{Lookup, describe, words_given};
use super::filter::{Filter, Way};
use crate::call::Call;
use crate::mail;
use crate::names::Names;
use crate::resolve;
use crate::tasks::access::{self, Access};

/// Entries of the log: after a place oldest first, otherwise newest first.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::LogList) -> Result<Answer, Refusal> {
    let limit = resolve::page_limit(params.limit);
    let way = match (params.after, params.before.unwrap_or(i64::MAX)) {
        (Some(after), before) => Way::Forward { after, before },
        (None, before) => Way::Backward { before },
    };
    call.read(|reader, known| {
        let access = Access::of(reader, known)?;
        let (rows, next) = Filter::read(reader, params)?.page(reader, way, limit)?;
        let mut names = Names::new(reader);
        let items =
            rows.iter().map(|stored| entry_view(&mut names, &access, stored)).collect::<Result<_, _>>()?;
        Ok(Page { items, next: next.map(|place| place.to_string()) }.into())
    })
}

fn entry_view(names: &mut Names<'_, '_>, access: &Access, stored: &Stored) -> Result<EntryView, Refusal> {
    let envelope = &stored.entry.envelope;
    let mut events = Vec::with_capacity(stored.entry.facts.len());
    for (place, fact) in stored.entry.facts.iter().enumerate() {
        events.push(EventView {
            void: names.reader.void(stored, place)?,
            entity: fact.entity.to_string(),
            kind: fact.event.kind().to_owned(),
            what: what_happened(names, access, fact, envelope.member())?,
        });
    }
    Ok(EntryView {
        seq: stored.seq,
        id: envelope.id.clone(),
        origin: envelope.origin.to_string(),
        oseq: envelope.oseq,
        wall: Time(envelope.wall),
        actor: names.who(&envelope.actor)?,
        behalf: names.maybe_who(envelope.behalf.as_ref())?,
        auth: envelope.auth,
        op: envelope.op.clone(),
        key: envelope.key.as_ref().map(|key| key.key.clone()),
        held: stored.held,
        events,
    })
}

/// What happened, in words. The subject of a message that the caller may not read is left out.
fn what_happened(
    names: &mut Names<'_, '_>,
    access: &Access,
    fact: &Fact,
    by: &AgentId,
) -> Result<String, Refusal> {
    let is_readable =
        |names: &mut Names<'_, '_>| access::is_readable(access.entity(names.reader, &fact.entity));
    match &fact.entity {
        EntityRef::Message(id) if !is_readable(names)? => match names.reader.message(id)? {
            Some(message) => {
                let instead = mail::about_task(names, &message)?;
                describe(&fact.event, by, &mut Untold { names, instead })
            }
            None => describe(&fact.event, by, names),
        },
        _ => describe(&fact.event, by, names),
    }
}

/// Names as they are, and one sentence in place of every text.
struct Untold<'n, 'r, 't> {
    names: &'n mut Names<'r, 't>,
    instead: String,
}

impl Lookup for Untold<'_, '_, '_> {
    fn name(&mut self, id: &AgentId) -> Result<String, Refusal> {
        self.names.name(id)
    }

    fn text(&mut self, _: &TextHash) -> Result<String, Refusal> {
        Ok(self.instead.clone())
    }
}

/// An entity's history, with what did not count and why.
pub(crate) fn history(call: &mut Call<'_>, params: &ask::LogHistory) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let entity = super::entity(reader, &params.entity)?;
        Access::of(reader, known)?.entity(reader, &entity)?;
        let placed = with_purges(reader, &entity)?;
        if placed.is_empty() {
            return Err(Refusal::not_found("not_found", format!("nothing was ever said of {entity}"))
                .hint("interagent log shows what there is"));
        }
        let mut names = Names::new(reader);
        let mut steps = Vec::with_capacity(placed.len());
        for step in &placed {
            steps.push(StepView {
                seq: step.seq,
                wall: Time(step.stamp.wall),
                by: names.who(&step.stamp.member)?,
                actor: names
                    .maybe_who(Some(&step.stamp.actor).filter(|actor| **actor != step.stamp.member))?,
                auth: step.stamp.auth,
                op: step.op.clone(),
                kind: step.fact.event.kind().to_owned(),
                what: describe(&step.fact.event, &step.stamp.member, &mut names)?,
                why: names.maybe_text(words_given(&step.fact.event))?,
                void: step.void.clone(),
            });
        }
        Ok(HistoryView { entity: entity.to_string(), steps }.into())
    })
}

/// An entity's own events, and when texts of it were deleted: once for each purge.
fn with_purges(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<Vec<Placed>, Refusal> {
    let mut placed = reader.history(entity)?;
    let texts: BTreeSet<TextHash> =
        placed.iter().flat_map(|step| texts_of(&step.fact.event)).cloned().collect();
    let mut purges: BTreeMap<i64, Placed> = BTreeMap::new();
    for hash in texts {
        for step in reader.history(&EntityRef::Text(hash))? {
            purges.entry(step.seq).or_insert(step);
        }
    }
    placed.extend(purges.into_values());
    placed.sort_by(|a, b| a.stamp.order.cmp(&b.stamp.order));
    Ok(placed)
}

/// What was tried and observed on this machine, newest first.
pub(crate) fn trace(call: &mut Call<'_>, params: &ask::LogTrace) -> Result<Answer, Refusal> {
    let limit = resolve::page_limit(params.limit).min(PAGE_MAX);
    call.read(|reader, _| {
        let mut items = Vec::new();
        for row in reader.trace(limit)? {
            // A row of another version is shown as it is rather than not at all.
            let data = serde_json::from_str(&row.data).unwrap_or(serde_json::Value::String(row.data));
            let about = data.get("agent").and_then(serde_json::Value::as_str);
            let agent = about.and_then(|id| AgentId::parse(id).ok());
            let agent = agent.map(|id| Names::new(reader).who(&id)).transpose()?;
            items.push(TraceView { n: row.n, at: Time(row.wall), kind: row.kind, agent, data });
        }
        Ok(Page { items, next: None }.into())
    })
}
