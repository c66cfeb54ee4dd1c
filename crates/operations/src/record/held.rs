//! Texts that look like secrets: which are kept out of git and files, and letting one out.
//!
//! Delivery is not touched: whoever a text was written to has it. Only the operator releases, because what is in git
//! stays there.

use interagent_core::authority::{OperatorAct, authorize};
use interagent_core::draft::{Draft, Suspect};
use interagent_core::event::TextReleased;
use interagent_core::ids::EntityRef;
use interagent_core::refusal::Refusal;
use interagent_core::secrets;
use interagent_core::text::{TextHash, Words};
use interagent_store::reader::Reader;
use interagent_store::{HeldText, texts_of};
use interagent_wire::answer::{ChangedView, HeldTextView, Page, SuspicionView};
use interagent_wire::{Answer, Time, request as ask};

use crate::call::Call;
use crate::names::Names;
use crate::resolve;

/// Secrets of one text that are shown.
const SHOWN: usize = 20;

/// The texts that are held back, of one entity or all.
pub(crate) fn held(call: &mut Call<'_>, params: &ask::TextHeld) -> Result<Answer, Refusal> {
    let limit = resolve::page_limit(params.limit);
    call.read(|reader, _| {
        let mut found = match params.entity.as_deref() {
            Some(given) => {
                let entity = super::entity(reader, given)?;
                held_of(reader, &entity)?
            }
            None => reader.held_texts(params.after.as_deref().unwrap_or_default(), limit + 1)?,
        };
        let next = match params.entity {
            Some(_) => None,
            None => resolve::next_page(&mut found, limit, |text| text.hash.to_string()),
        };
        let items = found.iter().map(|text| view(reader, text)).collect::<Result<_, _>>()?;
        Ok(Page { items, next }.into())
    })
}

/// The texts an entity's events name, each once, in their order; a text may be named itself.
fn texts_named(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<Vec<TextHash>, Refusal> {
    if let EntityRef::Text(hash) = entity {
        return Ok(vec![hash.clone()]);
    }
    let mut named: Vec<TextHash> = Vec::new();
    for placed in reader.history(entity)? {
        for hash in texts_of(&placed.fact.event) {
            if !named.contains(hash) {
                named.push(hash.clone());
            }
        }
    }
    Ok(named)
}

/// The held texts of an entity.
pub(super) fn held_of(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<Vec<HeldText>, Refusal> {
    let mut held = Vec::new();
    for hash in texts_named(reader, entity)? {
        held.extend(reader.held_text(&hash)?);
    }
    Ok(held)
}

fn view(reader: &mut Reader<'_>, held: &HeldText) -> Result<HeldTextView, Refusal> {
    let text = reader.text_state(&held.hash)?.whole().unwrap_or_default();
    let found = secrets::all(&text, SHOWN).into_iter().map(|suspicion| SuspicionView {
        kind: suspicion.kind.as_str().to_owned(),
        looks_like: suspicion.kind.told().to_owned(),
        line: u32::try_from(text[..suspicion.place.start].matches('\n').count() + 1).unwrap_or(u32::MAX),
        shown: secrets::masked(&text[suspicion.place]),
    });
    let found = found.collect();
    let written = match &held.entity {
        Some(entity) => reader
            .history(entity)?
            .into_iter()
            .find(|placed| texts_of(&placed.fact.event).contains(&&held.hash))
            .map(|placed| (placed.stamp.member, placed.stamp.wall)),
        None => None,
    };
    Ok(HeldTextView {
        hash: held.hash.to_string(),
        kind: held.kind.as_str().to_owned(),
        looks_like: held.kind.told().to_owned(),
        entity: held.entity.as_ref().map(ToString::to_string),
        by: Names::new(reader).maybe_who(written.as_ref().map(|(member, _)| member))?,
        written: written.map(|(_, wall)| Time(wall)),
        found,
    })
}

/// Lets held texts of an entity go to git and into files.
pub(crate) fn release(call: &mut Call<'_>, params: &ask::TextRelease) -> Result<Answer, Refusal> {
    let reason = params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?;
    let mut changed = ChangedView { changed: Vec::new(), unchanged: Vec::new() };
    call.write(
        |scene| {
            if !scene.context.human {
                return Err(Refusal::rule(
                    "operator_only",
                    "only the operator lets a text out that looks like a secret: what is in git stays there",
                )
                .hint("interagent purge deletes it instead, if you wrote it; or ask the operator"));
            }
            let entity = super::entity(&mut scene.look(), &params.entity)?;
            let command = format!("interagent hold release {entity}");
            authorize(OperatorAct::ReleaseText, scene.context.authority(), &command)?;
            let held = held_of(&mut scene.look(), &entity)?;
            let mut draft = scene.draft();
            if held.is_empty() {
                draft.is_so_already(format!("no text of {entity} is held back"));
                return Ok(draft);
            }
            let reason = draft.maybe(reason.as_ref());
            let owner = match entity {
                EntityRef::Text(_) => held.iter().find_map(|text| text.entity.clone()).ok_or_else(|| {
                    Refusal::not_found("no_owner", "what the text belongs to has not arrived here")
                        .hint("interagent sync")
                })?,
                other => other,
            };
            changed.changed = held.iter().map(|text| text.hash.to_string()).collect();
            let texts = held.into_iter().map(|text| text.hash).collect();
            draft.add(owner, TextReleased { texts, reason });
            Ok(draft)
        },
        |_, _| Ok(()),
    )?;
    Ok(changed.into())
}

/// What whoever wrote a text that looks like a secret is told.
pub(crate) fn remarks(draft: &Draft) -> Vec<String> {
    let mut told = Vec::new();
    for Suspect { hash, kind } in &draft.suspects {
        let owner = draft.facts.iter().find(|fact| texts_of(&fact.event).contains(&hash));
        // A text that nothing points to was not kept.
        let Some(entity) = owner.map(|fact| &fact.entity) else { continue };
        let sentence = format!(
            "this looks like {}: whoever it is for gets it, but it is kept out of git and files until the operator \
             releases it (interagent hold show {entity})",
            kind.told()
        );
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    told
}
