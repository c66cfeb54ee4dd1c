//! Deleting a text for good: from the log's texts, the store's files and the search index. Its hash stays.
//!
//! An agent deletes what it wrote itself, the operator anything, where it is proven that the operator calls. The same words elsewhere are other texts, with salts of
//! their own: those around it (its conversation, the messages about it, its reviews) that repeat a deleted text go with it.
//! Of the rest of the hub only what holds the same secret does, or what was asked for: a sentence that two people wrote is
//! no copy, and what is deleted never comes back.

use std::collections::BTreeMap;
use std::path::Path;

use interagent_core::authority::{OperatorAct, authorize};
use interagent_core::event::TextPurged;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::refusal::Refusal;
use interagent_core::shell::quoted;
use interagent_core::text::{TextHash, Words};
use interagent_store::reader::Reader;
use interagent_store::{TextState, texts_of};
use interagent_wire::answer::ChangedView;
use interagent_wire::{Answer, request as ask};

use super::held::held_of;
use super::{quotes, search};
use crate::call::{Call, Scene};

/// A text of an entity.
struct Written {
    hash: TextHash,
    author: AgentId,
    /// `None` when it was purged before, or has not arrived.
    text: Option<String>,
}

/// Deletes texts of an entity.
pub(crate) fn purge(call: &mut Call<'_>, params: &ask::TextPurge) -> Result<Answer, Refusal> {
    let reason = params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?;
    let containing = params.containing.as_deref().filter(|part| !part.is_empty());
    if params.containing.is_some() && containing.is_none() {
        return Err(Refusal::usage("empty", "`containing` is empty: every text would match")
            .hint("leave it out to delete all texts of the entity"));
    }
    let leaks = |text: &str| containing.is_some_and(|part| text.contains(part));
    if reason.as_ref().is_some_and(|reason| leaks(reason.as_str())) {
        return Err(Refusal::usage("reason_leaks", "the reason contains the text that is to be deleted"));
    }
    let mut notes = Vec::new();
    let mut changed = ChangedView { changed: Vec::new(), unchanged: Vec::new() };
    call.write(
        |scene| {
            let entity = super::entity(&mut scene.look(), &params.entity)?;
            if scene.context.human {
                let command = format!("interagent purge {entity}");
                authorize(OperatorAct::Purge, scene.context.authority(), &command)?;
            }
            let mut texts = written(&mut scene.look(), &entity)?;
            if params.held {
                let held = held_of(&mut scene.look(), &entity)?;
                texts.retain(|text| held.iter().any(|held| held.hash == text.hash));
            }
            let (doomed, gone) = choose(scene, &entity, texts, containing)?;
            let (copies, told) = copies(scene, &entity, &doomed, containing)?;
            notes = told;
            let mut draft = scene.draft();
            let reason = draft.maybe(reason.as_ref());
            for hash in doomed.into_iter().map(|(hash, _)| hash).chain(copies) {
                changed.changed.push(hash.to_string());
                draft.add(EntityRef::Text(hash), TextPurged { reason: reason.clone() });
            }
            changed.unchanged = gone;
            Ok(draft)
        },
        |_, _| Ok(()),
    )?;
    // Also when nothing changed: an earlier purge may have been interrupted before this.
    let scrubbed = call.store.scrub()?;
    let forgotten = search::forget(call.store, call.state_dir)?;
    if !scrubbed || !forgotten {
        return Err(Refusal::unavailable(
            "not_scrubbed",
            "the text is deleted, but another process was reading: copies of it may still be in the hub's files",
        )
        .hint("run the same command again when the other process is done"));
    }
    call.notes.append(&mut notes);
    call.notes.extend(put_aside(call.state_dir));
    Ok(changed.into())
}

/// Databases that were put aside still hold what was in them: the purge does not reach into those files.
fn put_aside(state_dir: &Path) -> Option<String> {
    let copies: Vec<String> = interagent_store::put_aside(state_dir)
        .iter()
        .map(|path| quoted(&path.display().to_string()))
        .collect();
    let them = if copies.len() == 1 { "it" } else { "them" };
    (!copies.is_empty()).then(|| {
        format!(
            "the text may still be in what `doctor --recover` or `restore` put aside; delete {them} once nothing is missing: rm -r {}",
            copies.join(" ")
        )
    })
}

/// Every text the entity's events name, once, with who wrote it first.
fn written(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<Vec<Written>, Refusal> {
    let mut authors: BTreeMap<TextHash, AgentId> = BTreeMap::new();
    let mut order = Vec::new();
    for placed in reader.history(entity)? {
        for hash in texts_of(&placed.fact.event) {
            if !authors.contains_key(hash) {
                authors.insert(hash.clone(), placed.stamp.member.clone());
                order.push(hash.clone());
            }
        }
    }
    let mut found = Vec::with_capacity(order.len());
    for hash in order {
        let text = match reader.text_state(&hash)? {
            // What is left of a damaged one may still be what has to go.
            TextState::Whole(text) | TextState::Damaged(text) => Some(text),
            TextState::Purged | TextState::Missing => None,
        };
        if let Some(author) = authors.remove(&hash) {
            found.push(Written { hash, author, text });
        }
    }
    Ok(found)
}

/// A text that is to go, and what it said.
type Doomed = (TextHash, String);

/// What the caller may and wants to delete, and what is gone already.
fn choose(
    scene: &Scene<'_, '_, '_>,
    entity: &EntityRef,
    texts: Vec<Written>,
    containing: Option<&str>,
) -> Result<(Vec<Doomed>, Vec<String>), Refusal> {
    let (mut doomed, mut gone, mut foreign) = (Vec::new(), Vec::new(), 0_usize);
    for Written { hash, author, text } in texts {
        let own = scene.context.human || author == scene.member.id;
        match text {
            // What it contained is not known any more.
            None if own => gone.push(hash.to_string()),
            Some(text) if containing.is_none_or(|part| text.contains(part)) => {
                if own {
                    doomed.push((hash, text));
                } else {
                    foreign += 1;
                }
            }
            _ => {}
        }
    }
    if doomed.is_empty() && foreign > 0 {
        let texts = if foreign == 1 { "1 text".to_owned() } else { format!("{foreign} texts") };
        return Err(Refusal::rule(
            "not_the_author",
            format!("{texts} of {entity} would match, all written by others"),
        )
        .hint("their authors or the operator may delete them"));
    }
    if doomed.is_empty() && gone.is_empty() {
        let what = if containing.is_some() { "no text that contains this" } else { "no text" };
        return Err(Refusal::not_found("no_such_text", format!("{entity} has {what}")));
    }
    Ok((doomed, gone))
}

/// The texts that repeat one of the doomed or its secret, and what to tell about them. What others wrote an
/// agent can't delete, except where the program put the agent's own words into it.
fn copies(
    scene: &mut Scene<'_, '_, '_>,
    entity: &EntityRef,
    doomed: &[Doomed],
    containing: Option<&str>,
) -> Result<(Vec<TextHash>, Vec<String>), Refusal> {
    let (human, me) = (scene.context.human, scene.member.id.clone());
    let (mut copies, mut quoting, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
    if doomed.is_empty() {
        return Ok((copies, Vec::new()));
    }
    let gone = || doomed.iter().map(|(_, gone)| gone.as_str());
    let parts = quotes::secret_parts(gone(), containing);
    let mut look = scene.look();
    let (around, more) = quotes::around(&mut look, entity)?;
    let (holding, even_more) = quotes::holding(&mut look, &parts)?;
    let mut others: Vec<(EntityRef, bool)> = around.into_iter().map(|id| (id, true)).collect();
    for id in holding {
        if !others.iter().any(|(known, _)| *known == id) {
            others.push((id, false));
        }
    }
    for (id, is_around) in others {
        let (before, mut kept) = (copies.len(), false);
        for Written { hash, author, text } in written(&mut look, &id)? {
            let Some(text) = text else { continue };
            // The same words in another place are chance; around it they are a copy.
            let is_copy = parts.iter().any(|part| text.contains(part))
                || (is_around && doomed.iter().any(|(_, gone)| quotes::repeats(&text, gone)));
            let is_known = copies.contains(&hash) || doomed.iter().any(|(gone, _)| *gone == hash);
            if is_known || !is_copy {
                continue;
            }
            let own = human || author == me;
            if own || doomed.iter().any(|(_, gone)| quotes::is_reply_subject(&text, gone)) {
                copies.push(hash);
            } else {
                kept = true;
            }
        }
        if copies.len() > before {
            quoting.push(id.to_string());
        }
        if kept {
            foreign.push(id.to_string());
        }
    }
    let mut told = Vec::new();
    if !copies.is_empty() {
        told.push(format!("{} of these texts in what quoted it: {}", copies.len(), quoting.join(", ")));
    }
    if !foreign.is_empty() {
        told.push(format!(
            "others quoted it, and they or the operator may purge that: {}",
            foreign.join(", ")
        ));
    }
    if more {
        told.push(format!(
            "only the newest {} messages around it were looked through for copies",
            quotes::MESSAGES
        ));
    }
    if even_more {
        told.push(format!(
            "more than {} texts hold the same: run the command for one that is left, too",
            quotes::ELSEWHERE
        ));
    }
    Ok((copies, told))
}
